//! Sphere trees: Quinlan's (*Efficient distance computation between non-convex objects*, 1994) and
//! the compact ones of Steinbach, Kuffner, Asfour and Dillmann (*Efficient collision and
//! self-collision detection for humanoids based on sphere trees hierarchies*, 2006).
//!
//! The leaf spheres of a triangle cover it: where it is larger than they may be, each bounds one
//! [piece](super::subdivision) of it, and several leaves hold the same triangle. Leaf tests use
//! whole triangles, so that answers are exact; a query tests no pair of triangles twice.
//!
//! Invariant: every sphere contains the pieces below it in exact arithmetic. Only with
//! [`Combine::Greedy`] does it contain the spheres below it. Where it does not, a child's bound may
//! be weaker than its parent's, and the traversal lets children inherit the parent's. Cost: 36
//! bytes a node and 9 a piece.
//!
//! Volume tests of distance queries, relative to those of greedy trees grouped from the top (cubes
//! of 3,072 triangles; two pairs of meshes of 5,200), tolerance 0: from the top compact 0.64 and
//! 0.70, smallest 0.54 and 0.61, sphere of spheres 0.76 and 0.78; from the bottom greedy 0.60 and
//! 0.80, compact 0.39 and 0.60, smallest 0.26 and 0.52, sphere of spheres 0.43 and 0.65.

use super::agglomerative::agglomerate;
use super::build::{map, split_node};
use super::bvh::{Bvh, BvhNode};
use super::subdivision::{PIECE_ERROR, depths, subdivide};
use super::{BuildOptions, BvhKind, Hierarchy, Node, next_revision};
use crate::math::{DVec3, Frame};
use crate::volume::{
    BoundingSphere, Sphere, Volume, compact_sphere_center, smallest_sphere_center, smallest_sphere_of_spheres_center,
};
use crate::{Error, ErrorKind, Readable, Result, TriMesh, Triangle};
use std::f64::consts::PI;

/// The construction of a parent sphere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Combine {
    /// The smallest sphere around the spheres right below it (Quinlan).
    Greedy,
    /// A compact sphere around the vertices of all pieces below it: the humanoid paper's Algorithms
    /// 1 and 2, repaired.
    Compact,
    /// The smallest sphere around the vertices of all pieces below it.
    #[default]
    Smallest,
    /// The smallest sphere around all leaf spheres below it (Fischer and Gärtner).
    SphereOfSpheres,
}

/// The direction of the construction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Top-down: splits all pieces along the axis of their largest spread, and so the parts.
    TopDown,
    /// Bottom-up: merges the nearest pieces, then the nearest groups.
    #[default]
    BottomUp,
}

/// Options for building a sphere tree.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3};
/// use clearance_engine::tree::{BuildOptions, Combine, Mesh, SphereTree, SphereTreeOptions};
/// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let fit_options = SphereTreeOptions { combine: Combine::Greedy, leaf_radius: 0.3, ..Default::default() };
/// let tree: Mesh<SphereTree> = Mesh::build(tri_mesh, &BuildOptions::default(), Some(fit_options))?;
/// assert_eq!(tree.hierarchy().piece_count(), 8);
/// assert_eq!(tree.hierarchy().levels()[0].spheres.len(), 1);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereTreeOptions {
    /// The construction of a parent sphere.
    pub combine: Combine,
    /// Top-down or bottom-up.
    pub direction: Direction,
    /// The largest radius of the sphere of a piece, in the mesh's unit. It is infinite by default:
    /// every triangle is one piece. A refit keeps the number of pieces and so may stretch them.
    pub leaf_radius: f64,
}

impl Default for SphereTreeOptions {
    fn default() -> Self {
        Self { combine: Combine::default(), direction: Direction::default(), leaf_radius: f64::INFINITY }
    }
}

/// All spheres at one depth of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereLevel {
    /// The spheres, in the mesh's coordinates.
    pub spheres: Vec<BoundingSphere>,
    /// The number of leaves among them.
    pub leaves: usize,
    /// The sum of the spheres' volumes.
    pub volume: f64,
    /// The same with the leaves of the levels above: the volume of all spheres that stand for the
    /// mesh at this level.
    pub cover_volume: f64,
}

