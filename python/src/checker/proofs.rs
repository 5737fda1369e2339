//! Which pairs never touch: effort, names, files.

use clearance::robot::{GapOptions, Verdict};

/// How much effort goes into the proof of a pair.
pub(super) fn effort(threads: usize, evaluations: usize) -> GapOptions {
    GapOptions { threads, evaluations, ..GapOptions::default() }
}

/// The file of the proofs, as bytes.
pub(super) fn proof_bytes(checker: &clearance::Checker) -> clearance::Result<Vec<u8>> {
    in_a_file(|path| {
        checker.save_proofs(path)?;
        Ok(std::fs::read(path)?)
    })
}

/// Calls `f` with the path of a file that is there only meanwhile.
pub(super) fn in_a_file<T>(f: impl FnOnce(&std::path::Path) -> clearance::Result<T>) -> clearance::Result<T> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("clearance-proofs-{}-{number}", std::process::id()));
    let answer = f(&path);
    // It may be missing where `f` failed.
    let _ = std::fs::remove_file(&path);
    answer
}

/// The pairs of links whose bodies are proven never to touch, by the first links of the bodies.
pub(super) fn never(checker: &clearance::Checker) -> Vec<(String, String, f64)> {
    let Some(proofs) = checker.model().proofs() else { return Vec::new() };
    let robot = checker.robot();
    let name = |body: usize| {
        let links = robot.bodies()[body].links();
        let with_shapes = links.iter().find(|&&link| !robot.links()[link].geometries().is_empty());
        with_shapes.or(links.first()).map_or_else(String::new, |&link| robot.links()[link].name().to_owned())
    };
    let never = proofs.pairs().iter().filter(|pair| matches!(pair.verdict, Verdict::Never { .. }));
    never.map(|pair| (name(pair.bodies[0]), name(pair.bodies[1]), pair.gap)).collect()
}
