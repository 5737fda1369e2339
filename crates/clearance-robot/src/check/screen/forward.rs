//! Forward kinematics of eight configurations at once in `f32`, with a bound of its error.
//!
//! Every moving joint has a frame whose z axis is the joint's axis, so that a turn mixes two columns
//! and a slide moves along the third. A body's frame is its joint's. Frames stand in the frame of
//! the robot's root: what the base adds is put into the obstacles, in `f64`.
//!
//! # The error
//! u = 2⁻²⁴. All bounds hold with and without fused operations, which round less. Lengths are
//! Euclidean, matrices are measured by the norm that they have as maps; that is at most the root of
//! the sum of squares.
//! * *Angles* are reduced to |r| ≤ π/4 in `f64`: the product with π/2 and the constant itself are off
//!   by at most 4·2⁻⁵³ of the angle; r is rounded to `f32` by 2⁻²⁵, which is half of u.
//! * *Sine and cosine* of r: the polynomials are within 0.1u of the functions. `r + r·(z·p)` rounds
//!   last by half of u (it is below 1) and the small term, at most 0.09, by 5 roundings: u in all.
//!   `1 − z/2 + z²·q` rounds twice by half of u, z/2 ≤ 0.31 by one rounding, the last term, at most
//!   0.016, by 5: 1.5u in all. With the angle's error each is within 2u + the `f64` part ([`TRIG`]).
//!   A quadrant multiplies by 0, 1 or −1, exactly.
//! * *Rotations*: let R̂ be computed, R real, and ‖R̂ − R‖ ≤ ρ. A constant rotation is rounded by κ,
//!   computed where it is made. A product of two matrices rounds every entry by 3u (1 + 4u) times the
//!   sum of absolute products, so the matrix by 3.1u·√3·√3 = 9.3u times the norms. A turn mixes two
//!   columns: the error of sine and cosine is √2·[`TRIG`], products and sums add 2.1u times the
//!   root of the sum of squares of four columns, 4.2u. Norms are at most (1 + ρ)(1 + κ), so
//!   `1 + ρ' = (1 + ρ)(1 + κ)(1 + 9.3u)(1 + √2·TRIG + 4.2u)`.
//! * *Origins*: `o + R̂t`, three fused or six plain operations: partial sums are at most
//!   |o| + √3|t|, each is rounded at most 4 times: 4.1u(|o| + √3|t|) with the rounding of t inside.
//!   The rotation adds ρ|t|. A slide adds the same with its largest length in the place of t.
//! * *Centres* of spheres are points `o + R̂c` and have that error too ([`Chain::error`]).
//!
//! So the error of a body depends on the joints above it and on limits alone, and is known before
//! any query. Lanes whose numbers exceed what is assumed are not screened ([`Chain::usable`]).

use crate::{JointKind, Limits, Robot};
use clearance_engine::math::lanes::{F8, Lanes8, V8, prelude::*};
use clearance_engine::math::{DMat3, DQuat, DVec3, UNIT_ROUNDOFF};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// The number of lanes.
pub(super) const LANES: usize = 8;

/// A number for each lane.
pub(super) type Row = [f32; LANES];

/// The rounding of `f32`.
pub(super) const U: f64 = 1.0 / 16_777_216.0;

/// How far off a sine or cosine is, without what `f64` adds.
const TRIG: f64 = 2.0 * U;

/// How far joints without limits may slide, in metres, for a configuration to be screened.
const FARTHEST_SLIDE: f64 = 16.0;

/// How far joints without limits may turn, in radians.
const FARTHEST_TURN: f64 = 1e6;

/// A body's frame in eight configurations: the columns x, y and z and the origin.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub(super) struct Frame8(pub(super) [[Row; 3]; 4]);

impl Frame8 {
    #[inline(always)]
    pub(super) fn column<S: Lanes8>(&self, simd: S, column: usize) -> V8<S> {
        V8::load(simd, &self.0[column])
    }

    /// Where a point of the body is.
    #[inline(always)]
    pub(super) fn point<S: Lanes8>(&self, simd: S, point: [f32; 3]) -> V8<S> {
        let [x, y, z] = [F8::splat(simd, point[0]), F8::splat(simd, point[1]), F8::splat(simd, point[2])];
        let partial = self.column(simd, 3).plus_scaled(self.column(simd, 2), z);
        partial.plus_scaled(self.column(simd, 1), y).plus_scaled(self.column(simd, 0), x)
    }

