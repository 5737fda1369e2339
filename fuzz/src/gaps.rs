//! What a table of proven gaps owes its reader, whatever was written into it: it is refused with
//! one line, or no gap of it is negative or no number.
//!
//! As for saved hierarchies, an input is a list of changes to a right file, which then gets a new
//! hash: each seven bytes are one change: what, where (two bytes), which value (four bytes).

use crate::hierarchy::apply;
use clearance_robot::{CheckOptions, CollisionModel, GapOptions};
use std::sync::{Arc, Mutex, OnceLock};
use twox_hash::XxHash3_64;

/// Makes a file of `input`, reads it and panics if that breaks a promise.
pub fn check_gaps(input: &[u8]) {
    static CASE: OnceLock<(Mutex<CollisionModel>, Vec<u8>)> = OnceLock::new();
    let (checker, saved) = CASE.get_or_init(|| {
        let robot = Arc::new(crate::robot::small_robot().clone());
        let mut checker = CollisionModel::new(robot, &CheckOptions::default()).expect("a right robot");
        checker.prove(&GapOptions::default()).expect("a right robot");
        let file = std::env::temp_dir().join(format!("clearance-fuzz-{}.gaps", std::process::id()));
        checker.save_proofs(&file).expect("a folder for temporary files");
        let saved = std::fs::read(&file).expect("the file that was written");
        std::fs::remove_file(&file).expect("the file that was written");
        (Mutex::new(checker), saved)
    });
    let mut body = saved[..saved.len() - 8].to_vec();
    for change in input.chunks_exact(7) {
        let place = usize::from(u16::from_le_bytes([change[1], change[2]]));
        apply(&mut body, change[0], place, [change[3], change[4], change[5], change[6]]);
    }
    let hash = XxHash3_64::oneshot(&body);
    body.extend(hash.to_le_bytes());
    match checker.lock().expect("no other thread").read_proofs(&body, &GapOptions::default()) {
        Ok(gaps) => assert!(gaps.pairs().iter().all(|pair| pair.gap >= 0.0), "{gaps:?}"),
        Err(error) => crate::check_message(&error.to_string()),
    }
}
