//! Robots: a URDF file, an SRDF file, names and limits.

use crate::border::{
    Failure, Outcome, Plain, array, clearance_status, entry, free, handle, maybe_out, maybe_out_array, maybe_text, out,
    out_array, path, read, shared, text, text_of, texts,
};
use crate::types::clearance_pose;
use clearance::robot::{GeometrySource, HullLinks};
use clearance::{Pose, Robot, UrdfOptions};
use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::sync::Arc;

/// A kinematic tree with geometry. It never changes, so that threads share it.
pub struct clearance_robot {
    _private: (),
}

handle_kind!(clearance_robot, RobotValue, b"robot___", Shared);

/// A robot, and its names as C reads them.
pub(crate) struct RobotValue {
    pub(crate) robot: Arc<Robot>,
    name: CString,
    links: Vec<CString>,
    joints: Vec<CString>,
    notes: Vec<CString>,
}

impl RobotValue {
    fn new(robot: Robot) -> Self {
        let names = |names: &mut dyn Iterator<Item = &str>| names.map(text_of).collect();
        let name = text_of(robot.name());
        let links = names(&mut robot.links().iter().map(|link| link.name()));
        let joints = names(&mut robot.variables().iter().map(|variable| variable.name.as_str()));
        let notes = names(&mut robot.notes().iter().map(String::as_str));
        Self { robot: Arc::new(robot), name, links, joints, notes }
    }
}

/// Which geometry of a URDF file is read, a flag of `clearance_robot_options`: the visual one.
pub const CLEARANCE_ROBOT_VISUAL: u32 = 1;
/// A flag of `clearance_robot_options`: the convex hulls of meshes in their place.
pub const CLEARANCE_ROBOT_HULLS: u32 = 2;

/// How a robot is read. All zeros are the defaults.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_robot_options {
    /// Folders that hold packages, for `package://` in the file; may be NULL if there is none.
    pub package_dirs: *const *const c_char,
    /// How many folders.
    pub package_dir_count: usize,
    /// Sums of `CLEARANCE_ROBOT_…`.
    pub flags: u64,
}

// SAFETY: a pointer and two numbers of 8 bytes, without padding where pointers have 8 bytes, or 4 and
// 4; any bits are values.
unsafe impl Plain for clearance_robot_options {}

/// Options that may be NULL.
///
/// # Safety
/// NULL, or readable, with as many texts as it says.
unsafe fn urdf_options(pointer: *const clearance_robot_options) -> Outcome<UrdfOptions> {
    let mut options = UrdfOptions::default();
    if pointer.is_null() {
        return Ok(options);
    }
    // SAFETY: as this function demands.
    let given = unsafe { read(pointer, "options") }?;
    // SAFETY: as this function demands.
    let folders = unsafe { texts(given.package_dirs, given.package_dir_count, "package_dirs") }?;
    options.packages = folders.into_iter().map(PathBuf::from).collect();
    let known = u64::from(CLEARANCE_ROBOT_VISUAL | CLEARANCE_ROBOT_HULLS);
    if given.flags & !known != 0 {
        return Err(Failure::value(format!("the flags are {}; expected a sum of CLEARANCE_ROBOT_…", given.flags)));
    }
    if given.flags & u64::from(CLEARANCE_ROBOT_VISUAL) != 0 {
        options.geometry = GeometrySource::Visual;
    }
    if given.flags & u64::from(CLEARANCE_ROBOT_HULLS) != 0 {
        options.hulls = HullLinks::All;
    }
    Ok(options)
}

/// Reads a robot from a URDF file, and which pairs need no check from an SRDF file.
///
/// # Safety
/// `urdf` is a text, `srdf` is a text or NULL; `options` can be read, or is NULL; `robot` can be
/// written. The caller frees `*robot`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_load(
    urdf: *const c_char,
    srdf: *const c_char,
    options: *const clearance_robot_options,
    robot: *mut *mut clearance_robot,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (urdf, srdf, options, robot) = unsafe {
            let srdf = if srdf.is_null() { None } else { Some(path(srdf, "srdf")?) };
            (path(urdf, "urdf")?, srdf, urdf_options(options)?, out(robot, "robot")?)
        };
        let read = Robot::load_with(urdf, &options)?;
        let read = match srdf {
            Some(srdf) => read.with_srdf(srdf)?,
            None => read,
        };
        robot.set(handle(RobotValue::new(read)));
        Ok(())
    })
}

