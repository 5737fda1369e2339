//! Rays, depth images and lidar scans of scenes and robots against brute force: steps along each ray
//! by the signed distance of the nearest body, each body by itself.

use clearance_engine::dispatch::Threads;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Capsule, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Ray, Sphere};
use clearance_engine::tree::voxel_map::DepthCamera;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Mesh, PointCloud, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder, Scene};
use std::sync::Arc;

/// Reproducible numbers in [-1, 1).
struct Random(u64);

impl Random {
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    fn pose(&mut self, size: f64) -> Pose {
        let turn = DQuat::from_axis_angle((self.vector() + DVec3::splat(1.1)).normalize(), 3.0 * self.signed());
        Pose::new(turn, self.vector() * size).unwrap()
    }
}

/// A body by itself: its name, and where it is.
type Body = (String, Arc<dyn Geometry>, Pose);

fn hull(random: &mut Random) -> TriMesh {
    let points: Vec<DVec3> = (0..30).map(|_| random.vector() * 0.6).collect();
    ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap()
}

/// One body of each kind, at random.
fn bodies(random: &mut Random) -> Vec<Body> {
    let mesh: Mesh = Mesh::new(hull(random)).unwrap();
    let cloud = PointCloud::new((0..100).map(|_| random.vector() * 0.5).collect(), 0.04).unwrap();
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -2.5).unwrap());
    let kinds: [(&str, Arc<dyn Geometry>, f64); 7] = [
        ("mesh", Arc::new(mesh), 2.0),
        ("cloud", Arc::new(cloud), 2.0),
        ("floor", Arc::new(floor), 0.0),
        ("sphere", Arc::new(Solid::new(Sphere::new(0.4).unwrap())), 2.0),
        ("cuboid", Arc::new(Solid::new(Cuboid::new(0.5, 0.9, 0.3).unwrap())), 2.0),
        ("capsule", Arc::new(Solid::new(Capsule::new(0.2, 0.9).unwrap())), 2.0),
        ("cylinder", Arc::new(Solid::new(Cylinder::new(0.3, 0.8).unwrap())), 2.0),
    ];
    let placed = kinds.into_iter().map(|(name, geometry, size)| {
        let pose = if size > 0.0 { random.pose(size) } else { Pose::IDENTITY };
        (name.to_owned(), geometry, pose)
    });
    placed.collect()
}

fn scene_of(bodies: &[Body]) -> Scene {
    let mut scene = Scene::new();
    for (name, geometry, pose) in bodies {
        scene.add(name, geometry.clone(), *pose).unwrap();
    }
    scene
}

/// The least signed distance of a point from all bodies, and whose it is.
fn nearest(bodies: &[Body], point: DVec3) -> (f64, &str) {
    let mut least = (f64::INFINITY, "");
    for (name, geometry, pose) in bodies {
        let found = geometry.signed_distance(pose.inverse().transform_point(point)).unwrap().distance;
        if found < least.0 {
            least = (found, name);
        }
    }
    least
}

/// How a march along a ray ended.
enum March<'b> {
    /// At a body, at so many lengths of the direction.
    Hit(f64, &'b str),
    Free,
    /// It passed a body by less than steps can tell.
    Grazed,
}

/// Steps from outside by the distance of the nearest body, until it is next to one.
fn march<'b>(bodies: &'b [Body], ray: &Ray, max_t: f64) -> March<'b> {
    let speed = ray.direction().length();
    let mut t = 0.0;
    for _ in 0..2000 {
        let (gap, name) = nearest(bodies, ray.at(t));
        if gap < 1e-9 {
            return March::Hit(t, name);
        }
        t += gap / speed;
        if t > max_t {
            return March::Free;
        }
    }
    March::Grazed
}

