//! A scene as it is screened: primitives, fields of distances, and boxes around everything else.
//!
//! A sphere, a capsule and a box are a box with a radius around it. Surfaces, clouds and voxel maps
//! have a [`Field`], which is kept when they move. Obstacles stand in the frame of the robot's root.
//!
//! # The error
//! u = 2⁻²⁴; D is at least the distance of any point of the robot from the obstacle's centre. A
//! coordinate of a computed point in the obstacle's frame is off by u|c| for the rounded centre, uD
//! for the difference, uD for the rounded axis and 3.1uD for the products: 6.1uD. The distance from
//! a cylinder's axis is off by √2 times that and 2.5uD for squares and root. Half-extents are 20uD
//! larger, so that the computed distance is never above the real one but for 6.1u of itself, which
//! radii allow for ([`model`](super::model)). It is below it by at most twice that for each of three
//! axes; spheres inside of parts are compared after 80uD are taken from their radii.
//!
//! In a field positions are counted in cells: the scale and a sum add 2u of the position and u of
//! the grid's size for each axis, with 6.1uD less than 15uD and 4u of half the grid's diagonal.

use super::field::{Field, Reach};
use super::forward::{LANES, U};
use super::model::{SLACK, ScreenModel};
use crate::check::Scene;
use crate::check::collision_model::{CollisionModel, FARTHEST};
use clearance_engine::Pose;
use clearance_engine::math::lanes::{F8, Lanes8, V8, prelude::*};
use clearance_engine::math::{DMat3, DQuat, DVec3, f32_above, f32_below};
use clearance_engine::shape::{Convex, HalfSpaceOrPlane, Primitive};
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Solid};
use std::any::Any;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// All within the half-extents.
    Box,
    /// All within the first half-extent of the z axis, between the ends.
    Cylinder,
    /// All behind the plane through the centre across the z axis.
    HalfSpace,
    /// The plane alone.
    Plane,
    /// Where the field says.
    Field,
    /// Anywhere.
    Unknown,
}

/// A field and the revision of its geometry.
type Known = (u64, Arc<Field>);

/// An obstacle, in the frame of the robot's root.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    kind: Kind,
    center: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
    /// The number of the object in its scene.
    pub(super) number: u32,
    /// At most its largest extent where all of its inside belongs to it, else 0.
    diameter: f64,
    /// What belongs to it around the box, and the error.
    radius: f64,
    error: f64,
    /// How deep a computed point must be inside to be inside.
    depth: f32,
    pub(super) field: Option<Arc<Field>>,
}

impl Obstacle {
    fn new(
        geometry: &dyn Geometry,
        root_from_object: &Pose,
        number: u32,
        extent: f64,
        field: Option<Arc<Field>>,
    ) -> Self {
        let any: &dyn Any = geometry;
        let mut radius = 0.0;
        let (kind, center, axes, half, mut diameter) = match any.downcast_ref::<Solid>().map(Solid::shape) {
            Some(Primitive::Sphere(sphere)) => {
                radius = sphere.radius();
                (Kind::Box, sphere.center(), DMat3::IDENTITY, DVec3::ZERO, 2.0 * radius)
            }
            Some(Primitive::Capsule(capsule)) => {
                radius = capsule.radius();
                let length = capsule.half().length();
                let axes = upright(capsule.half() / length.max(f64::MIN_POSITIVE));
                (Kind::Box, capsule.center(), axes, DVec3::Z * length, 2.0 * (length + radius))
            }
            Some(Primitive::Cuboid(cuboid)) => {
                (Kind::Box, cuboid.center(), *cuboid.axes(), cuboid.half(), 2.0 * cuboid.half().length())
            }
            Some(Primitive::Cylinder(cylinder)) => {
                let half = DVec3::new(cylinder.radius(), cylinder.radius(), cylinder.half_length());
                let diameter = 2.0 * cylinder.radius().hypot(cylinder.half_length());
                (Kind::Cylinder, cylinder.center(), upright(cylinder.axis()), half, diameter)
            }
            _ => match any.downcast_ref::<HalfSpaceGeometry>().map(HalfSpaceGeometry::shape) {
                Some(shape) => {
                    let (normal, offset) = (shape.plane().normal(), shape.plane().offset());
                    let kind = if matches!(shape, HalfSpaceOrPlane::Plane(_)) { Kind::Plane } else { Kind::HalfSpace };
                    (kind, normal * offset, upright(normal), DVec3::ZERO, f64::INFINITY)
                }
                None => match &field {
                    Some(field) => {
                        let (center, half) = field.space();
                        (Kind::Field, center, DMat3::IDENTITY, half, field.component())
                    }
                    None => {
                        let (low, high) = geometry.bounding_box();
                        (Kind::Box, (low + high) * 0.5, DMat3::IDENTITY, (high - low) * 0.5, 0.0)
                    }
                },
            },
        };
        let (center, axes) = (root_from_object.transform_point(center), *root_from_object.rotation() * axes);
        let distance = center.length() + extent;
        let error = 20.0 * U * (distance + half.length()) + SLACK;
        let known = distance.is_finite() && half.is_finite() && distance + half.length() < 1e9;
        if !known {
            diameter = 0.0;
        }
        // Rounding of sizes.
        diameter *= 1.0 - 1e-9;
        let narrow = |v: DVec3| v.to_array().map(|x| x as f32);
        Self {
            kind: if known { kind } else { Kind::Unknown },
            center: narrow(center),
            axes: [narrow(axes.x_axis), narrow(axes.y_axis), narrow(axes.z_axis)],
            half: (half + error).to_array().map(f32_above),
            number,
            diameter,
            radius,
            error,
            depth: f32_above(4.0 * error),
            field: field.filter(|_| known),
        }
    }

