//! The guide's page on the command line names every subcommand and every option.

mod bench;

use bench::Workbench;

/// The words of `text` that begin with `--`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter(|word| word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic)))
}

#[test]
fn the_guide_names_every_subcommand_and_option_and_no_other() {
    let page = include_str!("../../../docs/guide/src/command-line.md");
    let bench = Workbench::new();
    let help = |arguments: &[&str]| String::from_utf8(bench.run(arguments).stdout).unwrap();
    let all = help(&["--help"]);
    let (_, commands) = all.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split(' ').nth(2));
    let commands: Vec<&str> = commands.filter(|command| *command != "help").collect();
    assert!(commands.contains(&"pair") && commands.contains(&"check"), "{commands:?}");
    let mut known = vec!["--version".to_owned(), "--help".to_owned()];
    for command in commands {
        assert!(page.contains(&format!("## `{command}`")), "{command} has no section");
        known.extend(options(&help(&[command, "--help"])).map(str::to_owned));
    }
    let named: Vec<&str> = options(page).collect();
    for option in &known {
        assert!(named.contains(&option.as_str()), "{option} is not in the guide");
    }
    // Of cargo, in the first paragraph.
    let foreign = ["--release", "--bin"];
    for option in named {
        assert!(known.iter().any(|one| one == option) || foreign.contains(&option), "there is no {option}");
    }
}
