//! `clearance check --query near`: all pairs nearer than a distance, with their gradients by the
//! joints.

use super::check::Posed;
use crate::output::{number, point, status};
use clearance_engine::Readable;
use clearance_engine::assembly::{NearParts, NearRequest, PartId};
use clearance_engine::traversal::Workspace;
use clearance_robot::{Placement, Result, Scene};
use serde_json::{Value, json};

/// What is asked of each configuration.
pub(super) struct Near<'q> {
    pub(super) robot: &'q Posed,
    /// Whether the robot is checked against itself.
    pub(super) own: bool,
    pub(super) scene: Option<&'q Scene>,
    pub(super) max_distance: f64,
    /// Whether the rows of the Jacobian are wanted.
    pub(super) gradient: bool,
    pub(super) json: bool,
}

/// A pair by its kind and names, with its rows.
struct Named<'n> {
    kind: &'static str,
    names: [&'n str; 2],
    near: NearParts,
    gradient: Vec<f64>,
    /// Of the second robot.
    gradient_b: Option<Vec<f64>>,
}

impl Near<'_> {
    /// Whether the robot collides in configuration `i`, and what to print; `other` is the second
    /// robot at its place.
    pub(super) fn ask(
        &self,
        i: usize,
        placement: &Placement,
        other: Option<(&Posed, &Placement)>,
        workspace: &mut Workspace,
    ) -> Result<(Option<bool>, String)> {
        let checker = &self.robot.checker;
        let request = NearRequest { max_distance: self.max_distance, examine_ties: self.gradient };
        let row = |near: &NearParts, parts: [Option<PartId>; 2]| match self.gradient {
            true => checker.distance_gradient(placement, parts, near.point_b, near.normal),
            false => Ok(Vec::new()),
        };
        let mut pairs = Vec::new();
        if self.own {
            for near in checker.self_near(placement, &request, workspace)? {
                let names = [checker.name(near.part_a)?, checker.name(near.part_b)?];
                let gradient = row(&near, [Some(near.part_a), Some(near.part_b)])?;
                pairs.push(Named { kind: "self", names, near, gradient, gradient_b: None });
            }
        }
        if let Some(scene) = self.scene {
            for near in checker.scene_near(placement, scene, &request, workspace)? {
                let names = [checker.name(near.part_a)?, scene.name(near.part_b)?];
                let gradient = row(&near, [Some(near.part_a), None])?;
                pairs.push(Named { kind: "scene", names, near, gradient, gradient_b: None });
            }
        }
        if let Some((other, placed)) = other {
            let other = &other.checker;
            for near in checker.robot_near(placement, (other, placed), &request, workspace)? {
                let names = [checker.name(near.part_a)?, other.name(near.part_b)?];
                let gradient = row(&near, [Some(near.part_a), None])?;
                let parts = [None, Some(near.part_b)];
                let gradient_b = other.distance_gradient(placed, parts, near.point_b, near.normal)?;
                pairs.push(Named { kind: "robot_b", names, near, gradient, gradient_b: Some(gradient_b) });
            }
        }
        let any = |proves: fn(&NearParts) -> bool| pairs.iter().any(|pair| proves(&pair.near));
        let colliding = match any(|near| near.upper <= 0.0) {
            true => Some(true),
            false => (!any(|near| near.lower <= 0.0)).then_some(false),
        };
        Ok((colliding, if self.json { self.json(i, &pairs) } else { text(i, &pairs) }))
    }

    fn json(&self, i: usize, pairs: &[Named<'_>]) -> String {
        let row = |row: &[f64]| Value::Array(row.iter().map(|&x| number(x)).collect());
        let pair = |pair: &Named<'_>| {
            let near = &pair.near;
            let mut json = json!({
                "kind": pair.kind,
                "a": pair.names[0],
                "b": pair.names[1],
                "signed": number(near.signed),
                "lower": number(near.lower),
                "upper": number(near.upper),
                "point_a": point(near.point_a),
                "point_b": point(near.point_b),
                "normal": point(near.normal),
                "status": status(near.status),
            });
            if self.gradient {
                json["gradient"] = row(&pair.gradient);
                json["unique"] = near.unique.map_or(Value::Null, Value::Bool);
                if let Some(gradient_b) = &pair.gradient_b {
                    json["gradient_b"] = row(gradient_b);
                }
            }
            json
        };
        json!({ "i": i, "near": pairs.iter().map(pair).collect::<Vec<_>>() }).to_string()
    }
}

fn text(i: usize, pairs: &[Named<'_>]) -> String {
    let what = if pairs.len() == 1 { "pair" } else { "pairs" };
    let mut text = format!("{i:>6}  {} {what}", pairs.len());
    for Named { kind, names: [a, b], near, gradient, .. } in pairs {
        text += &format!("\n        {kind}: {:.6} ({a} – {b})", near.signed);
        if !gradient.is_empty() {
            let row: Vec<String> = gradient.iter().map(|x| Readable(*x).to_string()).collect();
            text += &format!(", gradient {}", row.join(" "));
        }
    }
    text
}
