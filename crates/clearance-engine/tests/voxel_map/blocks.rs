//! Probabilities on large blocks, against a plain table of cells.

use crate::random::Random;
use crate::{KINDS, cube, map_with};
use clearance_engine::ErrorKind;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Cells, Probabilities, SensorModel, VoxelMap};
use std::collections::HashMap;

const HALF: i32 = 40;

/// A cell of the table: the probabilities behind it, and whether anything was measured.
#[derive(Clone, Copy)]
struct Known {
    obstacle: f32,
    free: f32,
    measured: bool,
}

impl Known {
    fn new(probabilities: &Probabilities, measured: bool) -> Self {
        Self { obstacle: probabilities.obstacle(), free: probabilities.free(), measured }
    }

    /// Dempster's rule, as `SensorModel` documents it, after what is known was scaled down to leave
    /// room for doubt.
    fn update(&mut self, hit: bool, background: Cell, sensor: &SensorModel) {
        let certain = Probabilities::certain(background);
        if !self.measured && (self.obstacle, self.free) == (certain.obstacle(), certain.free()) {
            (self.obstacle, self.free) = (0.0, 0.0);
        }
        self.measured = true;
        let known = self.obstacle + self.free;
        let scale = if known > 1.0 - sensor.least_unknown { (1.0 - sensor.least_unknown) / known } else { 1.0 };
        let (o, f) = (self.obstacle * scale, self.free * scale);
        let u = 1.0 - o - f;
        let (o, f, u) = if hit {
            (o + u * sensor.hit, f * (1.0 - sensor.hit), u * (1.0 - sensor.hit))
        } else {
            (o * (1.0 - sensor.miss), f + u * sensor.miss, u * (1.0 - sensor.miss))
        };
        (self.obstacle, self.free) = (o / (o + f + u), f / (o + f + u));
    }
}

fn random_probabilities(random: &mut Random) -> Probabilities {
    // Few different ones, so that neighbours often agree and blocks become whole again.
    let [obstacle, free] = [[0.9, 0.05], [0.1, 0.7], [0.2, 0.2], [0.0, 1.0]][random.below(4)];
    Probabilities::new(obstacle, free).unwrap()
}

/// A random cube of cells; every second one is a block of the hierarchy.
fn random_range(random: &mut Random) -> (IVec3, IVec3) {
    let side = [1, 4, 8, 16, 32][random.below(5)];
    let low = random.cell(2 * HALF - 32);
    let low = if random.below(2) == 0 { low } else { IVec3::from_array(low.to_array().map(|x| x & -side)) };
    let low = low.max(IVec3::splat(-HALF));
    (low, (low + IVec3::splat(side - 1)).min(IVec3::splat(HALF - 1)))
}

fn cells_between(low: IVec3, high: IVec3) -> impl Iterator<Item = IVec3> {
    (low.z..=high.z)
        .flat_map(move |z| (low.y..=high.y).flat_map(move |y| (low.x..=high.x).map(move |x| IVec3::new(x, y, z))))
}

/// The same map, made cell by cell from the last to the first.
fn cell_by_cell(map: &VoxelMap) -> VoxelMap {
    let mut again = map_with(map.background());
    let contents: Vec<_> = map.contents().collect();
    for (leaf, measured) in contents.iter().rev() {
        let high = leaf.low + IVec3::splat(leaf.side as i32 - 1);
        for at in cells_between(leaf.low, high) {
            match measured {
                Some(probabilities) => again.set_probabilities(at, probabilities).unwrap(),
                None => again.set(at, leaf.cell).unwrap(),
            }
        }
    }
    again
}

fn agree(map: &VoxelMap, table: &HashMap<IVec3, Known>, round: usize) {
    map.check().unwrap();
    let nothing = Known::new(&Probabilities::certain(map.background()), false);
    for at in cube(HALF + 2) {
        let (expected, found) = (table.get(&at).unwrap_or(&nothing), map.probabilities(at));
        let near = |a: f32, b: f32| (a - b).abs() < 4e-4;
        assert!(
            near(found.obstacle(), expected.obstacle) && near(found.free(), expected.free),
            "round {round}, {at}: {found:?}, not {} and {}",
            expected.obstacle,
            expected.free
        );
        if (expected.obstacle - 0.5).abs() > 1e-3 && (expected.free - 0.5).abs() > 1e-3 {
            assert_eq!(map.cell(at), map.thresholds().classify(&found), "round {round}, {at}");
        }
    }
    // Every measured cell is in one of the contents, and no other.
    let measured: u64 =
        map.contents().filter(|(_, measured)| measured.is_some()).map(|(leaf, _)| u64::from(leaf.side).pow(3)).sum();
    assert_eq!(measured, table.values().filter(|known| known.measured).count() as u64, "round {round}");
}

