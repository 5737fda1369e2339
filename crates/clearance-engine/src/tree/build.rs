//! Top-down BVH construction, level by level: the result is the same for any number of threads.
//!
//! A split cuts a range at the mean of its centroids along their principal axis (as in PQP). A node
//! with more than two children splits repeatedly, its most populous part first. Cost: O(n log n)
//! splits plus one fit per node.

use super::bvh::{Bvh, BvhNode};
use super::{MAX_CHILDREN, next_revision};
use crate::math::{DMat3, DVec3, Frame, symmetric_eigenvectors};
use crate::volume::Volume;
use crate::{Error, ErrorKind, Result, TriMesh};
use std::ops::Range;

/// Options for building a bounding volume hierarchy.
///
/// ```
/// use clearance_engine::tree::BuildOptions;
/// let options = BuildOptions { arity: 2, ..BuildOptions::default() };
/// assert!(!options.parallel);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// The maximum number of children of a node: 2 to [`MAX_CHILDREN`].
    pub arity: usize,
    /// The maximum number of triangles of a leaf, at least 1.
    pub leaf: usize,
    /// The effort for tight volumes; only [`Bvh8`](super::Bvh8) uses it.
    pub quality: Quality,
    /// Whether to use several threads (needs the feature `parallel`; the result is the same).
    pub parallel: bool,
}

/// The trade-off between build time and query time of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Quality {
    /// The shortest build time, for geometries with a few queries only.
    Fast,
    /// The balance that pays after some thousand queries.
    #[default]
    Default,
    /// The fewest tests per query, at any build time.
    Best,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { arity: 2, leaf: 1, quality: Quality::Default, parallel: false }
    }
}

impl BuildOptions {
    pub(super) fn check(&self) -> Result<()> {
        if !(2..=MAX_CHILDREN).contains(&self.arity) {
            let message = format!("the arity of a hierarchy must be between 2 and {MAX_CHILDREN}, not {}", self.arity);
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        if self.leaf == 0 {
            return Err(Error::new(ErrorKind::BadRequest, "a leaf must hold at least one triangle"));
        }
        Ok(())
    }
}

impl<V: Volume> Bvh<V> {
    /// Builds a hierarchy over `mesh` by splits at the mean.
    pub(super) fn build_top_down(mesh: &TriMesh, options: &BuildOptions, fit_options: V::Fit) -> Result<Self> {
        options.check()?;
        let centroids = centroids(mesh);
        let (nodes, order) = partition(mesh.len(), options.parallel, |_, ids| split_node(ids, &centroids, options));
        Ok(Self::over(mesh, nodes, order, fit_options, options.parallel))
    }

    /// Fits volumes to the nodes of a partition.
    pub(super) fn over(
        mesh: &TriMesh,
        nodes: Vec<BvhNode>,
        order: Vec<u32>,
        fit_options: V::Fit,
        parallel: bool,
    ) -> Self {
        let (low, high) = mesh.bounding_box();
        let mut bvh = Self {
            frame: Frame::around(low, high),
            nodes,
            volumes: Vec::new(),
            sizes: Vec::new(),
            order,
            fit_options,
            revision: next_revision(),
        };
        bvh.fit_volumes(mesh, parallel);
        bvh
    }
}

/// `items.map(f)`, on several threads if `parallel`.
pub(super) fn map<T: Sync, R: Send>(items: &[T], parallel: bool, f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        return items.par_iter().map(f).collect();
    }
    let _ = parallel;
    items.iter().map(f).collect()
}

/// The centroid of every triangle.
pub(super) fn centroids(mesh: &TriMesh) -> Vec<DVec3> {
    (0..mesh.len() as u32).map(|i| mesh.triangle(i).centroid()).collect()
}

