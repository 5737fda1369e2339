//! What is known of all pairs of a robot's links, for the matrix.

use crate::facts::{PairVerdict, finite};
use clearance_robot::{Checker, Verdict};

/// What a checker knows of every pair of links with geometry.
///
/// Nothing is proven here: see [`Checker::prove`].
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let ball = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
/// let robot = RobotBuilder::new("r").link("a", ball()).link("b", ball())
///     .joint(JointSpec::revolute("j", "a", "b", DVec3::Z, [-1.0, 1.0])).build()?;
/// assert_eq!(clearance_view::pair_verdicts(&Checker::new(robot)?)[0].verdict, "adjacent");
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn pair_verdicts(checker: &Checker) -> Vec<PairVerdict> {
    let (robot, proofs) = (checker.robot(), checker.model().proofs());
    let disabled = [robot.disabled_pairs(), &checker.options().disabled];
    let links = robot.links();
    let solid: Vec<usize> = (0..links.len()).filter(|&link| !links[link].geometries().is_empty()).collect();
    let mut pairs = Vec::new();
    for (i, &a) in solid.iter().enumerate() {
        for &b in &solid[i + 1..] {
            let [name_a, name_b] = [a, b].map(|link| links[link].name());
            let known = proofs.and_then(|gaps| gaps.pair(robot.body_of(a), robot.body_of(b)));
            let (verdict, gap) = match known.map(|known| &known.verdict) {
                _ if !robot.are_checked(a, b) => ("adjacent", None),
                Some(&Verdict::Never { gap, .. }) => ("never", finite(gap)),
                Some(Verdict::Always { .. }) if robot.is_alone(a) && robot.is_alone(b) => ("always", None),
                Some(Verdict::Sometimes { .. }) if robot.is_alone(a) && robot.is_alone(b) => ("sometimes", None),
                _ if disabled.iter().any(|pairs| pairs.contains(name_a, name_b)) => ("disabled", None),
                _ => ("undecided", None),
            };
            pairs.push(PairVerdict { links: [a, b], verdict: verdict.to_owned(), gap });
        }
    }
    pairs
}
