//! The large things. Units of the counter and of the walls face −x: their front is at x = 0, their
//! back at x = depth, they are centred in y; what stands on the floor has it at z = 0.

use super::paint::*;
use crate::picture::Color;
use crate::solid::{
    Ends, Solid, capsule, cuboid, curve, disc, frame, loft, rounded_box, section, smooth_lathe, torus, tube,
};
use clearance_engine::math::DVec3;

/// The height of the counter's top.
pub(super) const COUNTER: f64 = 0.90;
/// The thickness of the worktop.
pub(super) const WORKTOP: f64 = 0.04;
/// The depth of the base units.
pub(super) const DEPTH: f64 = 0.58;

fn at(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A box from one vertex to the opposite one.
pub(super) fn block(low: DVec3, high: DVec3, color: Color) -> Solid {
    let middle = (low + high) * 0.5;
    cuboid(high - low).moved(middle.x, middle.y, middle.z).painted(color)
}

/// The same with rounded edges.
fn soft(low: DVec3, high: DVec3, radius: f64, color: Color) -> Solid {
    let middle = (low + high) * 0.5;
    rounded_box(high - low, radius, 2).moved(middle.x, middle.y, middle.z).painted(color)
}

/// A bar handle before the plane x = 0, from `low` to `high` in it, on two posts.
fn bar(low: DVec3, high: DVec3) -> Solid {
    let out = at(-0.030, 0.0, 0.0);
    let rod = capsule(low + out, high + out, 0.006, 0.006, 10, 2);
    let posts = [0.12, 0.88]
        .map(|t| low.lerp(high, t))
        .map(|p| capsule(p + at(0.003, 0.0, 0.0), p + out, 0.0045, 0.0045, 8, 1));
    rod.with(Solid::union(posts)).painted(STEEL)
}

/// A round knob before the plane x = 0.
fn knob(y: f64, z: f64) -> Solid {
    let knob = smooth_lathe(&[(0.010, -0.002), (0.008, 0.010), (0.016, 0.020), (0.015, 0.028), (0.006, 0.031)], 1, 16);
    knob.aimed(DVec3::NEG_X, DVec3::Z).moved(0.0, y, z).painted(STEEL)
}

/// The body of a base unit: a box over a recessed plinth.
fn base_body(width: f64) -> Solid {
    base_up_to(width, COUNTER - WORKTOP)
}

/// The same of another height.
fn base_up_to(width: f64, height: f64) -> Solid {
    let half = width * 0.5;
    let plinth = block(at(0.06, -half, 0.0), at(DEPTH, half, 0.10), DARK);
    plinth.with(block(at(0.002, -half, 0.10), at(DEPTH, half, height), CREAM))
}

/// A front panel with a raised middle; `z` from low to high, before the plane x = 0.
fn panel(y: (f64, f64), z: (f64, f64), color: Color) -> Solid {
    let plate = soft(at(-0.018, y.0 + 0.002, z.0 + 0.002), at(0.0, y.1 - 0.002, z.1 - 0.002), 0.003, color);
    let (my, mz) = (0.055_f64.min((y.1 - y.0) * 0.2), 0.055_f64.min((z.1 - z.0) * 0.2));
    plate.with(soft(at(-0.024, y.0 + my, z.0 + mz), at(-0.014, y.1 - my, z.1 - mz), 0.003, color))
}

/// A base unit with two doors.
pub(super) fn door_unit(width: f64) -> Solid {
    base_body(width).with(two_doors(width))
}

/// The same, open above for the sink.
pub(super) fn sink_unit(width: f64) -> Solid {
    let (low, high) = (COUNTER - 0.22, COUNTER - WORKTOP);
    let rim = frame(at(DEPTH - 0.002, width, high - low), DEPTH - 0.04, width - 0.04);
    let rim = rim.moved(DEPTH * 0.5 + 0.001, 0.0, (low + high) * 0.5).painted(CREAM);
    Solid::union([base_up_to(width, low), rim, two_doors(width)])
}

fn two_doors(width: f64) -> Solid {
    let (half, top) = (width * 0.5, COUNTER - WORKTOP);
    let door = |side: f64| {
        let y = if side < 0.0 { (-half, 0.0) } else { (0.0, half) };
        let grip = |z: f64| at(-0.018, side * 0.05, z);
        panel(y, (0.10, top), FRONT).with(bar(grip(top - 0.24), grip(top - 0.06)))
    };
    door(-1.0).with(door(1.0))
}

/// A base unit with `drawers` drawers.
pub(super) fn drawer_unit(width: f64, drawers: usize) -> Solid {
    let (half, top) = (width * 0.5, COUNTER - WORKTOP);
    let mut unit = base_body(width);
    for drawer in 0..drawers {
        let z = |k: usize| 0.10 + (top - 0.10) * k as f64 / drawers as f64;
        let grip = z(drawer + 1) - 0.06;
        unit = unit.with(panel((-half, half), (z(drawer), z(drawer + 1)), FRONT));
        unit = unit.with(bar(at(-0.022, -0.10, grip), at(-0.022, 0.10, grip)));
    }
    unit
}

/// The oven: a glass door in a steel front, with knobs.
pub(super) fn oven(width: f64) -> Solid {
    let (half, top) = (width * 0.5, COUNTER - WORKTOP);
    let body = base_body(width);
    let front = soft(at(-0.016, -half + 0.002, 0.24), at(0.0, half - 0.002, top - 0.002), 0.004, STEEL);
    let glass = soft(at(-0.022, -half + 0.05, 0.30), at(-0.010, half - 0.05, 0.64), 0.005, DARK);
    let drawer = panel((-half, half), (0.10, 0.24), FRONT);
    let grip = bar(at(-0.016, -half + 0.06, 0.69), at(-0.016, half - 0.06, 0.69));
    let knobs = (0..5).map(|k| knob(-half + width * (k as f64 + 0.5) / 5.0, 0.785).moved(-0.016, 0.0, 0.0));
    Solid::union([body, front, glass, drawer, grip, Solid::union(knobs)])
}

/// The dishwasher.
pub(super) fn dishwasher(width: f64) -> Solid {
    let (half, top) = (width * 0.5, COUNTER - WORKTOP);
    let front = soft(at(-0.020, -half + 0.003, 0.10), at(0.0, half - 0.003, 0.74), 0.006, STEEL);
    let controls = soft(at(-0.020, -half + 0.003, 0.745), at(0.0, half - 0.003, top - 0.003), 0.006, DARK);
    let grip = bar(at(-0.020, -half + 0.10, 0.70), at(-0.020, half - 0.10, 0.70));
    let lamps = (0..4).map(|k| {
        let lamp = disc(0.008, 0.0, 0.004, 0.001, 16).aimed(DVec3::NEG_X, DVec3::Z);
        lamp.moved(-0.019, 0.08 + 0.04 * k as f64, 0.80).painted(GREEN)
    });
    Solid::union([base_body(width), front, controls, grip, Solid::union(lamps)])
}

/// A wall unit with two doors; z = 0 is its lower side.
pub(super) fn wall_unit(width: f64, depth: f64, height: f64) -> Solid {
    let half = width * 0.5;
    let body = block(at(0.0, -half, 0.0), at(depth, half, height), CREAM);
    let doors = [(-half, 0.0), (0.0, half)].map(|y| panel(y, (0.0, height), FRONT));
    let grips = [-0.04, 0.04].map(|y| bar(at(-0.018, y, 0.05), at(-0.018, y, 0.20)));
    Solid::union([body, Solid::union(doors), Solid::union(grips)])
}

/// A slice of worktop without a hole; z = 0 is its lower side, it overhangs the fronts by 4 cm.
pub(super) fn worktop(width: f64) -> Solid {
    soft(at(-0.04, -width * 0.5, 0.0), at(DEPTH, width * 0.5, WORKTOP), 0.006, STONE)
}

/// Half the size of the sink's hole.
const SINK: (f64, f64) = (0.20, 0.28);

/// A slice of worktop with a hole for the sink, whose middle is the slice's.
pub(super) fn sink_worktop(width: f64) -> Solid {
    let plate = frame(at(DEPTH + 0.04, width, WORKTOP), 2.0 * SINK.0, 2.0 * SINK.1);
    plate.moved(DEPTH * 0.5 - 0.02, 0.0, WORKTOP * 0.5).painted(STONE)
}

/// A basin of steel whose rim lies on z = 0, about the z axis.
pub(super) fn sink() -> Solid {
    // (half length, half width, height): down the outside is first, then over the rim and down the
    // inside.
    let (x, y) = SINK;
    let wall = [
        (-0.040, -0.185),
        (-0.020, -0.180),
        (-0.012, -0.150),
        (-0.006, -0.020),
        (-0.006, 0.001),
        (0.020, 0.001),
        (0.020, 0.005),
        (0.016, 0.007),
        (-0.004, 0.006),
        (-0.010, 0.000),
        (-0.012, -0.020),
        (-0.018, -0.145),
        (-0.026, -0.170),
        (-0.046, -0.176),
    ];
    let ring = |&(out, z): &(f64, f64)| section(at(0.0, 0.0, z), x + out, y + out, 7.0, 48);
    let basin = loft(&wall.iter().map(ring).collect::<Vec<_>>(), Ends::Capped);
    let drain = torus(0.030, 0.005, 20, 6).moved(0.0, 0.0, -0.175);
    basin.with(drain).painted(STEEL)
}

/// A tap with a swan neck towards −x and a lever, on z = 0.
pub(super) fn tap() -> Solid {
    let foot = smooth_lathe(&[(0.028, 0.0), (0.028, 0.008), (0.020, 0.020), (0.018, 0.060)], 2, 20);
    let neck = [
        at(0.0, 0.0, 0.05),
        at(0.0, 0.0, 0.20),
        at(-0.03, 0.0, 0.30),
        at(-0.10, 0.0, 0.335),
        at(-0.17, 0.0, 0.30),
        at(-0.19, 0.0, 0.22),
    ];
    let neck = tube(&curve(&neck, 5), |_| 0.012, 12, Ends::Capped);
    let mouth = disc(0.015, 0.20, 0.235, 0.003, 24).moved(-0.19, 0.0, 0.0);
    let hub = capsule(at(0.0, 0.0, 0.075), at(0.0, -0.04, 0.075), 0.013, 0.013, 12, 3);
    let lever = capsule(at(0.0, -0.04, 0.075), at(-0.03, -0.06, 0.15), 0.006, 0.005, 10, 2);
    Solid::union([foot, neck, mouth, hub, lever]).painted(STEEL)
}

/// A glass hob with four rings and its frame, on z = 0, about the z axis.
pub(super) fn hob() -> Solid {
    let glass = rounded_box(at(0.46, 0.54, 0.010), 0.004, 3).moved(0.0, 0.0, 0.005).painted(DARK);
    let rings = [(-0.11, -0.14, 0.075), (-0.11, 0.14, 0.095), (0.11, -0.14, 0.095), (0.11, 0.14, 0.075)];
    let rings = rings.map(|(x, y, r)| torus(r, 0.002, 40, 5).moved(x, y, 0.0095).painted(STONE));
    glass.with(Solid::union(rings))
}

/// An extractor hood: a pyramid with a chimney; z = 0 is its lower side.
pub(super) fn hood(width: f64) -> Solid {
    let ring = |z: f64, front: f64, half: f64| {
        vec![at(front, -half, z), at(0.46, -half, z), at(0.46, half, z), at(front, half, z)]
    };
    let (half, chimney) = (width * 0.5, 0.12);
    let rings = [ring(0.0, 0.0, half), ring(0.06, 0.0, half), ring(0.26, 0.22, chimney), ring(0.80, 0.22, chimney)];
    let rail = bar(at(0.0, -half + 0.04, 0.03), at(0.0, half - 0.04, 0.03));
    loft(&rings, Ends::Capped).painted(STEEL).with(rail)
}

/// A refrigerator with a freezer below.
pub(super) fn refrigerator(width: f64, depth: f64, height: f64) -> Solid {
    let half = width * 0.5;
    let body = block(at(0.0, -half, 0.03), at(depth, half, height), WHITE);
    let doors = [(0.05, 0.62), (0.63, height - 0.005)].map(|(low, high)| {
        rounded_box(at(0.06, width - 0.006, high - low), 0.018, 4).moved(-0.032, 0.0, (low + high) * 0.5).painted(WHITE)
    });
    let grips = [(0.34, 0.58), (0.68, 1.10)]
        .map(|(low, high)| bar(at(-0.062, -half + 0.07, low), at(-0.062, -half + 0.07, high)));
    let feet = [-0.25, 0.25].map(|y| disc(0.02, 0.0, 0.032, 0.003, 16).moved(0.08, y, 0.0).painted(DARK));
    Solid::union([body, Solid::union(doors), Solid::union(grips), Solid::union(feet)])
}

/// A table about the z axis on four turned legs.
pub(super) fn table(length: f64, width: f64, height: f64) -> Solid {
    let top = rounded_box(at(length, width, 0.034), 0.012, 4).moved(0.0, 0.0, height - 0.017).painted(WOOD);
    let apron = frame(at(length - 0.16, width - 0.16, 0.08), length - 0.20, width - 0.20);
    let apron = apron.moved(0.0, 0.0, height - 0.074).painted(DARK_WOOD);
    let leg = [
        (0.016, 0.0),
        (0.018, 0.02),
        (0.026, 0.10),
        (0.022, 0.30),
        (0.032, 0.50),
        (0.024, 0.56),
        (0.036, 0.62),
        (0.036, height - 0.036),
    ];
    let legs = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(|(x, y)| {
        smooth_lathe(&leg, 2, 18).moved(x * (length * 0.5 - 0.09), y * (width * 0.5 - 0.09), 0.0).painted(DARK_WOOD)
    });
    Solid::union([top, apron, Solid::union(legs)])
}

/// A chair about the z axis that faces +x.
pub(super) fn chair() -> Solid {
    let seat = rounded_box(at(0.42, 0.42, 0.030), 0.013, 2).moved(0.0, 0.0, 0.455).painted(WOOD);
    let leg = |x: f64, y: f64| capsule(at(x * 1.15, y * 1.1, 0.014), at(x, y, 0.445), 0.013, 0.018, 10, 2);
    let legs = [(0.17, 0.17), (0.17, -0.17), (-0.17, 0.17), (-0.17, -0.17)].map(|(x, y)| leg(x, y));
    let posts = [-0.17, 0.17].map(|y| {
        let path = curve(&[at(-0.185, y, 0.46), at(-0.20, y, 0.65), at(-0.25, y, 0.90)], 4);
        tube(&path, |t| 0.016 - 0.004 * t, 10, Ends::Capped)
    });
    let slats = [0.60, 0.71, 0.82].map(|z| {
        let back = -0.19 - 0.35 * (z - 0.58_f64).powi(2) - 0.10 * (z - 0.58);
        let path = curve(&[at(back, -0.175, z), at(back - 0.025, 0.0, z), at(back, 0.175, z)], 5);
        // A tube pressed flat about its own height.
        tube(&path, |_| 0.030, 10, Ends::Capped).displaced(|v| {
            let bow = back - 0.025 * (1.0 - (v.y / 0.175).powi(2));
            at(bow + (v.x - bow) * 0.3, v.y, v.z)
        })
    });
    let rungs = [0.19, -0.19].map(|x| capsule(at(x, -0.17, 0.20), at(x, 0.17, 0.20), 0.009, 0.009, 8, 2));
    let rest = Solid::union([Solid::union(legs), Solid::union(posts), Solid::union(slats), Solid::union(rungs)]);
    seat.with(rest.painted(DARK_WOOD))
}

/// A board on two brackets; its upper side is z = 0.
pub(super) fn shelf(width: f64, depth: f64) -> Solid {
    let board = soft(at(0.0, -width * 0.5, -0.025), at(depth, width * 0.5, 0.0), 0.005, WOOD);
    let brackets = [-1.0, 1.0].map(|side| {
        let y = side * (width * 0.5 - 0.08);
        let path = curve(&[at(0.05, y, -0.030), at(depth * 0.55, y, -0.06), at(depth - 0.01, y, -0.17)], 4);
        tube(&path, |_| 0.008, 8, Ends::Capped).painted(DARK)
    });
    board.with(Solid::union(brackets))
}

/// An open rack with `boards` boards between two sides.
pub(super) fn rack(width: f64, depth: f64, height: f64, boards: usize) -> Solid {
    let half = width * 0.5;
    let sides = [-half, half - 0.022].map(|y| soft(at(0.0, y, 0.0), at(depth, y + 0.022, height), 0.004, DARK_WOOD));
    let boards = (0..boards).map(|k| {
        let z = rack_board(height, boards, k);
        soft(at(0.005, -half + 0.02, z - 0.022), at(depth - 0.005, half - 0.02, z), 0.004, WOOD)
    });
    Solid::union(sides).with(Solid::union(boards))
}

/// The upper side of board `k` of such a rack.
pub(super) fn rack_board(height: f64, boards: usize, k: usize) -> f64 {
    0.10 + (height - 0.12) * k as f64 / (boards - 1) as f64
}

/// A floor of `rows` × `columns` tiles over the given rectangle; their upper sides are at z = 0.
pub(super) fn floor(low: (f64, f64), high: (f64, f64), rows: usize, columns: usize) -> Solid {
    let slab = block(at(low.0, low.1, -0.06), at(high.0, high.1, -0.012), GROUT);
    let size = ((high.0 - low.0) / rows as f64, (high.1 - low.1) / columns as f64);
    let tiles = (0..rows * columns).map(|k| {
        let (i, j) = ((k / columns) as f64 + 0.5, (k % columns) as f64 + 0.5);
        let tile = rounded_box(at(size.0 - 0.004, size.1 - 0.004, 0.014), 0.002, 1);
        let shade = if (k / columns + k % columns).is_multiple_of(2) { TILE } else { CREAM };
        tile.moved(low.0 + i * size.0, low.1 + j * size.1, -0.007).painted(shade)
    });
    slab.with(Solid::union(tiles))
}

/// A window in the plane x = 0 about the origin: a frame with a cross and a pane.
pub(super) fn window(width: f64, height: f64) -> Solid {
    let rim = frame(at(height, width, 0.06), height - 0.09, width - 0.09).aimed(DVec3::NEG_X, DVec3::Z);
    let cross = [at(0.03, 0.035, height - 0.08), at(0.03, width - 0.08, 0.035)].map(|size| rounded_box(size, 0.008, 2));
    let sill = rounded_box(at(0.10, width + 0.10, 0.03), 0.008, 3).moved(-0.03, 0.0, -height * 0.5 - 0.005);
    let pane = cuboid(at(0.006, width - 0.085, height - 0.085)).painted(SKY);
    Solid::union([rim, Solid::union(cross), sill]).painted(WHITE).with(pane)
}
