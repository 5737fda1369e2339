//! Programs in C and C++ that use the library: all functions with right and wrong arguments, by themselves, under valgrind
//! and under AddressSanitizer; the examples; the header for C++ with exceptions and without.

mod support;

use std::path::{Path, PathBuf};
use support::{compile, root, run, skipped, tool};

fn compiler(names: [&str; 2]) -> Option<PathBuf> {
    names.into_iter().find_map(tool)
}

fn c() -> Option<PathBuf> {
    compiler(["cc", "gcc"])
}

fn cpp() -> Option<PathBuf> {
    compiler(["c++", "g++"])
}

#[test]
fn c_calls_everything() {
    let Some(cc) = c() else { return skipped("the test in C", "there is no C compiler") };
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("everything");
    let files = folder.path().to_str().expect("UTF-8");
    compile(&cc, &["tests/c/everything.c"], &["-std=c11", "-pedantic"], &program);
    let said = run(&program, &[files], folder.path());
    assert!(said.ends_with(" checks\n"), "{said}");

    if let Some(valgrind) = tool("valgrind") {
        let program = program.to_str().expect("UTF-8");
        // What lives as long as the process (the table of pair tests, rayon's threads) is no leak.
        let strict = [
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--show-leak-kinds=definite,indirect",
            "--errors-for-leak-kinds=definite,indirect",
        ];
        let arguments: Vec<&str> = strict.into_iter().chain([program, files]).collect();
        run(valgrind, &arguments, folder.path());
    } else {
        skipped("the test in C under valgrind", "there is no valgrind");
    }
}

#[test]
fn c_calls_everything_under_address_sanitizer() {
    let Some(cc) = c() else { return skipped("the test in C", "there is no C compiler") };
    let folder = tempfile::tempdir().expect("a folder");
    let probe = folder.path().join("probe.c");
    std::fs::write(&probe, "int main(void) { return 0; }\n").expect("a file");
    let sanitized = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let mut built = std::process::Command::new(&cc);
    built.args(sanitized).arg(&probe).arg("-o").arg(folder.path().join("probe"));
    if !built.output().is_ok_and(|output| output.status.success()) {
        return skipped("the test in C under AddressSanitizer", "the compiler has none");
    }
    let program = folder.path().join("everything");
    compile(&cc, &["tests/c/everything.c"], &["-std=c11", sanitized[0], sanitized[1]], &program);
    run(&program, &[folder.path().to_str().expect("UTF-8")], folder.path());
}

#[test]
fn examples_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = |ending: &str| -> Vec<String> {
        let names = std::fs::read_dir(root().join("examples")).expect("examples").flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| Path::new(name).extension().is_some_and(|own| own == ending)).collect()
    };
    let one = |compiler: &Path, standard: &str, name: &str| {
        let program = folder.path().join(name.replace('.', "_"));
        compile(compiler, &[&format!("examples/{name}")], &[standard], &program);
        assert!(!run(&program, &[], folder.path()).is_empty(), "{name} says nothing");
    };
    match c() {
        Some(cc) => examples("c").iter().for_each(|name| one(&cc, "-std=c11", name)),
        None => skipped("the examples in C", "there is no C compiler"),
    }
    match cpp() {
        Some(cpp) => examples("cpp").iter().for_each(|name| one(&cpp, "-std=c++17", name)),
        None => skipped("the examples in C++", "there is no C++ compiler"),
    }
}

#[test]
fn cpp_header_with_exceptions_and_without() {
    let Some(cpp) = cpp() else { return skipped("the header for C++", "there is no C++ compiler") };
    let folder = tempfile::tempdir().expect("a folder");
    let eigen = ["/usr/include/eigen3", "/usr/local/include/eigen3"].into_iter().find(|path| Path::new(path).exists());
    let with_eigen: Vec<String> = match eigen {
        Some(path) => vec![format!("-isystem{path}"), "-DWITH_EIGEN".into()],
        None => {
            skipped("poses of Eigen", "there is no Eigen");
            Vec::new()
        }
    };
    let program = folder.path().join("cpp");
    let mut options = vec!["-std=c++17"];
    options.extend(with_eigen.iter().map(String::as_str));
    compile(&cpp, &["tests/c/exceptions.cpp"], &options, &program);
    run(&program, &[folder.path().to_str().expect("UTF-8")], folder.path());
    compile(&cpp, &["tests/c/statuses.cpp"], &["-std=c++17", "-fno-exceptions", "-fno-rtti"], &program);
    run(&program, &[], folder.path());
}

/// The blocks of C and C++ of the guide's chapter are programs that run.
#[test]
fn the_guide_compiles_and_runs() {
    let chapter = std::fs::read_to_string(root().join("../../docs/guide/src/c.md")).expect("the chapter");
    let folder = tempfile::tempdir().expect("a folder");
    for (language, compiler, standard) in [("c", c(), "-std=c11"), ("cpp", cpp(), "-std=c++17")] {
        let Some(compiler) = compiler else {
            skipped(&format!("the guide's {language}"), "there is no compiler");
            continue;
        };
        let opening = format!("```{language}\n");
        let blocks: Vec<&str> = chapter.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!blocks.is_empty(), "the chapter has no {language}");
        for (i, block) in blocks.iter().enumerate() {
            let source = folder.path().join(format!("guide{i}.{language}"));
            std::fs::write(&source, block).expect("a file");
            let program = folder.path().join(format!("guide_{language}{i}"));
            compile(&compiler, &[source.to_str().expect("UTF-8")], &[standard], &program);
            run(&program, &[], folder.path());
        }
    }
}
