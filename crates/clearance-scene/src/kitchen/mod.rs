//! The kitchen: more than 95,000 triangles in named objects, as in the paper that the humanoid is
//! made after. Its shape is our own. The counter runs along the wall at +x, a rack and shelves
//! along the wall at +y; the other two sides are open, so that a picture can look in. The small
//! curved things carry most of the triangles.

mod furniture;
mod paint;
mod tableware;

use crate::Result;
use crate::picture::{Color, Picture};
use crate::solid::Solid;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::{Pose, TriMesh};
use furniture::{COUNTER, DEPTH, WORKTOP};
use paint::*;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

/// The name of the object on which everything stands, the robot too: it is a few millimetres from
/// the robot's wheels.
pub const FLOOR: &str = "floor";

/// A rigid thing in the kitchen. Equal things share their mesh.
#[derive(Debug, Clone)]
pub struct Object {
    /// Unique, such as `cup 3`.
    pub name: String,
    /// Closed.
    pub mesh: Arc<TriMesh>,
    /// Where it is: `world_from_mesh`.
    pub pose: Pose,
    /// The colours of its triangles.
    pub colors: Arc<Vec<Color>>,
}

impl Object {
    /// Draws the object where it is.
    pub fn draw(&self, picture: &mut Picture) {
        picture.draw_colored(&self.mesh, &self.pose, &self.colors);
    }
}

/// Makes the kitchen.
///
/// ```
/// let kitchen = clearance_scene::kitchen()?;
/// assert!(kitchen.len() >= 40 && kitchen.iter().map(|object| object.mesh.len()).sum::<usize>() > 95_000);
/// # Ok::<(), clearance_scene::Error>(())
/// ```
pub fn kitchen() -> Result<Vec<Object>> {
    let mut room = Room::default();
    walls(&mut room)?;
    counter(&mut room)?;
    on_the_counter(&mut room)?;
    on_the_wall(&mut room)?;
    side_wall(&mut room)?;
    dining(&mut room)?;
    Ok(room.objects)
}

/// The inner sides of the walls, and the open sides' ends of the floor.
const BACK: f64 = 1.65;
const LEFT: f64 = 2.10;
const FRONT_END: f64 = -2.20;
const RIGHT_END: f64 = -2.10;
const HEIGHT: f64 = 2.40;
/// The plane of the base units' fronts.
const FRONTS: f64 = BACK - DEPTH;
/// The middle of the sink and of the window above it.
const SINK_Y: f64 = 0.15;

/// The objects so far.
#[derive(Default)]
struct Room {
    objects: Vec<Object>,
}

/// A mesh with its colours.
type Thing = (Arc<TriMesh>, Arc<Vec<Color>>);

impl Room {
    /// Puts a thing at a place, turned about z.
    fn put(&mut self, name: impl Into<String>, solid: Solid, place: (f64, f64, f64), turn: f64) -> Result<()> {
        self.put_all(&thing(solid)?, &[(name.into(), place, turn)])
    }

    /// Puts one thing at several places.
    fn put_all(&mut self, (mesh, colors): &Thing, places: &[(String, (f64, f64, f64), f64)]) -> Result<()> {
        for (name, (x, y, z), turn) in places {
            let pose = Pose::new(DQuat::from_rotation_z(*turn), DVec3::new(*x, *y, *z))?;
            let (mesh, colors) = (Arc::clone(mesh), Arc::clone(colors));
            self.objects.push(Object { name: name.clone(), mesh, pose, colors });
        }
        Ok(())
    }

    /// Puts one thing at several places under one name and a number; each place is (x, y, z, turn).
    fn put_many(&mut self, name: &str, solid: Solid, places: &[(f64, f64, f64, f64)]) -> Result<()> {
        let named =
            |(i, &(x, y, z, turn)): (usize, &(f64, f64, f64, f64))| (format!("{name} {}", i + 1), (x, y, z), turn);
        let places: Vec<_> = places.iter().enumerate().map(named).collect();
        self.put_all(&thing(solid)?, &places)
    }
}