/// Builds the nodes in breadth-first order and the permutation of `count` triangles that their
/// ranges refer to.
///
/// `split` gets the triangles of a node and its depth. It permutes them so that the parts it
/// returns are contiguous; no parts make a leaf.
pub(super) fn partition(
    count: usize,
    parallel: bool,
    split: impl Fn(usize, &mut [u32]) -> Vec<Range<usize>> + Sync,
) -> (Vec<BvhNode>, Vec<u32>) {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut nodes = vec![BvhNode { first: 0, count: count as u32, child: 0, children: 0 }];
    let (mut level, mut depth) = (0..1, 0);
    while !level.is_empty() {
        let parts = split_level(&nodes[level.clone()], &mut order, parallel, &|ids: &mut [u32]| split(depth, ids));
        let next = nodes.len();
        for (index, parts) in level.zip(parts) {
            if parts.is_empty() {
                continue;
            }
            nodes[index].child = nodes.len() as u32;
            nodes[index].children = parts.len() as u32;
            let start = nodes[index].first as usize;
            nodes.extend(parts.into_iter().map(|part| BvhNode {
                first: (start + part.start) as u32,
                count: part.len() as u32,
                child: 0,
                children: 0,
            }));
        }
        (level, depth) = (next..nodes.len(), depth + 1);
    }
    nodes.shrink_to_fit();
    (nodes, order)
}

/// The parts of each node of one level, relative to the node's own range.
fn split_level(
    level: &[BvhNode],
    order: &mut [u32],
    parallel: bool,
    split: &(impl Fn(&mut [u32]) -> Vec<Range<usize>> + Sync),
) -> Vec<Vec<Range<usize>>> {
    // The ranges of a level ascend and are disjoint, but leaves of upper levels leave holes between
    // them.
    let mut slices = Vec::with_capacity(level.len());
    let mut rest = order;
    let mut passed = 0;
    for node in level {
        let (_, tail) = std::mem::take(&mut rest).split_at_mut(node.first as usize - passed);
        let (slice, tail) = tail.split_at_mut(node.count as usize);
        passed = (node.first + node.count) as usize;
        slices.push(slice);
        rest = tail;
    }
    #[cfg(feature = "parallel")]
    if parallel {
        use rayon::prelude::*;
        return slices.into_par_iter().map(split).collect();
    }
    let _ = parallel;
    slices.into_iter().map(split).collect()
}

/// Splits `ids` into up to `arity` parts, always the most populous one that is not yet a leaf.
/// Returns no parts if `ids` fit into one leaf.
pub(super) fn split_node(ids: &mut [u32], centroids: &[DVec3], options: &BuildOptions) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = std::iter::once(0..ids.len()).collect();
    while parts.len() < options.arity {
        let Some((i, part)) = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.len() > options.leaf)
            .max_by_key(|(i, part)| (part.len(), usize::MAX - i))
            .map(|(i, part)| (i, part.clone()))
        else {
            break;
        };
        let middle = part.start + split(&mut ids[part.clone()], centroids);
        parts[i] = part.start..middle;
        parts.insert(i + 1, middle..part.end);
    }
    if parts.len() == 1 {
        parts.clear();
    }
    parts
}

/// Permutes `ids` (at least two) so that the part below the mean on the principal axis comes first,
/// and returns its length.
fn split(ids: &mut [u32], centroids: &[DVec3]) -> usize {
    let point = |id: u32| centroids[id as usize];
    let origin = point(ids[0]);
    let count = ids.len() as f64;
    let mean = ids.iter().fold(DVec3::ZERO, |sum, &id| sum + (point(id) - origin)) / count;
    let covariance = ids.iter().fold(DMat3::ZERO, |sum, &id| {
        let d = point(id) - origin - mean;
        sum + DMat3::from_cols(d * d.x, d * d.y, d * d.z)
    });
    let axis = symmetric_eigenvectors(covariance).x_axis;
    let key = |id: u32| axis.dot(point(id) - origin - mean);
    let below = partition_in_place(ids, |&id| key(id) < 0.0);
    // All centroids are on one side (they coincide, or rounding): equal halves are as good as
    // anything, and terminate.
    if below == 0 || below == ids.len() { ids.len() / 2 } else { below }
}

/// Moves the items that satisfy `first` to the front, keeping both groups in order; returns their
/// number.
fn partition_in_place(ids: &mut [u32], first: impl Fn(&u32) -> bool) -> usize {
    let (front, back): (Vec<u32>, Vec<u32>) = ids.iter().partition(|id| first(id));
    ids[..front.len()].copy_from_slice(&front);
    ids[front.len()..].copy_from_slice(&back);
    front.len()
}
