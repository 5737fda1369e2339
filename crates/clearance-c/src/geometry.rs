//! Geometries: from numbers, arrays and files. They never change, so that threads share them.

use crate::border::{
    Failure, Outcome, array, clearance_status, entry, free, handle, maybe_out, maybe_out_array, out, out_array, path,
    product, read, shared, threads, vector,
};
use crate::types::{clearance_point_distance, clearance_pose, clearance_ray, clearance_ray_hit, poses};
use clearance::engine::assembly::Assembly;
use clearance::engine::dispatch::{cast_rays, signed_distances};
use clearance::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Geometry, HalfSpace, HeightField, IntoGeometry, Mesh,
    MeshOptions, Plane, PointCloud, Ray, Sphere, Vec3,
};
use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::Arc;

/// A set of points that queries are about. It never changes: any number of pairs, scenes and threads
/// may use it, and keep what they need of it when it is freed.
pub struct clearance_geometry {
    _private: (),
}

handle_kind!(clearance_geometry, Shape, b"geometry", Shared);

/// What a handle holds.
pub(crate) struct Shape {
    pub(crate) geometry: Arc<dyn Geometry>,
    /// The mesh, for what only meshes can do.
    mesh: Option<Mesh>,
}

/// A handle of a geometry.
pub(crate) fn geometry_handle(geometry: impl IntoGeometry) -> *mut clearance_geometry {
    handle(Shape { geometry: geometry.into_geometry(), mesh: None })
}

/// A handle of a mesh.
fn mesh_handle(mesh: Mesh) -> *mut clearance_geometry {
    handle(Shape { geometry: (&mesh).into_geometry(), mesh: Some(mesh) })
}

impl Shape {
    pub(crate) fn mesh(&self) -> Outcome<&Mesh> {
        let other = || Failure::value(format!("the geometry is a {}; expected a mesh", self.geometry.kind()));
        self.mesh.as_ref().ok_or_else(other)
    }
}

/// Points of an array of `3·count` numbers.
///
/// # Safety
/// As [`array`].
pub(crate) unsafe fn points(pointer: *const f64, count: usize, what: &str) -> Outcome<Vec<Vec3>> {
    // SAFETY: as this function demands.
    let numbers = unsafe { array(pointer, product(count, 3, what)?, what) }?;
    Ok(numbers.as_chunks::<3>().0.iter().map(|&point| point.into()).collect())
}

/// Frees a geometry; NULL is nothing to free.
///
/// # Safety
/// `geometry` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_free(geometry: *mut clearance_geometry) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(geometry) }
}

/// Another handle of the same geometry, which is not copied.
///
/// # Safety
/// `geometry` is a handle; `clone` can be written. The caller frees `*clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_clone(
    geometry: *const clearance_geometry,
    clone: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shape, clone) = unsafe { (shared(geometry)?, out(clone, "clone")?) };
        clone.set(handle(Shape { geometry: shape.geometry.clone(), mesh: shape.mesh.clone() }));
        Ok(())
    })
}

/// How a mesh is made. All zeros are a surface in the units of its coordinates.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_mesh_options {
    /// Multiplies coordinates along x, y and z; 0 counts as 1.
    pub scale: [f64; 3],
    /// 1 for a solid: what lies inside of the mesh belongs to it, an error where it is not closed.
    pub solid: u32,
    /// How many threads build the hierarchy, and 0 is one.
    pub threads: u32,
}

// SAFETY: three numbers, then two of four bytes: no padding.
unsafe impl crate::border::Plain for clearance_mesh_options {}

fn mesh_options(given: Option<clearance_mesh_options>) -> MeshOptions {
    let mut options = MeshOptions::default();
    if let Some(given) = given {
        options.scale = given.scale.map(|factor| if factor == 0.0 { 1.0 } else { factor }).into();
        options.solid = given.solid != 0;
        options.threads = threads(given.threads.max(1));
    }
    options
}

