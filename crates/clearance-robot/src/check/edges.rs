//! Motions as users ask about them: edges, paths, splines and curves, with names in the answers.

use super::JointCurve;
use super::checker::{Against, Checker, Hit};
use super::motion::{MotionChecker, MotionClearance, MotionRequest, MotionVerdict, Obstacle};
use crate::Result;
use clearance_engine::assembly::PartId;

/// What becomes of a motion between two configurations; times go from 0 to 1.
///
/// ```
/// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// # use clearance_robot::{Checker, Edge, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
/// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
/// match checker.edge(&[0.0], &[1.0])? {
///     Edge::Free { clearance } => println!("free, by {clearance} m at least"),
///     Edge::Contact { t, a, b, .. } => println!("{a} touches {b} between {} and {}", t[0], t[1]),
///     Edge::Undecided { proven, .. } => println!("{} % proven", 100.0 * proven),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Edge {
    /// Nothing touches at any time: proven, not sampled.
    Free {
        /// All pairs keep at least this distance, besides their paddings and margins. The true
        /// clearance is mostly larger: no more is computed than the proof takes.
        clearance: f64,
    },
    /// Something touches, or cannot be excluded to.
    Contact {
        /// Nothing touches before the first time; the pair is in contact at the second.
        t: [f64; 2],
        /// The link of the robot, or the object that it carries.
        a: String,
        /// The other link, attached object or object of the scene.
        b: String,
        /// Which of these `b` is.
        against: Against,
        /// 0 where contact is proven; else how far the pair is apart, which is below the tolerance.
        gap: f64,
    },
    /// The search spent its budget.
    Undecided {
        /// Nothing touches before this time.
        t: f64,
        /// The share of the motion that is proven collision-free.
        proven: f64,
    },
}

impl Edge {
    /// Whether the motion is proven collision-free.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Free { .. })
    }
}

/// How near a robot comes to anything on a motion; times go from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeClearance {
    /// At most the clearance at any time.
    pub lower: f64,
    /// The clearance at time `t`, or more.
    pub upper: f64,
    /// When `a` and `b` are so near.
    pub t: f64,
    /// The link of the robot, or the object that it carries.
    pub a: String,
    /// The other link, attached object or object of the scene.
    pub b: String,
    /// Which of these `b` is.
    pub against: Against,
}

impl Checker {
    /// Proves that the straight motion between two configurations is collision-free, or finds its
    /// first contact.
    pub fn edge(&mut self, from: &[f64], to: &[f64]) -> Result<Edge> {
        self.edge_with(from, to, &MotionRequest::default())
    }

    /// The same with a tolerance, a budget, or for any contact instead of the first.
    pub fn edge_with(&mut self, from: &[f64], to: &[f64], request: &MotionRequest) -> Result<Edge> {
        let base = self.base;
        self.motion(|motions| motions.segment(&base, from, to, request))
    }

    /// Checks the straight motions between waypoints, one after the other. A single waypoint is a
    /// motion that stays there.
    pub fn path(&mut self, waypoints: &[impl AsRef<[f64]>]) -> Result<Vec<Edge>> {
        if let [only] = waypoints {
            return Ok(vec![self.edge(only.as_ref(), only.as_ref())?]);
        }
        waypoints.windows(2).map(|ends| self.edge(ends[0].as_ref(), ends[1].as_ref())).collect()
    }

    /// Checks the parts of a smooth spline through waypoints, one after the other.
    pub fn spline(&mut self, waypoints: &[impl AsRef<[f64]>]) -> Result<Vec<Edge>> {
        let waypoints: Vec<&[f64]> = waypoints.iter().map(AsRef::as_ref).collect();
        JointCurve::through(&waypoints)?.iter().map(|curve| self.curve(curve, &MotionRequest::default())).collect()
    }

    /// Proves that the motion along a curve is collision-free, or finds its first contact.
    pub fn curve(&mut self, curve: &JointCurve, request: &MotionRequest) -> Result<Edge> {
        let base = self.base;
        self.motion(|motions| motions.curve(&base, curve, request))
    }

    /// How near the robot comes to anything on the straight motion between two configurations: a
    /// certified interval, as narrow as `rel_err` of it or the request's tolerance. `None` where
    /// there is nothing to come near to.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Sphere};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, MotionRequest, RobotBuilder};
    /// // A sphere slides past a post that is 1 m aside.
    /// let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("cart").link("rail", []).link("cart", [sphere])
    ///     .joint(JointSpec::prismatic("drive", "rail", "cart", DVec3::X, [-3.0, 3.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("post", Sphere::new(0.1)?, Pose::from_xyz(0.3, 1.0, 0.0)?)?;
    /// let found = checker.edge_clearance(&[-2.0], &[2.0], &MotionRequest::default(), 0.01)?.expect("a post");
    /// assert!(found.lower <= 0.8 && 0.8 <= found.upper + 1e-12 && found.upper - found.lower < 0.01);
    /// assert!(found.b == "post" && (found.t - 2.3 / 4.0).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edge_clearance(
        &mut self,
        from: &[f64],
        to: &[f64],
        request: &MotionRequest,
        rel_err: f64,
    ) -> Result<Option<EdgeClearance>> {
        let base = self.base;
        self.clearance(|motions| motions.segment_clearance(&base, from, to, request, rel_err))
    }

    /// How near the robot comes to anything along a curve, as
    /// [`edge_clearance`](Self::edge_clearance).
    pub fn curve_clearance(
        &mut self,
        curve: &JointCurve,
        request: &MotionRequest,
        rel_err: f64,
    ) -> Result<Option<EdgeClearance>> {
        let base = self.base;
        self.clearance(|motions| motions.curve_clearance(&base, curve, request, rel_err))
    }

    /// Asks about a motion with the memory of the one before.
    fn with_motions<T>(&mut self, ask: impl FnOnce(&mut MotionChecker<'_>) -> Result<T>) -> Result<T> {
        let mut motions = MotionChecker::resume(&self.model, Some(&self.scene), self.motions.take())?;
        let answer = ask(&mut motions);
        self.motions = Some(motions.into_memory());
        answer
    }

    fn motion(&mut self, ask: impl FnOnce(&mut MotionChecker<'_>) -> Result<MotionVerdict>) -> Result<Edge> {
        Ok(match self.with_motions(ask)? {
            MotionVerdict::Free { margin } => Edge::Free { clearance: margin },
            MotionVerdict::Undecided { t_lower, proven } => Edge::Undecided { t: t_lower, proven },
            MotionVerdict::Contact(contact) => {
                let Hit { a, b, against } = self.obstacle_names(contact.part, contact.other)?;
                Edge::Contact { t: [contact.t_lower, contact.t_upper], a, b, against, gap: contact.gap }
            }
        })
    }

    fn clearance(
        &mut self,
        ask: impl FnOnce(&mut MotionChecker<'_>) -> Result<Option<MotionClearance>>,
    ) -> Result<Option<EdgeClearance>> {
        let Some(MotionClearance { lower, upper, t, part, other }) = self.with_motions(ask)? else { return Ok(None) };
        let Hit { a, b, against } = self.obstacle_names(part, other)?;
        Ok(Some(EdgeClearance { lower, upper, t, a, b, against }))
    }

    fn obstacle_names(&self, part: PartId, other: Obstacle) -> Result<Hit> {
        match other {
            Obstacle::Own(other) => self.own_names((part, other)),
            Obstacle::Scene(other) => self.scene_names((part, other)),
        }
    }
}