/// A sphere tree over the pieces of a mesh's triangles.
///
/// A mesh under one is a `Mesh<SphereTree>`; [`SphereTreeOptions`] shows how to build it. It is not
/// [`Saved`](super::Saved), since a plain hierarchy lacks the pieces of its leaves.
#[derive(Debug, Clone)]
pub struct SphereTree {
    bvh: Bvh<Sphere>,
    /// Position in the hierarchy → piece; the pieces of the first triangle come first.
    pieces: Vec<u32>,
    /// Each triangle has 2 to this power pieces.
    depths: Vec<u8>,
    options: SphereTreeOptions,
}

impl BvhKind for SphereTree {
    type Hierarchy = Self;
}

impl SphereTree {
    /// The options of the build.
    pub fn options(&self) -> &SphereTreeOptions {
        &self.options
    }

    /// The number of pieces, each with a leaf sphere.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The spheres by depth, the root's first.
    pub fn levels(&self) -> Vec<SphereLevel> {
        let Frame { center, scale } = self.bvh.frame;
        let (mut levels, mut above) = (Vec::new(), 0.0);
        let mut level = 0..1;
        while !level.is_empty() {
            let nodes = &self.bvh.nodes[level.clone()];
            let in_mesh = |sphere: &Sphere| BoundingSphere {
                center: center + sphere.center() / scale,
                radius: sphere.radius() / scale,
            };
            let spheres: Vec<BoundingSphere> = self.bvh.volumes[level.clone()].iter().map(in_mesh).collect();
            let volume = |sphere: &BoundingSphere| 4.0 / 3.0 * PI * sphere.radius.powi(3);
            let is_leaf = |node: &BvhNode| node.children == 0;
            let sum: f64 = spheres.iter().map(volume).sum();
            let leaves = nodes.iter().filter(|node| is_leaf(node)).count();
            let of_leaves: f64 =
                spheres.iter().zip(nodes).filter(|(_, node)| is_leaf(node)).map(|(sphere, _)| volume(sphere)).sum();
            let children: usize = nodes.iter().map(|node| node.children as usize).sum();
            levels.push(SphereLevel { spheres, leaves, volume: sum, cover_volume: above + sum });
            above += of_leaves;
            level = level.end..level.end + children;
        }
        levels
    }

    /// The number of spheres that are not inside of their parent: none with [`Combine::Greedy`], up
    /// to rounding.
    pub fn leaving(&self) -> usize {
        let leaves_parent = |(parent, node): (&Sphere, &BvhNode)| {
            let children = &self.bvh.volumes[node.child as usize..(node.child + node.children) as usize];
            let outside = |child: &&Sphere| {
                child.center().distance(parent.center()) + child.radius() > parent.radius() * (1.0 + 1e-6)
            };
            children.iter().filter(outside).count()
        };
        self.bvh.volumes.iter().zip(&self.bvh.nodes).map(leaves_parent).sum()
    }

    /// All pieces in stored coordinates, by their numbers.
    fn stored_pieces(mesh: &TriMesh, frame: &Frame, depths: &[u8]) -> Vec<Triangle> {
        let stored =
            |(id, &depth): (usize, &u8)| subdivide(mesh.triangle(id as u32).map(|vertex| frame.store(vertex)), depth);
        depths.iter().enumerate().flat_map(stored).collect()
    }

    /// Fits all spheres to the pieces, ordered by their numbers.
    fn fit(&mut self, pieces: &[Triangle], parallel: bool) {
        let pieces: Vec<Triangle> = self.pieces.iter().map(|&piece| pieces[piece as usize]).collect();
        // Without a subdivision, pieces are triangles and exact.
        let slack = if self.pieces.len() > self.depths.len() { PIECE_ERROR } else { 0.0 };
        let points = |node: &BvhNode| pieces[range(node)].iter().flat_map(|piece| piece.0);
        let smallest = |node: &BvhNode| Sphere::about(smallest_sphere_center(points(node)), points(node), slack);
        let leaf_spheres = || -> Vec<Sphere> {
            let alone: Vec<BvhNode> =
                (0..pieces.len() as u32).map(|first| BvhNode { first, count: 1, child: 0, children: 0 }).collect();
            map(&alone, parallel, smallest)
        };
        self.bvh.volumes = match self.options.combine {
            Combine::Greedy => self.greedy(&leaf_spheres()),
            Combine::Smallest => map(&self.bvh.nodes, parallel, smallest),
            Combine::Compact => map(&self.bvh.nodes, parallel, |node| {
                // A leaf sphere is the smallest, whatever the spheres above are.
                if node.count == 1 {
                    smallest(node)
                } else {
                    Sphere::about(compact_sphere_center(points(node)), points(node), slack)
                }
            }),
            Combine::SphereOfSpheres => {
                let leaves = leaf_spheres();
                map(&self.bvh.nodes, parallel, |node| sphere_of_spheres(&leaves[range(node)]))
            }
        };
        let unit = 1.0 / self.bvh.frame.scale;
        self.bvh.sizes = self.bvh.volumes.iter().map(|sphere| (sphere.radius() * unit) as f32).collect();
    }

