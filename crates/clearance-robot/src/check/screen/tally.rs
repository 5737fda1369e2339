//! Which level decided a question: for whoever wants to know where the time goes.

/// How a configuration was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByConfiguration {
    Inside,
    Around,
    Touching,
    Free,
    Whole,
}

/// How an edge was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByEdge {
    Inside,
    Around,
    Tested,
    Proven,
    Touching,
    Whole,
}

/// How many configurations and edges [`Checker::is_free`](crate::Checker::is_free) and
/// [`Checker::is_edge_free`](crate::Checker::is_edge_free) have decided at each level, from
/// [`Checker::planning_tally`](crate::Checker::planning_tally).
///
/// ```
/// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
/// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 2.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 1.0)?)?;
/// checker.prepare_for_planning(&Default::default())?;
/// assert!(checker.is_free(&[0.0])? && !checker.is_free(&[0.9])?);
/// let levels = checker.planning_tally().unwrap_or_default().configurations();
/// assert_eq!(levels[..2], [("spheres inside touch", 1), ("spheres around are apart", 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanningTally {
    configurations: [u64; 5],
    edges: [u64; 6],
}

impl PlanningTally {
    /// Configurations, from the cheapest level to the dearest.
    pub fn configurations(&self) -> [(&'static str, u64); 5] {
        let names = [
            "spheres inside touch",
            "spheres around are apart",
            "a pair touches exactly",
            "all pairs are apart exactly",
            "not screened",
        ];
        std::array::from_fn(|level| (names[level], self.configurations[level]))
    }

    /// Edges, from the cheapest level to the dearest.
    pub fn edges(&self) -> [(&'static str, u64); 6] {
        let names = [
            "spheres inside touch",
            "spheres around are apart all the way",
            "a pair touches exactly at some time",
            "pairs are proven apart in motion",
            "pairs touch in motion",
            "not screened",
        ];
        std::array::from_fn(|level| (names[level], self.edges[level]))
    }

    /// What was decided since an earlier tally of the same checker.
    pub fn since(&self, before: &Self) -> Self {
        let left = |now: u64, before: u64| now.saturating_sub(before);
        Self {
            configurations: std::array::from_fn(|level| left(self.configurations[level], before.configurations[level])),
            edges: std::array::from_fn(|level| left(self.edges[level], before.edges[level])),
        }
    }

    pub(super) fn configuration(&mut self, by: ByConfiguration) {
        self.configurations[by as usize] += 1;
    }

    pub(super) fn edge(&mut self, by: ByEdge) {
        self.edges[by as usize] += 1;
    }
}
