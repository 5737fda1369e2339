//! What a call through C costs: the same cheap question a million times, from Rust and from C in turns.
//!
//! `cargo run --release -p clearance-c --example call_cost` after `cargo build --release -p clearance-c`.

#![allow(clippy::print_stdout, reason = "it prints a measurement")]

use clearance::prelude::*;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn rust() -> clearance::Result<f64> {
    let mut pair = Pair::new(Sphere::new(0.5)?, Sphere::new(0.5)?)?;
    let poses = (0..8).map(|i| Pose::from_xyz(2.0 + 0.1 * f64::from(i), 0.0, 0.0)).collect::<Result<Vec<_>, _>>()?;
    let begin = Instant::now();
    let mut hits = 0;
    for i in 0..1_000_000 {
        hits += usize::from(pair.collides(black_box(poses[i & 7])));
    }
    assert_eq!(black_box(hits), 0);
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (root, here) = (Path::new(env!("CARGO_MANIFEST_DIR")), std::env::current_exe()?);
    let built = here.ancestors().nth(2).ok_or("no folder above")?;
    let (library, program) = (built.join("libclearance_c.so"), built.join("call_cost_c"));
    // The library calls itself by the version of the interface.
    let named = built.join("libclearance.so.1");
    let _ = std::fs::remove_file(&named);
    std::fs::copy(&library, &named)?;
    let status = Command::new("cc")
        .args(["-O2", "-I"])
        .arg(root.join("include"))
        .arg(root.join("bench/call_cost.c"))
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", built.display()))
        .arg("-o")
        .arg(&program)
        .status()?;
    assert!(status.success(), "the program in C does not build");
    let (mut least, mut differences) = ([f64::INFINITY; 2], Vec::new());
    for _ in 0..9 {
        let rust = rust()?;
        let said = Command::new(&program).output()?;
        let c: f64 = String::from_utf8(said.stdout)?.trim().parse()?;
        least = [least[0].min(rust), least[1].min(c)];
        differences.push(c - rust);
    }
    differences.sort_by(f64::total_cmp);
    let [rust, c] = least;
    println!("{rust:.1} ns from Rust, {c:.1} ns from C (least of 9); a call costs {:.1} ns (median)", differences[4]);
    Ok(())
}
