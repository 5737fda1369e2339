//! Queries of users' own against brute force: which pairs of shapes a visitor is shown, what it
//! calls them, and that it can end the search.

mod support;

use clearance_engine::assembly::Assembly;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::DVec3;
use clearance_engine::pair::shape::Proximity;
use clearance_engine::query::{Contact, ContactsRequest, Visitor};
use clearance_engine::shape::Cuboid;
use clearance_engine::tree::{Bvh8, Mesh, Solid};
use clearance_engine::volume::Obb;
use clearance_engine::{ErrorKind, Pose, TriMesh};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use support::Random;

/// The nearest pairs, at most so many.
struct Nearest {
    count: usize,
    found: Vec<Contact>,
}

impl Visitor for Nearest {
    fn max_distance(&self) -> f64 {
        self.found.get(self.count - 1).map_or(f64::MAX, |last| last.distance)
    }

    fn visit(&mut self, contact: Contact) -> ControlFlow<()> {
        let place = self.found.partition_point(|other| other.distance <= contact.distance);
        self.found.insert(place, contact);
        self.found.truncate(self.count);
        ControlFlow::Continue(())
    }
}

/// All within a distance, up to a number of visits.
struct Within {
    distance: f64,
    max_visits: usize,
    found: Vec<Contact>,
    contained: Vec<DVec3>,
}

impl Within {
    fn new(distance: f64) -> Self {
        Self { distance, max_visits: usize::MAX, found: Vec::new(), contained: Vec::new() }
    }
}

impl Visitor for Within {
    fn max_distance(&self) -> f64 {
        self.distance
    }

    fn visit(&mut self, contact: Contact) -> ControlFlow<()> {
        self.found.push(contact);
        if self.found.len() == self.max_visits { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn contain(&mut self, point: DVec3) -> ControlFlow<()> {
        self.contained.push(point);
        ControlFlow::Continue(())
    }
}

/// The distances of all pairs of triangles, sorted.
fn all_distances(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Vec<(f64, (u32, u32))> {
    let mut all = Vec::new();
    for i in 0..a.triangles().len() as u32 {
        for j in 0..b.triangles().len() as u32 {
            let (first, second) = (a.triangle(i), b.triangle(j).transformed(a_from_b));
            let closest = first.closest_below(&second, f64::INFINITY).expect("some distance");
            all.push((closest.upper, (i, j)));
        }
    }
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    all
}

#[test]
fn the_nearest_pairs_are_those_of_brute_force() {
    let mut random = Random(11);
    for case in 0..30 {
        let (a, b) = (random.tri_mesh(40, 0.3, DVec3::ZERO), random.tri_mesh(30, 0.3, DVec3::ZERO));
        let pose = random.pose([0.5, 2.0, 4.0][case % 3]);
        let all = all_distances(&a, &b, &pose);
        let mut pairs = [
            Pair::new(Mesh::<Obb>::new(a.clone()).unwrap(), Mesh::<Obb>::new(b.clone()).unwrap()).unwrap(),
            Pair::new(Mesh::<Bvh8>::new(a).unwrap(), Mesh::<Bvh8>::new(b).unwrap()).unwrap(),
        ];
        for pair in &mut pairs {
            for count in [1, 7, 100] {
                let mut nearest = Nearest { count, found: Vec::new() };
                let stats = pair.visit(pose, &mut nearest).unwrap();
                assert!(stats.leaf_tests > 0);
                for (found, (distance, _)) in nearest.found.iter().zip(&all) {
                    assert!((found.distance - distance).abs() < 1e-12, "{case}: {found:?} {distance}");
                }
                assert_eq!(nearest.found.len(), count);
                let names: BTreeSet<_> = nearest.found.iter().map(|found| (found.leaf_a, found.leaf_b)).collect();
                assert_eq!(names.len(), count, "{case}: a pair came twice");
            }
        }
    }
}

#[test]
fn what_a_visitor_is_shown_of_parts_is_what_contacts_list() {
    let mut random = Random(12);
    let mut visited = 0;
    for _ in 0..20 {
        let mut group = Assembly::default();
        for _ in 0..3 {
            let mesh: Mesh = Mesh::new(random.tri_mesh(25, 0.4, DVec3::ZERO)).unwrap();
            group.insert(Arc::new(mesh), random.pose(2.0));
        }
        group.insert(Arc::new(Solid::new(random.solid(1, 0.5))), random.pose(1.0));
        let mut outer = Assembly::default();
        outer.insert(Arc::new(group.clone()), random.pose(0.5));
        let single: Mesh<Obb> = Mesh::new(random.tri_mesh(40, 0.4, DVec3::ZERO)).unwrap();
        let mut pairs = [
            Pair::new(outer.clone(), single.clone()).unwrap(),
            Pair::new(single, outer.clone()).unwrap(),
            Pair::new(outer, group).unwrap(),
        ];
        for pair in &mut pairs {
            let (pose, margin) = (random.pose(1.0), 0.3);
            let listed = pair.contacts_with(pose, &ContactsRequest { margin, ..Default::default() }).unwrap();
            let mut within = Within::new(margin);
            pair.visit(pose, &mut within).unwrap();
            assert_eq!(within.found, listed.contacts);
            assert_eq!(within.contained.first().copied(), listed.contained);
            visited += within.found.len();
            // The points are in the first one's frame: where they are apart, their distance is right.
            for contact in within.found.iter().filter(|contact| contact.distance > 0.0) {
                let along = contact.points[1] - contact.points[0];
                assert!((along.length() - contact.distance).abs() < 1e-12, "{contact:?}");
                assert!(along.dot(contact.normal) > 0.0, "{contact:?}");
            }
        }
    }
    assert!(visited > 300, "{visited}");
}

#[test]
fn a_break_ends_the_search_through_all_parts() {
    let mut rows = Assembly::default();
    for i in 0..50 {
        let cube = Solid::new(Cuboid::new(0.5, 0.5, 0.5).unwrap());
        rows.insert(Arc::new(cube), Pose::from_xyz(f64::from(i), 0.0, 0.0).unwrap());
    }
    let slab = Solid::new(Cuboid::new(200.0, 1.0, 1.0).unwrap());
    for max_visits in [1, 7, 50] {
        let mut within = Within { max_visits, ..Within::new(0.0) };
        Pair::new(rows.clone(), slab.clone()).unwrap().visit(Pose::IDENTITY, &mut within).unwrap();
        assert_eq!(within.found.len(), max_visits);
    }
}

#[test]
fn solids_inside_of_each_other_are_told_of_and_bad_distances_refused() {
    let cube =
        |size: f64| Mesh::<Obb>::new(support::cut_cube(2, |point| point * size)).and_then(Mesh::into_solid).unwrap();
    let pose = Pose::from_xyz(0.01, 0.02, 0.03).unwrap();
    for (a, b) in [(cube(1.0), cube(0.1)), (cube(0.1), cube(1.0))] {
        let mut pair = Pair::new(a, b).unwrap();
        let mut within = Within::new(1e-3);
        pair.visit(pose, &mut within).unwrap();
        assert!(within.found.is_empty() && within.contained.len() == 1, "{:?}", within.found);
        // After the end of a search nothing is shown.
        let mut ended = Within { max_visits: 1, ..Within::new(10.0) };
        pair.visit(pose, &mut ended).unwrap();
        assert!(ended.found.len() == 1 && ended.contained.is_empty(), "{:?}", ended.contained);
        assert!(pair.collides(pose));
        for distance in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(pair.visit(pose, &mut Within::new(distance)).unwrap_err().kind(), ErrorKind::BadRequest);
        }
    }
}