    /// Fits every sphere around those right below it, the leaves' around those of their pieces.
    fn greedy(&self, leaves: &[Sphere]) -> Vec<Sphere> {
        /// A sphere about a point within [-1, 1]³ that has this radius contains everything. Larger
        /// ones, which long chains of combinations could make, are useless, and bounds require
        /// smaller ones.
        const LARGEST: f64 = 4.0;
        let mut spheres = vec![Sphere::around(DVec3::ZERO, 0.0); self.bvh.nodes.len()];
        // Children come after their parents.
        for (i, node) in self.bvh.nodes.iter().enumerate().rev() {
            let below = if node.children == 0 {
                &leaves[range(node)]
            } else {
                &spheres[node.child as usize..(node.child + node.children) as usize]
            };
            spheres[i] = match below {
                [only] => *only,
                _ => {
                    let together = below.iter().map(sphere).reduce(|a, b| a.with(&b));
                    together.map_or(spheres[i], |sphere| Sphere::around(sphere.center, sphere.radius.min(LARGEST)))
                }
            };
        }
        spheres
    }
}

fn sphere(sphere: &Sphere) -> BoundingSphere {
    BoundingSphere { center: sphere.center(), radius: sphere.radius() }
}

/// The smallest enclosing sphere of spheres.
fn sphere_of_spheres(spheres: &[Sphere]) -> Sphere {
    if let [only] = spheres {
        return *only;
    }
    let center = smallest_sphere_of_spheres_center(spheres.iter().map(sphere));
    let radius = spheres.iter().fold(0.0, |r: f64, sphere| r.max(center.distance(sphere.center()) + sphere.radius()));
    // Half a dozen roundings of the radius, for which `around` has room.
    Sphere::around(center, radius)
}

/// The positions that a node covers.
fn range(node: &BvhNode) -> std::ops::Range<usize> {
    node.first as usize..(node.first + node.count) as usize
}

impl Hierarchy for SphereTree {
    type Volume = Sphere;
    type FitOptions = SphereTreeOptions;
    const NAME: &'static str = "sphere_tree";

