//! Writes both formats.

use super::{DEPTH, OctoFormat, OctoLeaf, OctoMap};

pub(super) fn write(map: &OctoMap, format: OctoFormat) -> Vec<u8> {
    let mut nodes = Vec::new();
    let mut count = 0;
    if !map.leaves.is_empty() {
        match format {
            OctoFormat::Binary => binary(&map.leaves, 0, &mut nodes, &mut count),
            OctoFormat::Full => {
                full(&map.leaves, 0, &mut nodes, &mut count);
            }
        }
    }
    let kind = if format == OctoFormat::Binary { " binary" } else { "" };
    let mut bytes = format!(
        "# Octomap OcTree{kind} file\n# (feel free to add / change comments, but leave the first line as it is!)\n#\nid OcTree\nsize {count}\nres {}\ndata\n",
        map.resolution
    )
    .into_bytes();
    bytes.extend(nodes);
    bytes
}

/// Which child of a node of that depth a leaf is in.
fn child_of(leaf: &OctoLeaf, depth: u8) -> usize {
    let half = DEPTH - depth - 1;
    (0..3).map(|axis| usize::from(leaf.key[axis] >> half & 1) << axis).sum()
}

/// The leaves in each child of a node of that depth; a leaf that is the node itself is in all of
/// them.
fn children(leaves: &[OctoLeaf], depth: u8) -> [&[OctoLeaf]; 8] {
    if leaves[0].depth <= depth {
        return [leaves; 8];
    }
    let mut rest = leaves;
    [0, 1, 2, 3, 4, 5, 6, 7].map(|child| {
        let end = rest.partition_point(|leaf| child_of(leaf, depth) <= child);
        let (these, others) = rest.split_at(end);
        rest = others;
        these
    })
}

/// A node of that depth with children. One that is a leaf at the root gets eight, as this format
/// has no other name for it.
fn binary(leaves: &[OctoLeaf], depth: u8, bytes: &mut Vec<u8>, count: &mut u64) {
    *count += 1;
    let is_leaf = |leaves: &[OctoLeaf]| leaves[0].depth <= depth + 1;
    let children = children(leaves, depth);
    let mut record = 0_u16;
    for (child, leaves) in children.iter().enumerate().filter(|(_, leaves)| !leaves.is_empty()) {
        let kind = match is_leaf(leaves) {
            true if leaves[0].is_occupied() => 2,
            true => 1,
            false => 3,
        };
        *count += u64::from(kind != 3);
        record |= kind << (2 * child);
    }
    bytes.extend(record.to_le_bytes());
    for leaves in children.into_iter().filter(|leaves| !leaves.is_empty() && !is_leaf(leaves)) {
        binary(leaves, depth + 1, bytes, count);
    }
}

/// A node of that depth; its log-odds: the largest of its children's.
fn full(leaves: &[OctoLeaf], depth: u8, bytes: &mut Vec<u8>, count: &mut u64) -> f32 {
    *count += 1;
    let start = bytes.len();
    bytes.extend([0; 5]);
    let mut value = leaves[0].log_odds;
    if leaves[0].depth > depth {
        value = f32::NEG_INFINITY;
        for (child, leaves) in children(leaves, depth).into_iter().enumerate() {
            if !leaves.is_empty() {
                bytes[start + 4] |= 1 << child;
                value = value.max(full(leaves, depth + 1, bytes, count));
            }
        }
    }
    bytes[start..start + 4].copy_from_slice(&value.to_le_bytes());
    value
}
