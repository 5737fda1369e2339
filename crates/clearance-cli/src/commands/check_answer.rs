//! What `clearance check` says about one configuration.

use super::check::{Check, QueryKind};
use super::check_near;
use crate::output::{number, point, status};
use clearance::robot::Result;
use clearance::{Checker, Distance, DistanceRequest, Hit, RobotDistance, Status};
use serde_json::{Value, json};

/// All that one configuration is asked about.
pub(super) struct Question<'q> {
    pub(super) check: &'q Check,
    /// The second robot.
    pub(super) other: Option<&'q Checker>,
    /// The range of distances; none where collisions alone are asked about.
    pub(super) request: Option<DistanceRequest>,
}

/// What is known of one part of an answer.
struct Part {
    colliding: Option<bool>,
    json: Value,
    text: String,
}

impl Question<'_> {
    /// Whether the robots collide in configuration `i`, and the line to print.
    pub(super) fn ask(
        &self,
        checker: &mut Checker,
        i: usize,
        row: &[f64],
        other_row: Option<&[f64]>,
    ) -> Result<(Option<bool>, String)> {
        let with_itself = !self.check.environment;
        let with_scene = self.check.scene.is_some() && !self.check.own;
        let other = self.other.zip(other_row);
        if let (QueryKind::Near, Some(request)) = (self.check.query, &self.request) {
            let mut pairs = Vec::new();
            if with_itself {
                pairs.extend(checker.self_near(row, request.max_d)?);
            }
            if with_scene {
                pairs.extend(checker.scene_near(row, request.max_d)?);
            }
            if let Some((other, other_row)) = other {
                pairs.extend(checker.robot_near(row, other, other_row, request.max_d)?);
            }
            return Ok(check_near::answer(i, &pairs, self.check.gradient, self.check.json));
        }
        let own = if with_itself { Some(self.own(checker, row)?) } else { None };
        let scene = if with_scene {
            Some(match &self.request {
                Some(request) => distance_part(checker.scene_distance_with(row, request)?, request),
                None => collision_part(checker.scene_collision(row)?),
            })
        } else {
            None
        };
        let robot = match (other, &self.request) {
            (None, _) => None,
            (Some((other, other_row)), Some(request)) => {
                Some(distance_part(checker.robot_distance_with(row, other, other_row, request)?, request))
            }
            (Some((other, other_row)), None) => Some(collision_part(checker.robot_collision(row, other, other_row)?)),
        };
        let parts = [("self", own), ("environment", scene), ("robot_b", robot)];
        let asked: Vec<Option<bool>> = parts.iter().filter_map(|(_, part)| Some(part.as_ref()?.colliding)).collect();
        let colliding =
            if asked.contains(&Some(true)) { Some(true) } else { (!asked.contains(&None)).then_some(false) };
        if !self.check.json {
            let texts = parts.iter().filter_map(|(name, part)| Some(format!("  {name}: {}", part.as_ref()?.text)));
            return Ok((colliding, format!("{i:>6}{}", texts.collect::<String>())));
        }
        let mut json = json!({ "i": i, "colliding": colliding });
        for (name, part) in parts {
            json[name] = part.map_or(Value::Null, |part| part.json);
        }
        Ok((colliding, json.to_string()))
    }

    fn own(&self, checker: &mut Checker, row: &[f64]) -> Result<Part> {
        let mut part = match &self.request {
            Some(request) => distance_part(checker.self_distance_with(row, request)?, request),
            None => collision_part(checker.self_collision(row)?),
        };
        if self.check.pairs.is_some() {
            part.json["pairs"] = self.all_pairs(checker, row)?;
        }
        Ok(part)
    }

    fn all_pairs(&self, checker: &mut Checker, row: &[f64]) -> Result<Value> {
        let Some(request) = &self.request else {
            let pair = |hit: &Hit| json!({ "link_a": hit.a, "link_b": hit.b });
            return Ok(checker.self_collisions(row)?.iter().map(pair).collect());
        };
        let pair = |([a, b], distance): &([String; 2], Distance)| {
            json!({
                "link_a": a,
                "link_b": b,
                "colliding": distance.colliding(),
                "distance": number(distance.upper),
                "lower": number(distance.lower),
                "status": status(distance.status),
            })
        };
        Ok(checker.self_distances(row, request)?.iter().map(pair).collect())
    }
}

fn distance_part(answer: Option<RobotDistance>, request: &DistanceRequest) -> Part {
    let Some(found) = answer else {
        // Everything is that far away, and nothing is said of how far.
        let max_d = request.max_d;
        let (colliding, beyond) = ((max_d > 0.0).then_some(false), status(Status::BeyondMax));
        let text = if max_d.is_infinite() { "nothing to meet".to_owned() } else { format!("beyond {max_d}") };
        let json = json!({ "distance": null, "lower": number(max_d), "status": beyond, "link_a": null,
            "link_b": null, "point_a": null, "point_b": null });
        return Part { colliding, json, text };
    };
    let json = json!({
        "distance": number(found.upper),
        "lower": number(found.lower),
        "status": status(found.status),
        "link_a": found.a,
        "link_b": found.b,
        "point_a": point(found.point_a),
        "point_b": point(found.point_b),
    });
    let names = format!("{} – {}", found.a, found.b);
    let text = match found.colliding() {
        Some(true) => format!("colliding ({names})"),
        _ => format!("{:.6} ({names})", found.upper),
    };
    Part { colliding: found.colliding(), json, text }
}

fn collision_part(hit: Option<Hit>) -> Part {
    let json = json!({
        "colliding": hit.is_some(),
        "link_a": hit.as_ref().map(|hit| &hit.a),
        "link_b": hit.as_ref().map(|hit| &hit.b),
    });
    let text = hit.as_ref().map_or("free".to_owned(), |hit| format!("colliding ({} – {})", hit.a, hit.b));
    Part { colliding: Some(hit.is_some()), json, text }
}