    fn build(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<SphereTreeOptions>) -> Result<Self> {
        options.check()?;
        let fit_options = fit_options.unwrap_or_default();
        if fit_options.leaf_radius.is_nan() || fit_options.leaf_radius <= 0.0 {
            let message =
                format!("the radius of leaf spheres must be positive, not {}", Readable(fit_options.leaf_radius));
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        let (low, high) = mesh.bounding_box();
        let frame = Frame::around(low, high);
        let triangles = (0..mesh.len() as u32).map(|id| mesh.triangle(id).map(|vertex| frame.store(vertex)));
        let depths = depths(triangles, fit_options.leaf_radius * frame.scale)?;
        let pieces = Self::stored_pieces(mesh, &frame, &depths);
        let (nodes, numbers) = match fit_options.direction {
            Direction::TopDown => {
                let centroids: Vec<DVec3> = pieces.iter().map(Triangle::centroid).collect();
                super::build::partition(pieces.len(), options.parallel, |_, ids| split_node(ids, &centroids, options))
            }
            Direction::BottomUp => agglomerate(&pieces, options),
        };
        let owners: Vec<u32> =
            depths.iter().enumerate().flat_map(|(id, &depth)| std::iter::repeat_n(id as u32, 1 << depth)).collect();
        let order = numbers.iter().map(|&piece| owners[piece as usize]).collect();
        let (volumes, sizes) = (Vec::new(), Vec::new());
        let bvh = Bvh { frame, nodes, volumes, sizes, order, fit_options: (), revision: next_revision() };
        let mut tree = Self { bvh, pieces: numbers, depths, options: fit_options };
        tree.fit(&pieces, options.parallel);
        Ok(tree)
    }

    fn bvh(&self) -> &Bvh<Sphere> {
        &self.bvh
    }

    fn refit(&mut self, mesh: &TriMesh, parallel: bool) {
        let (low, high) = mesh.bounding_box();
        self.bvh.frame = Frame::around(low, high);
        self.fit(&Self::stored_pieces(mesh, &self.bvh.frame, &self.depths), parallel);
        self.bvh.revision = next_revision();
    }

    fn validate(&self, mesh: &TriMesh) -> Result<()> {
        let pieces = Self::stored_pieces(mesh, &self.bvh.frame, &self.depths);
        self.bvh.validate_structure(&self.pieces, pieces.len())?;
        let pieces: Vec<Triangle> = self.pieces.iter().map(|&piece| pieces[piece as usize]).collect();
        self.bvh.validate_volumes(&pieces)
    }

    fn memory(&self) -> usize {
        self.bvh.memory() + size_of_val(&self.pieces[..]) + size_of_val(&self.depths[..])
    }

    #[inline]
    fn root(&self) -> Node {
        self.bvh.root()
    }

    #[inline]
    fn is_leaf(&self, node: Node) -> bool {
        self.bvh.is_leaf(node)
    }

    #[inline]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        self.bvh.children(node)
    }

    #[inline]
    fn size(&self, node: Node) -> f32 {
        self.bvh.size(node)
    }

    #[inline]
    fn plain(&self, node: Node) -> usize {
        self.bvh.plain(node)
    }