    /// The frame of one lane in all lanes.
    #[inline(always)]
    pub(super) fn of_lane<S: Lanes8>(&self, simd: S, lane: usize) -> [V8<S>; 4] {
        let column = |column: usize| {
            let [x, y, z] = &self.0[column];
            V8([F8::splat(simd, x[lane]), F8::splat(simd, y[lane]), F8::splat(simd, z[lane])])
        };
        [column(0), column(1), column(2), column(3)]
    }

    /// The coordinates in the body's frame of a vector of the root's.
    #[inline(always)]
    pub(super) fn along<S: Lanes8>(&self, simd: S, vector: V8<S>) -> V8<S> {
        V8([vector.dot(self.column(simd, 0)), vector.dot(self.column(simd, 1)), vector.dot(self.column(simd, 2))])
    }
}

/// Where a joint's one number comes from: `multiplier · variable + offset`, or the variable itself.
#[derive(Debug, Clone, Copy)]
struct Source {
    variable: usize,
    rule: Option<(f64, f64)>,
}

impl Source {
    /// The numbers of all lanes, as [`Robot::link_poses`] computes them.
    #[inline(always)]
    fn values(&self, configurations: &[[f64; LANES]]) -> [f64; LANES] {
        let mut values = configurations[self.variable];
        if let Some((multiplier, offset)) = self.rule {
            for value in &mut values {
                *value = multiplier * *value + offset;
            }
        }
        values
    }

    /// The largest absolute number.
    fn most(&self, bounds: &[[f64; 2]]) -> f64 {
        let [low, high] = bounds[self.variable];
        let most = low.abs().max(high.abs());
        self.rule.map_or(most, |(multiplier, offset)| multiplier.abs() * most + offset.abs())
    }
}

#[derive(Debug, Clone, Copy)]
enum Motion {
    Turn(Source),
    Slide(Source),
    /// The first of `x y theta`.
    Planar(usize),
    /// The first of `x y z qw qx qy qz`.
    Floating(usize),
}

/// How a body is placed by the body that carries it.
#[derive(Debug, Clone)]
struct Step {
    parent: usize,
    /// Columns of the constant rotation, and the constant shift.
    rotation: [[f32; 3]; 3],
    shift: [f32; 3],
    motion: Motion,
}

/// What is known of a body in all configurations that are screened.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BodyBound {
    /// At most the error of the rotation, and of the origin.
    pub(super) rotation: f64,
    pub(super) origin: f64,
    /// At most the distance of the origin from the root's.
    pub(super) extent: f64,
    /// The constant shift from the body that carries it, and at most how far the joint slides.
    pub(super) shift: f64,
    pub(super) slide: f64,
}

/// How a joint moves along an edge: turning and sliding rates, both not negative.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    pub(super) turn: f64,
    pub(super) slide: f64,
}

/// The kinematics of a robot for eight configurations at once.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Of the bodies from the second on; the first is the root's.
    steps: Vec<Step>,
    /// By body: from the frame that is used here to that of the body's first link.
    body_from_frame: Vec<DMat3>,
    bounds: Vec<BodyBound>,
    /// By variable: what is screened.
    ranges: Vec<[f64; 2]>,
    /// Where quaternions begin.
    quaternions: Vec<usize>,
}