/// Reads a robot from the text of a URDF file, and which pairs need no check from that of an SRDF
/// file.
///
/// # Safety
/// `urdf` is a text, `srdf` is a text or NULL; `options` can be read, or is NULL; `robot` can be
/// written. The caller frees `*robot`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_from_urdf(
    urdf: *const c_char,
    srdf: *const c_char,
    options: *const clearance_robot_options,
    robot: *mut *mut clearance_robot,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (urdf, srdf, options, robot) =
            unsafe { (text(urdf, "urdf")?, maybe_text(srdf, "srdf")?, urdf_options(options)?, out(robot, "robot")?) };
        let read = Robot::from_urdf(urdf, &options)?;
        let read = match srdf {
            Some(srdf) => read.with_srdf_text(srdf)?,
            None => read,
        };
        robot.set(handle(RobotValue::new(read)));
        Ok(())
    })
}

/// The built-in humanoid, for trials without files.
///
/// # Safety
/// `robot` can be written. The caller frees `*robot`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_humanoid(robot: *mut *mut clearance_robot) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let robot = unsafe { out(robot, "robot") }?;
        robot.set(handle(RobotValue::new(clearance::scene::humanoid()?.robot)));
        Ok(())
    })
}

/// The same robot with the geometry of some links scaled, each shape about its own centre. Joints stay
/// where they are.
///
/// # Safety
/// `robot` is a handle; `links` and `scales` have `count` elements, the links are texts; `scaled` can
/// be written. The caller frees `*scaled`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_scale_links(
    robot: *const clearance_robot,
    links: *const *const c_char,
    scales: *const f64,
    count: usize,
    scaled: *mut *mut clearance_robot,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, links, scales, scaled) = unsafe {
            (shared(robot)?, texts(links, count, "links")?, array(scales, count, "scales")?, out(scaled, "scaled")?)
        };
        let scales: Vec<(&str, f64)> = links.into_iter().zip(scales.iter().copied()).collect();
        scaled.set(handle(RobotValue::new(Robot::clone(&robot.robot).with_scaled_links(&scales)?)));
        Ok(())
    })
}

/// Frees a robot; NULL is nothing to free. Checkers keep what they need of it.
///
/// # Safety
/// `robot` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_free(robot: *mut clearance_robot) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(robot) }
}

/// The robot's name, how many numbers a configuration has, and how many links there are.
///
/// # Safety
/// `robot` is a handle; the others can be written, or are NULL. `*name` lives as long as the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_describe(
    robot: *const clearance_robot,
    name: *mut *const c_char,
    dof: *mut usize,
    link_count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, name, dof, links) = unsafe {
            let counts = (maybe_out(dof, "dof")?, maybe_out(link_count, "link_count")?);
            (shared(robot)?, maybe_out(name, "name")?, counts.0, counts.1)
        };
        name.into_iter().for_each(|out| out.set(robot.name.as_ptr()));
        dof.into_iter().for_each(|out| out.set(robot.joints.len()));
        links.into_iter().for_each(|out| out.set(robot.links.len()));
        Ok(())
    })
}

fn nth<'n>(names: &'n [CString], index: usize, what: &str) -> Outcome<&'n CString> {
    let outside = || Failure::value(format!("there is no {what} {index}; the robot has {}", names.len()));
    names.get(index).ok_or_else(outside)
}

/// The name of a number of a configuration.
///
/// # Safety
/// `robot` is a handle; `name` can be written. `*name` lives as long as the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_joint_name(
    robot: *const clearance_robot,
    index: usize,
    name: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, name) = unsafe { (shared(robot)?, out(name, "name")?) };
        name.set(nth(&robot.joints, index, "joint variable")?.as_ptr());
        Ok(())
    })
}

/// The name of a link; the root is the first, and parents come before children.
///
/// # Safety
/// `robot` is a handle; `name` can be written. `*name` lives as long as the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_link_name(
    robot: *const clearance_robot,
    index: usize,
    name: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, name) = unsafe { (shared(robot)?, out(name, "name")?) };
        name.set(nth(&robot.links, index, "link")?.as_ptr());
        Ok(())
    })
}

/// The place of a link, by its name.
///
/// # Safety
/// `robot` is a handle; `name` is a text; `index` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_link_index(
    robot: *const clearance_robot,
    name: *const c_char,
    index: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, name, index) = unsafe { (shared(robot)?, text(name, "name")?, out(index, "index")?) };
        let unknown = || Failure::new(clearance_status::Name, format!("no link is called '{name}'"));
        index.set(robot.robot.link_index(name).ok_or_else(unknown)?);
        Ok(())
    })
}

