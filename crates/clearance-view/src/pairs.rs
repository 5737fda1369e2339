//! What is known of all pairs of a robot's links, for the matrix.

use crate::facts::{PairVerdict, finite};
use clearance_robot::{CollisionModel, DisabledPairs, Verdict};

/// What a model knows of every pair of links with geometry; `disabled` are those that need no check.
///
/// Nothing is proven here: see [`CollisionModel::prove`].
///
/// ```
/// use clearance_engine::{Pose, math::DVec3};
/// use clearance_robot::{CheckOptions, CollisionModel, DisabledPairs, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let ball = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
/// let robot = RobotBuilder::new("r").link("a", ball()).link("b", ball())
///     .joint(JointSpec::revolute("j", "a", "b", DVec3::Z, [-1.0, 1.0])).build()?;
/// let model = CollisionModel::new(robot.into(), &CheckOptions::default())?;
/// assert_eq!(clearance_view::pair_verdicts(&model, &DisabledPairs::default())[0].verdict, "adjacent");
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn pair_verdicts(model: &CollisionModel, disabled: &DisabledPairs) -> Vec<PairVerdict> {
    let robot = model.robot();
    let links = robot.links();
    let solid: Vec<usize> = (0..links.len()).filter(|&link| !links[link].geometries().is_empty()).collect();
    // What holds for two bodies of several links need not hold for each of them.
    let alone = |link: usize| {
        let together = robot.bodies()[robot.body_of(link)].links();
        together.iter().filter(|other| solid.contains(other)).count() == 1
    };
    let mut pairs = Vec::new();
    for (i, &a) in solid.iter().enumerate() {
        for &b in &solid[i + 1..] {
            let [name_a, name_b] = [a, b].map(|link| links[link].name());
            let known = model.proofs().and_then(|gaps| gaps.pair(robot.body_of(a), robot.body_of(b)));
            let (verdict, gap) = match known.map(|known| &known.verdict) {
                _ if !robot.are_checked(a, b) => ("adjacent", None),
                Some(&Verdict::Never { gap, .. }) => ("never", finite(gap)),
                Some(Verdict::Always { .. }) if alone(a) && alone(b) => ("always", None),
                Some(Verdict::Sometimes { .. }) if alone(a) && alone(b) => ("sometimes", None),
                _ if disabled.contains(name_a, name_b) => ("disabled", None),
                _ => ("undecided", None),
            };
            pairs.push(PairVerdict { links: [a, b], verdict: verdict.to_owned(), gap });
        }
    }
    pairs
}