impl Chain {
    pub(super) fn new(robot: &Robot) -> Self {
        let from_links = robot.body_from_links();
        let (ranges, quaternions) = ranges(robot);
        let body_from_frame: Vec<DMat3> = robot.bodies().iter().map(|body| frame_of(robot, body.joint())).collect();
        let mut chain =
            Self { steps: Vec::new(), body_from_frame, bounds: vec![BodyBound::default()], ranges, quaternions };
        for (number, body) in robot.bodies().iter().enumerate().skip(1) {
            let (Some(joint), Some(parent)) = (body.joint(), body.parent()) else { continue };
            let content = &robot.joints()[joint];
            let parent_from_joint = from_links[content.parent()].then(content.origin());
            let frame_from_body = chain.body_from_frame[parent].transpose();
            let rotation = frame_from_body * *parent_from_joint.rotation() * chain.body_from_frame[number];
            let shift = frame_from_body * parent_from_joint.translation();
            let first = content.variables().start;
            let source = || match robot.mimic_rule(joint) {
                Some((variable, multiplier, offset)) => Source { variable, rule: Some((multiplier, offset)) },
                None => Source { variable: first, rule: None },
            };
            let motion = match content.kind() {
                JointKind::Prismatic { .. } => Motion::Slide(source()),
                JointKind::Planar { .. } => Motion::Planar(first),
                JointKind::Floating => Motion::Floating(first),
                _ => Motion::Turn(source()),
            };
            // A zero or one that `f64` missed costs nothing then; the change is in `kappa`.
            let clean = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x as f32 };
            let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
            let step = Step {
                parent,
                rotation: columns.map(|column| column.to_array().map(clean)),
                shift: shift.to_array().map(clean),
                motion,
            };
            let bound = chain.bound(&step, &rotation, shift);
            chain.bounds.push(bound);
            chain.steps.push(step);
        }
        chain
    }

    /// What the errors of the parent and of this step make of a body, see the head of the file.
    fn bound(&self, step: &Step, rotation: &DMat3, shift: DVec3) -> BodyBound {
        let parent = &self.bounds[step.parent];
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        let off = |stored: [f32; 3], real: DVec3| real.distance(DVec3::from_array(stored.map(f64::from)));
        let squares: f64 = step.rotation.iter().zip(columns).map(|(stored, real)| off(*stored, real).powi(2)).sum();
        // What `f64` adds to the constants themselves.
        let kappa = squares.sqrt() + 64.0 * UNIT_ROUNDOFF;
        let trig = |angle: f64| std::f64::consts::SQRT_2 * (TRIG + 8.0 * UNIT_ROUNDOFF * angle) + 4.2 * U;
        let (slide, turn) = match step.motion {
            Motion::Turn(source) => (0.0, trig(source.most(&self.ranges))),
            Motion::Slide(source) => (source.most(&self.ranges), 0.0),
            Motion::Planar(first) => {
                let range = |variable: usize| Source { variable, rule: None }.most(&self.ranges);
                (range(first).hypot(range(first + 1)), trig(range(first + 2)))
            }
            Motion::Floating(first) => {
                let range = |variable: usize| Source { variable, rule: None }.most(&self.ranges);
                // A matrix of entries that are rounded each, and a product with them.
                (DVec3::new(range(first), range(first + 1), range(first + 2)).length(), 12.0 * U)
            }
        };
        let rotation = (1.0 + parent.rotation) * (1.0 + kappa) * (1.0 + 9.3 * U) * (1.0 + turn) - 1.0;
        let shifted = shift.length();
        let extent = parent.extent + shifted + slide;
        let mut origin = parent.origin + parent.rotation * shifted + 4.1 * U * (parent.extent + 2.0 * shifted);
        if slide > 0.0 {
            origin += rotation * slide + 4.1 * U * (extent + 2.0 * slide);
        }
        BodyBound { rotation, origin: origin + 8.0 * U * shifted, extent, shift: shifted, slide }
    }

    pub(super) fn bodies(&self) -> &[BodyBound] {
        &self.bounds
    }

    /// The rotation from the frame that is used here to that of the body's first link.
    pub(super) fn body_from_frame(&self, body: usize) -> &DMat3 {
        &self.body_from_frame[body]
    }

    /// At most how far a computed point of a body is from where it is, when it is so far from the
    /// body's origin.
    pub(super) fn error(&self, body: usize, distance: f64) -> f64 {
        let bound = &self.bounds[body];
        bound.origin + bound.rotation * distance + 4.1 * U * (bound.extent + 2.0 * distance)
    }

    /// Whether a configuration is within what the errors assume, limits included.
    pub(super) fn usable(&self, configuration: &[f64]) -> bool {
        let within = |(value, [low, high]): (&f64, &[f64; 2])| low <= value && value <= high;
        configuration.iter().zip(&self.ranges).all(within)
            && self.quaternions.iter().all(|&first| {
                let length: f64 = configuration[first..first + 4].iter().map(|x| x * x).sum();
                (length - 1.0).abs() < 1e-6
            })
    }

    /// Where the quaternions of floating joints begin.
    pub(super) fn quaternions(&self) -> &[usize] {
        &self.quaternions
    }

    /// The rates of all bodies' joints along a straight motion; quaternions must rest.
    pub(super) fn rates(&self, from: &[f64], to: &[f64], rates: &mut Vec<Rate>) {
        let change = |variable: usize| (to[variable] - from[variable]).abs();
        let single = |source: &Source| change(source.variable) * source.rule.map_or(1.0, |(factor, _)| factor.abs());
        rates.clear();
        rates.push(Rate::default());
        rates.extend(self.steps.iter().map(|step| match &step.motion {
            Motion::Turn(source) => Rate { turn: single(source), slide: 0.0 },
            Motion::Slide(source) => Rate { turn: 0.0, slide: single(source) },
            Motion::Planar(first) => Rate { turn: change(first + 2), slide: change(*first).hypot(change(first + 1)) },
            Motion::Floating(first) => {
                let [x, y, z] = [0, 1, 2].map(|i| change(first + i));
                Rate { turn: 0.0, slide: DVec3::new(x, y, z).length() }
            }
        }));
    }

    /// The one variable that moves a body's joint, and its factor; none for planar and floating ones.
    pub(super) fn variable(&self, body: usize) -> Option<(usize, f64)> {
        match self.steps.get(body.checked_sub(1)?)?.motion {
            Motion::Turn(source) | Motion::Slide(source) => {
                Some((source.variable, source.rule.map_or(1.0, |(factor, _)| factor)))
            }
            _ => None,
        }
    }

    /// Whether a body's joint turns.
    pub(super) fn turns(&self, body: usize) -> bool {
        body > 0 && matches!(self.steps[body - 1].motion, Motion::Turn(_))
    }

    /// Places all bodies; `configurations` has the lanes of each variable.
    #[inline(always)]
    pub(super) fn place<S: Lanes8>(&self, simd: S, configurations: &[[f64; LANES]], frames: &mut [Frame8]) {
        let (zero, one) = ([0.0; LANES], [1.0; LANES]);
        frames[0] = Frame8([[one, zero, zero], [zero, one, zero], [zero, zero, one], [zero; 3]]);
        for (number, step) in self.steps.iter().enumerate() {
            let (above, own) = frames.split_at_mut(number + 1);
            let parent = &above[step.parent];
            let axes = [parent.column(simd, 0), parent.column(simd, 1), parent.column(simd, 2)];
            let mut columns = [
                combined(simd, &axes, step.rotation[0]),
                combined(simd, &axes, step.rotation[1]),
                combined(simd, &axes, step.rotation[2]),
            ];
            let mut origin = shifted(simd, parent.column(simd, 3), &axes, step.shift);
            match &step.motion {
                Motion::Turn(source) => turn(simd, &mut columns, &source.values(configurations)),
                Motion::Slide(source) => {
                    let length = narrowed(simd, &source.values(configurations));
                    origin = origin.plus_scaled(columns[2], length);
                }
                Motion::Planar(first) => {
                    origin = origin.plus_scaled(columns[0], narrowed(simd, &configurations[*first]));
                    origin = origin.plus_scaled(columns[1], narrowed(simd, &configurations[first + 1]));
                    turn(simd, &mut columns, &configurations[first + 2]);
                }
                Motion::Floating(first) => {
                    for axis in 0..3 {
                        origin = origin.plus_scaled(columns[axis], narrowed(simd, &configurations[first + axis]));
                    }
                    let rotations = rotations(&configurations[first + 3..first + 7]);
                    let mut turned = columns;
                    for (column, entries) in turned.iter_mut().zip(&rotations) {
                        let [x, y, z] =
                            [entries[0].simd_into(simd), entries[1].simd_into(simd), entries[2].simd_into(simd)];
                        *column = columns[0].scaled(x).plus_scaled(columns[1], y).plus_scaled(columns[2], z);
                    }
                    columns = turned;
                }
            }
            own[0] = Frame8([rows(columns[0]), rows(columns[1]), rows(columns[2]), rows(origin)]);
        }
    }
}

