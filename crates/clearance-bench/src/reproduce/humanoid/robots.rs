//! Two pairs of robots, generated: stand-ins for the arms and the small humanoids of the k-IOS
//! paper (section V).
//!
//! The paper's are an IPR arm of 7 links and Aldebaran's Nao of 19, moved by a simulator; neither
//! models nor motions are to be had. Ours have as many links, about their sizes, and smooth casings
//! with rims and flanges.

use crate::Result;
use crate::placing::Random;
use crate::robots::within_limits;
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_robot::{JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder};
use clearance_scene::solid::{self, Ends, Solid};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

/// Two robots of a kind that work beside each other.
pub(super) struct Duet {
    /// What the tables call them.
    pub(super) name: &'static str,
    /// Both of them.
    pub(super) robot: Arc<Robot>,
    /// Where their roots stand.
    pub(super) bases: [Pose; 2],
}

/// How finely links are cut: points around a casing.
pub(super) fn duets(around: usize) -> Result<[Duet; 2]> {
    let facing = |distance: f64| -> Result<[Pose; 2]> {
        let turned = Pose::new(DQuat::from_rotation_z(PI), DVec3::X * distance)?;
        Ok([Pose::IDENTITY, turned])
    };
    Ok([
        Duet { name: "two arms of 7 links", robot: Arc::new(arm(around)?), bases: facing(1.1)? },
        Duet { name: "two humanoids of 19 links", robot: Arc::new(small_humanoid(around)?), bases: facing(0.3)? },
    ])
}

/// A casing from `a` to `b` with a rim around its middle, cut into triangles about as long as wide.
fn casing(a: DVec3, b: DVec3, radius: f64, around: usize) -> Solid {
    let (axis, length, thin) = ((b - a).normalize_or(DVec3::Z), a.distance(b), 0.8 * radius);
    let cuts = (length * around as f64 / (TAU * radius)).ceil().max(1.0) as usize;
    let side = (1..cuts).map(|i| i as f64 / cuts as f64).map(|t| (radius + (thin - radius) * t, length * t));
    let mut profile = solid::arc(radius, 0.0, -FRAC_PI_2, 0.0, around / 4);
    profile.extend(side);
    profile.extend(solid::arc(thin, length, 0.0, FRAC_PI_2, around / 4));
    let rim = solid::torus(1.05 * radius, 0.25 * radius, around, around / 2).moved(0.0, 0.0, 0.5 * length);
    let upright = solid::lathe(&profile, around, Ends::Capped).with(rim);
    upright.aimed(axis, axis.any_orthonormal_vector()).moved(a.x, a.y, a.z)
}

fn link(solid: Solid) -> Result<[LinkGeometry; 1]> {
    let (mesh, _) = solid.into_parts()?;
    Ok([LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(Arc::new(mesh)))])
}

/// A base, a turntable, two long links and a wrist of three.
fn arm(around: usize) -> Result<Robot> {
    let up = |length: f64| DVec3::Z * length;
    // Name, axis of the joint below, limits, length to the next joint, radius.
    let links: [(&str, DVec3, [f64; 2], f64, f64); 7] = [
        ("base", DVec3::Z, [0.0, 0.0], 0.18, 0.11),
        ("turntable", DVec3::Z, [-PI, PI], 0.16, 0.09),
        ("lower_arm", DVec3::Y, [-0.6, 1.6], 0.42, 0.075),
        ("upper_arm", DVec3::Y, [-0.4, 2.0], 0.36, 0.06),
        ("forearm", DVec3::Z, [-PI, PI], 0.14, 0.05),
        ("wrist", DVec3::Y, [-1.8, 1.8], 0.10, 0.045),
        ("flange", DVec3::Z, [-PI, PI], 0.08, 0.05),
    ];
    let mut builder = RobotBuilder::new("arm");
    for (i, (name, axis, limits, length, radius)) in links.into_iter().enumerate() {
        builder = builder.link(name, link(casing(DVec3::ZERO, up(length), radius, around))?);
        if i > 0 {
            let (parent, _, _, reach, _) = links[i - 1];
            let joint = JointSpec::revolute(format!("{name}_joint"), parent, name, axis, limits);
            builder = builder.joint(joint.at(Pose::from_translation(up(reach))?));
        }
    }
    Ok(builder.build()?)
}

