//! What `clearance check --query near` says: all pairs nearer than a distance, with their gradients
//! by the joints.

use crate::output::{number, point, status};
use clearance::NearPair;
use clearance::engine::Readable;
use clearance::robot::Against;
use serde_json::{Value, json};

/// Whether the robot collides in configuration `i`, and what to print of its near pairs.
pub(super) fn answer(i: usize, pairs: &[NearPair], gradient: bool, as_json: bool) -> (Option<bool>, String) {
    let any = |proves: fn(&NearPair) -> bool| pairs.iter().any(proves);
    let colliding = match any(|near| near.upper <= 0.0) {
        true => Some(true),
        false => (!any(|near| near.lower <= 0.0)).then_some(false),
    };
    (colliding, if as_json { json(i, pairs, gradient) } else { text(i, pairs, gradient) })
}

fn kind(against: Against) -> &'static str {
    match against {
        Against::Itself => "self",
        Against::Scene => "scene",
        Against::Robot => "robot_b",
    }
}

fn json(i: usize, pairs: &[NearPair], gradient: bool) -> String {
    let row = |row: &[f64]| Value::Array(row.iter().map(|&x| number(x)).collect());
    let pair = |near: &NearPair| {
        let mut json = json!({
            "kind": kind(near.against),
            "a": near.a,
            "b": near.b,
            "signed": number(near.signed),
            "lower": number(near.lower),
            "upper": number(near.upper),
            "point_a": point(near.point_a),
            "point_b": point(near.point_b),
            "normal": point(near.normal),
            "status": status(near.status),
        });
        if gradient {
            json["gradient"] = row(&near.gradient);
            json["unique"] = near.unique.map_or(Value::Null, Value::Bool);
            if near.against == Against::Robot {
                json["gradient_b"] = row(&near.gradient_b);
            }
        }
        json
    };
    json!({ "i": i, "near": pairs.iter().map(pair).collect::<Vec<_>>() }).to_string()
}

fn text(i: usize, pairs: &[NearPair], gradient: bool) -> String {
    let what = if pairs.len() == 1 { "pair" } else { "pairs" };
    let mut text = format!("{i:>6}  {} {what}", pairs.len());
    for near in pairs {
        text += &format!("\n        {}: {:.6} ({} – {})", kind(near.against), near.signed, near.a, near.b);
        if gradient {
            let row: Vec<String> = near.gradient.iter().map(|x| Readable(*x).to_string()).collect();
            text += &format!(", gradient {}", row.join(" "));
        }
    }
    text
}