/// Compares a hit with the march; returns whether it was compared, and whether it hit.
fn compare(bodies: &[Body], ray: &Ray, max_t: f64, found: Option<(&str, f64)>, label: &str) -> (bool, bool) {
    if nearest(bodies, ray.origin()).0 < 1e-6 {
        return (false, false);
    }
    match (march(bodies, ray, max_t), found) {
        (March::Hit(expected, name), Some((found_name, t))) => {
            assert!((t - expected).abs() < 1e-5, "{label}: {t} {found_name}, expected {expected} {name}");
            assert!(found_name == name || (t - expected).abs() < 1e-7, "{label}: {found_name}, expected {name}");
            (true, true)
        }
        // At the end of the ray both are right.
        (March::Hit(expected, _), None) => {
            assert!(expected > max_t - 1e-5, "{label}: nothing, expected {expected}");
            (true, false)
        }
        (March::Free, Some((name, t))) => panic!("{label}: {name} at {t}, expected nothing"),
        (March::Free, None) => (true, false),
        (March::Grazed, _) => (false, false),
    }
}

/// Rays that graze a surface are too few to matter.
fn assert_most(counts: [usize; 3], least_hits: usize) {
    let [asked, compared, hits] = counts;
    assert!(compared * 10 > asked * 7 && hits > least_hits, "{compared} of {asked}, {hits} hits");
}

#[test]
fn rays_at_a_scene_hit_what_steps_along_them_find() {
    let mut random = Random(5);
    let (mut counts, max_t) = ([0; 3], 8.0);
    for _ in 0..20 {
        let bodies = bodies(&mut random);
        let scene = scene_of(&bodies);
        for _ in 0..40 {
            let ray = Ray::new(random.vector() * 3.0, random.vector()).unwrap().up_to(max_t).unwrap();
            let hits = scene.ray_hits(&ray).unwrap();
            let first = scene.ray(&ray).unwrap();
            assert_eq!(first, hits.first().copied());
            assert_eq!(scene.blocks_ray(&ray).unwrap(), first.is_some());
            let (compared, hit) =
                compare(&bodies, &ray, max_t, first.map(|(name, hit)| (name, hit.t)), &format!("{ray:?}"));
            counts = [counts[0] + 1, counts[1] + usize::from(compared), counts[2] + usize::from(hit)];
            if let Some((_, hit)) = first {
                assert!(nearest(&bodies, hit.point).0.abs() < 1e-9 && (hit.point - ray.at(hit.t)).length() < 1e-12);
            }
        }
    }
    assert_most(counts, 200);
}

#[test]
fn depth_images_and_lidar_scans_are_their_rays_on_any_number_of_threads() {
    let mut random = Random(9);
    let mut counts = [0; 3];
    let camera = DepthCamera { width: 20, height: 15, focal: [12.0, 11.0], principal: [9.5, 7.0] };
    for _ in 0..6 {
        let bodies = bodies(&mut random);
        let scene = scene_of(&bodies);
        let pose = Pose::new(DQuat::IDENTITY, DVec3::new(0.3 * random.signed(), random.signed(), -2.2)).unwrap();
        let image = scene.depth_image(&camera, &pose, Threads::One).unwrap();
        assert_eq!(image, scene.depth_image(&camera, &pose, Threads::Count(3)).unwrap());
        for (pixel, &depth) in image.iter().enumerate() {
            let (column, row) = ((pixel % camera.width) as f64, (pixel / camera.width) as f64);
            let [x, y] =
                [(column - camera.principal[0]) / camera.focal[0], (row - camera.principal[1]) / camera.focal[1]];
            // Of depth 1, in the camera's frame.
            let ray = Ray::new(pose.translation(), pose.transform_vector(DVec3::new(x, y, 1.0))).unwrap();
            let found = scene.ray(&ray).unwrap();
            assert_eq!(depth, found.map_or(f32::INFINITY, |(_, hit)| hit.t as f32), "pixel {pixel}");
            let (compared, hit) =
                compare(&bodies, &ray, 20.0, found.map(|(name, hit)| (name, hit.t)), &format!("pixel {pixel}"));
            counts = [counts[0] + 1, counts[1] + usize::from(compared), counts[2] + usize::from(hit)];
        }
        let sensor = random.pose(1.0);
        let directions: Vec<DVec3> = (0..300).map(|_| random.vector() * 3.0).collect();
        let scan = scene.lidar_scan(&sensor, &directions, 1.5, Threads::One).unwrap();
        assert_eq!(scan, scene.lidar_scan(&sensor, &directions, 1.5, Threads::Count(3)).unwrap());
        for (direction, point) in directions.iter().zip(&scan) {
            // A step of the march is in metres here.
            let ray = Ray::new(sensor.translation(), sensor.transform_vector(direction.normalize())).unwrap();
            let found = point.map(|point| point.distance(sensor.translation()));
            assert!(found.is_none_or(|range| range <= 1.5 + 1e-12));
            let first = scene.ray(&ray).unwrap().filter(|(_, hit)| hit.t <= 1.5).map(|(name, _)| name);
            let (compared, hit) =
                compare(&bodies, &ray, 1.5, first.zip(found), &format!("{direction} from {sensor:?}"));
            counts = [counts[0] + 1, counts[1] + usize::from(compared), counts[2] + usize::from(hit)];
        }
    }
    assert_most(counts, 200);
    let nowhere = Scene::new();
    let image = nowhere.depth_image(&camera, &Pose::IDENTITY, Threads::One).unwrap();
    assert!(image.iter().all(|depth| *depth == f32::INFINITY));
    assert!(nowhere.lidar_scan(&Pose::IDENTITY, &[DVec3::ZERO], 1.0, Threads::One).is_err());
}

