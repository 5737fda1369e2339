//! Validation of hierarchies, for tests and for hierarchies from a file.

use super::MAX_CHILDREN;
use super::bvh::Bvh;
use crate::math::DVec3;
use crate::volume::Volume;
use crate::{Error, ErrorKind, Result, TriMesh, Triangle};

/// The rounding error of one comparison of support values, in the stored frame where everything is
/// below 2.
const SLACK: f64 = 1e-14;

impl<V: Volume> Bvh<V> {
    pub(super) fn validate(&self, mesh: &TriMesh) -> Result<()> {
        self.validate_structure(&self.order, mesh.len())?;
        self.validate_volumes(&self.stored_triangles(mesh))
    }

    /// Checks that the nodes form a tree over `order`, a permutation of `count` numbers.
    pub(super) fn validate_structure(&self, order: &[u32], count: usize) -> Result<()> {
        if self.volumes.len() != self.nodes.len() {
            return bad(format!("{} nodes, but {} volumes", self.nodes.len(), self.volumes.len()));
        }
        let mut seen = vec![false; count];
        for &id in order {
            match seen.get_mut(id as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return bad(format!("triangle {id} is in the hierarchy twice or does not exist")),
            }
        }
        if let Some(id) = seen.iter().position(|seen| !seen) {
            return bad(format!("triangle {id} is not in the hierarchy"));
        }
        match self.nodes.first() {
            Some(root) if root.first == 0 && root.count as usize == count => {}
            _ => return bad("the root does not cover all triangles".into()),
        }
        let mut next_child = 1;
        for (i, node) in self.nodes.iter().enumerate() {
            if i >= next_child {
                return bad(format!("node {i} has no parent before it"));
            }
            if node.count == 0 {
                return bad(format!("node {i} covers no triangle"));
            }
            if node.children == 0 {
                continue;
            }
            let children = node.child as usize..node.child as usize + node.children as usize;
            if node.child as usize != next_child
                || !(1..=MAX_CHILDREN).contains(&children.len())
                || children.end > self.nodes.len()
            {
                return bad(format!("node {i} has its children at {children:?}"));
            }
            next_child = children.end;
            let mut first = node.first;
            for child in &self.nodes[children] {
                if child.first != first {
                    return bad(format!("the children of node {i} leave out or repeat triangle position {first}"));
                }
                first = first.saturating_add(child.count);
            }
            if first != node.first + node.count {
                return bad(format!("the children of node {i} do not cover it"));
            }
        }
        if next_child != self.nodes.len() {
            return bad(format!("node {next_child} has no parent"));
        }
        Ok(())
    }

    /// Checks that every volume contains the triangles of its range; `triangles` are in stored
    /// coordinates.
    pub(super) fn validate_volumes(&self, triangles: &[Triangle]) -> Result<()> {
        for (i, (node, volume)) in self.nodes.iter().zip(&self.volumes).enumerate() {
            let mut directions = volume.axes();
            directions.extend([DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::new(1.0, -1.0, 0.5)]);
            let center = volume.center();
            for triangle in &triangles[node.first as usize..(node.first + node.count) as usize] {
                for vertex in triangle.0 {
                    let outside = |direction: DVec3| {
                        let beyond = direction.dot(vertex) - volume.support(direction);
                        beyond.is_nan() || beyond > SLACK * 4.0
                    };
                    let outward = vertex - center;
                    if outside(outward) || directions.iter().any(|&d| outside(d) || outside(-d)) {
                        return bad(format!("the {} of node {i} does not contain the vertex {vertex}", V::NAME));
                    }
                }
            }
        }
        Ok(())
    }
}

fn bad<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::BadData, message))
}
