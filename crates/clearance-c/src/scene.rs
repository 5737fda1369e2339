//! What stands around: named geometries at poses.

use crate::border::{
    Failure, Outcome, array, clearance_status, entry, free, handle, lock, maybe_out, maybe_out_array, out, out_array,
    path, read, shared, text, text_of, threads,
};
use crate::geometry::{clearance_geometry, geometry_handle, points};
use crate::types::{clearance_point_distance, clearance_pose, clearance_ray, clearance_ray_hit};
use crate::voxels::clearance_depth_camera;
use clearance::Scene;
use std::ffi::{CString, c_char};

/// Named objects that come, go and move. Checkers copy a scene; the geometries are shared.
pub struct clearance_scene {
    _private: (),
}

handle_kind!(clearance_scene, SceneValue, b"scene___", Exclusive);

/// A scene, and the names of the last answer.
pub(crate) struct SceneValue {
    pub(crate) scene: Scene,
    names: Vec<CString>,
}

/// A handle of a scene.
pub(crate) fn scene_handle(scene: Scene) -> *mut clearance_scene {
    handle(SceneValue { scene, names: Vec::new() })
}

impl SceneValue {
    /// Keeps a name for as long as the answer lives.
    fn keep(names: &mut Vec<CString>, name: &str) -> *const c_char {
        names.push(text_of(name));
        // The text is on the heap: it stays where it is while the list grows.
        names.last().map_or(std::ptr::null(), |name| name.as_ptr())
    }
}

/// An empty scene.
///
/// # Safety
/// `scene` can be written. The caller frees `*scene`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_new(scene: *mut *mut clearance_scene) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let scene = unsafe { out(scene, "scene") }?;
        scene.set(scene_handle(Scene::new()));
        Ok(())
    })
}

/// Reads a scene file: JSON, or a mesh file as one object.
///
/// # Safety
/// `file` is a text; `scene` can be written. The caller frees `*scene`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_load(
    file: *const c_char,
    scene: *mut *mut clearance_scene,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (file, scene) = unsafe { (path(file, "file")?, out(scene, "scene")?) };
        scene.set(scene_handle(Scene::load(file)?));
        Ok(())
    })
}

/// Writes a scene file, whose name ends in `.json`. Meshes, point clouds and voxel maps become files
/// beside it.
///
/// # Safety
/// `scene` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_save(scene: *mut clearance_scene, file: *const c_char) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, file) = unsafe { (lock(scene)?, path(file, "file")?) };
        Ok(scene.scene.save(file)?)
    })
}

/// Another scene of the same objects.
///
/// # Safety
/// `scene` is a handle; `clone` can be written. The caller frees `*clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_clone(
    scene: *mut clearance_scene,
    clone: *mut *mut clearance_scene,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, clone) = unsafe { (lock(scene)?, out(clone, "clone")?) };
        clone.set(scene_handle(scene.scene.clone()));
        Ok(())
    })
}

/// Frees a scene; NULL is nothing to free.
///
/// # Safety
/// `scene` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_free(scene: *mut clearance_scene) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(scene) }
}

/// Adds an object at a pose in the world; an error if the name is taken.
///
/// # Safety
/// `scene` and `geometry` are handles, `name` is a text; `world_from_object` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_add(
    scene: *mut clearance_scene,
    name: *const c_char,
    geometry: *const clearance_geometry,
    world_from_object: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, name, shape, pose) = unsafe {
            (lock(scene)?, text(name, "name")?, shared(geometry)?, read(world_from_object, "world_from_object")?)
        };
        Ok(scene.scene.add(name, &shape.geometry, pose.get()?)?)
    })
}

/// Gives an object another geometry at the same pose, or adds it at the origin.
///
/// # Safety
/// `scene` and `geometry` are handles, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_replace(
    scene: *mut clearance_scene,
    name: *const c_char,
    geometry: *const clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, name, shape) = unsafe { (lock(scene)?, text(name, "name")?, shared(geometry)?) };
        Ok(scene.scene.replace(name, &shape.geometry)?)
    })
}