    /// How far it reaches along an axis of the root's frame, what belongs to it around the box left
    /// out.
    fn side(&self, axis: usize, high: bool) -> f32 {
        let half: f64 = match self.kind {
            Kind::Box | Kind::Cylinder | Kind::Field => {
                (0..3).map(|k| f64::from(self.axes[k][axis].abs()) * f64::from(self.half[k])).sum()
            }
            _ => f64::INFINITY,
        };
        let (center, half) = (f64::from(self.center[axis]), half + self.error);
        if high { f32_above(center + half) } else { f32_below(center - half) }
    }

    /// The lanes in which points are certainly inside, though they are off by `error`.
    #[inline(always)]
    pub(super) fn contains<S: Lanes8>(&self, simd: S, point: V8<S>, error: f32) -> u32 {
        simd.step(
            #[inline(always)]
            || {
                if self.diameter == 0.0 {
                    return 0;
                }
                let from_center = point - V8::splat(simd, self.center);
                let x = from_center.dot(V8::splat(simd, self.axes[0]));
                let y = from_center.dot(V8::splat(simd, self.axes[1]));
                let z = from_center.dot(V8::splat(simd, self.axes[2]));
                let half = V8::splat(simd, self.half);
                let outside = match self.kind {
                    Kind::Box => (x.abs() - half.0[0]).max(y.abs() - half.0[1]).max(z.abs() - half.0[2]),
                    Kind::Cylinder => (y.mul_add(y, x * x).sqrt() - half.0[0]).max(z.abs() - half.0[2]),
                    Kind::HalfSpace => z - half.0[2],
                    Kind::Plane | Kind::Field | Kind::Unknown => return 0,
                };
                let needed = F8::splat(simd, -(error + self.depth));
                outside.simd_lt(needed).to_bitmask() as u32 & 0xff
            },
        )
    }

    /// A point's place in the obstacle's own frame, from its middle.
    #[inline(always)]
    pub(super) fn own_place<S: Lanes8>(&self, simd: S, point: V8<S>) -> V8<S> {
        let from_center = point - V8::splat(simd, self.center);
        V8([
            from_center.dot(V8::splat(simd, self.axes[0])),
            from_center.dot(V8::splat(simd, self.axes[1])),
            from_center.dot(V8::splat(simd, self.axes[2])),
        ])
    }

    /// The lanes, of those that matter, in which points are farther away than `reach`.
    #[inline(always)]
    pub(super) fn apart<S: Lanes8>(&self, simd: S, point: V8<S>, reach: F8<S>, alive: u32) -> u32 {
        simd.step(
            #[inline(always)]
            || {
                if let Some(field) = &self.field {
                    return field.apart(simd, self.own_place(simd, point), reach, f32_above(self.error), alive);
                }
                self.squared_distance(simd, point).simd_gt(reach * reach).to_bitmask() as u32 & 0xff
            },
        )
    }

