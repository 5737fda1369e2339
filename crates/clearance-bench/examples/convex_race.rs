//! Our engine alone on the races of convex bodies: what `peers/run convex` measures, without peers.
//!
//! `cargo run --release -p clearance-bench --example convex_race -- [--once] [SCENE…]` prints the
//! nanoseconds a query of each scene that begins with one of the words, warm, cold and shuffled.
//! With `--once` it asks each query once and prints the sum of the answers: to count instructions,
//! `valgrind --tool=callgrind --toggle-collect='*ConvexClearance*answers*'`.

use clearance_bench::engines::ConvexClearance;
use clearance_bench::{Engine, Result, convex_scenes};

#[allow(clippy::print_stdout)]
fn main() -> Result<()> {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    let once = options.iter().any(|option| option == "--once");
    let words = if words.is_empty() { vec!["convex".to_owned()] } else { words };
    for name in convex_scenes::select(&words)? {
        let scene = convex_scenes::make(name)?;
        for mut engine in [ConvexClearance::warm(), ConvexClearance::cold(), ConvexClearance::shuffled()] {
            engine.load(&scene)?;
            let asked: Vec<_> = scene.queries.iter().copied().filter(|&query| engine.answers_to(query)).collect();
            for query in asked {
                let measured =
                    if once { engine.answers(query)?.values.iter().sum() } else { engine.sweep(query)?.us * 1e3 };
                println!("{name} {} {}: {measured:.1}", query.name(), engine.name());
            }
        }
    }
    Ok(())
}