/// The frame of a body whose z axis is the axis of its joint.
fn frame_of(robot: &Robot, joint: Option<usize>) -> DMat3 {
    let axis = joint.map(|joint| *robot.joints()[joint].kind());
    match axis {
        Some(
            JointKind::Revolute { axis, .. }
            | JointKind::Continuous { axis }
            | JointKind::Prismatic { axis, .. }
            | JointKind::Planar { normal: axis },
        ) => DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, axis)),
        _ => DMat3::IDENTITY,
    }
}

/// What each variable may be for a configuration to be screened, and where quaternions begin.
fn ranges(robot: &Robot) -> (Vec<[f64; 2]>, Vec<usize>) {
    let (slide, turn) = ([-FARTHEST_SLIDE, FARTHEST_SLIDE], [-FARTHEST_TURN, FARTHEST_TURN]);
    let mut ranges = vec![turn; robot.variables().len()];
    let mut quaternions = Vec::new();
    for joint in robot.joints().iter().filter(|joint| joint.mimic().is_none()) {
        let own = &mut ranges[joint.variables()];
        match joint.kind() {
            JointKind::Planar { .. } => own.copy_from_slice(&[slide, slide, turn]),
            JointKind::Floating => {
                own[..3].fill(slide);
                own[3..].fill([-2.0, 2.0]);
                quaternions.push(joint.variables().start + 3);
            }
            kind => {
                if let Some(Limits { lower, upper }) = kind.limits() {
                    own.fill([lower, upper]);
                }
            }
        }
    }
    (ranges, quaternions)
}

