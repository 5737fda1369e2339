//! Answers as JSON lines and as text: the formats that scripts rely on.

use clearance::descent::Stats;
use clearance::math::DVec3;
use clearance::query::{Collision, Contacts, Distance, Status};
use serde_json::{Value, json};

/// An answer of any query.
pub enum Answer {
    /// Of `--query distance`.
    Distance(Distance),
    /// Of `--query collide`.
    Collide(Collision),
    /// Of `--query contacts`.
    Contacts(Contacts),
}

/// A number, or null where it is not finite.
pub fn number(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number)
}

/// A point as three numbers.
pub fn point(p: DVec3) -> Value {
    Value::Array(p.to_array().map(number).to_vec())
}

/// How the contract calls a status.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Exact => "exact",
        Status::Tolerance => "tolerance",
        Status::BelowMin => "below_min",
        Status::BeyondMax => "beyond_max",
        Status::Inexact => "inexact",
    }
}

impl Answer {
    /// One JSON object.
    pub fn json(&self, i: usize) -> Value {
        match self {
            Answer::Distance(d) => {
                let witness = d.witness;
                let leaves = witness.and_then(|w| w.leaves);
                json!({
                    "i": i,
                    "colliding": d.colliding(),
                    "distance": number(d.upper),
                    "lower": number(d.lower),
                    "status": status(d.status),
                    "point_a": witness.map(|w| point(w.point_a)),
                    "point_b": witness.map(|w| point(w.point_b)),
                    "leaf_a": leaves.map(|l| l.0),
                    "leaf_b": leaves.map(|l| l.1),
                })
            }
            Answer::Collide(c) => json!({
                "i": i,
                "colliding": c.colliding,
                "leaf_a": c.leaves.map(|l| l.0),
                "leaf_b": c.leaves.map(|l| l.1),
            }),
            Answer::Contacts(c) => {
                let contacts: Vec<Value> = c
                    .contacts
                    .iter()
                    .map(|contact| {
                        json!({
                            "leaf_a": contact.leaf_a,
                            "leaf_b": contact.leaf_b,
                            "points": contact.points.iter().map(|&p| point(p)).collect::<Vec<_>>(),
                            "normal": point(contact.normal),
                            "distance": number(contact.distance),
                        })
                    })
                    .collect();
                let colliding = c.contained.is_some() || c.contacts.iter().any(|contact| contact.distance == 0.0);
                json!({ "i": i, "colliding": colliding, "contacts": contacts, "truncated": c.truncated })
            }
        }
    }

    /// One line of text.
    pub fn text(&self, i: usize) -> String {
        match self {
            Answer::Distance(d) if d.status == Status::BeyondMax => format!("{i:>6}  beyond {}", d.lower),
            Answer::Distance(d) => match d.colliding() {
                Some(true) => format!("{i:>6}  colliding"),
                _ => format!("{i:>6}  distance {:<20} lower {:<20} {}", d.upper, d.lower, status(d.status)),
            },
            Answer::Collide(c) => format!("{i:>6}  {}", if c.colliding { "colliding" } else { "free" }),
            Answer::Contacts(c) => {
                let more = if c.truncated { " or more" } else { "" };
                format!("{i:>6}  {} contacts{more}", c.contacts.len())
            }
        }
    }

    /// What the answer took.
    pub fn stats(&self) -> Stats {
        match self {
            Answer::Distance(d) => d.stats,
            Answer::Collide(c) => c.stats,
            Answer::Contacts(c) => c.stats,
        }
    }

    /// Whether the answer says that the two collide.
    pub fn colliding(&self) -> bool {
        match self {
            Answer::Distance(d) => d.upper == 0.0,
            Answer::Collide(c) => c.colliding,
            Answer::Contacts(c) => c.contained.is_some() || c.contacts.iter().any(|contact| contact.distance == 0.0),
        }
    }
}