/// What the reader ignored or assumed: a sentence, NULL beyond the last.
///
/// # Safety
/// `robot` is a handle; `note` can be written. `*note` lives as long as the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_note(
    robot: *const clearance_robot,
    index: usize,
    note: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, note) = unsafe { (shared(robot)?, out(note, "note")?) };
        note.set(robot.notes.get(index).map_or(std::ptr::null(), |note| note.as_ptr()));
        Ok(())
    })
}

fn check_dof(robot: &RobotValue, dof: usize) -> Outcome {
    if dof == robot.joints.len() {
        return Ok(());
    }
    Err(Failure::value(format!("{dof} numbers given; the robot has {} joint variables", robot.joints.len())))
}

/// The lowest and the highest configuration within the limits, infinite where there is none, and the
/// one with all joints at 0 or at the nearest limit.
///
/// # Safety
/// `robot` is a handle; the arrays have `dof` elements, or are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_limits(
    robot: *const clearance_robot,
    dof: usize,
    lower: *mut f64,
    upper: *mut f64,
    middle: *mut f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, [lower, upper, middle]) = unsafe {
            let place = |place: *mut f64, what| maybe_out_array(place, dof, what);
            (shared(robot)?, [place(lower, "lower")?, place(upper, "upper")?, place(middle, "middle")?])
        };
        check_dof(robot, dof)?;
        lower.into_iter().for_each(|out| out.set_all(robot.robot.lower()));
        upper.into_iter().for_each(|out| out.set_all(robot.robot.upper()));
        middle.into_iter().for_each(|out| out.set_all(robot.robot.default_configuration()));
        Ok(())
    })
}

/// The poses of all links in the world, in the order of `clearance_robot_link_name`.
///
/// # Safety
/// `robot` is a handle; `base`, the pose of the root link, can be read, or is NULL for the origin;
/// `configuration` has `dof` numbers; `poses` has `link_count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_link_poses(
    robot: *const clearance_robot,
    base: *const clearance_pose,
    configuration: *const f64,
    dof: usize,
    poses: *mut clearance_pose,
    link_count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, base, configuration, poses) = unsafe {
            let base = if base.is_null() { Pose::IDENTITY } else { read(base, "base")?.get()? };
            let configuration = array(configuration, dof, "configuration")?;
            (shared(robot)?, base, configuration, out_array(poses, link_count, "poses")?)
        };
        if link_count != robot.links.len() {
            let message = format!("there is room for {link_count} poses; the robot has {} links", robot.links.len());
            return Err(Failure::value(message));
        }
        let mut found = Vec::new();
        robot.robot.link_poses(&base, configuration, &mut found)?;
        poses.set_all(found.iter().map(clearance_pose::of));
        Ok(())
    })
}

/// Which numbers of a configuration belong to a group of the SRDF file, in ascending order. `capacity`
/// of them are written, and `count` is how many there are.
///
/// # Safety
/// `robot` is a handle, `group` is a text; `variables` has `capacity` elements; `count` can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_group(
    robot: *const clearance_robot,
    group: *const c_char,
    variables: *mut usize,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, group, variables, count) = unsafe {
            let variables = out_array(variables, capacity, "variables")?;
            (shared(robot)?, text(group, "group")?, variables, out(count, "count")?)
        };
        let unknown = || Failure::new(clearance_status::Name, format!("no group is called '{group}'"));
        let members = robot.robot.group(group).ok_or_else(unknown)?;
        let own = robot.robot.variables().iter().enumerate();
        let own = own.filter(|(_, variable)| members.joints.contains(&variable.joint)).map(|(index, _)| index);
        count.set(own.clone().count());
        variables.set_all(own);
        Ok(())
    })
}

/// Whether two links are no neighbours, and no SRDF file disables the pair.
pub(crate) fn is_checked(robot: &Robot, a: usize, b: usize) -> bool {
    let [name_a, name_b] = [a, b].map(|link| robot.links()[link].name());
    robot.are_checked(a, b) && !robot.disabled_pairs().contains(name_a, name_b)
}

/// Whether a checker looks at two links by default: they are no neighbours, and no SRDF file disables
/// the pair.
///
/// # Safety
/// `robot` is a handle; `checked` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_robot_is_checked(
    robot: *const clearance_robot,
    link_a: usize,
    link_b: usize,
    checked: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (robot, checked) = unsafe { (shared(robot)?, out(checked, "checked")?) };
        nth(&robot.links, link_a, "link")?;
        nth(&robot.links, link_b, "link")?;
        checked.set(is_checked(&robot.robot, link_a, link_b));
        Ok(())
    })
}