#[test]
fn blocks_with_probabilities_are_what_a_table_of_cells_says() {
    let sensor = SensorModel::default();
    for (seed, background) in [(3, Cell::Free), (4, Cell::Unknown)] {
        let mut random = Random(seed);
        let mut map = map_with(background);
        let mut table: HashMap<IVec3, Known> = HashMap::new();
        let mut kept = Vec::new();
        for round in 0..120 {
            let (low, high) = random_range(&mut random);
            match random.below(8) {
                0..=3 => {
                    let probabilities = random_probabilities(&mut random);
                    map.fill_probabilities(low, high, &probabilities).unwrap();
                    cells_between(low, high).for_each(|at| {
                        table.insert(at, Known::new(&probabilities, true));
                    });
                }
                4 => {
                    let cell = KINDS[random.below(3)];
                    map.fill(low, high, cell).unwrap();
                    cells_between(low, high).for_each(|at| {
                        table.insert(at, Known::new(&Probabilities::certain(cell), false));
                    });
                }
                5 => {
                    let (at, probabilities) = (random.cell(2 * HALF), random_probabilities(&mut random));
                    map.set_probabilities(at, &probabilities).unwrap();
                    table.insert(at, Known::new(&probabilities, true));
                }
                6 => {
                    let (at, cell) = (random.cell(2 * HALF), KINDS[random.below(3)]);
                    map.set(at, cell).unwrap();
                    table.insert(at, Known::new(&Probabilities::certain(cell), false));
                }
                _ => {
                    let mut point = || DVec3::from_array([0; 3].map(|_| random.between(-3.9, 3.9)));
                    let (origin, points) = (point(), [point(), point(), point()]);
                    map.insert_rays(origin, &points, &sensor).unwrap();
                    // Of a map that knows nothing the same scan tells which cells are hit and which
                    // are crossed.
                    let mut scanned = map_with(Cell::Unknown);
                    scanned.insert_rays(origin, &points, &sensor).unwrap();
                    for (leaf, _) in scanned.contents() {
                        let high = leaf.low + IVec3::splat(leaf.side as i32 - 1);
                        for at in cells_between(leaf.low, high) {
                            let nothing = Known::new(&Probabilities::certain(background), false);
                            let known = table.entry(at).or_insert(nothing);
                            known.update(leaf.cell == Cell::Obstacle, background, &sensor);
                        }
                    }
                }
            }
            if round % 10 == 9 {
                agree(&map, &table, round);
                let afresh = cell_by_cell(&map);
                afresh.check().unwrap();
                assert!(*afresh == *map, "round {round}: cell by cell it is another map");
                assert_eq!(afresh.node_counts(), map.node_counts());
                kept.push((map.snapshot(), map.contents().collect::<Vec<_>>()));
            }
        }
        for (snapshot, contents) in &kept {
            snapshot.check().unwrap();
            assert!(snapshot.contents().eq(contents.iter().copied()), "a snapshot follows its map");
        }
        map.fill(IVec3::splat(-HALF), IVec3::splat(HALF - 1), background).unwrap();
        map.check().unwrap();
        assert!(map.is_empty() && map.node_counts() == [0; 3]);
    }
}