/// A joint of the small humanoid with its link: name, parent, place in the parent, axis, limits,
/// end of the casing, radius.
type Limb = (&'static str, &'static str, [f64; 3], DVec3, [f64; 2], [f64; 3], f64);

/// A torso, a head on a neck, arms and legs of four links each: as tall as a Nao.
fn small_humanoid(around: usize) -> Result<Robot> {
    let torso = casing(DVec3::new(0.0, 0.0, 0.28), DVec3::new(0.0, 0.0, 0.40), 0.055, around);
    let mut builder = RobotBuilder::new("small humanoid").link("torso", link(torso)?);
    let middle: [Limb; 2] = [
        ("neck", "torso", [0.0, 0.0, 0.44], DVec3::Z, [-1.5, 1.5], [0.0, 0.0, 0.03], 0.025),
        ("head", "neck", [0.0, 0.0, 0.05], DVec3::Y, [-0.5, 0.5], [0.0, 0.0, 0.06], 0.055),
    ];
    let side: [Limb; 8] = [
        ("shoulder", "torso", [0.0, 0.10, 0.40], DVec3::Y, [-2.0, 2.0], [0.0, 0.02, 0.0], 0.028),
        ("upper_arm", "shoulder", [0.0, 0.03, 0.0], DVec3::Z, [-1.0, 1.0], [0.09, 0.0, 0.0], 0.024),
        ("elbow", "upper_arm", [0.10, 0.0, 0.0], DVec3::X, [-1.5, 1.5], [0.02, 0.0, 0.0], 0.022),
        ("forearm", "elbow", [0.03, 0.0, 0.0], DVec3::Z, [-1.3, 1.3], [0.10, 0.0, 0.0], 0.02),
        ("hip", "torso", [0.0, 0.055, 0.24], DVec3::X, [-0.3, 0.6], [0.0, 0.0, -0.03], 0.03),
        ("thigh", "hip", [0.0, 0.0, -0.04], DVec3::Y, [-1.2, 0.4], [0.0, 0.0, -0.08], 0.032),
        ("shin", "thigh", [0.0, 0.0, -0.10], DVec3::Y, [0.0, 1.8], [0.0, 0.0, -0.08], 0.028),
        ("foot", "shin", [0.0, 0.0, -0.10], DVec3::Y, [-0.8, 0.8], [0.06, 0.0, 0.0], 0.024),
    ];
    let mirrored = ["left", "right"].into_iter().flat_map(|name| side.map(|limb| (name, limb)));
    for (name, limb) in middle.map(|limb| ("", limb)).into_iter().chain(mirrored) {
        let (child, parent, place, axis, limits, end, radius) = limb;
        let flip = if name == "right" { DVec3::new(1.0, -1.0, 1.0) } else { DVec3::ONE };
        let full =
            |word: &str| if name.is_empty() || word == "torso" { word.to_owned() } else { format!("{name}_{word}") };
        let place = Pose::from_translation(DVec3::from_array(place) * flip)?;
        let joint = JointSpec::revolute(format!("{}_joint", full(child)), full(parent), full(child), axis, limits);
        let shape = casing(DVec3::ZERO, DVec3::from_array(end) * flip, radius, around);
        builder = builder.link(full(child), link(shape)?).joint(joint.at(place));
    }
    Ok(builder.build()?)
}

impl Duet {
    /// Both robots anywhere within their limits.
    pub(super) fn random(&self, random: &mut Random) -> [Vec<f64>; 2] {
        [0; 2].map(|_| within_limits(&self.robot, |_| random.unit()))
    }

    /// Both robots at a moment of a motion without jumps: every joint swings through half of its
    /// range, at its own pace.
    pub(super) fn coherent(&self, seconds: f64) -> [Vec<f64>; 2] {
        [0.0, 0.37].map(|phase| {
            let turns = |i: f64| seconds * (0.11 + 0.023 * i) + phase + 0.29 * i;
            within_limits(&self.robot, |i| 0.5 + 0.25 * (TAU * turns(i as f64)).sin())
        })
    }
}
