//! Median split, the fastest construction of [`Bvh8`](super::Bvh8): in equal parts, up to the
//! capacity, along the longest side of the box around the centroids.
//!
//! Orders along space-filling curves take half the time, and their trees twice the tests (Hilbert)
//! or thrice (Morton). Cost: per level of nodes three selections among records of 16 bytes.

use super::bvh8::WIDTH;
use super::moment_split::{half, split_into_eight};
use crate::TriMesh;
use crate::math::{DVec3, Frame};
use std::ops::Range;

/// A triangle's centroid in a grid of 2³² cells each way over the frame of stored coordinates.
pub(super) type Place = [u32; 3];

/// The place of every triangle.
pub(super) fn places(mesh: &TriMesh) -> Vec<Place> {
    let (low, high) = mesh.bounding_box();
    let frame = Frame::around(low, high);
    let place = |id| {
        let cell = (frame.store(mesh.triangle(id).centroid()) + DVec3::ONE) * f64::from(1_u32 << 31);
        cell.to_array().map(|x| x as u32)
    };
    (0..mesh.len() as u32).map(place).collect()
}

#[derive(Clone, Copy)]
struct Record {
    place: Place,
    id: u32,
}

/// Splits a node's triangles into up to eight parts of up to `capacity`; into none, a leaf, if that
/// is less than eight.
pub(super) fn median_split(ids: &mut [u32], capacity: usize, places: &[Place]) -> Vec<Range<usize>> {
    if capacity < WIDTH {
        return Vec::new();
    }
    let mut records: Vec<Record> = ids.iter().map(|&id| Record { place: places[id as usize], id }).collect();
    let parts = split_into_eight(&mut records, capacity, |records| {
        let axis = longest(records);
        let first = half(records.len(), capacity);
        records.select_nth_unstable_by_key(first, |record| u64::from(record.place[axis]) << 32 | u64::from(record.id));
        first
    });
    for (id, record) in ids.iter_mut().zip(&records) {
        *id = record.id;
    }
    parts
}

/// The axis along which the places differ most.
fn longest(records: &[Record]) -> usize {
    let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
    for Record { place, .. } in records {
        for k in 0..3 {
            low[k] = low[k].min(place[k]);
            high[k] = high[k].max(place[k]);
        }
    }
    (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_full_and_lie_apart_along_a_line() {
        let places: Vec<Place> = (0..100_u32).map(|i| [7, i * 37 % 100 * 1000, i % 3]).collect();
        let mut ids: Vec<u32> = (0..100).collect();
        let parts = median_split(&mut ids, 64, &places);
        assert_eq!(parts.iter().map(Range::len).collect::<Vec<_>>(), [64, 36]);
        let far = |part: &Range<usize>| ids[part.clone()].iter().map(|&id| places[id as usize][1]).collect::<Vec<_>>();
        assert!(far(&parts[0]).iter().max() < far(&parts[1]).iter().min());
    }
}
