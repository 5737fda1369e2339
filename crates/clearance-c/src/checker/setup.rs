//! What a checker is made of: robot, options, scene, what links carry.

use super::{CheckerValue, asked, clearance_checker};
use crate::border::{clearance_status, entry, free, handle, lock, maybe_out, out, read, shared, text, texts};
use crate::geometry::{clearance_geometry, geometry_handle};
use crate::options::clearance_options;
use crate::robot::clearance_robot;
use crate::scene::{clearance_scene, scene_handle};
use crate::types::clearance_pose;
use clearance::{CheckOptions, Checker};
use std::ffi::c_char;

/// A checker of a robot in an empty scene; builds the hierarchies of all links.
///
/// # Safety
/// `robot` is a handle, `options` too, or it is NULL; both may be freed afterwards. `checker` can be
/// written. The caller frees `*checker`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_new(
    robot: *const clearance_robot,
    options: *mut clearance_options,
    checker: *mut *mut clearance_checker,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, options, checker) = unsafe {
            let options = if options.is_null() { CheckOptions::default() } else { lock(options)?.clone() };
            (shared(robot)?, options, out(checker, "checker")?)
        };
        checker.set(handle(CheckerValue::new(Checker::with_options(robot.robot.clone(), options)?)));
        Ok(())
    })
}

/// Another checker of the same robot, with a scene of its own, for another thread. It shares
/// hierarchies and proofs.
///
/// # Safety
/// `checker` is a handle; `clone` can be written. The caller frees `*clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_clone(
    checker: *mut clearance_checker,
    clone: *mut *mut clearance_checker,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, clone) = unsafe { (asked(checker)?, out(clone, "clone")?) };
        clone.set(handle(CheckerValue::new(checker.checker.clone())));
        Ok(())
    })
}

/// Frees a checker; NULL is nothing to free.
///
/// # Safety
/// `checker` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_free(checker: *mut clearance_checker) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(checker) }
}

/// Changes paddings, margins and pairs; attached objects stay. It builds no hierarchy.
///
/// # Safety
/// `checker` and `options` are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_set_options(
    checker: *mut clearance_checker,
    options: *mut clearance_options,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, options) = unsafe { (asked(checker)?, lock(options)?) };
        let mut options = options.clone();
        options.attached = checker.checker.options().attached.clone();
        Ok(checker.checker.set_options(options)?)
    })
}

/// The present options, to be changed and set again.
///
/// # Safety
/// `checker` is a handle; `options` can be written. The caller frees `*options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_options(
    checker: *mut clearance_checker,
    options: *mut *mut clearance_options,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, options) = unsafe { (asked(checker)?, out(options, "options")?) };
        options.set(handle(CheckOptions { attached: Vec::new(), ..checker.checker.options().clone() }));
        Ok(())
    })
}

/// Puts the root link at a pose in the world.
///
/// # Safety
/// `checker` is a handle; `world_from_base` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_set_base(
    checker: *mut clearance_checker,
    world_from_base: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, pose) = unsafe { (asked(checker)?, read(world_from_base, "world_from_base")?) };
        Ok(checker.checker.set_base(pose.get()?)?)
    })
}

/// Where the root link is in the world.
///
/// # Safety
/// `checker` is a handle; `world_from_base` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_base(
    checker: *mut clearance_checker,
    world_from_base: *mut clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, pose) = unsafe { (asked(checker)?, out(world_from_base, "world_from_base")?) };
        pose.set(clearance_pose::of(&checker.checker.base()));
        Ok(())
    })
}

/// Puts the robot into a copy of a scene.
///
/// # Safety
/// `checker` and `scene` are handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_set_scene(
    checker: *mut clearance_checker,
    scene: *mut clearance_scene,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, scene) = unsafe { (asked(checker)?, lock(scene)?) };
        checker.checker.set_scene(scene.scene.clone());
        Ok(())
    })
}