/// The lanes of a vector.
#[inline(always)]
pub(super) fn rows<S: Lanes8>(vector: V8<S>) -> [Row; 3] {
    [vector.0[0].into(), vector.0[1].into(), vector.0[2].into()]
}

/// A sum of three vectors; factors 0 and 1 cost nothing.
#[inline(always)]
fn combined<S: Lanes8>(simd: S, axes: &[V8<S>; 3], factors: [f32; 3]) -> V8<S> {
    let mut sum: Option<V8<S>> = None;
    // Loops over numbers: iterators over pairs stay calls in so large a function.
    for k in 0..3 {
        let (axis, factor) = (&axes[k], factors[k]);
        if factor == 0.0 {
            continue;
        }
        sum = Some(match sum {
            None if factor == 1.0 => *axis,
            None => axis.scaled(F8::splat(simd, factor)),
            Some(sum) => sum.plus_scaled(*axis, F8::splat(simd, factor)),
        });
    }
    sum.unwrap_or(V8::splat(simd, [0.0; 3]))
}

#[inline(always)]
fn shifted<S: Lanes8>(simd: S, mut origin: V8<S>, axes: &[V8<S>; 3], shift: [f32; 3]) -> V8<S> {
    for k in 0..3 {
        if shift[k] != 0.0 {
            origin = origin.plus_scaled(axes[k], F8::splat(simd, shift[k]));
        }
    }
    origin
}

#[inline(always)]
fn narrowed<S: Lanes8>(simd: S, values: &[f64; LANES]) -> F8<S> {
    let mut narrow = [0.0; LANES];
    for lane in 0..LANES {
        narrow[lane] = values[lane] as f32;
    }
    narrow.simd_into(simd)
}

/// Turns the first two columns about the third.
#[inline(always)]
fn turn<S: Lanes8>(simd: S, columns: &mut [V8<S>; 3], angles: &[f64; LANES]) {
    let (sin, cos) = sin_cos(simd, angles);
    let [x, y, _] = *columns;
    columns[0] = x.scaled(cos).plus_scaled(y, sin);
    columns[1] = y.scaled(cos).plus_scaled(x, -sin);
}

/// Sines and cosines, see the head of the file; the polynomials are those of Cephes.
#[inline(always)]
pub(super) fn sin_cos<S: Lanes8>(simd: S, angles: &[f64; LANES]) -> (F8<S>, F8<S>) {
    let (mut rest, mut quadrant) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let quarters = (angles[lane] * FRAC_2_PI).round_ties_even();
        rest[lane] = (angles[lane] - quarters * FRAC_PI_2) as f32;
        quadrant[lane] = (quarters - 4.0 * (quarters * 0.25).round_ties_even()) as f32;
    }
    let (r, m): (F8<S>, F8<S>) = (rest.simd_into(simd), quadrant.simd_into(simd));
    let one = F8::splat(simd, 1.0);
    let z = r * r;
    let p = F8::splat(simd, -1.951_529_6e-4).mul_add(z, F8::splat(simd, 8.332_161e-3));
    let p = p.mul_add(z, F8::splat(simd, -1.666_665_5e-1));
    let s = (p * z).mul_add(r, r);
    let q = F8::splat(simd, 2.443_315_7e-5).mul_add(z, F8::splat(simd, -1.388_731_6e-3));
    let q = q.mul_add(z, F8::splat(simd, 4.166_664_6e-2));
    let c = (q * z).mul_add(z, z.mul_add(F8::splat(simd, -0.5), one));
    // The quadrant is -2, -1, 0, 1 or 2; its square 0, 1 or 4.
    let w = m * m;
    let swap = w * (F8::splat(simd, 4.0) - w) * F8::splat(simd, 1.0 / 3.0);
    let keep = (one - swap) * (one - w * (w - one) * F8::splat(simd, 1.0 / 6.0));
    let swap = swap * m;
    (s.mul_add(keep, c * swap), c.mul_add(keep, -(s * swap)))
}

/// The rotations of quaternions `qw qx qy qz`: column, row, lane.
fn rotations(numbers: &[[f64; LANES]]) -> [[Row; 3]; 3] {
    let mut rotations = [[[0.0; LANES]; 3]; 3];
    for lane in 0..LANES {
        let quaternion = DQuat::from_xyzw(numbers[1][lane], numbers[2][lane], numbers[3][lane], numbers[0][lane]);
        let rotation = DMat3::from_quat(quaternion.normalize());
        for (column, values) in [rotation.x_axis, rotation.y_axis, rotation.z_axis].into_iter().enumerate() {
            for (row, value) in values.to_array().into_iter().enumerate() {
                rotations[column][row][lane] = value as f32;
            }
        }
    }
    rotations
}
