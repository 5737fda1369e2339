//! Configurations from CSV: columns are variables by name, in any order; every row is checked
//! before it is used.
//!
//! Variables without a column keep their default. The column of a joint that follows another one
//! must agree with its rule. Values outside of the limits are legal, and noted.

use crate::{Error, ErrorKind, JointKind, Result, Robot};
use clearance_engine::Readable;
use clearance_io::{Place, Table, TableReader, load_table, read_table, shortened};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How far the column of a mimic joint may be from its rule.
const MIMIC_TOLERANCE: f64 = 1e-6;

/// A message shows so many characters of the header that a robot's file should have.
const LONGEST_HEADER: usize = 60;

/// Configurations of one robot, all of which have poses.
#[derive(Debug, Clone, PartialEq)]
pub struct Configurations {
    numbers: Vec<f64>,
    lines: Vec<usize>,
    variables: usize,
    notes: Vec<String>,
}

impl Configurations {
    /// Reads the CSV file at `path` for `robot`. An error names file, line and column.
    pub fn load(path: &Path, robot: &Robot) -> Result<Self> {
        let table = load_table(path).map_err(|error| table_error(&error, robot))?;
        Self::new(&table, robot).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a CSV file for `robot`.
    ///
    /// ```
    /// use clearance_engine::math::DVec3;
    /// use clearance_robot::{Configurations, JointSpec, RobotBuilder};
    /// let turn = |name, parent, child| JointSpec::revolute(name, parent, child, DVec3::Z, [0.1, 1.0]);
    /// let robot = RobotBuilder::new("r").link("a", []).link("b", []).link("c", [])
    ///     .joint(turn("first", "a", "b")).joint(turn("second", "b", "c")).build()?;
    /// let read = Configurations::read("second\n0.5\n2\n", &robot)?;
    /// assert_eq!(read.rows().collect::<Vec<_>>(), [[0.1, 0.5], [0.1, 2.0]]);
    /// assert_eq!(read.notes(), ["line 3: column second: 2 is outside of the limits [0.1, 1]"]);
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn read(text: &str, robot: &Robot) -> Result<Self> {
        Self::new(&read_table(text.as_bytes()).map_err(|error| table_error(&error, robot))?, robot)
    }

    /// The default configuration alone.
    pub fn defaults(robot: &Robot) -> Self {
        let numbers = robot.default_configuration();
        Self { variables: numbers.len(), numbers, lines: vec![1], notes: vec![] }
    }

    /// The configurations that the rows of a table state.
    pub fn new(table: &Table, robot: &Robot) -> Result<Self> {
        let mut rows = Rows::new(table.columns(), || table.check_header(), robot)?;
        let mut all = Self::empty(robot);
        table.rows().try_for_each(|(line, row)| rows.add(robot, line, row, &mut all))?;
        Ok(all)
    }

    fn empty(robot: &Robot) -> Self {
        Self { numbers: vec![], lines: vec![], variables: robot.variables().len(), notes: vec![] }
    }

    /// The configurations in the order of the file, each as [`Robot::link_poses`] takes it.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// Configuration `i`. Panics if there is none.
    pub fn row(&self, i: usize) -> &[f64] {
        assert!(i < self.len(), "configuration {i} of {}", self.len());
        &self.numbers[i * self.variables..(i + 1) * self.variables]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line of the file that configuration `i` stands on. Panics if there is none.
    pub fn line(&self, i: usize) -> usize {
        self.lines[i]
    }

    /// For each variable that leaves its limits, the first row where it does.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Reads configurations chunk by chunk in constant memory: from a file of any length, a pipe,
/// standard input.
///
/// ```
/// use clearance_engine::math::DVec3;
/// use clearance_robot::{ConfigurationReader, Configurations, JointSpec, RobotBuilder};
/// use std::{path::Path, sync::Arc};
/// let robot = RobotBuilder::new("r").link("a", []).link("b", [])
///     .joint(JointSpec::revolute("turn", "a", "b", DVec3::Z, [0.1, 1.0])).build()?;
/// let mut reader = ConfigurationReader::new(&b"turn\n0.5\n0.6\n0.7\nx\n"[..], Path::new("q.csv"), Arc::new(robot))?;
/// let mut chunk = reader.chunk();
/// reader.read(2, &mut chunk)?;
/// assert_eq!(chunk.rows().collect::<Vec<_>>(), [[0.5], [0.6]]);
/// // What comes before a bad row is there.
/// assert_eq!(reader.read(2, &mut chunk).unwrap_err().to_string(), "q.csv: line 5: column turn: \"x\" is not a number");
/// assert_eq!(chunk.rows().collect::<Vec<_>>(), [[0.7]]);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub struct ConfigurationReader {
    table: TableReader<Box<dyn Read + Send>>,
    /// How errors call the source.
    name: PathBuf,
    robot: Arc<Robot>,
    rows: Rows,
    row: Vec<f64>,
}

impl ConfigurationReader {
    /// Reads the header line of `source` for `robot`; `name` is what errors call the source.
    pub fn new(source: impl Read + Send + 'static, name: &Path, robot: Arc<Robot>) -> Result<Self> {
        let source: Box<dyn Read + Send> = Box::new(source);
        let table = TableReader::new(source).map_err(|error| table_error(&error, &robot).in_file(name))?;
        let rows = Rows::new(table.columns(), || table.check_header(), &robot).map_err(|error| error.in_file(name))?;
        Ok(Self { table, name: name.to_path_buf(), robot, rows, row: Vec::new() })
    }

    /// A chunk without rows, for [`read`](Self::read).
    pub fn chunk(&self) -> Configurations {
        Configurations::empty(&self.robot)
    }

    /// Replaces what `chunk` holds by the next rows, `max_rows` of them at most; none after the
    /// last one. Waits for the first row, and takes those after it that can be read without
    /// waiting.
    ///
    /// An error names source and line; `chunk` then has the rows before it. Notes are those that
    /// the chunk adds.
    pub fn read(&mut self, max_rows: usize, chunk: &mut Configurations) -> Result<()> {
        self.fill(max_rows, false, chunk)
    }

    /// As [`read`](Self::read), but waits until there are `max_rows`, or no more.
    pub fn read_all_of(&mut self, max_rows: usize, chunk: &mut Configurations) -> Result<()> {
        self.fill(max_rows, true, chunk)
    }

    fn fill(&mut self, max_rows: usize, wait: bool, chunk: &mut Configurations) -> Result<()> {
        chunk.numbers.clear();
        chunk.lines.clear();
        chunk.notes.clear();
        while chunk.len() < max_rows && (wait || chunk.is_empty() || self.table.has_row_at_hand()) {
            let line = self
                .table
                .read_row(&mut self.row)
                .map_err(|error| table_error(&error, &self.robot).in_file(&self.name))?;
            let Some(line) = line else { break };
            self.rows.add(&self.robot, line, &self.row, chunk).map_err(|error| error.in_file(&self.name))?;
        }
        Ok(())
    }

    /// How errors call the source.
    pub fn name(&self) -> &Path {
        &self.name
    }
}

/// How rows become configurations.
struct Rows {
    columns: Vec<Column>,
    configuration: Vec<f64>,
    poses: Vec<clearance_engine::Pose>,
    /// By variable: whether it has left its limits.
    noted: Vec<bool>,
    /// Whether a position that looks like degrees was noted.
    noted_degrees: bool,
}

impl Rows {
    /// `check_header` says whether the names may be those of columns.
    fn new(columns: &[String], check_header: impl FnOnce() -> clearance_io::Result<()>, robot: &Robot) -> Result<Self> {
        let places: HashMap<&str, usize> =
            robot.variables().iter().enumerate().map(|(i, variable)| (variable.name.as_str(), i)).collect();
        let read = columns.iter().map(|name| match places.get(name.as_str()) {
            Some(&variable) => Ok(Column::Variable(variable)),
            None => other_column(name, robot),
        });
        let read = read.collect::<Result<Vec<_>>>();
        // A joint may be called by a number, so that only names which no joint has tell of a
        // missing header.
        let columns = read.map_err(|error| match check_header() {
            Ok(()) => error.at_line(1),
            Err(error) => table_error(&error, robot),
        })?;
        let noted = vec![false; robot.variables().len()];
        Ok(Self {
            columns,
            configuration: robot.default_configuration(),
            poses: Vec::new(),
            noted,
            noted_degrees: false,
        })
    }

    /// Adds the configuration that a row states.
    fn add(&mut self, robot: &Robot, line: usize, row: &[f64], to: &mut Configurations) -> Result<()> {
        for (column, &value) in self.columns.iter().zip(row) {
            if let Column::Variable(variable) = *column {
                self.configuration[variable] = value;
            }
        }
        let Self { columns, configuration, poses, .. } = self;
        check_mimics(columns, row, configuration, robot)
            .and_then(|()| robot.link_poses(&clearance_engine::Pose::IDENTITY, configuration, poses))
            .map_err(|error| error.at_line(line))?;
        self.note_limits(robot, line, &mut to.notes);
        to.numbers.extend_from_slice(&self.configuration);
        to.lines.push(line);
        Ok(())
    }

    fn note_limits(&mut self, robot: &Robot, line: usize, notes: &mut Vec<String>) {
        for outside in robot.outside_limits(&self.configuration) {
            let variable = &robot.variables()[outside];
            let Some(limits) = variable.limits else { continue };
            let position = self.configuration[outside];
            let [value, lower, upper] = [position, limits.lower, limits.upper].map(Readable);
            let at = || format!("line {line}: column {}: {value}", variable.name);
            if !std::mem::replace(&mut self.noted[outside], true) {
                notes.push(format!("{} is outside of the limits [{lower}, {upper}]", at()));
            }
            let turns = matches!(robot.joints()[variable.joint].kind(), JointKind::Revolute { .. });
            if !self.noted_degrees && turns && position.abs() > TAU && limits.contain(position.to_radians()) {
                self.noted_degrees = true;
                notes.push(format!("{} looks like degrees; positions are in radians", at()));
            }
        }
    }
}

/// What a column of the file states.
enum Column {
    Variable(usize),
    /// The position of a joint that follows another one.
    Mimic(usize),
}

/// What a column states that is no variable.
fn other_column(name: &str, robot: &Robot) -> Result<Column> {
    let error = |reason: String| Err(Error::new(ErrorKind::BadConfiguration, format!("column {name:?}: {reason}")));
    match robot.joint_index(name) {
        None => error(format!("the robot '{}' has no joint or variable of this name", robot.name())),
        Some(joint) if robot.mimic_rule(joint).is_some() => Ok(Column::Mimic(joint)),
        Some(joint) => match &robot.variables()[robot.joints()[joint].variables()] {
            [] => error("the joint is fixed and has no position; remove the column".to_owned()),
            variables => {
                let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
                error(format!(
                    "the joint is {}; its columns are {}",
                    robot.joints()[joint].kind().name(),
                    names.join(",")
                ))
            }
        },
    }
}

fn check_mimics(columns: &[Column], row: &[f64], configuration: &[f64], robot: &Robot) -> Result<()> {
    for (column, &value) in columns.iter().zip(row) {
        let Column::Mimic(joint) = *column else { continue };
        let Some(expected) = robot.joint_value(joint, configuration) else { continue };
        // Written so that NaN, from a rule that overflows, is an error too.
        if (value - expected).abs() <= MIMIC_TOLERANCE {
            continue;
        }
        let name = robot.joints()[joint].name();
        let reason = format!(
            "column {name}: it is {}, but the joint follows another one and must be {}",
            Readable(value),
            Readable(expected)
        );
        return Err(Error::new(ErrorKind::BadConfiguration, reason));
    }
    Ok(())
}

fn table_error(error: &clearance_io::Error, robot: &Robot) -> Error {
    let kind = match error.kind() {
        clearance_io::ErrorKind::Io => ErrorKind::Io,
        clearance_io::ErrorKind::NotFinite => ErrorKind::NotFinite,
        _ => ErrorKind::Malformed,
    };
    let line = if let Place::Line(line) = error.place() { Some(*line) } else { None };
    let reason = match error.kind() {
        clearance_io::ErrorKind::MissingHeader => {
            let names: Vec<&str> = robot.variables().iter().map(|variable| variable.name.as_str()).collect();
            format!("{}, as {}", error.reason(), shortened(names.join(","), LONGEST_HEADER))
        }
        _ => error.reason().to_owned(),
    };
    let named = Error::new(kind, reason).at_line(line);
    match error.path() {
        Some(path) => named.in_file(path),
        None => named,
    }
}