    /// The squared distances of points, at most, but for relative rounding.
    #[inline(always)]
    pub(super) fn squared_distance<S: Lanes8>(&self, simd: S, point: V8<S>) -> F8<S> {
        simd.step(
            #[inline(always)]
            || {
                if let Some(field) = &self.field {
                    return field.squared_lower(simd, self.own_place(simd, point), f32_above(self.error));
                }
                let from_center = point - V8::splat(simd, self.center);
                let z = from_center.dot(V8::splat(simd, self.axes[2]));
                match self.kind {
                    Kind::Box | Kind::Cylinder => {
                        let x = from_center.dot(V8::splat(simd, self.axes[0]));
                        let y = from_center.dot(V8::splat(simd, self.axes[1]));
                        let z = beyond(simd, z, self.half[2]);
                        if self.kind == Kind::Box {
                            let (x, y) = (beyond(simd, x, self.half[0]), beyond(simd, y, self.half[1]));
                            z.mul_add(z, y.mul_add(y, x * x))
                        } else {
                            let across = beyond(simd, y.mul_add(y, x * x).sqrt(), self.half[0]);
                            z.mul_add(z, across * across)
                        }
                    }
                    Kind::HalfSpace => {
                        let above = (z - F8::splat(simd, self.half[2])).max(F8::splat(simd, 0.0));
                        above * above
                    }
                    Kind::Plane => {
                        let away = beyond(simd, z, self.half[2]);
                        away * away
                    }
                    Kind::Field | Kind::Unknown => F8::splat(simd, 0.0),
                }
            },
        )
    }
}

/// By how much values exceed a limit on either side.
#[inline(always)]
fn beyond<S: Lanes8>(simd: S, values: F8<S>, limit: f32) -> F8<S> {
    (values.abs() - F8::splat(simd, limit)).max(F8::splat(simd, 0.0))
}

/// Axes of which the third is given.
fn upright(axis: DVec3) -> DMat3 {
    DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, axis.try_normalize().unwrap_or(DVec3::Z)))
}

/// Marks what is not looked at.
const IGNORED: f32 = f32::NEG_INFINITY;

/// The obstacles of a scene for one robot at one base.
#[derive(Debug, Clone, Default)]
pub(super) struct Obstacles {
    /// What they were made for.
    pub(super) made_for: Option<(u64, u64, Pose)>,
    pub(super) list: Vec<Obstacle>,
    /// By part and obstacle: what is added to radii around and inside.
    grown: Vec<[f32; 2]>,
    /// By part: the most of what is added around.
    max_around: Vec<f32>,
    /// Boxes around the obstacles, by axis: the low sides and the high ones, and empty boxes up to a
    /// multiple of eight.
    sides: [[Vec<f32>; 3]; 2],
    /// Whether they are near enough to be screened at all.
    pub(super) usable: bool,
    /// Whether any of them has a field, by which contacts are guessed.
    pub(super) guess: bool,
    fields: Vec<Known>,
}