/// Moves an object to another pose in the world.
///
/// # Safety
/// `scene` is a handle, `name` is a text; `world_from_object` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_move(
    scene: *mut clearance_scene,
    name: *const c_char,
    world_from_object: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, name, pose) =
            unsafe { (lock(scene)?, text(name, "name")?, read(world_from_object, "world_from_object")?) };
        Ok(scene.scene.set_pose(name, pose.get()?)?)
    })
}

/// Takes an object out.
///
/// # Safety
/// `scene` is a handle, `name` is a text; `geometry` and `world_from_object` can be written, or are
/// NULL. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_remove(
    scene: *mut clearance_scene,
    name: *const c_char,
    geometry: *mut *mut clearance_geometry,
    world_from_object: *mut clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, name, geometry, pose) = unsafe {
            let outs = (maybe_out(geometry, "geometry")?, maybe_out(world_from_object, "world_from_object")?);
            (lock(scene)?, text(name, "name")?, outs.0, outs.1)
        };
        let object = scene.scene.remove(name)?;
        pose.into_iter().for_each(|out| out.set(clearance_pose::of(&object.pose)));
        geometry.into_iter().for_each(|out| out.set(geometry_handle(&object.geometry)));
        Ok(())
    })
}

/// The pose of an object in the world.
///
/// # Safety
/// `scene` is a handle, `name` is a text; `world_from_object` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_pose(
    scene: *mut clearance_scene,
    name: *const c_char,
    world_from_object: *mut clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, name, pose) =
            unsafe { (lock(scene)?, text(name, "name")?, out(world_from_object, "world_from_object")?) };
        pose.set(clearance_pose::of(&scene.scene.pose(name)?));
        Ok(())
    })
}

/// The geometry of an object. It is no mesh to the functions of meshes, whatever it was made of.
///
/// # Safety
/// `scene` is a handle, `name` is a text; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_geometry(
    scene: *mut clearance_scene,
    name: *const c_char,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, name, geometry) = unsafe { (lock(scene)?, text(name, "name")?, out(geometry, "geometry")?) };
        let part = scene.scene.part(name)?;
        geometry.set(geometry_handle(scene.scene.assembly().geometry(part.number())));
        Ok(())
    })
}

/// How many objects there are.
///
/// # Safety
/// `scene` is a handle; `count` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_count(scene: *mut clearance_scene, count: *mut usize) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, count) = unsafe { (lock(scene)?, out(count, "count")?) };
        count.set(scene.scene.names().count());
        Ok(())
    })
}

/// The name of an object, in the order of the scene.
///
/// # Safety
/// `scene` is a handle; `name` can be written. `*name` belongs to the scene and lives until its next
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_name(
    scene: *mut clearance_scene,
    index: usize,
    name: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, name) = unsafe { (lock(scene)?, out(name, "name")?) };
        let SceneValue { scene, names } = &mut *scene;
        let beyond = || Failure::value(format!("there is no object {index}; the scene has {}", scene.names().count()));
        let found = scene.names().nth(index).ok_or_else(beyond)?;
        names.clear();
        name.set(SceneValue::keep(names, found));
        Ok(())
    })
}

/// Where each of many rays of the world first meets the scene, and the names of what they meet: NULL
/// where that is nothing.
///
/// # Safety
/// `scene` is a handle; `rays` and `hits` have `count` elements, `names` too, or it is NULL. The names
/// belong to the scene and live until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_rays(
    scene: *mut clearance_scene,
    rays: *const clearance_ray,
    count: usize,
    hits: *mut clearance_ray_hit,
    names: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, rays, hits, names) = unsafe {
            let names = maybe_out_array(names, count, "names")?;
            (lock(scene)?, array(rays, count, "rays")?, out_array(hits, count, "hits")?, names)
        };
        let SceneValue { scene, names: kept } = &mut *scene;
        kept.clear();
        let one = |ray: &clearance_ray| Ok(scene.ray(&ray.get()?)?);
        let found = rays.iter().map(one).collect::<Outcome<Vec<_>>>()?;
        if let Some(names) = names {
            let keep = |name: Option<&str>| name.map_or(std::ptr::null(), |name| SceneValue::keep(kept, name));
            let all: Vec<_> = found.iter().map(|hit| hit.map(|(name, _)| name)).map(keep).collect();
            names.set_all(all);
        }
        hits.set_all(found.into_iter().map(|hit| hit.map(|(_, hit)| hit).into()));
        Ok(())
    })
}

