use crate::support::*;
use clearance_robot::*;
#[test]
#[ignore]
fn detail() {
    let data = crate::data::data_folder("x").unwrap();
    let name = std::env::var("ROBOT").unwrap();
    let r = crate::real_robots::reference(&data, &name);
    let robot = &r.robot;
    let (parts, pairs) = (parts(robot), checked_pairs(robot));
    let mut und = vec![];
    let t = std::time::Instant::now();
    let mut ev = [0usize; 4];
    let mut tm = [0f64; 4];
    let mut n = [0; 4];
    let mut evs = vec![];
    for p in pairs {
        let t = std::time::Instant::now();
        let e = |n: &str, d: usize| std::env::var(n).map_or(d, |v| v.parse().unwrap());
        let o = GapOptions::default();
        let g = Gaps::prove(
            robot,
            &parts,
            &[p],
            &GapOptions {
                samples: e("SAMPLES", o.samples),
                evaluations: e("EVALS", o.evaluations),
                refinements: e("REFINE", o.refinements),
                ..o
            },
        )
        .unwrap();
        let q = &g.pairs()[0];
        let s = t.elapsed().as_secs_f64();
        let k = match &q.verdict {
            Verdict::Never { gap, nearest } => {
                evs.push((q.evaluations, *gap, *nearest));
                0
            }
            Verdict::Sometimes { .. } => 1,
            Verdict::Always { .. } => 2,
            Verdict::Undecided { nearest, .. } => {
                und.push((*nearest, p, s));
                3
            }
        };
        n[k] += 1;
        ev[k] += q.evaluations;
        tm[k] += s;
    }
    println!("{name} n {n:?} evals {ev:?} time {tm:.2?} total {:.2}", t.elapsed().as_secs_f64());
    und.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (d, p, s) in und {
        let nm = |b: usize| robot.links()[robot.bodies()[b].links()[0]].name().to_owned();
        println!("  {d:.4} {} {} {:.0}ms", nm(p[0]), nm(p[1]), s * 1e3);
    }
    evs.sort_by(|a, b| a.0.cmp(&b.0));
    let h = evs.iter().filter(|e| e.1 < 0.9 * e.2).count();
    println!("never: loose {h}, evals median {:?} ", evs[evs.len() / 2]);
    for e in evs.iter().rev().take(15) {
        println!("   {e:?}");
    }
}
