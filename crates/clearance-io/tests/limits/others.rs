//! Octrees and tables.

use crate::bounded;
use clearance_engine::tree::voxel_map::Cell;
use clearance_io::{ErrorKind, Keep, OctoFormat, OctoMap, read_octomap, read_table, write_octomap};

/// An `.ot` file with six leaves of that depth, each of (2^(16 − depth))³ cells.
fn six_large_leaves(depth: u8) -> Vec<u8> {
    let mut file = format!("# Octomap OcTree file\nid OcTree\nsize {}\nres 0.1\ndata\n", depth + 6).into_bytes();
    for above in 1..=depth {
        file.extend(0.5_f32.to_le_bytes());
        file.push(if above == depth { 0b0011_1111 } else { 1 });
    }
    for i in 0..6_u8 {
        file.extend((f32::from(i) * 0.7 - 1.6).to_le_bytes());
        file.push(0);
    }
    file
}

#[test]
fn large_leaves_with_probabilities_stay_large() {
    for (depth, background) in [(1, Cell::Free), (1, Cell::Unknown), (8, Cell::Free), (8, Cell::Unknown)] {
        let file = six_large_leaves(depth);
        let octomap = read_octomap(&file).unwrap();
        let map =
            bounded("six leaves", file.len(), 1000, || octomap.to_voxel_map(background, Keep::Probabilities)).unwrap();
        map.check().unwrap();
        assert!(map.memory() < 100_000, "{} bytes", map.memory());
        // There and back: as log-odds within what 16 bits hold, as kinds to the last leaf.
        let again = OctoMap::from_voxel_map(&map, Keep::Probabilities).unwrap();
        assert_eq!(again.leaves().len(), 6);
        for (a, b) in octomap.leaves().iter().zip(again.leaves()) {
            assert_eq!((a.key, a.depth), (b.key, b.depth));
            assert!((a.log_odds - b.log_odds).abs() < 1e-3, "{a:?} {b:?}");
        }
        let written = write_octomap(&again, OctoFormat::Binary);
        let kinds = |octomap: &OctoMap| octomap.leaves().iter().map(|leaf| leaf.is_occupied()).collect::<Vec<_>>();
        assert_eq!(kinds(&read_octomap(&written).unwrap()), kinds(&octomap));
        let full = read_octomap(&write_octomap(&again, OctoFormat::Full)).unwrap();
        let map_again = full.to_voxel_map(background, Keep::Probabilities).unwrap();
        assert!(*map_again == *map, "the second way there and back changes nothing");
    }
}

/// Found by fuzzing: one half for either kind was rounded up twice, and once on the way back.
#[test]
fn even_odds_stay_what_they_are_on_their_way_there_and_back() {
    let mut file = b"# Octomap OcTree file\nid OcTree\nsize 1\nres 0.1\ndata\n".to_vec();
    file.extend([0; 5]);
    let map = read_octomap(&file).unwrap().to_voxel_map(Cell::Unknown, Keep::Probabilities).unwrap();
    let there = OctoMap::from_voxel_map(&map, Keep::Probabilities).unwrap();
    assert!(*there.to_voxel_map(Cell::Unknown, Keep::Probabilities).unwrap() == *map);
}

#[test]
fn octrees_take_memory_in_proportion_to_their_files() {
    // A path down to every 64th cell: the most nodes of a map for the fewest bytes.
    let mut body = Vec::new();
    let mut size = 0;
    fn node(depth: u32, body: &mut Vec<u8>, size: &mut u64) {
        *size += 1;
        if depth == 15 {
            body.extend(1_u16.to_le_bytes());
            *size += 1;
        } else if depth < 6 || depth % 2 == 1 {
            body.extend(3_u16.to_le_bytes());
            node(depth + 1, body, size);
        } else {
            body.extend(0xffff_u16.to_le_bytes());
            (0..8).for_each(|_| node(depth + 1, body, size));
        }
    }
    node(0, &mut body, &mut size);
    let mut file = format!("# Octomap OcTree binary file\nid OcTree\nsize {size}\nres 0.1\ndata\n").into_bytes();
    file.extend(body);
    let octomap = bounded("bt", file.len(), 150, || read_octomap(&file)).unwrap();
    for keep in [Keep::Kinds, Keep::Probabilities] {
        let map = bounded("map", file.len(), 300, || octomap.to_voxel_map(Cell::Unknown, keep)).unwrap();
        map.check().unwrap();
    }
    let huge = b"# Octomap OcTree file\nid OcTree\nsize 18446744073709551615\nres 0.1\ndata\n\0\0\0\0\0";
    assert_eq!(bounded("size", huge.len(), 20, || read_octomap(huge)).unwrap_err().kind(), ErrorKind::Malformed);
}

#[test]
fn columns_of_a_table_are_compared_once() {
    let mut names: Vec<String> = (0..140_000).map(|i| format!("c{i}")).collect();
    let text = names.join(",");
    let table = bounded("columns", text.len(), 60, || read_table(text.as_bytes())).unwrap();
    assert_eq!(table.columns().len(), 140_000);
    names.push("c77".into());
    let text = names.join(",");
    let error = bounded("a column twice", text.len(), 60, || read_table(text.as_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "line 1: the column c77 is there twice");
    let rows = format!("a\n{}", "1\n".repeat(300_000));
    assert_eq!(bounded("rows", rows.len(), 60, || read_table(rows.as_bytes())).unwrap().rows().len(), 300_000);
    let blank = format!("a\n{}1\n", "\n".repeat(1_000_000));
    assert_eq!(bounded("blank lines", blank.len(), 20, || read_table(blank.as_bytes())).unwrap().rows().len(), 1);
    let long = format!("a\n{}\n", "9".repeat(2_000_000));
    assert_eq!(
        bounded("long field", long.len(), 20, || read_table(long.as_bytes())).unwrap_err().kind(),
        ErrorKind::TooLarge
    );
}
