//! Building, refitting, saving and reading back hierarchies.

mod support;

use clearance::ErrorKind;
use clearance::descent::Workspace;
use clearance::math::DVec3;
use clearance::query::DistanceRequest;
use clearance::tree::{BuildOptions, Geometry, Kind, Mesh, Wide};
use clearance::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, ObbSphere, Rss, Sphere};
use support::{Random, bank};

/// Runs a generic check for every volume.
macro_rules! for_every_volume {
    ($check:ident) => {
        $check::<Wide>();
        $check::<Sphere>();
        $check::<Aabb>();
        $check::<Obb>();
        $check::<Rss>();
        $check::<Kdop16>();
        $check::<Kdop18>();
        $check::<Kdop24>();
        $check::<KIos>();
    };
}

#[test]
fn a_refitted_hierarchy_gives_the_distances_of_a_rebuilt_one() {
    fn check<K: Kind>() {
        let mut random = Random(1);
        let bank = bank();
        let mut workspace = Workspace::default();
        let mut mesh: Mesh<K> = Mesh::new(random.soup(120, 1.0, DVec3::ZERO)).unwrap();
        let other: Mesh<K> = Mesh::new(random.soup(80, 1.0, DVec3::ZERO)).unwrap();
        for step in 0..5 {
            let size = 10.0_f64.powi(step);
            let moved: Vec<DVec3> = mesh.soup().vertices().iter().map(|&v| v * size + random.vector() * 0.3).collect();
            mesh.refit(moved.clone()).unwrap();
            mesh.validate().unwrap();
            let rebuilt: Mesh<K> = Mesh::new(mesh.soup().with_vertices(moved).unwrap()).unwrap();
            for _ in 0..10 {
                let pose = random.pose(3.0 * size);
                let [refitted, rebuilt] = [&mesh, &rebuilt].map(|mesh| {
                    let plan = bank.plan(mesh, &other).unwrap();
                    plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap().upper
                });
                assert!((refitted - rebuilt).abs() <= 1e-12 * size, "{}: {refitted} {rebuilt}", mesh.kind());
            }
        }
    }
    for_every_volume!(check);
}

#[test]
fn a_saved_hierarchy_comes_back_and_a_damaged_one_is_refused() {
    fn check<K: Kind>() {
        let mut random = Random(2);
        let soup = random.soup(90, 1.0, DVec3::ZERO);
        let mesh: Mesh<K> = Mesh::new(soup.clone()).unwrap();
        let bytes = mesh.save_hierarchy();
        let loaded: Mesh<K> = Mesh::from_saved(soup.clone(), &bytes).unwrap();
        loaded.validate().unwrap();
        assert_eq!(loaded.save_hierarchy(), bytes);
        let refused = |soup: &clearance::TriMesh, bytes: &[u8]| {
            let error = Mesh::<K>::from_saved(soup.clone(), bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
        };
        for length in 0..bytes.len() {
            if length % 97 == 0 || length < 40 {
                refused(&soup, &bytes[..length]);
            }
        }
        for _ in 0..50 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len());
            damaged[at] ^= 1 << random.below(8);
            refused(&soup, &damaged);
        }
        refused(&random.soup(90, 1.0, DVec3::ZERO), &bytes);
    }
    for_every_volume!(check);
    let mut random = Random(3);
    let soup = random.soup(20, 1.0, DVec3::ZERO);
    let bytes = Mesh::<Obb>::new(soup.clone()).unwrap().save_hierarchy();
    let error = Mesh::<Rss>::from_saved(soup, &bytes).unwrap_err();
    assert!(error.to_string().contains("obb"), "{error}");
}

#[test]
fn every_arity_and_leaf_size_makes_a_valid_hierarchy() {
    let mut random = Random(4);
    for count in [1, 2, 3, 9, 100] {
        let soup = random.soup(count, 1.0, DVec3::ZERO);
        for arity in 2..=8 {
            for leaf in [1, 2, 8] {
                let options = BuildOptions { arity, leaf, ..Default::default() };
                let mesh = Mesh::<Aabb>::build(soup.clone(), &options, None).unwrap();
                mesh.validate().unwrap();
            }
        }
    }
    let soup = random.soup(5, 1.0, DVec3::ZERO);
    for options in [BuildOptions { arity: 1, ..Default::default() }, BuildOptions { arity: 9, ..Default::default() }] {
        assert_eq!(Mesh::<Aabb>::build(soup.clone(), &options, None).unwrap_err().kind(), ErrorKind::BadRequest);
    }
}

#[test]
fn triangles_at_one_place_do_not_stop_the_build() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let vertices: Vec<DVec3> = triangle.into_iter().cycle().take(3000).collect();
    let triangles = (0..1000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh: Mesh<Obb> = Mesh::new(clearance::TriMesh::new(vertices, triangles).unwrap()).unwrap();
    mesh.validate().unwrap();
}

#[cfg(feature = "parallel")]
#[test]
fn a_hierarchy_built_on_many_threads_is_the_same() {
    let soup = Random(5).soup(5000, 1.0, DVec3::ZERO);
    let alone: Mesh<Obb> = Mesh::new(soup.clone()).unwrap();
    let options = BuildOptions { parallel: true, ..Default::default() };
    let together = Mesh::<Obb>::build(soup, &options, None).unwrap();
    assert_eq!(alone.save_hierarchy(), together.save_hierarchy());
}

#[test]
fn reading_a_saved_hierarchy_is_faster_than_building_it() {
    let soup = Random(6).soup(20_000, 1.0, DVec3::ZERO);
    let start = std::time::Instant::now();
    let mesh: Mesh = Mesh::new(soup.clone()).unwrap();
    let built = start.elapsed();
    let bytes = mesh.save_hierarchy();
    let start = std::time::Instant::now();
    let loaded: Mesh = Mesh::from_saved(soup, &bytes).unwrap();
    let read = start.elapsed();
    assert_eq!(loaded.save_hierarchy(), bytes);
    eprintln!("20,000 triangles: built in {built:?}, read in {read:?}, {} bytes", bytes.len());
    assert!(read < built / 4, "built in {built:?}, read in {read:?}");
}

#[test]
fn a_plain_hierarchy_with_large_leaves_is_refused_as_a_wide_one() {
    let soup = Random(7).soup(100, 1.0, DVec3::ZERO);
    let options = BuildOptions { leaf: 16, ..BuildOptions::default() };
    let plain = Mesh::<ObbSphere>::build(soup.clone(), &options, None).unwrap();
    let error = Mesh::<Wide>::from_saved(soup, &plain.save_hierarchy()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
}