fn thing(solid: Solid) -> Result<Thing> {
    let (mesh, colors) = solid.into_parts()?;
    Ok((Arc::new(mesh), Arc::new(colors)))
}

/// Things of one kind in a pile, from `place` upward.
fn pile(place: (f64, f64, f64), step: f64, count: usize) -> Vec<(f64, f64, f64, f64)> {
    (0..count).map(|k| (place.0, place.1, place.2 + step * k as f64, 0.0)).collect()
}

fn walls(room: &mut Room) -> Result<()> {
    let at = DVec3::new;
    room.put(FLOOR, furniture::floor((FRONT_END, RIGHT_END), (BACK, LEFT), 7, 8), (0.0, 0.0, 0.0), 0.0)?;
    // Around the window; z from 0.95 to 2.05 is open.
    let (low, high, thick) = (SINK_Y - 0.42, SINK_Y + 0.42, 0.10);
    let wall = |y: (f64, f64), z: (f64, f64)| furniture::block(at(BACK, y.0, z.0), at(BACK + thick, y.1, z.1), WALL);
    let back = [
        wall((RIGHT_END, low), (0.0, HEIGHT)),
        wall((high, LEFT + thick), (0.0, HEIGHT)),
        wall((low, high), (0.0, 1.05)),
        wall((low, high), (2.05, HEIGHT)),
    ];
    room.put("back wall", Solid::union(back), (0.0, 0.0, 0.0), 0.0)?;
    let left = furniture::block(at(FRONT_END, LEFT, 0.0), at(BACK, LEFT + thick, HEIGHT), WALL);
    room.put("left wall", left, (0.0, 0.0, 0.0), 0.0)?;
    room.put("window", furniture::window(0.84, 1.0), (BACK + 0.03, SINK_Y, 1.55), 0.0)
}

fn counter(room: &mut Room) -> Result<()> {
    let top = COUNTER - WORKTOP;
    room.put("drawers", furniture::drawer_unit(0.60, 4), (FRONTS, -1.80, 0.0), 0.0)?;
    room.put("oven", furniture::oven(0.60), (FRONTS, -1.20, 0.0), 0.0)?;
    room.put("base unit", furniture::door_unit(0.60), (FRONTS, -0.60, 0.0), 0.0)?;
    room.put("sink unit", furniture::sink_unit(0.90), (FRONTS, SINK_Y, 0.0), 0.0)?;
    room.put("dishwasher", furniture::dishwasher(0.70), (FRONTS, 0.95, 0.0), 0.0)?;
    room.put("worktop right", furniture::worktop(1.80), (FRONTS, -1.20, top), 0.0)?;
    room.put("worktop sink", furniture::sink_worktop(0.90), (FRONTS, SINK_Y, top), 0.0)?;
    room.put("worktop left", furniture::worktop(0.70), (FRONTS, 0.95, top), 0.0)?;
    let sink_x = FRONTS + DEPTH * 0.5 - 0.02;
    room.put("sink", furniture::sink(), (sink_x, SINK_Y, COUNTER), 0.0)?;
    room.put("tap", furniture::tap(), (1.595, SINK_Y, COUNTER), 0.0)?;
    room.put("hob", furniture::hob(), (1.33, -1.20, COUNTER), 0.0)?;
    room.put("refrigerator", furniture::refrigerator(0.70, 0.62, 1.90), (1.02, 1.68, 0.0), 0.0)?;
    room.put("plant", tableware::plant(), (1.32, 1.68, 1.90), 0.0)
}

