//! What the reader of OctoMap files owes its caller: an octree that is the same when it is written
//! and read again and as a voxel map, or a one-line error.

use crate::{bounded, check_message};
use clearance_engine::tree::voxel_map::Cell;
use clearance_io::{Keep, OctoFormat, OctoMap, read_octomap, write_octomap};

/// Reads `bytes` and panics if the answer breaks a promise.
pub fn check(bytes: &[u8]) {
    let octomap = match bounded(bytes, || read_octomap(bytes)) {
        Ok(octomap) => octomap,
        Err(error) => return check_message(&error.to_string()),
    };
    assert!(octomap.leaves().iter().all(|leaf| leaf.log_odds.is_finite() && octomap.center(leaf).is_finite()));
    assert!(read_octomap(&write_octomap(&octomap, OctoFormat::Full)).is_ok_and(|again| again == octomap));
    let binary = read_octomap(&write_octomap(&octomap, OctoFormat::Binary)).expect("what was written is right");
    for background in [Cell::Free, Cell::Unknown] {
        let Ok(map) = bounded(bytes, || octomap.to_voxel_map(background, Keep::Kinds)) else { return };
        map.check().expect("the hierarchy is in order");
        let measured = bounded(bytes, || octomap.to_voxel_map(background, Keep::Probabilities)).expect("as before");
        measured.check().expect("the hierarchy is in order");
        // Rounded to 16 bits, leaves stay what they are: the second way there and back changes
        // nothing.
        let there = OctoMap::from_voxel_map(&measured, Keep::Probabilities).expect("the cells are those of an octree");
        assert!(there.leaves().len() <= octomap.leaves().len());
        let again = there.to_voxel_map(background, Keep::Probabilities).expect("as before");
        assert!(*again == *measured, "probabilities change on their way");
        let again = OctoMap::from_voxel_map(&map, Keep::Kinds).expect("the cells are those of an octree");
        // Leaves may have been merged: the cells are the same.
        let cells = |octomap: &OctoMap| octomap.occupied().map(|leaf| u128::from(leaf.side()).pow(3)).sum::<u128>();
        assert_eq!(cells(&again), cells(&binary));
    }
}
