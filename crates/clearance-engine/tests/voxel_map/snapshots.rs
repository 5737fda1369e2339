//! Snapshots stay as they were while the map changes.

use crate::random::Random;
use crate::{KINDS, map_with};
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Cells, SensorModel, VoxelSnapshot};
use std::sync::mpsc::sync_channel;

#[test]
fn a_snapshot_equals_the_map_at_its_time_whatever_follows() {
    let mut random = Random(21);
    let mut map = map_with(Cell::Free);
    let mut kept: Vec<(VoxelSnapshot, Vec<_>)> = Vec::new();
    for round in 0..20 {
        for _ in 0..3000 {
            map.set(random.cell(60), KINDS[random.below(3)]).unwrap();
        }
        let points: Vec<DVec3> =
            (0..50).map(|_| DVec3::from_array([0; 3].map(|_| random.between(-3.0, 3.0)))).collect();
        map.insert_rays(DVec3::ZERO, &points, &SensorModel::default()).unwrap();
        if round % 7 == 3 {
            map.clear();
        }
        let snapshot = map.snapshot();
        assert!(*snapshot == *map);
        kept.push((snapshot, map.contents().collect()));
    }
    for (snapshot, contents) in &kept {
        snapshot.check().unwrap();
        assert!(snapshot.contents().eq(contents.iter().copied()));
    }
    map.check().unwrap();
}

/// The writer only ever leaves 8 obstacles or none: a reader that sees anything else has seen half
/// a change.
#[test]
fn threads_that_read_snapshots_see_whole_changes_only() {
    let mut map = map_with(Cell::Free);
    let (sender, receiver) = sync_channel::<VoxelSnapshot>(4);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut random = Random(31);
            for round in 0..400 {
                let corner = random.cell(400);
                map.fill(corner, corner + IVec3::splat(1), Cell::Obstacle).unwrap();
                if round % 2 == 0 {
                    sender.send(map.snapshot()).unwrap();
                }
                map.fill(corner, corner + IVec3::splat(1), Cell::Free).unwrap();
                if round % 3 == 0 {
                    sender.send(map.snapshot()).unwrap();
                }
            }
        });
        let mut seen = [0; 2];
        for snapshot in receiver {
            snapshot.check().unwrap();
            let count = snapshot.view(Cells::OBSTACLE).unwrap().count();
            assert!(count == 0 || count == 8, "{count} obstacles");
            seen[usize::from(count == 8)] += 1;
        }
        assert_eq!(seen, [134, 200]);
    });
}
