//! Configurations from CSV: columns are variables by name, in any order; every row is checked before any is used.
//!
//! Variables without a column keep their default. The column of a joint that follows another one must agree with its
//! rule. Values outside of the limits are legal, and noted.

use crate::{Error, ErrorKind, Result, Robot};
use clearance_io::{Place, Table, load_table, read_table};
use std::collections::HashMap;
use std::path::Path;

/// How far the column of a mimic joint may be from its rule.
const MIMIC_TOLERANCE: f64 = 1e-6;

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
        let table = load_table(path).map_err(table_error)?;
        Self::new(&table, robot).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a CSV file for `robot`.
    ///
    /// ```
    /// use clearance::math::DVec3;
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
        Self::new(&read_table(text.as_bytes()).map_err(table_error)?, robot)
    }

    /// The default configuration alone.
    pub fn defaults(robot: &Robot) -> Self {
        let numbers = robot.default_configuration();
        Self { variables: numbers.len(), numbers, lines: vec![1], notes: vec![] }
    }

    /// The configurations that the rows of a table state.
    pub fn new(table: &Table, robot: &Robot) -> Result<Self> {
        let places: HashMap<&str, usize> =
            robot.variables().iter().enumerate().map(|(i, variable)| (variable.name.as_str(), i)).collect();
        let columns = table.columns().iter().map(|name| match places.get(name.as_str()) {
            Some(&variable) => Ok(Column::Variable(variable)),
            None => other_column(name, robot),
        });
        let columns = columns.collect::<Result<Vec<_>>>();
        let columns = columns.map_err(|error| error.at_line(1))?;
        let mut all = Self { numbers: vec![], lines: vec![], variables: robot.variables().len(), notes: vec![] };
        let (mut configuration, mut poses) = (robot.default_configuration(), Vec::new());
        let mut noted = vec![false; configuration.len()];
        for (line, row) in table.rows() {
            for (column, &value) in columns.iter().zip(row) {
                if let Column::Variable(variable) = *column {
                    configuration[variable] = value;
                }
            }
            check_mimics(&columns, row, &configuration, robot).map_err(|error| error.at_line(line))?;
            robot
                .link_poses(&clearance::Pose::IDENTITY, &configuration, &mut poses)
                .map_err(|error| error.at_line(line))?;
            all.note_limits(robot, &configuration, line, &mut noted);
            all.numbers.extend_from_slice(&configuration);
            all.lines.push(line);
        }
        Ok(all)
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

    /// Notes the variables that are outside of their limits, except those `noted` before.
    fn note_limits(&mut self, robot: &Robot, configuration: &[f64], line: usize, noted: &mut [bool]) {
        for outside in robot.outside_limits(configuration) {
            let variable = &robot.variables()[outside];
            let Some(limits) = variable.limits else { continue };
            if !std::mem::replace(&mut noted[outside], true) {
                let (name, value, lower, upper) = (&variable.name, configuration[outside], limits.lower, limits.upper);
                self.notes
                    .push(format!("line {line}: column {name}: {value} is outside of the limits [{lower}, {upper}]"));
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
        let reason = format!("column {name}: it is {value}, but the joint follows another one and must be {expected}");
        return Err(Error::new(ErrorKind::BadConfiguration, reason));
    }
    Ok(())
}

fn table_error(error: clearance_io::Error) -> Error {
    let kind = match error.kind() {
        clearance_io::ErrorKind::Io => ErrorKind::Io,
        clearance_io::ErrorKind::NotFinite => ErrorKind::NotFinite,
        _ => ErrorKind::Malformed,
    };
    let line = if let Place::Line(line) = error.place() { Some(*line) } else { None };
    let named = Error::new(kind, error.reason()).at_line(line);
    match error.path() {
        Some(path) => named.in_file(path),
        None => named,
    }
}
