//! Options of all subcommands but `check`: numbers that mean nothing, and files that cannot be
//! written, are refused with one line before any work, and nothing is left behind.

mod bench;

use bench::Workbench;

/// The files of every bench, and a robot of one link.
fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("one.urdf", "<robot name='one'><link name='a'/></robot>");
    bench
}

const PAIR: [&str; 3] = ["pair", "big.off", "small.off"];
const CONTACTS: [&str; 5] = ["pair", "big.off", "small.off", "--query", "contacts"];

/// What no whole number is.
const NO_COUNT: [&str; 7] = ["-1", "1.5", "nan", "inf", "many", "", "99999999999999999999999"];
/// What no length is.
const NO_LENGTH: [&str; 8] = ["-1", "-1e-9", "nan", "-nan", "inf", "-inf", "1e999", "far"];

/// A command, an option, and lists of values that it refuses.
type Case<'c> = (&'c [&'c str], &'c str, &'c [&'c [&'c str]]);

#[test]
fn numbers_that_mean_nothing_are_refused_with_the_option_and_the_reason() {
    let bench = bench();
    let limit = ["-1", "nan", "-inf", "far", ""];
    let share = ["1", "1.5", "-0.1", "nan", "inf", "half"];
    let metres = ["0", "-0.1", "0.0199", "7", "nan", "inf", "thin"];
    let zero = ["0"];
    let jobs = ["1025"];
    let cases: [Case<'_>; 15] = [
        (&PAIR, "--min-d", &[&NO_LENGTH]),
        (&PAIR, "--max-d", &[&limit]),
        (&PAIR, "--rel-err", &[&share]),
        (&PAIR, "--abs-err", &[&NO_LENGTH]),
        (&PAIR, "--jobs", &[&NO_COUNT, &jobs]),
        (&CONTACTS, "--max-contacts", &[&NO_COUNT]),
        (&CONTACTS, "--margin", &[&NO_LENGTH]),
        (&["robot", "one.urdf"], "--effort", &[&NO_COUNT]),
        (&["robot", "one.urdf"], "--jobs", &[&NO_COUNT, &jobs]),
        (&["bench", "20k"], "--rounds", &[&NO_COUNT, &zero]),
        (&["bench", "world"], "--rounds", &[&zero]),
        (&["reproduce", "kios"], "--rounds", &[&NO_COUNT, &zero]),
        (&["reproduce", "kios"], "--stride", &[&NO_COUNT, &zero]),
        (&["explore"], "--seed", &[&NO_COUNT]),
        (&["explore"], "--resolution", &[&metres]),
    ];
    for (command, option, values) in cases {
        for value in values.iter().copied().flatten() {
            let arguments: Vec<&str> = command.iter().copied().chain([option, value]).collect();
            let message = bench.refused(&arguments);
            let named = message.contains(option) && message.contains(&format!("'{value}'"));
            assert!(named && message.contains("it must be"), "{arguments:?}: {message}");
        }
    }
    let message = bench.refused(&["pair", "big.off", "small.off", "--min-d", "3", "--max-d", "1"]);
    assert!(message.contains("--min-d 3 is larger than --max-d 1"), "{message}");
}

#[test]
fn numbers_at_the_edge_of_what_means_something_are_taken() {
    let bench = bench();
    let cases: [(&[&str], &str, &[&str]); 8] = [
        (&PAIR, "--min-d", &["0", "1e-300", "1e300"]),
        (&PAIR, "--max-d", &["0", "inf", "1e300"]),
        (&PAIR, "--rel-err", &["0", "0.999999"]),
        (&PAIR, "--abs-err", &["0", "1e300"]),
        (&PAIR, "--jobs", &["0", "3"]),
        (&CONTACTS, "--max-contacts", &["0", "18446744073709551615"]),
        (&CONTACTS, "--margin", &["0", "1e99"]),
        (&["robot", "one.urdf"], "--effort", &["0", "18446744073709551615"]),
    ];
    for (command, option, values) in cases {
        for value in values {
            let arguments: Vec<&str> = command.iter().copied().chain([option, value, "--json"]).collect();
            assert_eq!(bench.json(&arguments).len(), 1, "{arguments:?}");
        }
    }
}

/// The names of all files of a bench.
fn files(bench: &Workbench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.path("")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_work_and_leave_nothing() {
    let bench = bench();
    std::fs::create_dir(bench.path("folder")).unwrap();
    let before = files(&bench);
    let bad = ["none/x", "big.off/x", "folder", "/proc/x"];
    for path in bad {
        for command in [
            &["demo", "--picture", path, "--plot", "p.svg"][..],
            &["demo", "--picture", "p.png", "--plot", path],
            &["robot", "one.urdf", "--write-srdf", path],
        ] {
            // An empty standard output: the demo reports as it goes.
            let message = bench.refused(command);
            assert!(message.starts_with(&format!("error: {path}: ")), "{command:?}: {message}");
        }
    }
    for path in ["big.off", "big.off/x", "/proc/x"] {
        for command in [&["explore", "--out", path][..], &["reproduce", "kios", "--plots", path]] {
            let message = bench.refused(command);
            assert!(message.starts_with(&format!("error: {path}: not a folder")), "{command:?}: {message}");
        }
    }
    // What is wrong elsewhere leaves nothing either: neither an empty file nor an empty folder.
    bench.refused(&["robot", "none.urdf", "--write-srdf", "new.srdf"]);
    bench.refused(&["reproduce", "kios", "--plots", "new", "--peers", "none.json"]);
    assert_eq!(files(&bench), before);
}

#[test]
fn an_output_replaces_the_file_that_was_there_and_goes_into_a_device() {
    let bench = bench();
    bench.write("one.srdf", &"old ".repeat(1000));
    let output = bench.run(&["robot", "one.urdf", "--write-srdf", "one.srdf"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(bench.path("one.srdf")).unwrap();
    assert!(text.starts_with("<?xml") && text.ends_with("</robot>\n") && !text.contains("old"), "{text}");
    assert!(!files(&bench).iter().any(|name| name.contains("tmp")), "{:?}", files(&bench));
    #[cfg(unix)]
    {
        let output = bench.run(&["robot", "one.urdf", "--write-srdf", "/dev/null"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(!std::path::Path::new("/dev/null").is_file());
        std::os::unix::fs::symlink("one.srdf", bench.path("link.srdf")).unwrap();
        bench.write("one.srdf", "old");
        assert_eq!(bench.run(&["robot", "one.urdf", "--write-srdf", "link.srdf"]).status.code(), Some(0));
        assert!(std::fs::symlink_metadata(bench.path("link.srdf")).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(bench.path("one.srdf")).unwrap(), text);
    }
}