    #[inline]
    fn repeats(&self, triangle: u32) -> bool {
        self.depths[triangle as usize] > 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::subdivision::tests::exact_pieces;
    use super::*;
    use crate::volume::properties::within_sphere;
    use crate::volume::samples::{Random, triangle_set};
    use Combine::*;
    use Direction::*;

    fn tri_mesh_of(triangles: &[Triangle]) -> TriMesh {
        let numbers = |i: usize| [0, 1, 2].map(|k| (3 * i + k) as u32);
        TriMesh::new(triangles.iter().flat_map(|t| t.0).collect(), (0..triangles.len()).map(numbers).collect()).unwrap()
    }

    fn some_tri_mesh(random: &mut Random) -> TriMesh {
        tri_mesh_of(&(0..3).flat_map(|_| triangle_set(random)).collect::<Vec<_>>())
    }

    /// One tree for each way to combine and to group.
    fn all_trees(mesh: &TriMesh, options: &BuildOptions, leaf_radius: f64) -> Vec<SphereTree> {
        let fit_options = |combine, direction| SphereTreeOptions { combine, direction, leaf_radius };
        let build =
            |combine, direction| SphereTree::build(mesh, options, Some(fit_options(combine, direction))).unwrap();
        [TopDown, BottomUp]
            .into_iter()
            .flat_map(|direction| [Greedy, Compact, Smallest, SphereOfSpheres].map(|combine| build(combine, direction)))
            .collect()
    }

    #[test]
    fn every_sphere_contains_the_pieces_below_it_exactly_and_every_piece_is_in_one_leaf() {
        let mut random = Random(91);
        for case in 0..9 {
            let mesh = some_tri_mesh(&mut random);
            let leaf_radius = if case % 3 == 0 { f64::INFINITY } else { random.between(0.1, 0.4) };
            let options =
                BuildOptions { arity: 2 + random.below(7), leaf: 1 + random.below(4), ..BuildOptions::default() };
            for tree in all_trees(&mesh, &options, leaf_radius) {
                tree.validate(&mesh).unwrap();
                let stored = |id: usize| mesh.triangle(id as u32).map(|vertex| tree.bvh.frame.store(vertex));
                let pieces: Vec<_> =
                    (0..mesh.len()).flat_map(|id| exact_pieces(&stored(id), tree.depths[id])).collect();
                for (node, sphere) in tree.bvh.nodes.iter().zip(&tree.bvh.volumes) {
                    for position in range(node) {
                        let piece = &pieces[tree.pieces[position] as usize];
                        let inside = piece.iter().all(|vertex| within_sphere(vertex, sphere.center(), sphere.radius()));
                        assert!(inside, "{case}: {:?} {node:?} {sphere:?}", tree.options);
                    }
                }
            }
        }
    }

    #[test]
    fn greedy_spheres_contain_those_below_and_the_others_are_smaller_but_need_not() {
        let mut random = Random(92);
        let (mut leaving, mut smaller) = ([0; 4], 0);
        for _ in 0..20 {
            let mesh = some_tri_mesh(&mut random);
            let trees = all_trees(&mesh, &BuildOptions::default(), 0.3);
            for trees in trees.chunks(4) {
                for (count, tree) in leaving.iter_mut().zip(trees) {
                    *count += tree.leaving();
                }
                for node in 0..trees[0].bvh.volumes.len() {
                    let [greedy, compact, smallest, spheres] =
                        [0, 1, 2, 3].map(|i| trees[i].bvh.volumes[node].radius());
                    // Centres are rounded to `f32`, by up to 5e-8 each.
                    let rounding = 1e-6 * greedy + 2e-7;
                    assert!(smallest <= compact + rounding, "{smallest} {compact}");
                    assert!(
                        smallest <= spheres + rounding && spheres <= greedy + rounding,
                        "{smallest} {spheres} {greedy}"
                    );
                    smaller += usize::from(compact < 0.9 * greedy);
                }
            }
        }
        assert!(leaving[0] == 0 && leaving[1..].iter().all(|&count| count > 100), "{leaving:?}");
        assert!(smaller > 100, "{smaller}");
    }

    #[test]
    fn a_greedy_tree_of_any_shape_keeps_its_spheres_within_what_bounds_count_on() {
        // Triangles that all span the cube, combined in a long chain: each combination may add to
        // the radius.
        let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
        let triangles: Vec<Triangle> =
            (0..512).map(|i| Triangle([vertex(i % 8), vertex(i / 8 % 8), vertex(i / 64)])).collect();
        for tree in all_trees(&tri_mesh_of(&triangles), &BuildOptions::default(), f64::INFINITY) {
            for sphere in &tree.bvh.volumes {
                assert!(sphere.center().length() <= 2.0 && sphere.radius() <= 4.01, "{sphere:?}");
            }
        }
    }

    #[test]
    fn levels_hold_every_node_once_and_a_compact_tree_covers_an_l_with_less_volume() {
        let slab = |low: DVec3, high: DVec3| {
            let half = (high - low) * 0.5;
            crate::volume::samples::cuboid(half, crate::math::DMat3::IDENTITY, low + half)
        };
        let mut triangles = slab(DVec3::ZERO, DVec3::new(3.0, 1.0, 1.0));
        triangles.extend(slab(DVec3::new(0.0, 1.0, 0.0), DVec3::new(1.0, 3.0, 1.0)));
        for trees in all_trees(&tri_mesh_of(&triangles), &BuildOptions::default(), 0.2).chunks(4) {
            let [greedy, compact, smallest, spheres] = [0, 1, 2, 3].map(|i| trees[i].levels());
            assert_eq!(greedy.iter().map(|level| level.spheres.len()).sum::<usize>(), trees[0].bvh.nodes.len());
            assert_eq!(greedy.iter().map(|level| level.leaves).sum::<usize>(), trees[0].piece_count());
            for i in 0..greedy.len() {
                assert!(smallest[i].volume <= compact[i].volume * 1.00001, "{i}");
                assert!(compact[i].volume <= greedy[i].volume * 1.00001, "{i}");
                assert!(spheres[i].volume <= greedy[i].volume * 1.00001, "{i}");
            }
            let middle = greedy.len() / 2;
            assert!(compact[middle].cover_volume < 0.8 * greedy[middle].cover_volume);
        }
    }

    #[test]
    fn radii_of_leaves_that_make_no_sense_are_refused() {
        let mesh = some_tri_mesh(&mut Random(93));
        for leaf_radius in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY, 1e-12] {
            let fit_options = SphereTreeOptions { leaf_radius, ..Default::default() };
            let error = SphereTree::build(&mesh, &BuildOptions::default(), Some(fit_options)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadRequest, "{leaf_radius}");
        }
    }
}