#[test]
fn a_large_block_is_split_where_it_is_touched_and_nowhere_else() {
    for background in [Cell::Free, Cell::Unknown] {
        let mut map = map_with(background);
        let known = Probabilities::new(0.9, 0.05).unwrap();
        let (low, high) = (IVec3::splat(-16384), IVec3::splat(16383));
        map.fill_probabilities(low, high, &known).unwrap();
        map.check().unwrap();
        let whole = map.memory();
        assert!(whole < 50_000, "2^45 cells take {whole} bytes");
        assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), 1 << 45);
        let before = map.snapshot();
        // One measurement, one cell that is set, one with other probabilities.
        map.insert_rays(DVec3::splat(0.05), &[DVec3::new(0.45, 0.05, 0.05)], &SensorModel::default()).unwrap();
        map.set(IVec3::splat(1000), Cell::Free).unwrap();
        map.set_probabilities(IVec3::splat(-9000), &Probabilities::new(0.1, 0.8).unwrap()).unwrap();
        map.check().unwrap();
        assert!(map.memory() < 100_000, "{} bytes", map.memory());
        assert_eq!(map.cell(IVec3::splat(1000)), Cell::Free);
        assert_eq!(map.cell(IVec3::splat(1001)), Cell::Obstacle);
        assert_eq!(map.cell(IVec3::splat(-9000)), Cell::Free);
        assert!(map.probabilities(IVec3::new(2, 0, 0)).obstacle() < map.probabilities(IVec3::new(2, 1, 0)).obstacle());
        assert!(map.probabilities(IVec3::new(4, 0, 0)).obstacle() > 0.95);
        assert_eq!(before.contents().count(), 8, "blocks of 4^7 cells, as they are aligned");
        // Made whole again, it is the map that it was.
        map.fill_probabilities(IVec3::splat(-10), IVec3::splat(10), &known).unwrap();
        map.set_probabilities(IVec3::splat(1000), &known).unwrap();
        map.set_probabilities(IVec3::splat(-9000), &known).unwrap();
        map.check().unwrap();
        assert!(*map == *before);
        assert_eq!(map.node_counts(), before.node_counts());
    }
}

#[test]
fn the_probabilities_of_a_block_count_when_maps_are_compared() {
    let block = |probabilities: Probabilities| {
        let mut map = map_with(Cell::Unknown);
        map.fill_probabilities(IVec3::ZERO, IVec3::splat(63), &probabilities).unwrap();
        map
    };
    let [a, b] = [0.8, 0.9].map(|obstacle| block(Probabilities::new(obstacle, 0.1).unwrap()));
    assert!(*a != *b && *a == *block(Probabilities::new(0.8, 0.1).unwrap()));
    let mut set = map_with(Cell::Unknown);
    set.fill(IVec3::ZERO, IVec3::splat(63), Cell::Obstacle).unwrap();
    assert!(*set != *block(Probabilities::certain(Cell::Obstacle)), "set, not measured");
    // Background that was measured is kept, and forgotten where it is set.
    let mut seen = block(Probabilities::UNDETERMINED);
    assert!(!seen.is_empty() && seen.contents().count() > 0);
    seen.check().unwrap();
    seen.fill(IVec3::ZERO, IVec3::splat(63), Cell::Unknown).unwrap();
    assert!(seen.is_empty());
}

#[test]
fn everything_there_is_may_have_one_measurement() {
    let mut map = map_with(Cell::Free);
    let known = Probabilities::new(0.6, 0.1).unwrap();
    map.fill_probabilities(IVec3::MIN, IVec3::MAX, &known).unwrap();
    map.check().unwrap();
    assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), 1 << 96);
    map.set(IVec3::MAX, Cell::Free).unwrap();
    map.check().unwrap();
    assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), (1 << 96) - 1);
    let error = map.fill_probabilities(IVec3::ONE, IVec3::ZERO, &known).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

#[test]
fn bricks_that_are_seen_alike_become_one_block_and_scans_leave_it_whole() {
    let mut map = map_with(Cell::Unknown);
    let (low, high) = (IVec3::ZERO, IVec3::splat(15));
    let rays = |map: &mut VoxelMap| {
        // One ray along every row of cells: all 16³ are crossed once, and the cells behind them are
        // hit.
        let mut reports = Vec::new();
        for (y, z) in (0..16).flat_map(|z| (0..16).map(move |y| (y, z))) {
            let at = |x: f64| DVec3::new(x, 0.1 * f64::from(y) + 0.05, 0.1 * f64::from(z) + 0.05);
            reports.push(map.insert_rays(at(0.05), &[at(1.65)], &SensorModel::default()).unwrap());
        }
        assert!(reports.iter().all(|report| (report.hits, report.misses) == (1, 16)));
    };
    for round in 0..12 {
        rays(&mut map);
        map.check().unwrap();
        let block = map.probabilities(low);
        assert!(cells_between(low, high).all(|at| map.probabilities(at) == block), "round {round}");
        let inside = |at: IVec3| at.cmpge(low).all() && at.cmple(high).all();
        let leaves: Vec<_> = map.contents().filter(|(leaf, _)| inside(leaf.low)).collect();
        assert_eq!(leaves.len(), 1, "round {round}: one block of 16 cells along each axis");
        assert_eq!((leaves[0].0.side, leaves[0].1), (16, Some(block)));
    }
}