/// All points in which a ray of the world meets the scene, in the order of `t`, and the names of what
/// it meets. `capacity` of them are written, and `count` is how many there are.
///
/// # Safety
/// `scene` is a handle; `ray` can be read; `hits` has `capacity` elements, `names` too, or it is NULL;
/// `count` can be written. The names belong to the scene and live until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_ray_hits(
    scene: *mut clearance_scene,
    ray: *const clearance_ray,
    hits: *mut clearance_ray_hit,
    names: *mut *const c_char,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, ray, hits, names, count) = unsafe {
            let outs = (out_array(hits, capacity, "hits")?, maybe_out_array(names, capacity, "names")?);
            (lock(scene)?, read(ray, "ray")?, outs.0, outs.1, out(count, "count")?)
        };
        let SceneValue { scene, names: kept } = &mut *scene;
        let found = scene.ray_hits(&ray.get()?)?;
        kept.clear();
        if let Some(names) = names {
            let all: Vec<_> = found.iter().take(capacity).map(|(name, _)| SceneValue::keep(kept, name)).collect();
            names.set_all(all);
        }
        count.set(found.len());
        hits.set_all(found.into_iter().map(|(_, hit)| clearance_ray_hit::from(Some(hit))));
        Ok(())
    })
}

/// The signed distances of points of the world from the nearest object, and its names.
///
/// # Safety
/// `scene` is a handle; `points` has `3·count` numbers, `distances` has `count` elements, `names` too,
/// or it is NULL. The names belong to the scene and live until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_signed_distances(
    scene: *mut clearance_scene,
    points: *const f64,
    count: usize,
    distances: *mut clearance_point_distance,
    names: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut scene, points, distances, names) = unsafe {
            let names = maybe_out_array(names, count, "names")?;
            let points = self::points(points, count, "points")?;
            (lock(scene)?, points, out_array(distances, count, "distances")?, names)
        };
        let SceneValue { scene, names: kept } = &mut *scene;
        kept.clear();
        let one = |point: clearance::Vec3| Ok(scene.signed_distance(point)?);
        let found = points.into_iter().map(one).collect::<Outcome<Vec<_>>>()?;
        if let Some(names) = names {
            let all: Vec<_> = found.iter().map(|(name, _)| SceneValue::keep(kept, name)).collect();
            names.set_all(all);
        }
        distances.set_all(found.iter().map(|(_, found)| clearance_point_distance::from(found)));
        Ok(())
    })
}

/// A simulated depth image, as `clearance_voxel_map_insert_depth_image` takes it: infinite where
/// nothing is seen. `threads` 0 is all of the machine.
///
/// # Safety
/// `scene` is a handle; `camera` and `world_from_camera` can be read; `depths` has `depth_count`
/// elements, width times height.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_scene_depth_image(
    scene: *mut clearance_scene,
    camera: *const clearance_depth_camera,
    world_from_camera: *const clearance_pose,
    threads: u32,
    depths: *mut f32,
    depth_count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (scene, camera, pose, depths) = unsafe {
            let pose = read(world_from_camera, "world_from_camera")?;
            (lock(scene)?, read(camera, "camera")?, pose, out_array(depths, depth_count, "depths")?)
        };
        let (camera, pixels) = camera.get()?;
        if pixels != depth_count {
            return Err(Failure::value(format!("there is room for {depth_count} depths; the camera has {pixels}")));
        }
        depths.set_all(scene.scene.depth_image(&camera, &pose.get()?, self::threads(threads))?);
        Ok(())
    })
}