/// Options that may be NULL.
///
/// # Safety
/// NULL, or readable.
unsafe fn read_options(options: *const clearance_mesh_options) -> Outcome<MeshOptions> {
    if options.is_null() {
        return Ok(MeshOptions::default());
    }
    // SAFETY: as this function demands.
    Ok(mesh_options(Some(unsafe { read(options, "options") }?)))
}

/// A mesh of `vertex_count` vertices (x, y, z each) and `triangle_count` triangles (three numbers of
/// vertices each).
///
/// # Safety
/// The arrays have so many numbers; `options` is NULL or can be read; `mesh` can be written. The
/// caller frees `*mesh`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_new(
    vertices: *const f64,
    vertex_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    options: *const clearance_mesh_options,
    mesh: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (vertices, triangles, options, mesh) = unsafe {
            (
                points(vertices, vertex_count, "vertices")?,
                array(triangles, product(triangle_count, 3, "triangles")?, "triangles")?,
                read_options(options)?,
                out(mesh, "mesh")?,
            )
        };
        let triangles = triangles.as_chunks().0.to_vec();
        mesh.set(mesh_handle(Mesh::with_options(vertices, triangles, &options)?));
        Ok(())
    })
}

/// Reads a mesh file: STL, OBJ, PLY, Collada, OFF, glTF, GLB or TRIS.
///
/// # Safety
/// `file` is a text; `options` is NULL or can be read; `mesh` can be written. The caller frees
/// `*mesh`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_load(
    file: *const c_char,
    options: *const clearance_mesh_options,
    mesh: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (file, options, mesh) = unsafe { (path(file, "file")?, read_options(options)?, out(mesh, "mesh")?) };
        mesh.set(mesh_handle(Mesh::load_with(file, &options)?));
        Ok(())
    })
}

/// The same mesh as a solid; an error names an open edge if it is not closed.
///
/// # Safety
/// `mesh` is a handle of a mesh; `solid` can be written. The caller frees `*solid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_solid(
    mesh: *const clearance_geometry,
    solid: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mesh, solid) = unsafe { (shared(mesh)?, out(solid, "solid")?) };
        solid.set(mesh_handle(mesh.mesh()?.solid()?));
        Ok(())
    })
}

/// How many vertices and triangles a mesh has.
///
/// # Safety
/// `mesh` is a handle of a mesh; the others can be written, or are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_size(
    mesh: *const clearance_geometry,
    vertex_count: *mut usize,
    triangle_count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mesh, vertices, triangles) = unsafe {
            (shared(mesh)?, maybe_out(vertex_count, "vertex_count")?, maybe_out(triangle_count, "triangle_count")?)
        };
        let mesh = mesh.mesh()?;
        vertices.into_iter().for_each(|out| out.set(mesh.vertices().len()));
        triangles.into_iter().for_each(|out| out.set(mesh.triangles().len()));
        Ok(())
    })
}

/// The vertices of a mesh (x, y, z each) and its triangles (three numbers of vertices each), as many as
/// `clearance_mesh_size` says.
///
/// # Safety
/// `mesh` is a handle of a mesh; `vertices` has `3·vertex_count` numbers, `triangles` has
/// `3·triangle_count`; either may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_data(
    mesh: *const clearance_geometry,
    vertices: *mut f64,
    vertex_count: usize,
    triangles: *mut u32,
    triangle_count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands; arrays are aligned as their elements.
        let (mesh, vertices, triangles) = unsafe {
            (
                shared(mesh)?,
                maybe_out_array(vertices.cast::<[f64; 3]>(), vertex_count, "vertices")?,
                maybe_out_array(triangles.cast::<[u32; 3]>(), triangle_count, "triangles")?,
            )
        };
        let mesh = mesh.mesh()?;
        let room = |wanted: bool, given: usize, there: usize, what: &str| {
            if !wanted || given == there {
                return Ok(());
            }
            Err(Failure::value(format!("there is room for {given} {what}; the mesh has {there}")))
        };
        room(vertices.is_some(), vertex_count, mesh.vertices().len(), "vertices")?;
        room(triangles.is_some(), triangle_count, mesh.triangles().len(), "triangles")?;
        vertices.into_iter().for_each(|out| out.set_all(mesh.vertices().iter().map(Vec3::to_array)));
        triangles.into_iter().for_each(|out| out.set_all(mesh.triangles().iter().copied()));
        Ok(())
    })
}

