//! Proven gaps in files: read back as they were, and refused for any other robot, options or bytes.

use clearance_engine::math::DVec3;
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    CheckOptions, CollisionModel, DisabledPairs, ErrorKind, GapOptions, JointSpec, LinkGeometry, LinkShape, Robot,
    RobotBuilder,
};
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// `a – b – c – d`, 1 m apart: spheres, and a triangle on the last link, whose tip is at `tip`.
fn robot(limit: f64, tip: f64) -> Robot {
    let sphere = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X * tip, DVec3::Y * 0.1], vec![[0, 1, 2]]).unwrap();
    let at = Pose::from_translation(DVec3::X).unwrap();
    let turn = |name, parent, child| JointSpec::revolute(name, parent, child, DVec3::Z, [-limit, limit]).at(at);
    let links = RobotBuilder::new("row").link("a", sphere()).link("b", sphere()).link("c", sphere());
    links
        .link("d", [LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(Arc::new(tri_mesh)))])
        .joint(turn("i", "a", "b"))
        .joint(turn("j", "b", "c"))
        .joint(turn("k", "c", "d"))
        .build()
        .unwrap()
}

fn checker(limit: f64, tip: f64) -> CollisionModel {
    CollisionModel::new(Arc::new(robot(limit, tip)), &CheckOptions::default()).unwrap()
}

/// A checker with proofs, and the bytes of their file.
fn saved() -> (CollisionModel, Vec<u8>) {
    let (folder, mut checker) = (tempfile::tempdir().unwrap(), checker(2.2, 0.2));
    checker.prove(&GapOptions::default()).unwrap();
    let path = folder.path().join("row.gaps");
    checker.save_proofs(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    // The second time it takes the first one's place, and nothing else is left there.
    checker.save_proofs(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    (checker, bytes)
}

#[test]
fn what_is_read_back_is_what_was_proven() {
    let (proven, bytes) = saved();
    let mut again = checker(2.2, 0.2);
    let threads = GapOptions { threads: 2, ..GapOptions::default() };
    let read = again.read_proofs(&bytes, &threads).unwrap().pairs().to_vec();
    assert_eq!(read, proven.proofs().unwrap().pairs());
    assert!(read.iter().any(|pair| pair.gap > 0.0) && read.iter().any(|pair| pair.gap == 0.0), "{read:?}");
    assert!(again.proofs().is_some());
}

#[test]
fn a_table_of_another_robot_or_of_other_options_is_refused() {
    let (_, bytes) = saved();
    let default = GapOptions::default();
    let refused = |mut checker: CollisionModel, options: &GapOptions| {
        let error = checker.read_proofs(&bytes, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Stale, "{error}");
        assert!(checker.proofs().is_none());
    };
    refused(checker(2.2_f64.next_up(), 0.2), &default);
    refused(checker(2.2, 0.2_f64.next_up()), &default);
    refused(checker(2.2, 0.2), &GapOptions { evaluations: 1 + default.evaluations, ..default });
    refused(checker(2.2, 0.2), &GapOptions { tightness: 0.2, ..default });
    let mut disabled = DisabledPairs::default();
    let same = robot(2.2, 0.2);
    disabled.insert(same.links()[0].name(), same.links()[3].name());
    let options = CheckOptions { disabled, ..CheckOptions::default() };
    refused(CollisionModel::new(Arc::new(robot(2.2, 0.2)), &options).unwrap(), &default);
    let (mut checker, identity) = (checker(2.2, 0.2), checker(2.2, 0.2).proof_identity(&default).unwrap());
    assert_eq!(checker.proof_identity(&GapOptions { threads: 7, ..default }).unwrap(), identity);
    assert!(checker.read_proofs(&bytes, &default).is_ok());
}

#[test]
fn damage_is_refused_wherever_it_is() {
    let (_, bytes) = saved();
    let (mut checker, options) = (checker(2.2, 0.2), GapOptions::default());
    for at in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x10;
        assert_eq!(checker.read_proofs(&wrong, &options).unwrap_err().kind(), ErrorKind::Malformed, "byte {at}");
        assert!(checker.read_proofs(&bytes[..at], &options).is_err());
    }
    assert!(checker.proofs().is_none());
}

#[test]
fn bytes_with_a_right_hash_and_wrong_contents_are_refused_or_keep_their_promises() {
    let (_, bytes) = saved();
    let (mut checker, options) = (checker(2.2, 0.2), GapOptions::default());
    let content = &bytes[..bytes.len() - 8];
    let words = [[0x00; 8], [0xff; 8], f64::NAN.to_le_bytes(), f64::INFINITY.to_le_bytes(), (-1.0_f64).to_le_bytes()];
    let mut accepted = 0;
    for at in 0..content.len() {
        for word in words {
            let mut wrong = content.to_vec();
            let end = (at + 8).min(wrong.len());
            wrong[at..end].copy_from_slice(&word[..end - at]);
            for cut in [wrong.len(), at] {
                let mut forged = wrong[..cut].to_vec();
                let hash = XxHash3_64::oneshot(&forged);
                forged.extend(hash.to_le_bytes());
                if let Ok(gaps) = checker.read_proofs(&forged, &options) {
                    accepted += 1;
                    let promised = |gap: f64| gap >= 0.0 && gap.is_finite();
                    assert!(gaps.pairs().iter().all(|pair| promised(pair.gap)), "byte {at}: {gaps:?}");
                }
            }
        }
    }
    assert!(accepted > 0, "what was changed may be a number that nothing follows from");
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let (checker, _) = saved();
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("none").join("row.gaps");
    assert!(checker.save_proofs(&nowhere).unwrap_err().to_string().contains("row.gaps"));
    // A folder of this name cannot be replaced by a file; nothing is left of the attempt.
    std::fs::create_dir_all(folder.path().join("row.gaps").join("full")).unwrap();
    assert_eq!(checker.save_proofs(&folder.path().join("row.gaps")).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let mut other = self::checker(2.2, 0.2);
    assert_eq!(other.load_proofs(&nowhere, &GapOptions::default()).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn progress_counts_every_pair_once() {
    let (mut checker, seen) = (checker(2.2, 0.2), std::sync::Mutex::new(Vec::new()));
    let count = checker.prove_observed(&GapOptions::default(), &|done, all| seen.lock().unwrap().push((done, all)));
    let count = count.unwrap().pairs().len();
    assert_eq!(seen.into_inner().unwrap(), (1..=count).map(|done| (done, count)).collect::<Vec<_>>());
}
