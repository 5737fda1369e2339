//! Points in the order of the Morton curve (LBVH), and the split of their tree by the bits of the
//! curve.
//!
//! A split falls where the highest bit that differs within a range changes (Lauterbach et al.,
//! *Fast BVH construction on GPUs*, 2009): in the middle of a cell, so that no part reaches across
//! a gap. Equal numbers of points on both sides fill leaves and nodes best, but leave a few leaves
//! across gaps. Every search near to them pays: 6 times the time of a mesh against a scanned room.
//! A node takes up to eight of these parts and splits the most populous one first; leaves are full
//! to two thirds. Cost: six passes of a radix sort and one binary search a split.

use super::bvh::BvhNode;
use super::bvh8::WIDTH;
use crate::math::{DVec3, Frame};
use std::ops::Range;

/// Bits of a code for each coordinate.
const BITS: u32 = 21;
/// Bits of a radix digit.
const DIGIT: u32 = 11;

/// The place of a point along the curve, and its number.
#[derive(Debug, Clone, Copy, Default)]
struct Coded {
    code: u64,
    id: u32,
}

/// Builds the nodes in breadth-first order and the permutation of the points that their ranges
/// refer to.
pub(super) fn partition_points(points: &[DVec3], frame: &Frame) -> (Vec<BvhNode>, Vec<u32>) {
    let coded = sorted(points.iter().enumerate().map(|(id, &point)| Coded { code: code(frame, point), id: id as u32 }));
    let mut nodes = Vec::with_capacity(points.len() / 4 + 1);
    nodes.push(BvhNode { first: 0, count: points.len() as u32, child: 0, children: 0 });
    let mut next = 0;
    while next < nodes.len() {
        let BvhNode { first, count, .. } = nodes[next];
        if count as usize > WIDTH {
            let mut parts = [const { 0..0 }; WIDTH];
            let children = split_node(&coded, first as usize..(first + count) as usize, &mut parts);
            nodes[next].child = nodes.len() as u32;
            nodes[next].children = children as u32;
            nodes.extend(parts[..children].iter().map(|part| BvhNode {
                first: part.start as u32,
                count: part.len() as u32,
                child: 0,
                children: 0,
            }));
        }
        next += 1;
    }
    (nodes, coded.iter().map(|coded| coded.id).collect())
}

/// The numbers of points in the order of the curve, as far as 33 of its 63 bits tell.
pub(crate) fn morton_order(points: &[DVec3]) -> Vec<u32> {
    let grown = |(low, high): (DVec3, DVec3), &point: &DVec3| (low.min(point), high.max(point));
    let (low, high) = points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), grown);
    if points.is_empty() {
        return Vec::new();
    }
    let frame = Frame::around(low, high);
    let place = |point: DVec3| code(&frame, point) >> (3 * BITS - 3 * DIGIT);
    let coded = points.iter().enumerate().map(|(id, &point)| Coded { code: place(point), id: id as u32 });
    sorted(coded).iter().map(|coded| coded.id).collect()
}

/// Splits a range into up to eight parts, always the most populous one that is not yet a leaf.
fn split_node(coded: &[Coded], range: Range<usize>, parts: &mut [Range<usize>; WIDTH]) -> usize {
    parts[0] = range;
    let mut count = 1;
    while count < WIDTH {
        let (largest, size) =
            (0..count).map(|i| (i, parts[i].len())).fold((0, 0), |a, b| if b.1 > a.1 { b } else { a });
        if size <= WIDTH {
            break;
        }
        let part = parts[largest].clone();
        let middle = part.start + split(&coded[part.clone()]);
        parts[largest] = part.start..middle;
        parts[count] = middle..part.end;
        count += 1;
    }
    count
}

/// The number of codes, of at least two sorted ones, without the highest bit in which they differ.
fn split(coded: &[Coded]) -> usize {
    let differing = coded[0].code ^ coded[coded.len() - 1].code;
    // All are at one place: equal halves are as good as anything.
    let Some(bit) = differing.checked_ilog2() else { return coded.len() / 2 };
    coded.partition_point(|coded| coded.code >> bit & 1 == 0)
}

