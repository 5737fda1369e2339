//! What geometries are made of, and which of it hangs together.
//!
//! Connected are triangles that share a vertex, spheres that overlap, and cubes that share a face.
//! What is connected otherwise counts as several components, which are smaller.

use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::shape::{Convex, Primitive};
use clearance_engine::tree::voxel_map::{VoxelCells, VoxelLeaf};
use clearance_engine::tree::{Geometry, HeightField, Node, PointCloud, PrimitiveBvhNodes, VolumeTree};
use clearance_engine::volume::Volume;
use clearance_engine::{TriMesh, Triangle};
use std::any::Any;
use std::collections::HashMap;

/// A piece of an obstacle; spheres and boxes are solid.
pub(super) enum Element {
    Triangle(Triangle),
    Sphere { center: DVec3, radius: f64 },
    Box { low: DVec3, high: DVec3 },
}

impl Element {
    fn bounds(&self) -> [DVec3; 2] {
        match self {
            Self::Triangle(Triangle([a, b, c])) => [a.min(*b).min(*c), a.max(*b).max(*c)],
            Self::Sphere { center, radius } => [*center - *radius, *center + *radius],
            Self::Box { low, high } => [*low, *high],
        }
    }
}

/// The pieces of an obstacle in a region.
pub(super) struct Elements {
    list: Vec<Element>,
    /// Whether each is in a component that is large.
    large: Vec<bool>,
}

impl Elements {
    /// The pieces of a geometry that may be in a box; `None` for kinds that are no such pieces, and
    /// for solids that are known by their surface.
    pub(super) fn of(geometry: &dyn Geometry, large: f64, region: [DVec3; 2]) -> Option<Self> {
        let any: &dyn Any = geometry;
        let elements = if let Some(mesh) = geometry.mesh() {
            if mesh.is_solid {
                return None;
            }
            Self::of_mesh(mesh.tri_mesh, large)
        } else if let Some(field) = any.downcast_ref::<HeightField>() {
            if field.is_solid() {
                return None;
            }
            Self::of_height_field(field, large)
        } else if let Some(cloud) = any.downcast_ref::<PointCloud>() {
            Self::of_cloud(cloud, large, region)
        } else if let Some(cells) = any.downcast_ref::<VoxelCells>() {
            Self::of_cells(cells, large, region)
        } else {
            return None;
        };
        Some(elements)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Element, bool)> {
        self.list.iter().zip(self.large.iter().copied())
    }

    fn of_mesh(mesh: &TriMesh, large: f64) -> Self {
        let place = |vertex: &DVec3| vertex.to_array().map(|x| (x + 0.0).to_bits());
        let mut first: HashMap<[u64; 3], usize> = HashMap::new();
        let welded: Vec<usize> =
            mesh.vertices().iter().enumerate().map(|(i, vertex)| *first.entry(place(vertex)).or_insert(i)).collect();
        let mut sets = Sets::new(welded.len());
        for triangle in mesh.triangles() {
            let [a, b, c] = triangle.map(|i| welded[i as usize]);
            sets.join(a, b);
            sets.join(a, c);
        }
        let list: Vec<Element> = (0..mesh.len() as u32).map(|i| Element::Triangle(mesh.triangle(i))).collect();
        let component = |i: usize| welded[mesh.triangles()[i][0] as usize];
        Self::with_components(list, large, &mut sets, component)
    }

    fn of_height_field(field: &HeightField, large: f64) -> Self {
        let triangles = (0..field.triangle_count() as u32).filter_map(|number| field.shape(number));
        let list: Vec<Element> = triangles.map(Element::Triangle).collect();
        Self::with_components(list, large, &mut Sets::new(1), |_| 0)
    }

