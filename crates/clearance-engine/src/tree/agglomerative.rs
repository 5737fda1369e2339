//! Agglomerative (bottom-up) BVH construction: mutual nearest clusters merge until one is left.
//!
//! Clusters stand in the order of a space-filling curve, and each searches its nearest among some
//! neighbours in that order only (Meister and Bittner, *Parallel locally-ordered clustering for
//! bounding volume hierarchy construction*, 2018). Near means: the box around both has a short
//! diagonal. Cost: O(n) comparisons times [`NEIGHBOURS`] per level.

use super::build::BuildOptions;
use super::bvh::BvhNode;
use crate::Triangle;
use crate::math::DVec3;

/// The number of clusters on either side that a cluster compares itself with.
const NEIGHBOURS: usize = 16;

/// Cells of the curve along each axis: 2 to this power.
const CURVE_BITS: u32 = 21;

/// A set of pieces: a single one, or two merged clusters.
#[derive(Clone, Copy)]
struct Cluster {
    low: DVec3,
    high: DVec3,
    /// Pieces come first, then merged clusters in the order of their merges.
    id: u32,
}

impl Cluster {
    fn with(&self, other: &Self, id: u32) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), id }
    }

    /// The distance of two clusters, the same for either order.
    fn cost(&self, other: &Self) -> f64 {
        self.low.min(other.low).distance_squared(self.high.max(other.high))
    }
}

/// Two clusters that merged into one of `count` pieces.
struct Merge {
    parts: [u32; 2],
    count: u32,
}

/// Builds the nodes in breadth-first order and the permutation of the pieces that their ranges
/// refer to; coordinates are within [-1, 1].
pub(super) fn agglomerate(pieces: &[Triangle], options: &BuildOptions) -> (Vec<BvhNode>, Vec<u32>) {
    let count_of = |merges: &[Merge], id: u32| match (id as usize).checked_sub(pieces.len()) {
        None => 1,
        Some(merge) => merges[merge].count,
    };
    let mut clusters = along_curve(pieces);
    let mut merges: Vec<Merge> = Vec::with_capacity(pieces.len());
    let mut nearest = Vec::new();
    while clusters.len() > 1 {
        nearest.clear();
        nearest.extend((0..clusters.len()).map(|i| nearest_to(&clusters, i)));
        // The nearest pair of all is mutual, the first such pair at least, so that every round
        // merges something.
        let mut next = Vec::with_capacity(clusters.len());
        for (i, cluster) in clusters.iter().enumerate() {
            let j = nearest[i];
            if nearest[j] != i {
                next.push(*cluster);
            } else if i < j {
                let other = &clusters[j];
                next.push(cluster.with(other, (pieces.len() + merges.len()) as u32));
                let count = count_of(&merges, cluster.id) + count_of(&merges, other.id);
                merges.push(Merge { parts: [cluster.id, other.id], count });
            }
        }
        clusters = next;
    }
    lay_out(pieces.len(), &merges, options)
}

/// The pieces as clusters, in the order of a Morton curve through the centres of their boxes.
fn along_curve(pieces: &[Triangle]) -> Vec<Cluster> {
    let cluster = |(id, piece): (usize, &Triangle)| {
        let [a, b, c] = piece.0;
        Cluster { low: a.min(b).min(c), high: a.max(b).max(c), id: id as u32 }
    };
    let mut clusters: Vec<Cluster> = pieces.iter().enumerate().map(cluster).collect();
    let cells = f64::from(1_u32 << (CURVE_BITS - 1));
    let code = |cluster: &Cluster| {
        let cell = ((cluster.low + cluster.high) * 0.5 + DVec3::ONE) * cells;
        cell.to_array().iter().enumerate().fold(0, |code, (axis, x)| code | spread(*x as u64) << axis)
    };
    clusters.sort_by_cached_key(|cluster| (code(cluster), cluster.id));
    clusters
}

