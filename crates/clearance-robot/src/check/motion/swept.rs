//! What a robot sweeps along a motion.

use super::interval::Interval;
use super::joint_path::{Asked, Way};
use super::{MotionChecker, MotionRequest};
use crate::check::JointCurve;
use crate::check::checker::Checker;
use crate::check::parts::from_engine;
use crate::{Error, ErrorKind, Result};
use clearance_engine::Pose;
use clearance_engine::motion::{SweptBody, SweptVolume};

/// A part of a motion is not halved more often than this.
const DEEPEST: u32 = 40;
/// The most parts of a motion.
const MAX_PARTS: usize = 1 << 24;

impl MotionChecker<'_> {
    /// What the robot and all that it carries sweep along the straight motions between waypoints, as
    /// cells of a size; a single waypoint is a motion that stays there.
    pub fn swept_path(&mut self, base: &Pose, waypoints: &[impl AsRef<[f64]>], resolution: f64) -> Result<SweptVolume> {
        let mut swept = SweptVolume::new(resolution).map_err(from_engine)?;
        let bodies = self.bodies(resolution)?;
        let first = waypoints.first().into_iter().map(|only| [only, only]);
        let ends = waypoints.windows(2).map(|ends| [&ends[0], &ends[1]]);
        for (number, ends) in first.chain(ends).enumerate() {
            let [from, to] = ends.map(AsRef::as_ref);
            self.check_ends(from, to)?;
            let (within_limits, strays) = self.begin_segment(from, to)?;
            let way = Way::Line([from, to]);
            let asked = Asked { base, way, request: &MotionRequest::default(), within_limits, strays, clearance: 0.0 };
            // Where a motion begins the one before it ended.
            self.sweep(&asked, &bodies, &mut swept, number == 0)?;
        }
        Ok(swept)
    }

    /// The same along a curve.
    pub fn swept_curve(&mut self, base: &Pose, curve: &JointCurve, resolution: f64) -> Result<SweptVolume> {
        let mut swept = SweptVolume::new(resolution).map_err(from_engine)?;
        let bodies = self.bodies(resolution)?;
        let (within_limits, strays) = self.begin_curve(curve)?;
        let request = MotionRequest::default();
        let asked = Asked { base, way: Way::Curve(curve), request: &request, within_limits, strays, clearance: 0.0 };
        self.sweep(&asked, &bodies, &mut swept, true)?;
        self.sweep(&asked, &bodies, &mut swept, false)?;
        Ok(swept)
    }

    /// All parts as cells, by their numbers.
    fn bodies(&self, resolution: f64) -> Result<Vec<(u32, SweptBody)>> {
        let assembly = self.placement.assembly();
        let body = |part: u32| {
            let body = SweptBody::new(&**assembly.geometry(part), resolution).map_err(from_engine);
            let named = |error: Error| error.of(format!("part '{}'", self.checker.name_of(part)));
            Ok((part, body.map_err(named)?))
        };
        assembly.parts().map(|part| body(part.number())).collect()
    }

    /// Adds what is where the motion begins as a whole, or what surfaces sweep until its end.
    fn sweep(
        &mut self,
        asked: &Asked<'_>,
        bodies: &[(u32, SweptBody)],
        swept: &mut SweptVolume,
        is_start: bool,
    ) -> Result<()> {
        let all: Vec<usize> = (0..bodies.len()).collect();
        let mut parts = vec![(Interval { middle: 0.5, half: 0.5, list: [0; 2] }, all, 0)];
        if is_start {
            parts[0].0 = Interval { middle: 0.0, half: 0.0, list: [0; 2] };
        }
        let mut count = 0_usize;
        while let Some((interval, list, depth)) = parts.pop() {
            count += 1;
            if count > MAX_PARTS {
                let reason = "a motion has too many parts in which the robot gets no farther than half a cell";
                return Err(Error::new(ErrorKind::OutOfRange, reason));
            }
            let now = self.place(asked, &interval)?;
            let mut rest = Vec::new();
            for number in list {
                let (part, body) = &bodies[number];
                let moved = self.bounds.moved(self.bounds.slot(*part as usize), &self.placement) + now.rounding;
                if !moved.is_finite() {
                    let reason = "it moves and has no bounds, so that what it sweeps has no end";
                    let name = self.checker.name_of(*part);
                    return Err(Error::new(ErrorKind::OutOfRange, reason).of(format!("part '{name}'")));
                }
                if moved > swept.step() && now.rounding > 0.5 * moved {
                    let reason = "it is swept in cells that are too small: rounding is most of what it moves";
                    let name = self.checker.name_of(*part);
                    return Err(Error::new(ErrorKind::OutOfRange, reason).of(format!("part '{name}'")));
                }
                if moved > swept.step() && depth < DEEPEST && !is_start {
                    rest.push(number);
                    continue;
                }
                let pose = self.placement.assembly().pose(*part);
                let added = if is_start { swept.add(body, pose, moved) } else { swept.add_surface(body, pose, moved) };
                added.map_err(from_engine)?;
            }
            if !rest.is_empty() {
                let half = 0.5 * interval.half;
                for middle in [interval.middle - half, interval.middle + half] {
                    parts.push((Interval { middle, half, list: [0; 2] }, rest.clone(), depth + 1));
                }
            }
        }
        Ok(())
    }
}

impl Checker {
    /// What the robot and all that it carries sweep along the straight motions between waypoints, as
    /// cells of that size: none that it can touch is missing, and none is farther from what it sweeps
    /// than the volume's [error](SweptVolume::error). Paddings are not in it.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, shape::Sphere};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let hand = LinkGeometry::new(Pose::from_xyz(1.0, 0.0, 0.0)?, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("crane").link("base", []).link("arm", [hand])
    ///     .joint(JointSpec::revolute("turn", "base", "arm", DVec3::Z, [-3.0, 3.0])).build()?;
    /// let mut swept = Checker::new(robot)?.swept_volume(&[[0.0], [1.5]], 0.02)?;
    /// assert!(swept.contains(DVec3::new(0.7, 0.7, 0.0)) && !swept.contains(DVec3::new(0.7, -0.7, 0.0)));
    /// let mut person = Pair::new(swept.map_mut().obstacles()?, Sphere::new(0.3)?)?;
    /// assert!(!person.collides(Pose::IDENTITY) && person.collides(Pose::from_xyz(0.0, 1.2, 0.0)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn swept_volume(&self, waypoints: &[impl AsRef<[f64]>], resolution: f64) -> Result<SweptVolume> {
        MotionChecker::new(&self.model, None)?.swept_path(&self.base, waypoints, resolution)
    }

    /// The same along a curve.
    pub fn swept_curve(&self, curve: &JointCurve, resolution: f64) -> Result<SweptVolume> {
        MotionChecker::new(&self.model, None)?.swept_curve(&self.base, curve, resolution)
    }
}
