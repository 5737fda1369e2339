//! Fields never say more than certified distances do.

use super::super::forward::{LANES, U};
use super::super::model::{Covers, ScreenModel};
use super::super::obstacles::Obstacles;
use super::{Field, Reach};
use crate::check::Scene;
use crate::check::collision_model::CollisionModel;
use crate::{CheckOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::lanes::prelude::*;
use clearance_engine::math::lanes::{Lanes8, V8, Vectorized, vectorized};
use clearance_engine::math::{DQuat, DVec3, IVec3, SimdLevel};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::Sphere;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap};
use clearance_engine::tree::{Geometry, HeightField, Mesh, PointCloud, Solid};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;

/// SplitMix64.
struct Draw(u64);

impl Draw {
    /// Between −1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Triangles of all sizes and directions, slivers and points among them.
fn scattered(draw: &mut Draw) -> TriMesh {
    let mut vertices = Vec::new();
    for number in 0..60 {
        let (at, size) = (draw.vector() * 0.8, [0.9, 0.2, 0.03, 1e-9][number % 4]);
        let (e, f) = (draw.vector() * size, draw.vector() * size);
        let third = [at + f, at + e * 0.5, at + e * 0.5 + f * 1e-12][number % 3];
        vertices.extend([at, at + e, third]);
    }
    // Along the axes and on borders of cells.
    vertices.extend([DVec3::new(-0.5, -0.5, 0.1), DVec3::new(0.5, -0.5, 0.1), DVec3::new(0.5, 0.5, 0.1)]);
    vertices.extend([DVec3::ZERO, DVec3::X, DVec3::X]);
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

fn geometries(draw: &mut Draw) -> Vec<Arc<dyn Geometry>> {
    let mesh: Mesh = Mesh::new(scattered(draw)).unwrap();
    let line: Vec<DVec3> = (0..60).map(|i| DVec3::new(0.015 * f64::from(i), 0.3, 0.1)).collect();
    let scatter = (0..60).map(|_| draw.vector() * 0.7);
    let cloud = PointCloud::new(line.into_iter().chain(scatter).collect(), 0.01).unwrap();
    let mut map = VoxelMap::new(0.03).unwrap();
    map.fill(IVec3::new(-20, -3, 0), IVec3::new(25, 9, 1), Cell::Obstacle).unwrap();
    map.fill(IVec3::new(-16, 16, -16), IVec3::new(-1, 31, -1), Cell::Obstacle).unwrap();
    map.set_all((0..40).map(|_| ((draw.vector() * 25.0).floor().as_ivec3(), Cell::Obstacle))).unwrap();
    let cells = map.snapshot().geometry(Cells::OBSTACLE).unwrap();
    let heights: Vec<f64> = (0..35).map(|_| 0.2 * draw.next()).collect();
    let terrain = HeightField::new(7, 5, [0.2, 0.25], heights).unwrap();
    vec![Arc::new(mesh), Arc::new(cloud), Arc::new(cells), Arc::new(terrain)]
}

struct Both<'b>(&'b Obstacles, [[f32; LANES]; 3]);

/// The lanes in which points are apart by more than a part of what is known.
struct Apart<'b>(&'b Obstacles, [[f32; LANES]; 3], [f32; LANES]);

impl Vectorized for Apart<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> u32 {
        let point = V8::load(simd, &self.1);
        self.0.list[0].apart(simd, point, self.2.simd_into(simd), 0xff)
    }
}

impl Vectorized for Both<'_> {
    type Output = [[f32; LANES]; 2];

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let (point, obstacle) = (V8::load(simd, &self.1), &self.0.list[0]);
        let upper = match &obstacle.field {
            Some(field) => field.squared_upper(simd, obstacle.own_place(simd, point)),
            None => obstacle.squared_distance(simd, point),
        };
        [obstacle.squared_distance(simd, point).into(), upper.into()]
    }
}