/// Whether what lies inside of a mesh belongs to it.
///
/// # Safety
/// `mesh` is a handle of a mesh; `solid` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_is_solid(
    mesh: *const clearance_geometry,
    solid: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mesh, solid) = unsafe { (shared(mesh)?, out(solid, "solid")?) };
        solid.set(mesh.mesh()?.is_solid());
        Ok(())
    })
}

/// The convex hull of a mesh's vertices.
///
/// # Safety
/// `mesh` is a handle of a mesh; `hull` can be written. The caller frees `*hull`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_convex_hull(
    mesh: *const clearance_geometry,
    hull: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mesh, hull) = unsafe { (shared(mesh)?, out(hull, "hull")?) };
        hull.set(geometry_handle(mesh.mesh()?.convex_hull()?));
        Ok(())
    })
}

/// A closed mesh as convex parts that differ from it by at most `error`, as one geometry. `reached`
/// and `part_count` say what became of it: the certified error, and how many parts there are.
///
/// # Safety
/// `mesh` is a handle of a mesh; `parts` can be written; `reached` and `part_count` can be written, or
/// are NULL. The caller frees `*parts`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_mesh_decompose(
    mesh: *const clearance_geometry,
    error: f64,
    parts: *mut *mut clearance_geometry,
    reached: *mut f64,
    part_count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mesh, parts, reached, part_count) = unsafe {
            (shared(mesh)?, out(parts, "parts")?, maybe_out(reached, "reached")?, maybe_out(part_count, "part_count")?)
        };
        let made = mesh.mesh()?.decompose(error)?;
        reached.into_iter().for_each(|out| out.set(made.error));
        part_count.into_iter().for_each(|out| out.set(made.parts.len()));
        parts.set(geometry_handle(Arc::new(made.into_assembly()) as Arc<dyn Geometry>));
        Ok(())
    })
}

/// Makes a geometry of checked numbers.
///
/// # Safety
/// `geometry` can be written, or is NULL.
unsafe fn made<S: IntoGeometry>(
    geometry: *mut *mut clearance_geometry,
    make: impl FnOnce() -> clearance::engine::Result<S>,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let geometry = unsafe { out(geometry, "geometry") }?;
        geometry.set(geometry_handle(make()?));
        Ok(())
    })
}

/// A box around the origin with these full edge lengths.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_box_new(
    x: f64,
    y: f64,
    z: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Cuboid::new(x, y, z)) }
}

/// A sphere around the origin.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_sphere_new(radius: f64, geometry: *mut *mut clearance_geometry) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Sphere::new(radius)) }
}

/// A cylinder along z, around the origin, `length` from end to end, with half a sphere on either end.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_capsule_new(
    radius: f64,
    length: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Capsule::new(radius, length)) }
}

/// A cylinder along z, around the origin.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_cylinder_new(
    radius: f64,
    length: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Cylinder::new(radius, length)) }
}

/// A cone along z; the origin is half way between the base and the apex, which is up.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_cone_new(
    radius: f64,
    length: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Cone::new(radius, length)) }
}

/// An ellipsoid around the origin with these half axes.
///
/// # Safety
/// `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_ellipsoid_new(
    x: f64,
    y: f64,
    z: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { made(geometry, || Ellipsoid::new(Vec3::new(x, y, z))) }
}

/// The convex hull of points that do not lie in one plane.
///
/// # Safety
/// `points` has `3·count` numbers; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_convex_hull_new(
    points: *const f64,
    count: usize,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (points, geometry) = unsafe { (self::points(points, count, "points")?, out(geometry, "geometry")?) };
        geometry.set(geometry_handle(ConvexPolyhedron::hull_of(&points)?));
        Ok(())
    })
}

