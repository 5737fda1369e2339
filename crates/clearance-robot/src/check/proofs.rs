//! What is proven about a checker's pairs: found, kept in files, and read again.

use super::collision_model::{CollisionModel, POSE_ROUNDING};
use crate::range_of_motion::Subject;
use crate::{BodyPart, GapOptions, Gaps, Result};
use std::path::Path;

impl CollisionModel {
    /// As [`prove`](Self::prove), which may take long; `progress` is called with how many pairs are
    /// done, and of how many, from any thread.
    pub fn prove_observed(&mut self, options: &GapOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<&Gaps> {
        let (bodies, pairs) = (self.body_parts(|_| true), self.body_pairs());
        let gaps = Gaps::prove_observed(self.dispatcher(), self.robot(), &bodies, &pairs, options, progress)?;
        Ok(self.rely_on(gaps))
    }

    /// Writes what [`prove`](Self::prove) found to a file, which is then there as a whole or not at
    /// all; nothing without proofs.
    ///
    /// An error where the file cannot be written, or where a part is neither a default mesh nor a
    /// simple solid.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// use clearance_robot::{CheckOptions, CollisionModel, GapOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let sphere = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    /// let arm = |limit: f64| {
    ///     let turn = |name, parent, child| JointSpec::revolute(name, parent, child, DVec3::Z, [-limit, limit]);
    ///     let at = Pose::from_translation(DVec3::X)?;
    ///     let robot = RobotBuilder::new("arm").link("a", sphere()).link("b", []).link("c", sphere())
    ///         .joint(turn("first", "a", "b").at(at)).joint(turn("second", "b", "c").at(at)).build()?;
    ///     Ok::<_, Box<dyn std::error::Error>>(CollisionModel::new(robot.into(), &CheckOptions::default())?)
    /// };
    /// let (options, file) = (GapOptions::default(), std::env::temp_dir().join(format!("clearance-doc-{}.gaps", std::process::id())));
    /// let mut checker = arm(1.0)?;
    /// let gap = checker.prove(&options)?.gap(0, 2);
    /// checker.save_proofs(&file)?;
    /// // Another run of the program reads them.
    /// let mut again = arm(1.0)?;
    /// assert_eq!(again.load_proofs(&file, &options)?.gap(0, 2), gap);
    /// // An arm that turns farther is another robot.
    /// assert_eq!(arm(1.1)?.load_proofs(&file, &options).unwrap_err().kind(), clearance_robot::ErrorKind::Stale);
    /// # std::fs::remove_file(&file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_proofs(&self, path: &Path) -> Result<()> {
        let Some(gaps) = self.proofs() else { return Ok(()) };
        self.about(|subject| gaps.save(path, subject))
    }

    /// Relies on what [`save_proofs`](Self::save_proofs) wrote for the same robot, parts, pairs,
    /// options and version of this crate instead of proving it again. Any other file is refused,
    /// and nothing changes.
    ///
    /// Damage and change are found by hashes. A file that someone forged can make collisions be
    /// missed: read only what trusted users wrote.
    pub fn load_proofs(&mut self, path: &Path, options: &GapOptions) -> Result<&Gaps> {
        let gaps = self.about(|subject| Gaps::load(path, subject, options))?;
        Ok(self.rely_on(gaps))
    }

    /// A number that changes with all that proofs depend on: robot, parts, pairs, options, version.
    /// For names of files.
    pub fn proof_identity(&self, options: &GapOptions) -> Result<u64> {
        self.about(|subject| subject.identity(options))
    }

    /// Reads proofs from the bytes of a file, as [`load_proofs`](Self::load_proofs).
    pub fn read_proofs(&mut self, bytes: &[u8], options: &GapOptions) -> Result<&Gaps> {
        let gaps = self.about(|subject| Gaps::from_bytes(bytes, subject, options))?;
        Ok(self.rely_on(gaps))
    }

    /// What proofs are about.
    pub(super) fn about<T>(&self, then: impl FnOnce(&Subject<'_>) -> T) -> T {
        let (bodies, pairs): (Vec<Vec<BodyPart>>, _) = (self.body_parts(|_| true), self.body_pairs());
        then(&Subject { robot: self.robot(), bodies: &bodies, pairs: &pairs })
    }

    pub(super) fn rely_on(&mut self, gaps: Gaps) -> &Gaps {
        self.keep_gaps(|a, b| gaps.gap(a, b) - POSE_ROUNDING);
        self.set_proofs(gaps)
    }
}
