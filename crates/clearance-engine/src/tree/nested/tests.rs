//! Inner volumes are inside in exact arithmetic, and have the known sizes of regular bodies.

use super::*;
use crate::shape::ConvexPolyhedron;
use crate::tree::Mesh;
use crate::volume::Inner;
use crate::volume::properties::{Exact, cross, dot, exact, minus, rational, squared_length};
use crate::volume::samples::Random;
use num_rational::BigRational;

fn mesh_of(points: &[DVec3], options: NestedOptions) -> Mesh<NestedTree> {
    let tri_mesh = ConvexPolyhedron::hull_of(points).unwrap().surface().unwrap();
    let mesh = Mesh::<NestedTree>::build(tri_mesh, &BuildOptions::default(), Some(options)).unwrap();
    mesh.validate().unwrap();
    mesh.into_solid().unwrap()
}

/// How many nodes of a convex mesh have none of its surface.
fn interior_count(tree: &NestedTree) -> usize {
    tree.bvh.nodes.iter().filter(|node| node.count == 0).count()
}

fn cube() -> Vec<DVec3> {
    (0..8).map(|i| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 0 { -1.0 } else { 1.0 }))).collect()
}

fn octahedron() -> Vec<DVec3> {
    DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect()
}

fn sphere_like(random: &mut Random, count: usize) -> Vec<DVec3> {
    (0..count).map(|_| random.direction()).collect()
}

fn positive(x: BigRational) -> BigRational {
    if x < rational(0.0) { -x } else { x }
}

/// Whether all of an inner volume is on the inner side of the plane of an outward triangle, in
/// exact arithmetic.
fn exactly_below(nested: &Nested, triangle: &[Exact; 3]) -> bool {
    let normal = cross(&minus(&triangle[1], &triangle[0]), &minus(&triangle[2], &triangle[0]));
    let height = |point: &Exact| dot(&normal, &minus(point, &triangle[0]));
    match nested.inner() {
        Inner::Nothing => true,
        Inner::Sphere { center, radius } => {
            let (height, radius) = (height(&exact(widened(*center))), rational(f64::from(*radius)));
            height <= rational(0.0) && &height * &height >= &radius * &radius * squared_length(&normal)
        }
        Inner::Box { center, half } => {
            // With t = Aᵀ(x − c) the height is linear in t, with the coefficients (A⁻¹n)ᵢ =
            // n·(aⱼ×aₖ)/det A.
            let axes: Vec<Exact> = nested.axes().into_iter().map(exact).collect();
            let determinant = dot(&axes[0], &cross(&axes[1], &axes[2]));
            let reach = (0..3).fold(rational(0.0), |sum, i| {
                let coefficient = dot(&normal, &cross(&axes[(i + 1) % 3], &axes[(i + 2) % 3]));
                sum + positive(coefficient / &determinant) * rational(f64::from(half[i]))
            });
            height(&exact(widened(*center))) + reach <= rational(0.0)
        }
    }
}