/// All points with `normal · x <= offset`: a floor, a wall.
///
/// # Safety
/// `normal` has 3 numbers; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_half_space_new(
    normal: *const f64,
    offset: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (normal, geometry) = unsafe { (vector(normal, "normal")?, out(geometry, "geometry")?) };
        geometry.set(geometry_handle(HalfSpace::new(normal.into(), offset)?));
        Ok(())
    })
}

/// All points with `normal · x = offset`.
///
/// # Safety
/// `normal` has 3 numbers; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_plane_new(
    normal: *const f64,
    offset: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (normal, geometry) = unsafe { (vector(normal, "normal")?, out(geometry, "geometry")?) };
        geometry.set(geometry_handle(Plane::new(normal.into(), offset)?));
        Ok(())
    })
}

/// Points that are spheres of one radius.
///
/// # Safety
/// `points` has `3·count` numbers; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_point_cloud_new(
    points: *const f64,
    count: usize,
    radius: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (points, geometry) = unsafe { (self::points(points, count, "points")?, out(geometry, "geometry")?) };
        geometry.set(geometry_handle(PointCloud::new(points, radius)?));
        Ok(())
    })
}

/// Reads the points of an XYZ, PLY or PCD file, which are spheres of one radius.
///
/// # Safety
/// `file` is a text; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_point_cloud_load(
    file: *const c_char,
    radius: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (file, geometry) = unsafe { (path(file, "file")?, out(geometry, "geometry")?) };
        let read = clearance::io::load_points(&file)?;
        geometry.set(geometry_handle(PointCloud::new(read.points, radius)?));
        Ok(())
    })
}

/// The surface through a grid of heights, row by row: `heights[r·columns + c]` stands at
/// `(c·spacing_x, r·spacing_y)`. A `base` that is not NaN fills the ground down to this height.
///
/// # Safety
/// `heights` has `rows·columns` numbers; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_height_field_new(
    heights: *const f64,
    rows: usize,
    columns: usize,
    spacing_x: f64,
    spacing_y: f64,
    base: f64,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (heights, geometry) =
            unsafe { (array(heights, product(rows, columns, "heights")?, "heights")?, out(geometry, "geometry")?) };
        let field = HeightField::new(columns, rows, [spacing_x, spacing_y], heights)?;
        geometry.set(geometry_handle(if base.is_nan() { field } else { field.into_solid(base)? }));
        Ok(())
    })
}

/// How deep compounds may be nested. Every level takes stack, and an overflow would end the program.
const MAX_NESTING: usize = 64;

/// How many compounds are within each other. What many compounds share counts once, by its address,
/// or time would double with each level.
fn nesting(geometry: &Arc<dyn Geometry>, known: &mut HashMap<*const (), usize>) -> usize {
    let Some(assembly) = (&**geometry as &dyn Any).downcast_ref::<Assembly>() else { return 0 };
    let address = Arc::as_ptr(geometry).cast::<()>();
    if let Some(found) = known.get(&address) {
        return *found;
    }
    let deepest = assembly.parts().map(|part| nesting(assembly.geometry(part.number()), known)).max();
    let found = 1 + deepest.unwrap_or(0);
    known.insert(address, found);
    found
}

/// One geometry of placed parts; answers name a part by its place in the array. Parts may be compounds
/// in turn, up to 64 within each other.
///
/// # Safety
/// `parts` and `poses` have `count` elements, the parts are handles; `geometry` can be written. The
/// caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_compound_new(
    parts: *const *const clearance_geometry,
    poses: *const clearance_pose,
    count: usize,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shapes, places, geometry) =
            unsafe { (handles(parts, count, "parts")?, array(poses, count, "poses")?, out(geometry, "geometry")?) };
        let mut known = HashMap::new();
        if shapes.iter().any(|shape| nesting(&shape.geometry, &mut known) >= MAX_NESTING) {
            let message = format!("compounds within each other are more than {MAX_NESTING} deep");
            return Err(Failure::new(clearance_status::TooLarge, message));
        }
        let mut assembly = Assembly::default();
        for (shape, pose) in shapes.into_iter().zip(self::poses(places, "poses")?) {
            assembly.insert(shape.geometry.clone(), pose);
        }
        geometry.set(geometry_handle(Arc::new(assembly) as Arc<dyn Geometry>));
        Ok(())
    })
}

