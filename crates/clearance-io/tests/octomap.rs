//! OctoMap files: what is read, what is written, and what is refused.

mod data;

use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Cells, SensorModel, VoxelMap, VoxelOptions};
use clearance_io::{
    ErrorKind, Keep, OctoFormat, OctoMap, Place, load_octomap, read_octomap, save_octomap, write_octomap,
};
use data::data_folder;

/// A map with obstacles, free and unknown cells, of which some were measured.
fn room(background: Cell) -> VoxelMap {
    let mut map = VoxelMap::with_options(&VoxelOptions { background, ..VoxelOptions::new(0.05) }).unwrap();
    map.fill(IVec3::splat(-20), IVec3::splat(30), Cell::Free).unwrap();
    map.fill(IVec3::new(8, 8, 8), IVec3::new(23, 23, 23), Cell::Obstacle).unwrap();
    let points: Vec<DVec3> = (0..200).map(|i| DVec3::new(2.0, 0.01 * f64::from(i), 0.007 * f64::from(i))).collect();
    map.insert_rays(DVec3::ZERO, &points, &SensorModel::default()).unwrap();
    map
}

#[test]
fn the_freiburg_building_has_the_stated_leaves() {
    let Some(folder) = data_folder("OctoMap's geb079.bt") else { return };
    let file = folder.join("env/geb079.bt");
    let octomap = load_octomap(&file).unwrap();
    assert_eq!(octomap.resolution(), 0.08);
    assert_eq!(octomap.occupied().count(), 143_729);
    let bytes = std::fs::read(&file).unwrap();
    let body = |bytes: &[u8]| {
        let start = bytes.windows(5).position(|window| window == b"data\n").unwrap() + 5;
        bytes[start..].to_vec()
    };
    assert!(body(&write_octomap(&octomap, OctoFormat::Binary)) == body(&bytes), "the same nodes are written");
    let header = write_octomap(&octomap, OctoFormat::Binary);
    assert!(header.windows(12).any(|window| window == b"size 532566\n"));

    // Kept as free, unknown or obstacle, and cell by cell.
    let cells: u128 = octomap.occupied().map(|leaf| u128::from(leaf.side()).pow(3)).sum();
    let map = octomap.to_voxel_map(Cell::Unknown, Keep::Kinds).unwrap();
    map.check().unwrap();
    assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), cells);
    for leaf in octomap.leaves() {
        let cell = if leaf.is_occupied() { Cell::Obstacle } else { Cell::Free };
        assert_eq!(map.cell_at(octomap.center(leaf)).unwrap(), cell);
    }
    assert!(OctoMap::from_voxel_map(&map, Keep::Kinds).unwrap() == octomap, "there and back");
    let obstacles = octomap.to_voxel_map(Cell::Free, Keep::Kinds).unwrap();
    assert_eq!(obstacles.view(Cells::OBSTACLE).unwrap().count(), cells);
    eprintln!(
        "{} leaves, {cells} occupied cells: {} bytes, obstacles alone {}",
        octomap.leaves().len(),
        map.memory(),
        obstacles.memory()
    );
}

#[test]
fn what_was_written_is_read_again() {
    for background in [Cell::Free, Cell::Unknown] {
        let map = room(background);
        for keep in [Keep::Kinds, Keep::Probabilities] {
            let octomap = OctoMap::from_voxel_map(&map, keep).unwrap();
            assert!(octomap.leaves().len() > 100);
            assert!(
                read_octomap(&write_octomap(&octomap, OctoFormat::Full)).unwrap() == octomap,
                "log-odds to the last bit"
            );
            let binary = read_octomap(&write_octomap(&octomap, OctoFormat::Binary)).unwrap();
            let kinds = |map: &OctoMap| {
                map.leaves().iter().map(|leaf| (leaf.key, leaf.depth, leaf.is_occupied())).collect::<Vec<_>>()
            };
            assert_eq!(kinds(&binary), kinds(&octomap));
        }
    }
    let file = std::env::temp_dir().join(format!("clearance-octomap-{}.ot", std::process::id()));
    let octomap = OctoMap::from_voxel_map(&room(Cell::Free), Keep::Probabilities).unwrap();
    save_octomap(&file, &octomap, OctoFormat::Full).unwrap();
    let again = load_octomap(&file);
    std::fs::remove_file(&file).unwrap();
    assert!(again.unwrap() == octomap);
}

#[test]
fn probabilities_go_through_a_file_within_16_bits() {
    let map = room(Cell::Unknown);
    let octomap = OctoMap::from_voxel_map(&map, Keep::Probabilities).unwrap();
    let again = octomap.to_voxel_map(Cell::Unknown, Keep::Probabilities).unwrap();
    for leaf in octomap.leaves() {
        let at = IVec3::from_array(leaf.key.map(|key| i32::from(key) - 32768));
        let (before, after) = (map.probabilities(at), again.probabilities(at));
        let odds = |p: clearance_engine::tree::voxel_map::Probabilities| p.obstacle() + 0.5 * p.unknown();
        // A cell that was set and not measured has OctoMap's limits instead of certainty.
        if before.unknown() > 0.0 {
            assert!((odds(before) - odds(after)).abs() < 2e-5, "{before:?} {after:?}");
        }
        assert_eq!(again.cell(at) == Cell::Obstacle, leaf.is_occupied());
    }
}