/// The lowest [`CURVE_BITS`] bits, two zeros after each.
fn spread(x: u64) -> u64 {
    let x = x.min((1 << CURVE_BITS) - 1);
    (0..CURVE_BITS).fold(0, |spread, bit| spread | (x >> bit & 1) << (3 * bit))
}

/// The neighbour whose box with cluster `i` has the shortest diagonal, the first of several.
fn nearest_to(clusters: &[Cluster], i: usize) -> usize {
    let neighbours = i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(clusters.len());
    let (mut nearest, mut least) = (i, f64::INFINITY);
    for j in neighbours.filter(|&j| j != i) {
        let cost = clusters[i].cost(&clusters[j]);
        if cost < least {
            (nearest, least) = (j, cost);
        }
    }
    nearest
}

/// Turns the merges into nodes with up to `arity` children, and leaves of up to `leaf` pieces.
fn lay_out(pieces: usize, merges: &[Merge], options: &BuildOptions) -> (Vec<BvhNode>, Vec<u32>) {
    let merge = |id: u32| (id as usize).checked_sub(pieces).map(|merge| &merges[merge]);
    let count = |id: u32| merge(id).map_or(1, |merge| merge.count);
    let root = (pieces + merges.len() - 1) as u32;
    let mut nodes = vec![BvhNode { first: 0, count: count(root), child: 0, children: 0 }];
    let mut ids = vec![root];
    let mut order = vec![0; pieces];
    for at in 0.. {
        let Some(&id) = ids.get(at) else { break };
        let first = nodes[at].first;
        let mut parts = vec![id];
        // A leaf opens down to its pieces, a node as far as it may have children: always its most
        // populous part.
        let is_leaf = count(id) as usize <= options.leaf;
        let (most, least) = if is_leaf { (options.leaf, 1) } else { (options.arity, options.leaf) };
        while parts.len() < most {
            let largest = parts.iter().enumerate().filter(|(_, part)| count(**part) as usize > least);
            let Some((i, part)) = largest.max_by_key(|(i, part)| (count(**part), usize::MAX - i)) else { break };
            let Some(merge) = merge(*part) else { break };
            parts.splice(i..=i, merge.parts);
        }
        if is_leaf {
            order[first as usize..first as usize + parts.len()].copy_from_slice(&parts);
            continue;
        }
        nodes[at].child = nodes.len() as u32;
        nodes[at].children = parts.len() as u32;
        let mut start = first;
        for part in parts {
            nodes.push(BvhNode { first: start, count: count(part), child: 0, children: 0 });
            ids.push(part);
            start += count(part);
        }
    }
    (nodes, order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::Random;

    #[test]
    fn two_heaps_that_lie_apart_are_parted_at_the_root() {
        let mut random = Random(81);
        let heap = |at: f64, random: &mut Random| Triangle([0; 3].map(|_| DVec3::X * at + random.vector() * 0.2));
        let pieces: Vec<Triangle> = (0..60).map(|i| heap(if i % 3 == 0 { 0.7 } else { -0.7 }, &mut random)).collect();
        let (nodes, order) = agglomerate(&pieces, &BuildOptions::default());
        let child = nodes[nodes[0].child as usize];
        let first = &order[child.first as usize..(child.first + child.count) as usize];
        assert!(first.len() == 20 || first.len() == 40, "{}", first.len());
        assert!(first.iter().all(|id| (id % 3 == 0) == (first[0] % 3 == 0)));
    }

    #[test]
    fn pieces_that_coincide_come_together_too() {
        let pieces = [Triangle([DVec3::ONE; 3]); 50];
        let (nodes, mut order) = agglomerate(&pieces, &BuildOptions { arity: 3, leaf: 4, ..BuildOptions::default() });
        order.sort_unstable();
        assert!(order.into_iter().eq(0..50));
        assert!(nodes.iter().all(|node| node.children <= 3 && (node.children > 0) == (node.count > 4)));
    }
}