fn on_the_counter(room: &mut Room) -> Result<()> {
    let z = COUNTER;
    room.put("pot", tableware::pot(0.105, 0.13, true, STEEL), (1.44, -1.34, z + 0.012), 0.4)?;
    room.put("pan", tableware::pan(), (1.20, -1.05, z + 0.012), PI + 0.5)?;
    room.put("kettle", tableware::kettle(RED), (1.46, -1.05, z + 0.012), 2.5)?;
    room.put_many("counter cup", tableware::cup(BLUE), &[(1.25, -0.565, z, 0.2), (1.44, -0.50, z, 0.6)])?;
    room.put("counter bowl", tableware::bowl(0.11, WHITE), (1.28, -0.38, z), 0.0)?;
    room.put("cutting board", tableware::cutting_board(), (1.25, -1.82, z), 0.0)?;
    room.put("bread", tableware::bread(), (1.25, -1.84, z + 0.019), 0.3)?;
    room.put("bread knife", tableware::knife(), (1.075, -1.50, z), -1.55)?;
    room.put("knife block", tableware::knife_block(), (1.52, -1.56, z), PI)?;
    room.put("utensils", tableware::utensils(), (1.53, -0.86, z), 0.0)?;
    room.put("oil", tableware::bottle(0.29, GREEN, DARK), (1.55, -0.70, z), 0.0)?;
    room.put("vinegar", tableware::bottle(0.25, DARK_WOOD, RED), (1.56, -0.60, z), 0.0)?;
    room.put("coffee machine", tableware::coffee_machine(), (1.44, 1.12, z), 0.0)?;
    room.put("toaster", tableware::toaster(), (1.50, 0.78, z), 0.0)?;
    room.put("paper roll", tableware::paper_roll(), (1.55, -1.86, z), 0.0)?;
    room.put("soap", tableware::bottle(0.19, YELLOW, WHITE), (1.605, 0.36, z), 0.0)?;
    room.put("lemon", tableware::orange(0.028, 1.25, YELLOW), (1.14, 0.72, z), 0.0)
}

fn on_the_wall(room: &mut Room) -> Result<()> {
    room.put("wall unit right", furniture::wall_unit(0.60, 0.34, 0.70), (BACK - 0.34, -1.80, 1.45), 0.0)?;
    room.put("wall unit left", furniture::wall_unit(0.68, 0.34, 0.70), (BACK - 0.34, 0.96, 1.45), 0.0)?;
    room.put("hood", furniture::hood(0.60), (BACK - 0.46, -1.20, 1.58), 0.0)?;
    let shelf_x = BACK - 0.24;
    room.put_many("shelf", furniture::shelf(0.56, 0.24), &[(shelf_x, -0.58, 1.42, 0.0), (shelf_x, -0.58, 1.80, 0.0)])?;
    let x = BACK - 0.13;
    room.put_many("shelf plate", tableware::plate(WHITE), &pile((x - 0.01, -0.70, 1.42), 0.008, 4))?;
    let cups = [(x, -0.50, 1.42, 0.8), (x, -0.38, 1.42, 1.9), (x, -0.36, 1.80, 0.5)];
    room.put_many("shelf cup", tableware::cup(RED), &cups)?;
    room.put_many("shelf bowl", tableware::bowl(0.09, BLUE), &pile((x, -0.74, 1.80), 0.016, 3))?;
    room.put("sugar", tableware::jar(0.045, 0.15, CREAM), (x, -0.58, 1.80), 0.0)?;
    room.put("coffee", tableware::jar(0.045, 0.13, TERRACOTTA), (x, -0.47, 1.80), 0.0)?;
    room.put("towel", tableware::towel_ring(), (1.045, 0.37, 0.80), 0.0)
}