    fn of_cloud(cloud: &PointCloud, large: f64, region: [DVec3; 2]) -> Self {
        let mut spheres: Vec<(DVec3, f64)> = Vec::new();
        leaves(cloud, region, &mut |number| {
            if let Some(Primitive::Sphere(sphere)) = cloud.solid(number) {
                spheres.push((sphere.center(), sphere.radius()));
            }
        });
        // Spheres of one radius, in cubes of its double or more: those that overlap are in neighbouring
        // ones. No more than a million along each axis, so that their numbers are exact.
        let least = 1e-6 * (region[1] - region[0]).max_element();
        let edge = spheres.first().map_or(1.0, |(_, radius)| 2.0 * radius).max(least);
        let cube = |point: DVec3| ((point - region[0]) / edge).floor().as_ivec3();
        let mut cubes: HashMap<IVec3, Vec<usize>> = HashMap::new();
        let mut sets = Sets::new(spheres.len());
        for (i, (center, radius)) in spheres.iter().enumerate() {
            let here = cube(*center);
            for neighbour in neighbours(here) {
                for &other in cubes.get(&neighbour).into_iter().flatten() {
                    // Less than the sum, so that rounding makes no connection.
                    if spheres[other].0.distance(*center) < (spheres[other].1 + radius) * (1.0 - 1e-12) {
                        sets.join(i, other);
                    }
                }
            }
            cubes.entry(here).or_default().push(i);
        }
        let list = spheres.into_iter().map(|(center, radius)| Element::Sphere { center, radius }).collect();
        Self::with_components(list, large, &mut sets, |i| i)
    }

    fn of_cells(cells: &VoxelCells, large: f64, region: [DVec3; 2]) -> Self {
        let mut cubes: Vec<VoxelLeaf> = Vec::new();
        let mut list = Vec::new();
        leaves(cells, region, &mut |number| {
            if let (Some(leaf), Some(Primitive::Cuboid(cuboid))) = (cells.leaf(number), cells.solid(number)) {
                cubes.push(leaf);
                let (center, half) = (cuboid.center(), cuboid.half());
                list.push(Element::Box { low: center - half, high: center + half });
            }
        });
        let places: HashMap<(u32, IVec3), usize> =
            cubes.iter().enumerate().map(|(i, leaf)| ((leaf.side, leaf.low), i)).collect();
        let mut sides: Vec<u32> = cubes.iter().map(|leaf| leaf.side).collect();
        sides.sort_unstable();
        sides.dedup();
        let mut sets = Sets::new(cubes.len());
        for (i, leaf) in cubes.iter().enumerate() {
            for axis in IVec3::AXES {
                for next in [leaf.low - axis, leaf.low + axis * leaf.side as i32] {
                    // The cube that the neighbouring cell is in, of this size or larger.
                    let holding = sides.iter().filter(|&&side| side >= leaf.side).find_map(|&side| {
                        let low = IVec3::from_array(next.to_array().map(|x| x.div_euclid(side as i32) * side as i32));
                        places.get(&(side, low))
                    });
                    if let Some(&other) = holding {
                        sets.join(i, other);
                    }
                }
            }
        }
        Self::with_components(list, large, &mut sets, |i| i)
    }

    fn with_components(list: Vec<Element>, large: f64, sets: &mut Sets, of: impl Fn(usize) -> usize) -> Self {
        let mut bounds: HashMap<usize, [DVec3; 2]> = HashMap::new();
        let roots: Vec<usize> = (0..list.len()).map(|i| sets.root(of(i))).collect();
        for (element, &root) in list.iter().zip(&roots) {
            let [low, high] = element.bounds();
            let all = bounds.entry(root).or_insert([low, high]);
            *all = [all[0].min(low), all[1].max(high)];
        }
        // Two points of the component are as far apart as its box is long.
        let is_large = |root: &usize| (bounds[root][1] - bounds[root][0]).max_element() * (1.0 - 1e-9) > large;
        let large = roots.iter().map(is_large).collect();
        Self { list, large }
    }
}

/// The numbers of the primitives in a box.
fn leaves<T: PrimitiveBvhNodes>(tree: &T, [low, high]: [DVec3; 2], visit: &mut dyn FnMut(u32)) {
    if tree.is_empty() {
        return;
    }
    let frame = *tree.frame();
    let meets = |node: Node| {
        let (bounds, radius) = (tree.bounds(node), tree.radius() * 1.001);
        let center = frame.center + bounds.center() / frame.scale;
        let half = bounds.half() / frame.scale * 1.001 + radius;
        ((center - half).cmple(high) & low.cmple(center + half)).all()
    };
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        if !meets(node) {
            continue;
        }
        let count = tree.block(node).count as usize;
        if tree.is_leaf(node) {
            (0..count).for_each(|lane| visit(tree.primitive_number(node, lane)));
        } else {
            stack.extend((0..count).map(|lane| tree.child(node, lane)));
        }
    }
}

fn neighbours(cell: IVec3) -> impl Iterator<Item = IVec3> {
    (0..27).map(move |i| cell + IVec3::new(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1))
}

/// Disjoint sets.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
