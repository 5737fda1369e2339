//! The generalised winding number of an open mesh, in which far nodes are dipoles (Barill, Dickson,
//! Schmidt, Levin and Jacobson, "Fast winding numbers for soups and clouds", 2018).
//!
//! A node that is farther away than twice its size counts as one dipole: the sum of its triangles'
//! area vectors at their common centre. The error of that is about 1 % of the node's own share.

use crate::math::DVec3;
use crate::tree::bvh::Bvh;
use crate::volume::Volume;
use crate::{TriMesh, Triangle};
use std::f64::consts::PI;

/// A node counts as a dipole from so many times its radius on.
const FAR: f64 = 2.0;

#[derive(Debug, Clone, Copy)]
struct Dipole {
    center: DVec3,
    /// The sum of the triangles' normals, each as long as the area.
    area: DVec3,
    radius: f64,
    /// The node after this one and all below it.
    end: u32,
    /// The triangles of a leaf.
    first: u32,
    count: u32,
}

/// The nodes of a hierarchy as dipoles, parents before children.
#[derive(Debug, Clone)]
pub(in crate::tree) struct Dipoles {
    nodes: Vec<Dipole>,
    order: Vec<u32>,
}

impl Dipoles {
    /// `repeats` says that a hierarchy has a triangle in several leaves: then there is one node for
    /// all triangles.
    pub(in crate::tree) fn new<V: Volume>(bvh: &Bvh<V>, mesh: &TriMesh, repeats: bool) -> Self {
        let mut dipoles = Self { nodes: Vec::new(), order: bvh.order.clone() };
        if repeats {
            dipoles.order = (0..mesh.len() as u32).collect();
            dipoles.push(mesh, 0, mesh.len() as u32, true);
            dipoles.nodes[0].end = 1;
            return dipoles;
        }
        // A list of open nodes: hierarchies from files may be deep.
        let mut open = vec![(0_u32, None)];
        while let Some((node, done)) = open.pop() {
            if let Some(at) = done {
                let end = dipoles.nodes.len() as u32;
                let dipole: &mut Dipole = &mut dipoles.nodes[at];
                dipole.end = end;
                continue;
            }
            let entry = bvh.nodes[node as usize];
            let at = dipoles.push(mesh, entry.first, entry.count, entry.children == 0);
            open.push((node, Some(at)));
            open.extend((entry.child..entry.child + entry.children).rev().map(|child| (child, None)));
        }
        dipoles
    }

    fn push(&mut self, mesh: &TriMesh, first: u32, count: u32, leaf: bool) -> usize {
        let ids = &self.order[first as usize..(first + count) as usize];
        let (mut center, mut area, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for &id in ids {
            let triangle = mesh.triangle(id);
            let normal = triangle.scaled_normal() * 0.5;
            let size = normal.length() + f64::MIN_POSITIVE;
            center += triangle.centroid() * size;
            weight += size;
            area += normal;
        }
        center /= weight;
        let away = ids.iter().flat_map(|&id| mesh.triangle(id).0).map(|vertex| vertex.distance(center));
        let radius = away.fold(0.0, f64::max);
        self.nodes.push(Dipole { center, area, radius, end: 0, first, count: if leaf { count } else { 0 } });
        self.nodes.len() - 1
    }

    /// The generalised winding number, never NaN.
    pub(in crate::tree) fn winding(&self, mesh: &TriMesh, point: DVec3) -> f64 {
        let (mut at, mut angle) = (0, 0.0);
        while let Some(node) = self.nodes.get(at) {
            let away = node.center - point;
            let distance = away.length();
            if distance > FAR * node.radius {
                angle += node.area.dot(away / distance) / (distance * distance);
                at = node.end as usize;
                continue;
            }
            let ids = &self.order[node.first as usize..(node.first + node.count) as usize];
            angle += ids.iter().map(|&id| solid_angle(&mesh.triangle(id), point)).sum::<f64>();
            at += 1;
        }
        angle / (4.0 * PI)
    }
}

/// The solid angle of a triangle, positive from behind (van Oosterom and Strackee, "The solid angle
/// of a plane triangle", 1983).
fn solid_angle(triangle: &Triangle, point: DVec3) -> f64 {
    let [a, b, c] = triangle.0.map(|vertex| vertex - point);
    let (x, y, z) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let denominator = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    2.0 * volume.atan2(denominator)
}
