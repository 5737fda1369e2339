//! A geometry of one's own: a molecule whose atoms are spheres meets a triangle mesh.
//!
//! Run it with `cargo run --release -p clearance-engine --example atoms`. Four steps: a shape (`Sphere`),
//! how it meets triangles (`Proximity`), a tree over the shapes (`Molecule`, a heap of spheres over
//! the user's own atoms), and one line that registers the pair. Distance, collision, contacts,
//! ranges, tolerances and caches then work as for any built-in pair.
#![allow(clippy::print_stdout)]

use clearance_engine::dispatch::{Dispatcher, Trees};
use clearance_engine::math::{DQuat, DVec3, Frame};
use clearance_engine::pair::shape::{ClosestPoints, Proximity, Shape, SharedPoints, triangle_distance};
use clearance_engine::query::{ContactsRequest, DistanceRequest};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Node, Tree, VolumeTree, next_revision};
use clearance_engine::volume::{BoundingSphere, Obb, Sphere, Volume};
use clearance_engine::{Pose, Result, TriMesh, Triangle};

/// An atom: a solid sphere.
#[derive(Clone, Copy)]
struct Atom {
    center: DVec3,
    radius: f64,
}

impl Shape for Atom {
    fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), ..*self }
    }
}

impl Atom {
    /// The certified distance of the centre, as a triangle that is a point.
    fn center_to(&self, triangle: &Triangle) -> ClosestPoints {
        triangle_distance(&Triangle([self.center; 3]), triangle)
    }
}

impl Proximity<Triangle> for Atom {
    fn overlaps(&self, triangle: &Triangle) -> bool {
        self.center_to(triangle).lower <= self.radius
    }

    fn closest_below(&self, triangle: &Triangle, limit: f64) -> Option<ClosestPoints> {
        let center = self.center_to(triangle);
        if center.lower <= self.radius {
            return Some(ClosestPoints::overlapping(center.point_b));
        }
        let lower = (center.lower - self.radius).next_down();
        let upper = (center.upper - self.radius).next_up();
        let outward = (center.point_b - self.center).normalize();
        let point_a = self.center + outward * self.radius;
        (lower < limit).then_some(ClosestPoints { lower, upper, point_a, point_b: center.point_b })
    }

    fn shared_points(&self, triangle: &Triangle) -> Option<SharedPoints> {
        let center = self.center_to(triangle);
        let normal = (center.point_b - self.center).try_normalize().unwrap_or(DVec3::Z);
        let points = [center.point_b].into_iter().collect();
        (center.lower <= self.radius).then_some(SharedPoints { points, normal })
    }
}

/// Spheres under a binary heap of spheres: node n has the children 2n + 1 and 2n + 2, the last
/// `atoms.len()` nodes are leaves.
struct Molecule {
    atoms: Vec<Atom>,
    spheres: Vec<Sphere>,
    frame: Frame,
    revision: u64,
}

impl Molecule {
    fn new(atoms: Vec<Atom>) -> Self {
        let low = atoms.iter().fold(DVec3::INFINITY, |low, atom| low.min(atom.center - atom.radius));
        let high = atoms.iter().fold(DVec3::NEG_INFINITY, |high, atom| high.max(atom.center + atom.radius));
        let frame = Frame::around(low, high);
        let inner = atoms.len() - 1;
        let mut spheres = vec![Sphere::around(DVec3::ZERO, 0.0); inner + atoms.len()];
        for (atom, sphere) in atoms.iter().zip(&mut spheres[inner..]) {
            *sphere = Sphere::around(frame.store(atom.center), atom.radius * frame.scale);
        }
        for node in (0..inner).rev() {
            let (one, other) = (spheres[2 * node + 1], spheres[2 * node + 2]);
            let center = (one.center() + other.center()) * 0.5;
            let reach = |sphere: Sphere| sphere.center().distance(center) + sphere.radius();
            spheres[node] = Sphere::around(center, reach(one).max(reach(other)));
        }
        Self { atoms, spheres, frame, revision: next_revision() }
    }