fn side_wall(room: &mut Room) -> Result<()> {
    // The rack's front faces −y.
    let (width, depth, height, boards) = (1.10, 0.34, 1.70, 4);
    let (x, y) = (-0.35, LEFT - depth);
    room.put("rack", furniture::rack(width, depth, height, boards), (x, y, 0.0), FRONT_TURN)?;
    let board = |k: usize| furniture::rack_board(height, boards, k);
    let middle = y + depth * 0.5;
    room.put("stock pot", tableware::pot(0.14, 0.21, true, BLUE), (x - 0.34, middle, board(0)), 0.3)?;
    room.put("casserole", tableware::pot(0.12, 0.11, true, RED), (x + 0.02, middle, board(0)), 0.2)?;
    room.put("mixing bowl", tableware::bowl(0.15, CREAM), (x + 0.36, middle, board(0)), 0.0)?;
    let jars = (0..4).map(|k| (x - 0.42 + 0.13 * k as f64, middle, board(1), 0.0)).collect::<Vec<_>>();
    room.put_many("jar", tableware::jar(0.052, 0.20, GLASS), &jars)?;
    room.put_many("rack plate", tableware::plate(BLUE), &pile((x + 0.32, middle, board(1)), 0.008, 5))?;
    let cups = (0..5).map(|k| (x - 0.42 + 0.12 * k as f64, middle, board(2), 0.7)).collect::<Vec<_>>();
    room.put_many("rack cup", tableware::cup(YELLOW), &cups)?;
    room.put("teapot", tableware::teapot(GREEN), (x + 0.34, middle, board(2)), 0.4)?;
    room.put("flour", tableware::jar(0.075, 0.26, WHITE), (x - 0.30, middle, board(3)), 0.0)?;
    let bottles = (0..3).map(|k| (x + 0.10 + 0.12 * k as f64, middle, board(3), 0.0)).collect::<Vec<_>>();
    room.put_many("bottle", tableware::bottle(0.30, GREEN, DARK), &bottles)?;
    let clock = tableware::clock().turned(DVec3::X, FRAC_PI_2);
    room.put("clock", clock, (-1.55, LEFT - 0.014, 1.75), 0.0)
}

/// Turns the front of a unit from −x to −y.
const FRONT_TURN: f64 = FRAC_PI_2;

fn dining(room: &mut Room) -> Result<()> {
    let (x, y, z) = (-0.95, 0.75, 0.74);
    room.put("table", furniture::table(1.20, 0.80, z), (x, y, 0.0), 0.0)?;
    let chairs = [
        (x - 0.72, y, 0.0, 0.1),
        (x + 0.75, y + 0.05, 0.0, PI - 0.15),
        (x - 0.15, y - 0.56, 0.0, FRAC_PI_2 + 0.12),
        (x + 0.12, y + 0.56, 0.0, -FRAC_PI_2),
    ];
    room.put_many("chair", furniture::chair(), &chairs)?;
    let plates =
        [(x - 0.42, y, z, 0.0), (x + 0.42, y, z, 0.0), (x - 0.12, y - 0.24, z, 0.0), (x + 0.12, y + 0.24, z, 0.0)];
    room.put_many("table plate", tableware::plate(WHITE), &plates)?;
    let glasses = [(x - 0.30, y + 0.19, z, 0.0), (x + 0.30, y - 0.19, z, 0.0), (x + 0.33, y + 0.27, z, 0.0)];
    room.put_many("wine glass", tableware::wine_glass(), &glasses)?;
    room.put_many("tumbler", tableware::tumbler(), &[(x + 0.08, y - 0.26, z, 0.0), (x - 0.36, y - 0.24, z, 0.0)])?;
    room.put("fruit bowl", tableware::bowl(0.15, TERRACOTTA), (x, y, z), 0.0)?;
    let fruit = z + 0.030;
    room.put_many(
        "apple",
        tableware::apple(RED),
        &[(x + 0.045, y + 0.030, fruit, 0.0), (x - 0.038, y + 0.045, fruit, 1.0)],
    )?;
    room.put("green apple", tableware::apple(LEAF), (x + 0.01, y - 0.052, fruit), 2.0)?;
    room.put("orange", tableware::orange(0.037, 0.96, ORANGE), (x - 0.002, y + 0.012, fruit + 0.062), 0.0)?;
    room.put("banana", tableware::banana(), (x + 0.215, y + 0.02, z), FRAC_PI_2)?;
    room.put("lamp", tableware::lamp(0.75), (x, y, HEIGHT), 0.0)
}