/// Geometries of an array of handles.
///
/// # Safety
/// `pointer` has `count` handles, or is NULL.
unsafe fn handles<'a>(pointer: *const *const clearance_geometry, count: usize, what: &str) -> Outcome<Vec<&'a Shape>> {
    // SAFETY: as this function demands; a pointer is a number of so many bits.
    let pointers = unsafe { array(pointer.cast::<Handle>(), count, what) }?;
    // SAFETY: each is a handle, as this function demands.
    pointers.iter().map(|pointer| unsafe { shared(pointer.0) }).collect()
}

/// A pointer of an array.
#[repr(transparent)]
#[derive(Clone, Copy)]
struct Handle(*const clearance_geometry);

// SAFETY: any bits are a raw pointer.
unsafe impl crate::border::Plain for Handle {}

/// The lowest and the highest coordinates; infinite where it has no bounds.
///
/// # Safety
/// `geometry` is a handle; `low` and `high` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_bounding_box(
    geometry: *const clearance_geometry,
    low: *mut f64,
    high: *mut f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shape, low, high) =
            unsafe { (shared(geometry)?, out(low.cast::<[f64; 3]>(), "low")?, out(high.cast::<[f64; 3]>(), "high")?) };
        let (lowest, highest) = shape.geometry.bounding_box();
        low.set(lowest.to_array());
        high.set(highest.to_array());
        Ok(())
    })
}

/// Where each of many rays first meets the surface, in the geometry's own frame; `threads` 0 is all
/// of the machine.
///
/// # Safety
/// `geometry` is a handle; `rays` and `hits` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_rays(
    geometry: *const clearance_geometry,
    rays: *const clearance_ray,
    count: usize,
    threads: u32,
    hits: *mut clearance_ray_hit,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shape, rays, hits) =
            unsafe { (shared(geometry)?, array(rays, count, "rays")?, out_array(hits, count, "hits")?) };
        let rays = rays.iter().map(clearance_ray::get).collect::<Outcome<Vec<Ray>>>()?;
        let found = cast_rays(&*shape.geometry, &rays, crate::border::threads(threads))?;
        hits.set_all(found.into_iter().map(clearance_ray_hit::from));
        Ok(())
    })
}

/// All points in which a ray meets the surface, in the order of `t`. `capacity` of them are written,
/// and `count` is how many there are.
///
/// # Safety
/// `geometry` is a handle; `ray` can be read; `hits` has `capacity` elements; `count` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_ray_hits(
    geometry: *const clearance_geometry,
    ray: *const clearance_ray,
    hits: *mut clearance_ray_hit,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shape, ray, hits, count) =
            unsafe { (shared(geometry)?, read(ray, "ray")?, out_array(hits, capacity, "hits")?, out(count, "count")?) };
        let found = shape.geometry.ray_hits(&ray.get()?)?;
        count.set(found.len());
        hits.set_all(found.into_iter().map(|hit| clearance_ray_hit::from(Some(hit))));
        Ok(())
    })
}

/// The signed distances of many points in the geometry's own frame; `threads` 0 is all of the
/// machine.
///
/// # Safety
/// `geometry` is a handle; `points` has `3·count` numbers; `distances` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_geometry_signed_distances(
    geometry: *const clearance_geometry,
    points: *const f64,
    count: usize,
    threads: u32,
    distances: *mut clearance_point_distance,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (shape, points, distances) = unsafe {
            (shared(geometry)?, self::points(points, count, "points")?, out_array(distances, count, "distances")?)
        };
        let found = signed_distances(&*shape.geometry, &points, crate::border::threads(threads))?;
        distances.set_all(found.iter().map(clearance_point_distance::from));
        Ok(())
    })
}