/// An arm of three links: a box, a mesh and a sphere on a slide.
fn arm(random: &mut Random) -> Robot {
    let at = |z: f64| Pose::from_xyz(0.0, 0.0, z).unwrap();
    let mesh = Arc::new(hull(random));
    let upper = LinkGeometry::new(at(0.4), LinkShape::Box { size: DVec3::new(0.2, 0.3, 0.8) });
    let lower = LinkGeometry::new(at(0.5), LinkShape::Mesh(mesh));
    let tip = LinkGeometry::new(at(0.2), LinkShape::Sphere { radius: 0.25 });
    RobotBuilder::new("arm")
        .link("upper", [upper])
        .link("lower", [lower])
        .link("tip", [tip])
        .joint(JointSpec::revolute("elbow", "upper", "lower", DVec3::X, [-2.0, 2.0]).at(at(0.8)))
        .joint(JointSpec::prismatic("slide", "lower", "tip", DVec3::Z, [0.0, 1.0]).at(at(0.9)))
        .build()
        .unwrap()
}

#[test]
fn rays_at_a_robot_hit_its_links_what_they_carry_or_the_scene() {
    let mut random = Random(23);
    let (mut counts, mut own, max_t) = ([0; 3], 0, 8.0);
    for _ in 0..12 {
        let around = bodies(&mut random);
        let mut checker = Checker::new(arm(&mut random)).unwrap();
        checker.set_scene(scene_of(&around));
        checker.set_base(random.pose(0.5)).unwrap();
        let cup = Arc::new(Solid::new(Cylinder::new(0.1, 0.3).unwrap()));
        let tip_from_cup = Pose::from_xyz(0.0, 0.3, 0.2).unwrap();
        checker.attach("cup", cup, "tip", tip_from_cup, &[]).unwrap();
        let configuration = [2.0 * random.signed(), 0.5 + 0.5 * random.signed()];
        let poses = checker.link_poses(&configuration).unwrap().to_vec();
        let mut all = around.clone();
        for part in checker.model().parts() {
            let link = checker.robot().links()[part.link].name().to_owned();
            let name = part.attached.clone().unwrap_or(link);
            all.push((name, part.geometry.clone(), poses[part.link].then(&part.link_from_part)));
        }
        assert_eq!(all.len(), around.len() + 4);
        for _ in 0..60 {
            let target = poses[2].translation() + random.vector();
            let origin = random.vector() * 3.0;
            let Ok(ray) = Ray::new(origin, target - origin) else { continue };
            let ray = ray.up_to(max_t).unwrap();
            let found = checker.ray(&configuration, &ray).unwrap();
            let named = found.as_ref().map(|(name, hit)| (name.as_str(), hit.t));
            let (compared, hit) = compare(&all, &ray, max_t, named, &format!("{ray:?} at {configuration:?}"));
            counts = [counts[0] + 1, counts[1] + usize::from(compared), counts[2] + usize::from(hit)];
            own += usize::from(named.is_some_and(|(name, _)| ["upper", "lower", "tip", "cup"].contains(&name)));
        }
    }
    assert_most(counts, 200);
    assert!(own > 100, "{own}");
}