#[test]
fn distances_are_between_those_of_a_field() {
    let mut draw = Draw(4);
    // A triangle, so that contacts are those of surfaces.
    let triangle = TriMesh::new(vec![DVec3::ZERO, DVec3::X * 0.1, DVec3::Y * 0.1], vec![[0, 1, 2]]).unwrap();
    let link = LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(Arc::new(triangle)));
    let robot = RobotBuilder::new("r").link("a", []).link("b", [link]);
    let robot = robot.joint(JointSpec::prismatic("j", "a", "b", DVec3::X, [-1.2, 1.2])).build().unwrap();
    let model = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
    let screen = ScreenModel::new(&model, &Covers::default(), &[]).unwrap();
    let point_test = Solid::new(Sphere::new(0.0).unwrap());
    let (mut workspace, mut former) = (Workspace::default(), Obstacles::default());
    for geometry in geometries(&mut draw) {
        let (mut tightest, mut known, mut slack) = (0.0_f64, 0, [0.0, 0.0]);
        let (low, high) = geometry.bounding_box();
        for case in 0..24 {
            let far = [0.0, 0.8, 30.0][case % 3];
            let turn = if case == 0 { DVec3::ZERO } else { draw.vector() * 3.0 };
            let base = Pose::new(DQuat::from_scaled_axis(draw.vector()), draw.vector() * far).unwrap();
            // Near the robot, so that it is cut by what the robot reaches.
            let pose = base.then(&Pose::new(DQuat::from_scaled_axis(turn), draw.vector() * 0.9).unwrap());
            let mut scene = Scene::new();
            scene.insert(crate::Object { name: "o".into(), geometry: geometry.clone(), pose }).unwrap();
            let obstacles = Obstacles::new(&model, &screen, &scene, &base, Some(&former));
            let test = Dispatcher::shared().plan(&*geometry, &point_test).unwrap();
            for _ in 0..60 {
                // All that the robot can reach, and no more.
                let lanes: [DVec3; LANES] = std::array::from_fn(|_| {
                    draw.vector().normalize() * screen.extent * (0.5 + 0.5 * draw.next()) * 0.999_999
                });
                let rows = std::array::from_fn(|axis| std::array::from_fn(|lane| lanes[lane][axis] as f32));
                let levels = SimdLevel::available();
                let [lower, upper] = vectorized(levels[case % levels.len()], Both(&obstacles, rows));
                // Whatever is asked, first by one corner, then by all.
                let reach = lower.map(|square| square.sqrt() * 0.999);
                let share = 0.5 + 0.5 * draw.next() as f32;
                let apart = [reach, reach.map(|reach| share * reach)]
                    .map(|reach| vectorized(levels[case % levels.len()], Apart(&obstacles, rows, reach)));
                assert!((0..LANES).all(|lane| reach[lane] <= 1e-3 || apart[0] >> lane & 1 == 1));
                let beyond = lower.map(|square| square.sqrt() + 0.5);
                let [apart_beyond] =
                    [beyond].map(|reach| vectorized(levels[case % levels.len()], Apart(&obstacles, rows, reach)));
                for lane in 0..LANES {
                    let point = DVec3::from_array(rows.map(|row: [f32; LANES]| f64::from(row[lane])));
                    let world = Pose::from_translation(base.transform_point(point)).unwrap();
                    let request = DistanceRequest { rel_err: 1e-9, abs_err: 1e-12, ..DistanceRequest::default() };
                    let real = test.distance(&pose.inverse().then(&world), &request, &mut workspace, None).unwrap();
                    // What is beyond the robot's reach does not count.
                    let lower = f64::from(lower[lane]).sqrt() * (1.0 - 4.0 * U);
                    let reached = real.witness.as_ref().is_none_or(|witness| {
                        let in_root = base.inverse().then(&pose).transform_point(witness.point_a);
                        in_root.length() <= screen.extent
                    });
                    assert!(!reached || lower <= real.upper, "{} {case}: {lower}, not {real:?}", geometry.kind());
                    let claimed = apart_beyond >> lane & 1 == 1;
                    assert!(!reached || !claimed || f64::from(beyond[lane]) <= real.upper, "{case}: apart");
                    let error = 20.0 * U * (point.length() + 10.0) + 1e-6;
                    let upper = f64::from(upper[lane]).sqrt() + error;
                    assert!(real.lower <= upper, "{} {case}: {upper}, not {real:?}", geometry.kind());
                    tightest = tightest.max(if real.upper > 0.05 { lower / real.upper } else { 0.0 });
                    // Outside of the grid, which is a little larger than this box, the right angle at the
                    // nearest point of the grid costs more: 2.5 to 3.7 cm here.
                    let own = pose.inverse().transform_point(world.translation());
                    let in_box = low.cmple(own).all() && own.cmple(high).all();
                    if real.upper < 0.2 && reached && in_box {
                        slack = [slack[0] + real.upper - lower, slack[1] + 1.0];
                    }
                    known += usize::from(upper < 0.1);
                }
            }
            former = obstacles;
        }
        assert!(tightest > 0.9 && known > 3, "{}: {tightest} {known}", geometry.kind());
        // Cells of 2 cm: a little more than one.
        assert!(slack[0] / slack[1] < 0.025, "{}: {} m on average", geometry.kind(), slack[0] / slack[1]);
    }
}

#[test]
fn small_components_prove_no_contact_and_solids_have_no_field() {
    let mut draw = Draw(2);
    let reach = Reach { center: DVec3::ZERO, radius: 3.0 };
    let dust: Vec<DVec3> = (0..300).map(|_| draw.vector()).collect();
    let dust = PointCloud::new(dust, 0.001).unwrap();
    let field = Field::new(&dust, reach, 0.1).unwrap();
    assert!(field.upper.iter().all(|&byte| byte == u8::MAX) && field.lower.contains(&0));
    let chain: Vec<DVec3> = (0..300).map(|i| DVec3::X * (0.01 * f64::from(i))).collect();
    let chain = PointCloud::new(chain, 0.006).unwrap();
    assert!(Field::new(&chain, reach, 2.9).unwrap().upper.iter().any(|&byte| byte < 8));
    assert!(Field::new(&chain, reach, 3.1).unwrap().upper.iter().all(|&byte| byte == u8::MAX));
    let solid = HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4]).unwrap().into_solid(-1.0).unwrap();
    assert!(Field::new(&solid, reach, 0.1).is_none());
    assert!(Field::new(&chain, Reach { center: DVec3::Y * 9.0, radius: 3.0 }, 0.1).is_none());
}

#[test]
fn a_field_serves_while_what_it_is_about_stays_within_reach() {
    let room = HeightField::new(40, 40, [0.5, 0.5], vec![0.0; 1600]).unwrap();
    let at = |x: f64, radius: f64| Reach { center: DVec3::new(10.0 + x, 10.0, 0.5), radius };
    let field = Field::new(&room, at(0.0, 1.5), 0.3).unwrap();
    assert!(field.serves(&at(0.0, 1.5), 0.3) && field.serves(&at(0.14, 1.5), 0.2));
    assert!(!field.serves(&at(0.16, 1.5), 0.3) && !field.serves(&at(0.0, 1.5), 0.31));
    assert!(field.memory() < 2_000_000, "{field:?}");
    let whole = Field::new(&room, at(0.0, 20.0), 0.3).unwrap();
    assert!(whole.serves(&at(50.0, 20.0), 0.3));
}
