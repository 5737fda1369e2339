//! A peer in a process of its own that is asked through pipes: one line a question, one line an
//! answer.

use clearance_bench::{Error, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process; ended when dropped.
pub struct Process {
    name: &'static str,
    child: Child,
    commands: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Process {
    /// Starts `command`; errors call it `name`.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child =
            started.map_err(|error| Error::other(format!("{}: {error}", command.get_program().display())))?;
        let (Some(commands), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::other(format!("{name}'s process has no pipes")));
        };
        Ok(Self { name, child, commands: Some(commands), replies: BufReader::new(replies) })
    }

    /// Sends a line and waits for the reply.
    pub fn ask(&mut self, command: &str) -> Result<String> {
        if let Some(commands) = &mut self.commands {
            writeln!(commands, "{command}")?;
        }
        let mut reply = String::new();
        if self.replies.read_line(&mut reply)? == 0 {
            return Err(Error::other(format!("{}'s process ended at: {command}", self.name)));
        }
        Ok(reply)
    }

    /// The same, for a reply that is a list of numbers.
    pub fn numbers(&mut self, command: &str) -> Result<Vec<f64>> {
        let reply = self.ask(command)?;
        let numbers = reply.split_whitespace().map(str::parse).collect::<Result<_, _>>();
        numbers.map_err(|_| Error::other(format!("{}'s process answered {command} with {reply}", self.name)))
    }

    /// The same, for one number.
    pub fn number(&mut self, command: &str) -> Result<f64> {
        match self.numbers(command)?[..] {
            [number] => Ok(number),
            _ => Err(Error::other(format!("{}'s process did not answer {command} with one number", self.name))),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends the process.
        self.commands = None;
        let _ = self.child.wait();
    }
}