#[test]
fn empty_trees_and_trees_of_one_leaf_are_files_too() {
    let empty = OctoMap::from_voxel_map(&VoxelMap::new(0.5).unwrap(), Keep::Kinds).unwrap();
    let mut map = VoxelMap::new(0.5).unwrap();
    map.fill(IVec3::splat(-32768), IVec3::splat(32767), Cell::Obstacle).unwrap();
    let full = OctoMap::from_voxel_map(&map, Keep::Kinds).unwrap();
    assert_eq!((full.leaves().len(), full.leaves()[0].depth), (1, 0));
    for octomap in [&empty, &full] {
        assert!(read_octomap(&write_octomap(octomap, OctoFormat::Full)).unwrap() == *octomap);
        let again = read_octomap(&write_octomap(octomap, OctoFormat::Binary)).unwrap();
        let map = again.to_voxel_map(Cell::Free, Keep::Kinds).unwrap();
        assert!(OctoMap::from_voxel_map(&map, Keep::Kinds).unwrap() == *octomap);
    }
    let measured = full.to_voxel_map(Cell::Free, Keep::Probabilities).unwrap();
    measured.check().unwrap();
    assert_eq!(OctoMap::from_voxel_map(&measured, Keep::Probabilities).unwrap().leaves().len(), 1);
}

#[test]
fn a_truncated_file_is_an_error_wherever_it_ends() {
    let octomap = OctoMap::from_voxel_map(&room(Cell::Unknown), Keep::Probabilities).unwrap();
    for format in [OctoFormat::Binary, OctoFormat::Full] {
        let bytes = write_octomap(&octomap, format);
        for end in (0..bytes.len()).filter(|end| *end < 300 || end % 37 == 0 || *end + 50 > bytes.len()) {
            let error = read_octomap(&bytes[..end]).unwrap_err();
            assert!(!error.to_string().is_empty());
        }
        let error = read_octomap(&bytes[..bytes.len() - 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }
}

#[test]
fn a_file_that_lies_is_an_error_with_its_place() {
    let file = |head: &str, body: &[u8]| [head.as_bytes(), body].concat();
    let binary = "# Octomap OcTree binary file\nid OcTree\nsize 2\nres 0.1\ndata\n";
    let full = "# Octomap OcTree file\nid OcTree\nsize 1\nres 0.1\ndata\n";
    assert_eq!(read_octomap(&file(binary, &[2, 0])).unwrap().leaves().len(), 1);
    let start = binary.len();
    for (bytes, kind, place) in [
        (file("# another file\n", &[]), ErrorKind::UnknownFormat, Place::Line(1)),
        (file(&binary.replace("OcTree\nsize", "ColorOcTree\nsize"), &[2, 0]), ErrorKind::Unsupported, Place::Line(2)),
        (file(&binary.replace("id OcTree\n", ""), &[2, 0]), ErrorKind::Malformed, Place::Line(4)),
        (file(&binary.replace("size 2", "size two"), &[2, 0]), ErrorKind::Malformed, Place::Line(3)),
        (file(&binary.replace("size 2", "size"), &[2, 0]), ErrorKind::Malformed, Place::Line(3)),
        (file(&binary.replace("0.1", "0"), &[2, 0]), ErrorKind::Malformed, Place::Line(4)),
        (file(&binary.replace("0.1", "nan"), &[2, 0]), ErrorKind::NotFinite, Place::Line(4)),
        (file(&binary.replace("size 2", "size 3"), &[2, 0]), ErrorKind::Malformed, Place::Byte(start + 2)),
        (
            file(&binary.replace("size 2", "size 18446744073709551615"), &[2, 0]),
            ErrorKind::Malformed,
            Place::Byte(start + 21),
        ),
        (file(binary, &[2, 0, 7]), ErrorKind::Malformed, Place::Byte(start + 2)),
        (file(binary, &[0, 0]), ErrorKind::Malformed, Place::Byte(start)),
        (file(binary, &[3, 0].repeat(16)), ErrorKind::Malformed, Place::Byte(start + 32)),
        (file(full, &[0, 0, 192, 127, 0]), ErrorKind::NotFinite, Place::Byte(full.len())),
        (file(full, &[0, 0, 0, 0, 1].repeat(17)), ErrorKind::Malformed, Place::Byte(full.len() + 80)),
        (file("# Octomap OcTree file\nid OcTree\n", &[]), ErrorKind::Truncated, Place::Line(3)),
    ] {
        let error = read_octomap(&bytes).unwrap_err();
        assert_eq!((error.kind(), error.place()), (kind, &place), "{error}");
    }
}

#[test]
fn maps_that_are_no_octrees_are_refused() {
    let mut map = VoxelMap::new(0.1).unwrap();
    map.set(IVec3::new(0, 32768, 0), Cell::Obstacle).unwrap();
    assert_eq!(OctoMap::from_voxel_map(&map, Keep::Kinds).unwrap_err().kind(), ErrorKind::OutOfRange);
    let moved = VoxelMap::with_options(&VoxelOptions { origin: DVec3::ONE, ..VoxelOptions::new(0.1) }).unwrap();
    assert_eq!(OctoMap::from_voxel_map(&moved, Keep::Kinds).unwrap_err().kind(), ErrorKind::Unsupported);
}