fn widened(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

/// A triangle of the mesh in stored coordinates, not rounded.
fn exactly_stored(mesh: &Mesh<NestedTree>, id: u32) -> [Exact; 3] {
    let frame = mesh.hierarchy().bvh.frame;
    mesh.tri_mesh().triangle(id).0.map(|vertex| {
        let offset = minus(&exact(vertex), &exact(frame.center));
        offset.map(|x| x * rational(frame.scale))
    })
}

#[test]
fn every_inner_volume_of_a_convex_mesh_is_inside_of_it_exactly() {
    let mut random = Random(71);
    for case in 0..12 {
        let scale = [1.0, 1e-6, 1e6][case % 3];
        let count = 4 + random.below(30);
        let mut points = match case {
            0..=2 => cube(),
            3..=5 => octahedron(),
            _ => sphere_like(&mut random, count),
        };
        let (turn, offset) = (random.rotation(), random.vector() * 10.0);
        points.iter_mut().for_each(|point| *point = (turn * *point + offset) * scale);
        for inner in [InnerKind::Boxes, InnerKind::Spheres] {
            let mesh = mesh_of(&points, NestedOptions { inner, cuts: 3, ..Default::default() });
            let tree = mesh.hierarchy();
            assert!(tree.inner_count() * 10 >= tree.bvh.volumes.len() * 9, "{case}: {} inside", tree.inner_count());
            for id in 0..mesh.tri_mesh().len() as u32 {
                let triangle = exactly_stored(&mesh, id);
                for nested in &tree.bvh.volumes {
                    assert!(exactly_below(nested, &triangle), "{case}: {nested:?}");
                }
            }
        }
    }
}

/// The half-extents of the root's inner box in the mesh's unit, ascending.
fn root_halves(points: &[DVec3]) -> [f64; 3] {
    let mesh = mesh_of(points, NestedOptions::default());
    let Inner::Box { half, .. } = *mesh.hierarchy().bvh.volumes[0].inner() else { panic!("nothing inside") };
    let mut half = half.map(|h| f64::from(h) / mesh.hierarchy().bvh.frame.scale);
    half.sort_by(f64::total_cmp);
    half
}

#[test]
fn the_inner_box_of_the_root_is_the_largest_one() {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let turned = |points: Vec<DVec3>, k: usize| {
        points.into_iter().map(move |p| DVec3::new(p[k % 3], p[(k + 1) % 3], p[(k + 2) % 3]))
    };
    let vertices =
        |x: f64, y: f64, z: f64| cube().into_iter().map(move |c| c * DVec3::new(x, y, z)).collect::<Vec<_>>();
    let icosahedron: Vec<DVec3> = (0..3).flat_map(|k| turned(vertices(0.0, 1.0, golden), k)).collect();
    let mut dodecahedron = cube();
    dodecahedron.extend((0..3).flat_map(|k| turned(vertices(0.0, 1.0 / golden, golden), k)));
    for (points, half) in
        [(cube(), 1.0), (octahedron(), 1.0 / 3.0), (icosahedron, golden * golden / 3.0), (dodecahedron, 1.0)]
    {
        let found = root_halves(&points);
        assert!(found.iter().all(|h| *h <= half && *h > half * (1.0 - 2e-6)), "{half}: {found:?}");
    }
    let prism = root_halves(&vertices(3.0, 2.0, 0.5));
    assert!(prism.iter().zip([0.5, 2.0, 3.0]).all(|(h, half)| (h - half).abs() < 1e-5), "{prism:?}");
    let sphere = root_halves(&sphere_like(&mut Random(72), 2000));
    assert!(sphere.iter().all(|h| (h - 1.0 / 3.0_f64.sqrt()).abs() < 0.03), "{sphere:?}");
}

#[test]
fn a_cube_cut_four_times_has_sixteen_parts_of_which_none_is_interior_and_a_sphere_cut_deeper_has_some() {
    let cube = mesh_of(&cube(), NestedOptions::default());
    let tree = cube.hierarchy();
    assert_eq!((tree.bvh.nodes.len(), interior_count(tree), tree.inner_count()), (31, 0, 31));
    // Every part is a box, so that what is inside is all of it but for rounding.
    for nested in &tree.bvh.volumes {
        let outer = 8.0 * nested.outer().half().element_product();
        assert!(nested.inner_volume() > 0.9999 * outer && nested.inner_volume() < outer, "{nested:?}");
    }
    let sphere = mesh_of(&sphere_like(&mut Random(73), 300), NestedOptions { cuts: 6, ..Default::default() });
    assert!(interior_count(sphere.hierarchy()) > 0);
}

#[test]
fn a_mesh_with_one_dent_among_many_triangles_is_not_convex_whichever_way_it_faces() {
    let tri_mesh = ConvexPolyhedron::hull_of(&sphere_like(&mut Random(74), 400)).unwrap().surface().unwrap();
    let triangles = |tri_mesh: &TriMesh| (0..tri_mesh.len() as u32).map(|id| tri_mesh.triangle(id)).collect::<Vec<_>>();
    for facing in [tri_mesh.clone(), inverted(&tri_mesh)] {
        assert!(is_convex(&triangles(&facing)));
        for dent in (0..400).step_by(37) {
            let mut vertices = facing.vertices().to_vec();
            vertices[dent] *= 0.9;
            assert!(!is_convex(&triangles(&facing.with_vertices(vertices).unwrap())), "{dent}");
        }
    }
    // Facing both ways, and flat.
    let mut mixed = triangles(&tri_mesh);
    mixed[100].0.swap(0, 1);
    assert!(!is_convex(&mixed));
    let [p, q, r] = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(is_convex(&[Triangle([p, q, r]), Triangle([p, r, q])]));
}

/// Cubes of edge 1 that share no face, as one triangle mesh, given by their vertices nearest to the
/// origin.
fn blocks(points: &[[f64; 3]]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for vertex in points {
        let surface = ConvexPolyhedron::hull_of(&cube()).unwrap().surface().unwrap();
        let first = vertices.len() as u32;
        vertices.extend(surface.vertices().iter().map(|v| (*v + DVec3::ONE) * 0.5 + DVec3::from_array(*vertex)));
        triangles.extend(surface.triangles().iter().map(|ids| ids.map(|id| id + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn a_mesh_of_several_bodies_is_filled_in_each_of_them_and_an_open_one_in_none() {
    let tri_mesh = blocks(&[[0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 1.0]]);
    for inner in [InnerKind::Boxes, InnerKind::Spheres] {
        let fit_options = NestedOptions { inner, ..Default::default() };
        let mesh = Mesh::<NestedTree>::build(tri_mesh.clone(), &BuildOptions::default(), Some(fit_options)).unwrap();
        mesh.validate().unwrap();
        let tree = mesh.hierarchy();
        assert!(tree.inner_count() > 20, "{}", tree.inner_count());
        let best = tree.bvh.volumes[0].inner_volume() / tree.bvh.frame.scale.powi(3);
        // The box is along the axes of the whole, which are not those of the blocks.
        let expected = if inner == InnerKind::Boxes { 0.5..1.0 } else { 0.52..std::f64::consts::PI / 6.0 };
        assert!(expected.contains(&best), "{best}");
    }
    let open = TriMesh::new(tri_mesh.vertices().to_vec(), tri_mesh.triangles()[1..].to_vec()).unwrap();
    assert_eq!(Mesh::<NestedTree>::new(open).unwrap().hierarchy().inner_count(), 0);
}

/// The same surface facing the other way.
fn inverted(tri_mesh: &TriMesh) -> TriMesh {
    let turned = tri_mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriMesh::new(tri_mesh.vertices().to_vec(), turned).unwrap()
}

#[test]
fn a_mesh_that_faces_inward_has_inside_what_it_has_facing_outward() {
    let cube = ConvexPolyhedron::hull_of(&cube()).unwrap().surface().unwrap();
    let several = blocks(&[[0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 1.0]]);
    // One of three bodies facing inward.
    let (vertices, third) = (several.vertices().to_vec(), several.len() / 3);
    let mixed = [inverted(&several).triangles()[..third].to_vec(), several.triangles()[third..].to_vec()].concat();
    let mixed = TriMesh::new(vertices, mixed).unwrap();
    for (outward, other) in [(&cube, inverted(&cube)), (&several, inverted(&several)), (&several, mixed)] {
        for inner in [InnerKind::Boxes, InnerKind::Spheres] {
            let fit_options = NestedOptions { inner, ..Default::default() };
            let build = |tri_mesh: &TriMesh| {
                let mesh =
                    Mesh::<NestedTree>::build(tri_mesh.clone(), &BuildOptions::default(), Some(fit_options)).unwrap();
                mesh.validate().unwrap();
                let solid = mesh.into_solid().unwrap();
                solid.hierarchy().bvh.volumes.iter().map(Nested::inner_volume).collect::<Vec<_>>()
            };
            let (expected, found) = (build(outward), build(&other));
            assert!(expected[0] > 0.0 && expected.len() == found.len());
            // Centroids are rounded in another order.
            assert!(expected.iter().zip(&found).all(|(e, f)| (e - f).abs() <= 1e-3 * e), "{expected:?} {found:?}");
        }
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for fit_options in
        [NestedOptions { cuts: 11, ..Default::default() }, NestedOptions { inner_levels: 17, ..Default::default() }]
    {
        let error =
            Mesh::<NestedTree>::build(blocks(&[[0.0; 3]]), &BuildOptions::default(), Some(fit_options)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
    }
}
