//! A folder of files and the built binary, as the tests of the contract share them.

// Each test file uses a part of this.
#![allow(dead_code)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with two cubes (half edges 1 and 0.25), an open sheet and a file of three poses.
pub struct Workbench {
    folder: TempDir,
}

/// A cube around the origin in the OFF format.
pub fn cube_off(half: f64) -> String {
    let mut text = "OFF\n8 12 0\n".to_owned();
    for i in 0..8 {
        let sign = |bit: i32| if i >> bit & 1 == 1 { half } else { -half };
        text += &format!("{} {} {}\n", sign(0), sign(1), sign(2));
    }
    for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        text += &format!("3 {a} {b} {c}\n3 {a} {c} {d}\n");
    }
    text
}

const POSES: &str = "x,y,z,qw,qx,qy,qz\n3,0,0,1,0,0,0\n1,0,0,1,0,0,0\n0,0,0,1,0,0,0\n";

impl Workbench {
    pub fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        bench.write("big.off", &cube_off(1.0));
        bench.write("small.off", &cube_off(0.25));
        bench.write("sheet.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
        bench.write("poses.csv", POSES);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_clearance")).args(arguments).current_dir(&self.folder).output().unwrap()
    }

    pub fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs what must fail: exit code 2, nothing on standard output, one line on standard error,
    /// which is returned.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed an answer");
        assert_eq!(message.trim_end().lines().count(), 1, "{arguments:?}: {message}");
        message
    }

    /// Runs what must end early: exit code 2, with answers before and a message, which are
    /// returned.
    pub fn broken_off(&self, arguments: &[&str]) -> (Vec<Value>, String) {
        let output = self.run(arguments);
        let (text, message) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), message)
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut talk = self.start(arguments);
        talk.say(input);
        talk.input = None;
        let Talk { child, output, .. } = talk;
        let mut stdout = Vec::new();
        output.unwrap().read_to_end(&mut stdout).unwrap();
        Output { stdout, ..child.wait_with_output().unwrap() }
    }

    /// Starts the binary to talk with it line by line.
    pub fn start(&self, arguments: &[&str]) -> Talk {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearance"));
        command.args(arguments).current_dir(&self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Talk { child, input, output }
    }
}

/// A running binary.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Talk {
    /// Writes to its standard input.
    pub fn say(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits for a line of its standard output.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    /// Ends its input; returns the exit code and what else it prints.
    pub fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let mut rest = String::new();
        self.output.unwrap().read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }

    /// Closes its output as `head` does; returns the exit code and its standard error.
    pub fn stop_reading(mut self) -> (Option<i32>, String) {
        self.output = None;
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}