    fn atom_of(&self, node: Node) -> usize {
        node as usize + 1 - self.atoms.len()
    }
}

impl Tree for Molecule {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, node: Node) -> bool {
        node as usize + 1 >= self.atoms.len()
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        2 * node + 1 + lane as Node
    }

    fn size(&self, node: Node) -> f32 {
        (self.spheres[node as usize].size() / self.frame.scale) as f32
    }
}

impl VolumeTree for Molecule {
    type Volume = Sphere;
    type Shape = Atom;

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn volume(&self, node: Node) -> &Sphere {
        &self.spheres[node as usize]
    }

    fn block(&self, node: Node) -> &[Sphere] {
        &self.spheres[2 * node as usize + 1..2 * node as usize + 3]
    }

    fn shapes(&self, node: Node) -> impl Iterator<Item = (u32, Atom)> {
        let atom = self.atom_of(node);
        std::iter::once((atom as u32, self.atoms[atom]))
    }

    fn shape(&self, id: u32) -> Option<Atom> {
        self.atoms.get(id as usize).copied()
    }

    fn extent(&self) -> f64 {
        self.atoms.iter().fold(0.0, |extent, atom| extent.max(atom.center.length() + atom.radius))
    }
}

impl Geometry for Molecule {
    fn kind(&self) -> &'static str {
        "molecule"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        let root = &self.spheres[0];
        BoundingSphere {
            center: self.frame.center + root.center() / self.frame.scale,
            radius: root.radius() / self.frame.scale,
        }
    }
}

/// A helix of atoms about the z axis.
fn helix(count: u32) -> Molecule {
    let atom = |i: u32| {
        let turn = f64::from(i) * 0.6;
        let center = DVec3::new(turn.cos(), turn.sin(), f64::from(i) * 0.12 - 3.0);
        Atom { center, radius: if i.is_multiple_of(3) { 0.34 } else { 0.25 } }
    };
    Molecule::new((0..count).map(atom).collect())
}

/// A square of side 4 in the plane z = 0, cut into triangles.
fn floor() -> Result<TriMesh> {
    let n = 16;
    let at = |i: u32| f64::from(i) * 4.0 / f64::from(n) - 2.0;
    let vertices = (0..=n).flat_map(|y| (0..=n).map(move |x| DVec3::new(at(x), at(y), 0.0))).collect();
    let id = |x: u32, y: u32| y * (n + 1) + x;
    let quad = |x, y| [[id(x, y), id(x + 1, y), id(x + 1, y + 1)], [id(x, y), id(x + 1, y + 1), id(x, y + 1)]];
    let triangles = (0..n).flat_map(|y| (0..n).flat_map(move |x| quad(x, y))).collect();
    TriMesh::new(vertices, triangles)
}

fn main() -> Result<()> {
    let molecule = helix(50);
    let floor: Mesh<Obb> = Mesh::new(floor()?)?;

    let mut dispatcher = Dispatcher::standard();
    dispatcher.register::<Molecule, Mesh<Obb>>("balls", Trees);
    let plan = dispatcher.plan(&molecule, &floor)?;

    let mut workspace = Workspace::default();
    for z in [-6.0, -4.0, -3.5, 0.0] {
        let pose = Pose::new(DQuat::from_rotation_x(0.2), DVec3::new(0.3, 0.0, z))?;
        let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None)?;
        let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace)?;
        println!("floor at {z:>4}: distance {:.6}, {} contacts", answer.upper, contacts.contacts.len());

        // What it must be: the smallest over all atoms and triangles.
        let b = floor.tri_mesh();
        let brute = molecule.atoms.iter().flat_map(|atom| {
            let gap = |i| atom.center_to(&b.triangle(i).transformed(&pose)).upper - atom.radius;
            (0..b.len() as u32).map(gap)
        });
        let brute = brute.fold(f64::INFINITY, f64::min).max(0.0);
        assert!((answer.upper - brute).abs() < 1e-9, "{} {brute}", answer.upper);
    }
    Ok(())
}