impl Obstacles {
    /// The obstacles of a scene; fields of former ones that still hold are kept. Without `fields`
    /// there are boxes instead.
    pub(super) fn new(
        model: &CollisionModel,
        screen: &ScreenModel,
        scene: &Scene,
        base: &Pose,
        fields: Option<&Self>,
    ) -> Self {
        let root_from_world = base.inverse();
        let assembly = scene.assembly();
        let near = base.translation().abs().max_element() + screen.extent < FARTHEST;
        let radius = (screen.extent + model.rules().largest_outward()) * (1.0 + 1e-9) + SLACK;
        let surfaces = screen.parts.iter().filter(|part| !part.solid && part.body != 0);
        // Parts without bounds have no contacts to prove.
        let diameters = surfaces.map(|part| part.outer_diameter()).filter(|diameter| diameter.is_finite());
        let component = diameters.fold(0.0, f64::max) * (1.0 + 1e-6);
        let mut list = Vec::new();
        let mut kept: Vec<Known> = Vec::new();
        for part in assembly.parts() {
            let root_from_object = root_from_world.then(assembly.pose(part.number()));
            let geometry = &**assembly.geometry(part.number());
            let revision = geometry.revision();
            let mut field = None;
            if let Some(former) = fields.filter(|_| near) {
                let reach = Reach { center: root_from_object.inverse().translation(), radius };
                let serves = |(known, field): &&Known| *known == revision && field.serves(&reach, component);
                field = kept.iter().chain(&former.fields).find(serves).map(|(_, field)| field.clone());
                if field.is_none() {
                    field = Field::new(geometry, reach, component).map(Arc::new);
                }
            }
            kept.extend(field.clone().map(|field| (revision, field)));
            list.push(Obstacle::new(geometry, &root_from_object, part.number(), screen.extent, field));
        }
        let mut grown = Vec::with_capacity(list.len() * screen.parts.len());
        for (number, part) in screen.parts.iter().enumerate() {
            for obstacle in &list {
                let offset = model.rules().outward(number as u32, 0.0, scene.name_of(obstacle.number));
                let Some(offset) = offset else {
                    grown.push([IGNORED; 2]);
                    continue;
                };
                let around = f32_above((obstacle.radius + offset) * (1.0 + 8.0 * U));
                // What is inside of a surface without touching it is smaller than the surface.
                let proves = part.solid || obstacle.diameter > part.outer_diameter();
                let inside = (obstacle.radius + offset) * (1.0 - 8.0 * U) - 4.0 * obstacle.error;
                let proves = proves && obstacle.diameter > 0.0;
                grown.push([around, if proves { f32_below(inside) } else { IGNORED }]);
            }
        }
        let most = |added: &[[f32; 2]]| added.iter().fold(0.0_f32, |most, [around, _]| most.max(*around));
        let max_around = (0..screen.parts.len()).map(|part| most(&grown[part * list.len()..][..list.len()])).collect();
        let count = list.len().next_multiple_of(LANES);
        let side = |axis: usize, high: bool| {
            let mut sides: Vec<f32> = list.iter().map(|obstacle| obstacle.side(axis, high)).collect();
            sides.resize(count, if high { f32::NEG_INFINITY } else { f32::INFINITY });
            sides
        };
        let sides = [false, true].map(|high| [0, 1, 2].map(|axis| side(axis, high)));
        let made_for = Some((screen.identity, scene.placed(), *base));
        let guess = list.iter().any(|obstacle| obstacle.field.is_some());
        Self { made_for, list, grown, max_around, sides, usable: near, guess, fields: kept }
    }

    /// Lists the obstacles whose boxes meet a box.
    #[inline(always)]
    pub(super) fn candidates<S: Lanes8>(&self, simd: S, low: [f32; 3], high: [f32; 3], found: &mut Vec<u32>) {
        found.clear();
        for block in (0..self.list.len()).step_by(LANES) {
            let mut apart = 0;
            for axis in 0..3 {
                let lows = F8::from_slice(simd, &self.sides[0][axis][block..block + LANES]);
                let highs = F8::from_slice(simd, &self.sides[1][axis][block..block + LANES]);
                apart |= lows.simd_gt(F8::splat(simd, high[axis])).to_bitmask();
                apart |= highs.simd_lt(F8::splat(simd, low[axis])).to_bitmask();
            }
            // Padding lanes have empty boxes, which only an unbounded one meets.
            let used = (self.list.len() - block).min(LANES);
            let mut near = !apart & (0xff >> (LANES - used));
            while near != 0 {
                found.push(block as u32 + near.trailing_zeros());
                near &= near - 1;
            }
        }
    }

    /// What is added to the radii of spheres around a part; below 0 if the pair is not looked at.
    #[inline(always)]
    pub(super) fn around(&self, part: usize, obstacle: usize) -> f32 {
        self.grown[part * self.list.len() + obstacle][0]
    }

    /// The most that is added for any obstacle.
    #[inline(always)]
    pub(super) fn max_around(&self, part: usize) -> f32 {
        self.max_around[part]
    }

    /// The same for spheres inside; nothing if these prove nothing.
    #[inline(always)]
    pub(super) fn inside(&self, part: usize, obstacle: usize) -> Option<f32> {
        let [_, inside] = self.grown[part * self.list.len() + obstacle];
        (inside > IGNORED).then_some(inside)
    }
}