/// The place of a point along the curve: bits of x, y and z in turn, the highest first.
#[inline]
fn code(frame: &Frame, point: DVec3) -> u64 {
    let cell = (frame.store(point) + DVec3::ONE) * f64::from(1_u32 << (BITS - 1));
    let [x, y, z] = cell.to_array().map(|x| spread(x as u64));
    x << 2 | y << 1 | z
}

/// The low 21 bits, two zeros between each and the next.
#[inline]
fn spread(x: u64) -> u64 {
    let mut x = x.min((1 << BITS) - 1);
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Sorts by code, equal ones by number: a radix sort from the lowest digit on, without the digits
/// that are all the same.
fn sorted(coded: impl Iterator<Item = Coded>) -> Vec<Coded> {
    const PASSES: usize = (3 * BITS).div_ceil(DIGIT) as usize;
    const SIZE: usize = 1 << DIGIT;
    let digit = |code: u64, pass: usize| (code >> (pass as u32 * DIGIT)) as usize & (SIZE - 1);
    let mut from: Vec<Coded> = coded.collect();
    let mut to = vec![Coded::default(); from.len()];
    let mut counts = vec![[0_u32; SIZE]; PASSES];
    for coded in &from {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(coded.code, pass)] += 1;
        }
    }
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts.iter().any(|&count| count as usize == from.len()) {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        for coded in &from {
            let place = &mut counts[digit(coded.code, pass)];
            to[*place as usize] = *coded;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn points_are_sorted_along_the_curve_and_equal_ones_by_number() {
        let mut random = Random(3);
        let mut coded: Vec<Coded> = (0..5000)
            .map(|id| Coded { code: random.bits() >> 1 & !(0x7ff << 22) | (id as u64 & 1) << 40, id })
            .collect();
        (0..500).for_each(|i| coded[i].code = coded[4999 - i].code);
        let found: Vec<(u64, u32)> = sorted(coded.iter().copied()).iter().map(|coded| (coded.code, coded.id)).collect();
        let mut expected: Vec<(u64, u32)> = coded.iter().map(|coded| (coded.code, coded.id)).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn bits_of_coordinates_alternate() {
        assert_eq!(spread(0b1011), 0b1_000_001_001);
        assert_eq!(spread((1 << 21) - 1).count_ones(), 21);
        let frame = Frame { center: DVec3::ZERO, scale: 1.0 };
        assert_eq!(code(&frame, DVec3::splat(-1.0)), 0);
        assert_eq!(code(&frame, DVec3::splat(1.0)), (1 << 63) - 1);
        assert_eq!(code(&frame, DVec3::new(0.0, -1.0, -1.0)), 1 << 62);
    }

    #[test]
    fn every_point_is_in_one_leaf_and_no_leaf_reaches_across_a_gap() {
        let mut random = Random(4);
        let point = |i: usize, x: f64, y: f64, z: f64| {
            DVec3::new(0.2 * x, 0.2 * y, 0.2 * z) + if i.is_multiple_of(3) { 0.75 } else { -0.75 }
        };
        let points: Vec<DVec3> =
            (0..3001).map(|i| point(i, random.signed(), random.signed(), random.signed())).collect();
        let (nodes, order) = partition_points(&points, &Frame { center: DVec3::ZERO, scale: 1.0 });
        let mut seen = order.clone();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..3001));
        let mut covered = 0;
        for node in nodes.iter().filter(|node| node.children == 0) {
            covered += node.count;
            let ids = &order[node.first as usize..(node.first + node.count) as usize];
            assert!((1..=WIDTH).contains(&ids.len()));
            assert!(ids.iter().all(|id| points[*id as usize].x.signum() == points[ids[0] as usize].x.signum()));
        }
        assert_eq!(covered, 3001);
    }
}