/// A copy of the checker's scene.
///
/// # Safety
/// `checker` is a handle; `scene` can be written. The caller frees `*scene`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_scene(
    checker: *mut clearance_checker,
    scene: *mut *mut clearance_scene,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, scene) = unsafe { (asked(checker)?, out(scene, "scene")?) };
        scene.set(scene_handle(checker.checker.scene().clone()));
        Ok(())
    })
}

/// Adds an object to the checker's scene; an error if the name is taken.
///
/// # Safety
/// `checker` and `geometry` are handles, `name` is a text; `world_from_object` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_add(
    checker: *mut clearance_checker,
    name: *const c_char,
    geometry: *const clearance_geometry,
    world_from_object: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name, shape, pose) = unsafe {
            (asked(checker)?, text(name, "name")?, shared(geometry)?, read(world_from_object, "world_from_object")?)
        };
        Ok(checker.checker.scene_mut().add(name, &shape.geometry, pose.get()?)?)
    })
}

/// Gives an object of the checker's scene another geometry at the same pose, or adds it at the origin.
///
/// # Safety
/// `checker` and `geometry` are handles, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_replace(
    checker: *mut clearance_checker,
    name: *const c_char,
    geometry: *const clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name, shape) = unsafe { (asked(checker)?, text(name, "name")?, shared(geometry)?) };
        Ok(checker.checker.scene_mut().replace(name, &shape.geometry)?)
    })
}

/// Moves an object of the checker's scene; it builds nothing.
///
/// # Safety
/// `checker` is a handle, `name` is a text; `world_from_object` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_move(
    checker: *mut clearance_checker,
    name: *const c_char,
    world_from_object: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name, pose) =
            unsafe { (asked(checker)?, text(name, "name")?, read(world_from_object, "world_from_object")?) };
        Ok(checker.checker.scene_mut().set_pose(name, pose.get()?)?)
    })
}

/// Takes an object out of the checker's scene.
///
/// # Safety
/// `checker` is a handle, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_remove(
    checker: *mut clearance_checker,
    name: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name) = unsafe { (asked(checker)?, text(name, "name")?) };
        checker.checker.scene_mut().remove(name)?;
        Ok(())
    })
}

/// Makes a link carry an object: it moves with the link and counts as a part of the robot. It may
/// touch that link and `touch_links`.
///
/// # Safety
/// `checker` and `geometry` are handles, `name` and `link` are texts; `link_from_object` can be read;
/// `touch_links` has `touch_link_count` texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_attach(
    checker: *mut clearance_checker,
    name: *const c_char,
    geometry: *const clearance_geometry,
    link: *const c_char,
    link_from_object: *const clearance_pose,
    touch_links: *const *const c_char,
    touch_link_count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name, shape, link, pose, touch_links) = unsafe {
            let pose = read(link_from_object, "link_from_object")?;
            let touch_links = texts(touch_links, touch_link_count, "touch_links")?;
            (asked(checker)?, text(name, "name")?, shared(geometry)?, text(link, "link")?, pose, touch_links)
        };
        Ok(checker.checker.attach(name, &shape.geometry, link, pose.get()?, &touch_links)?)
    })
}

/// Lets go of an attached object, and says its geometry and where it is in the world, as the robot was
/// placed last.
///
/// # Safety
/// `checker` is a handle, `name` is a text; `geometry` and `world_from_object` can be written, or are
/// NULL. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_detach(
    checker: *mut clearance_checker,
    name: *const c_char,
    geometry: *mut *mut clearance_geometry,
    world_from_object: *mut clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, name, geometry, pose) = unsafe {
            let outs = (maybe_out(geometry, "geometry")?, maybe_out(world_from_object, "world_from_object")?);
            (asked(checker)?, text(name, "name")?, outs.0, outs.1)
        };
        let object = checker.checker.detach(name)?;
        pose.into_iter().for_each(|out| out.set(clearance_pose::of(&object.pose)));
        geometry.into_iter().for_each(|out| out.set(geometry_handle(&object.geometry)));
        Ok(())
    })
}
