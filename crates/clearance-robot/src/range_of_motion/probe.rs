//! Two bodies at one configuration: the certified distance of their geometries.

use super::parts::BodyPart;
use super::path::Path;
use crate::{Error, ErrorKind, Result, Robot};
use clearance_engine::Pose;
use clearance_engine::assembly::{
    Assembly, AssemblyBuilder, AssemblyPair, AssemblyWarmStart, Everything, PartDistance, PartWitness,
};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;

/// Asks about two bodies at one configuration after the other, and counts.
pub(super) struct Probe<'p> {
    robot: &'p Robot,
    dispatcher: &'p Dispatcher,
    pub path: &'p Path,
    parts_b: &'p [BodyPart],
    a: Assembly,
    b: Assembly,
    frames: Vec<Pose>,
    workspace: Workspace,
    warm_start: AssemblyWarmStart,
    /// How many questions were asked.
    pub evaluations: usize,
}

impl<'p> Probe<'p> {
    pub fn new(
        robot: &'p Robot,
        dispatcher: &'p Dispatcher,
        path: &'p Path,
        a: &[BodyPart],
        b: &'p [BodyPart],
    ) -> Self {
        let (workspace, warm_start) = (Workspace::default(), AssemblyWarmStart::default());
        let (assembly_a, assembly_b) = (assembly(a), assembly(b));
        let (a, b, parts_b) = (assembly_a, assembly_b, b);
        Self { robot, dispatcher, path, parts_b, a, b, frames: Vec::new(), workspace, warm_start, evaluations: 0 }
    }

    /// The distance at these values of the path's variables.
    pub fn distance(&mut self, values: &[f64], request: &DistanceRequest) -> Result<PartDistance> {
        self.place(values)?;
        let meet = AssemblyPair::new(self.dispatcher, &self.a, &self.b, &Everything);
        meet.distance(request, &mut self.workspace, Some(&mut self.warm_start)).map_err(unsupported)
    }

    /// Whether the bodies touch or overlap at these values.
    pub fn collides(&mut self, values: &[f64]) -> Result<bool> {
        self.place(values)?;
        let meet = AssemblyPair::new(self.dispatcher, &self.a, &self.b, &Everything);
        let (hit, _) = meet.collide(&mut self.workspace, Some(&mut self.warm_start)).map_err(unsupported)?;
        Ok(hit.is_some())
    }

    /// How fast the distance grows with each variable, for a witness of the last question.
    pub fn gradient(&self, witness: &PartWitness) -> Vec<f64> {
        self.path.gradient(&self.frames, witness)
    }

    fn place(&mut self, values: &[f64]) -> Result<()> {
        self.evaluations += 1;
        let a_from_b = self.path.pose(self.robot, values, &mut self.frames)?;
        self.b.place_all(|part| a_from_b.then(&self.parts_b[part as usize].body_from_part));
        Ok(())
    }
}

/// The parts of a body in its own frame.
fn assembly(parts: &[BodyPart]) -> Assembly {
    let mut builder = AssemblyBuilder::default();
    let leaves: Vec<u32> = parts.iter().map(|part| builder.part(part.geometry.clone(), part.body_from_part)).collect();
    let root = builder.group(&leaves);
    builder.build(root)
}

/// The engine has no test for two geometries.
pub(super) fn unsupported(error: clearance_engine::Error) -> Error {
    Error::new(ErrorKind::Unsupported, format!("two geometries cannot be asked about: {error}"))
}
