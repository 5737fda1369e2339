//! Tables for terminals and for Markdown.

/// A table; the first column holds words, the others numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What stands above it.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<&'static str>,
    /// One entry per column each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, head: &[&'static str]) -> Self {
        Self { title: title.into(), head: head.to_vec(), rows: Vec::new() }
    }

    /// One table per run of items with the same title.
    pub fn grouped<T>(
        head: &[&'static str],
        items: &[T],
        title: impl Fn(&T) -> String,
        cells: impl Fn(&T) -> Vec<String>,
    ) -> Vec<Self> {
        let runs = items.chunk_by(|x, y| title(x) == title(y));
        let table = |run: &[T]| Self { rows: run.iter().map(&cells).collect(), ..Self::new(title(&run[0]), head) };
        runs.map(table).collect()
    }

    /// Aligned columns, the first to the left and all others to the right.
    ///
    /// ```
    /// use clearance_bench::table::Table;
    /// let mut table = Table::new("Speed", &["engine", "µs"]);
    /// table.rows.push(vec!["obb".into(), "12.5".into()]);
    /// assert_eq!(table.text(), "Speed\n  engine    µs\n  obb     12.5\n");
    /// ```
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (column, (cell, &width)) in cells.zip(&widths).enumerate() {
                line += &if column == 0 { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") };
            }
            format!("{}\n", line.trim_end())
        };
        let mut text = format!("{}\n{}", self.title, line(&mut self.head.iter().copied()));
        for row in &self.rows {
            text += &line(&mut row.iter().map(String::as_str));
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(self.head.get(column).map(|head| head.chars().count())).max().unwrap_or(0)
    }

    /// One JSON object a row: the title as `table`, and each cell by the head of its column.
    ///
    /// ```
    /// use clearance_bench::table::Table;
    /// let mut table = Table::new("Speed", &["engine", "µs"]);
    /// table.rows.push(vec!["obb".into(), "12.5".into()]);
    /// assert_eq!(table.json_lines(), [r#"{"table":"Speed","engine":"obb","µs":"12.5"}"#]);
    /// ```
    pub fn json_lines(&self) -> Vec<String> {
        let line = |row: &Vec<String>| {
            let cells = self.head.iter().zip(row).map(|(&head, cell)| (head.to_owned(), cell.as_str().into()));
            let title = ("table".to_owned(), self.title.as_str().into());
            let object: serde_json::Map<_, _> = std::iter::once(title).chain(cells).collect();
            serde_json::Value::Object(object).to_string()
        };
        self.rows.iter().map(line).collect()
    }

    /// As Markdown, the title as a heading.
    ///
    /// ```
    /// use clearance_bench::table::Table;
    /// let mut table = Table::new("Speed", &["engine", "µs"]);
    /// table.rows.push(vec!["obb".into(), "12.5".into()]);
    /// assert_eq!(table.markdown(), "### Speed\n| engine | µs |\n| --- | ---: |\n| obb | 12.5 |\n");
    /// ```
    pub fn markdown(&self) -> String {
        let rule: String = (1..self.head.len()).map(|_| " ---: |").collect();
        let mut text = format!("### {}\n| {} |\n| --- |{rule}\n", self.title, self.head.join(" | "));
        for row in &self.rows {
            text += &format!("| {} |\n", row.join(" | "));
        }
        text
    }
}

/// A time or a count with three digits, or as many as are before the point.
///
/// ```
/// use clearance_bench::table::short;
/// assert_eq!([0.0123, 1.234, 56.78, 1234.5].map(short), ["0.012", "1.23", "56.8", "1234"]);
/// ```
pub fn short(x: f64) -> String {
    match x {
        x if !x.is_finite() => "–".into(),
        x if x < 1.0 => format!("{x:.3}"),
        x if x < 10.0 => format!("{x:.2}"),
        x if x < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}
