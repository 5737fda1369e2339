//! Answers as JSON lines and as text: the formats that scripts rely on.

use clearance::engine::Readable;
use clearance::engine::query::{Collision, Gradient};
use clearance::engine::traversal::Stats;
use clearance::{Contacts, Distance, SignedDistance, Status, Vec3};
use serde_json::{Value, json};

/// An answer of any query.
pub enum Answer {
    /// Of `--query distance`.
    Distance {
        /// How far apart.
        distance: Distance,
        /// Where it is asked for; none inside where the two touch.
        gradient: Option<Option<Gradient>>,
    },
    /// Of `--query collide`.
    Collide(Collision),
    /// Of `--query contacts`.
    Contacts(Contacts),
    /// Of `--query signed`.
    Signed {
        /// How far apart, or how deep.
        found: SignedDistance,
        /// Where it is asked for.
        gradient: Option<Gradient>,
    },
}

/// A number, or null where it is not finite.
pub fn number(x: f64) -> Value {
    serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number)
}

/// A proven distance in metres with four decimals, rounded down.
pub fn at_least(distance: f64) -> String {
    let rounded = (distance * 1e4).floor() * 1e-4;
    if rounded > 0.0 { format!("{rounded:.4}") } else { format!("{distance:.2e}") }
}

/// A point as three numbers.
pub fn point(p: Vec3) -> Value {
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
        Status::Budget => "budget",
    }
}

fn text_of_point(point: Option<Vec3>) -> String {
    point.map_or("an unknown point".to_owned(), |point| Readable(point).to_string())
}

/// The triangles that decide, where there are any: two solids of which one holds the other have
/// none.
fn triangles(leaves: Option<(u32, u32)>) -> String {
    leaves.map(|(a, b)| format!(", triangles {a} and {b}")).unwrap_or_default()
}

/// Whether two meshes collide: exact predicates tell, also where rounding leaves the interval wide.
fn meshes_collide(distance: &Distance) -> Option<bool> {
    match distance.status {
        Status::Inexact => Some(distance.upper == 0.0),
        _ => distance.colliding(),
    }
}

impl Answer {
    /// One JSON object.
    pub fn json(&self, i: usize) -> Value {
        match self {
            Answer::Distance { distance: d, gradient } => {
                let witness = d.witness;
                let leaves = witness.and_then(|w| w.leaves);
                let mut json = json!({
                    "i": i,
                    "colliding": meshes_collide(d),
                    "distance": number(d.upper),
                    "lower": number(d.lower),
                    "status": status(d.status),
                    "point_a": witness.map(|w| point(w.point_a)),
                    "point_b": witness.map(|w| point(w.point_b)),
                    "leaf_a": leaves.map(|l| l.0),
                    "leaf_b": leaves.map(|l| l.1),
                });
                if let Some(gradient) = gradient {
                    json["gradient"] = gradient.map_or(Value::Null, |g| g.by_b.map(number).to_vec().into());
                    json["unique"] = gradient.and_then(|g| g.unique).map_or(Value::Null, Value::Bool);
                }
                json
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
                json!({ "i": i, "colliding": c.colliding, "contacts": contacts, "truncated": c.truncated })
            }
            Answer::Signed { found: s, gradient } => {
                let mut json = json!({
                    "i": i,
                    "signed": number(s.signed),
                    "lower": number(s.lower),
                    "upper": number(s.upper),
                    "normal": point(s.normal),
                    "point_a": point(s.point_a),
                    "point_b": point(s.point_b),
                    "status": status(s.status),
                });
                if let Some(gradient) = gradient {
                    json["gradient"] = gradient.by_b.map(number).to_vec().into();
                }
                json
            }
        }
    }

    /// A line of text; of contacts one more each.
    pub fn text(&self, i: usize) -> String {
        match self {
            Answer::Distance { distance: d, .. } if d.status == Status::BeyondMax => {
                format!("{i:>6}  beyond {}", Readable(d.lower))
            }
            Answer::Distance { distance: d, gradient } => {
                let leaves = triangles(d.witness.and_then(|w| w.leaves));
                let [from, to] = [d.witness.map(|w| w.point_a), d.witness.map(|w| w.point_b)].map(text_of_point);
                match d.colliding() {
                    Some(true) => format!("{i:>6}  colliding at {from}{leaves}"),
                    _ => {
                        let (upper, lower) = (Readable(d.upper).to_string(), Readable(d.lower).to_string());
                        let status = status(d.status);
                        let row = gradient.flatten().map(|g| g.by_b.map(|x| Readable(x).to_string()).join(" "));
                        let row = row.map(|row| format!(", gradient {row}")).unwrap_or_default();
                        format!("{i:>6}  distance {upper:<20} lower {lower:<20} {status}  {from} – {to}{leaves}{row}")
                    }
                }
            }
            Answer::Collide(c) if c.colliding => format!("{i:>6}  colliding{}", triangles(c.leaves)),
            Answer::Collide(_) => format!("{i:>6}  free"),
            Answer::Contacts(c) => {
                let (count, more) = (c.contacts.len(), if c.truncated { " or more" } else { "" });
                let what = if count == 1 { "contact" } else { "contacts" };
                let colliding = if c.colliding { "colliding" } else { "free" };
                let inside = c.contained.map(|point| format!(", one inside of the other at {}", Readable(point)));
                let mut text = format!("{i:>6}  {colliding}, {count} {what}{more}{}", inside.unwrap_or_default());
                for contact in &c.contacts {
                    let points: Vec<String> = contact.points.iter().map(|&p| Readable(p).to_string()).collect();
                    let (a, b, points) = (contact.leaf_a, contact.leaf_b, points.join(" "));
                    let (normal, distance) = (Readable(contact.normal), Readable(contact.distance));
                    text += &format!("\n        triangles {a} and {b}: {points}, normal {normal}, distance {distance}");
                }
                text
            }
            Answer::Signed { found: s, .. } => {
                let [signed, lower, upper] = [s.signed, s.lower, s.upper].map(|value| Readable(value).to_string());
                let (normal, from, to) = (Readable(s.normal), Readable(s.point_a), Readable(s.point_b));
                let status = status(s.status);
                format!("{i:>6}  signed {signed:<20} from {lower} to {upper} {status}  {from} – {to}, normal {normal}")
            }
        }
    }

    /// What the answer took.
    pub fn stats(&self) -> Stats {
        match self {
            Answer::Distance { distance: d, .. } => d.stats,
            Answer::Collide(c) => c.stats,
            Answer::Contacts(c) => c.stats,
            Answer::Signed { .. } => Stats::default(),
        }
    }

    /// Whether the answer says that the two collide.
    pub fn colliding(&self) -> bool {
        match self {
            Answer::Distance { distance: d, .. } => d.upper == 0.0,
            Answer::Collide(c) => c.colliding,
            Answer::Contacts(c) => c.colliding,
            Answer::Signed { found: s, .. } => s.signed <= 0.0,
        }
    }
}
