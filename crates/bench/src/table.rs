//! Tables, aligned for people or in Markdown, and numbers as people write them.

/// How a column is aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with a title; notes stand under it.
pub struct Table {
    title: String,
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: Vec<(String, Align)>) -> Table {
        Table { title: title.into(), columns, rows: vec![], notes: vec![] }
    }

    /// Adds a row; cells that are missing stay empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The table as text, with a line end after its last line.
    pub fn render(&self, markdown: bool) -> String {
        let widths = self.widths(markdown);
        let mut text = if markdown {
            format!("### {}\n\n", self.title)
        } else {
            format!("{}\n\n", self.title)
        };
        let heads: Vec<String> = self.columns.iter().map(|(head, _)| head.clone()).collect();
        text += &self.line(&heads, &widths, markdown);
        text += &self.rule(&widths, markdown);
        for row in &self.rows {
            text += &self.line(row, &widths, markdown);
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            text += note;
            text.push('\n');
        }
        text
    }

    fn widths(&self, markdown: bool) -> Vec<usize> {
        let width = |(column, (head, _)): (usize, &(String, Align))| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.chain([head]).map(|cell| cell.chars().count()).max().unwrap_or(0);
            // The rule under a Markdown head takes a dash and a colon at least.
            widest.max(if markdown { 3 } else { 1 })
        };
        self.columns.iter().enumerate().map(width).collect()
    }

    fn line(&self, cells: &[String], widths: &[usize], markdown: bool) -> String {
        let cell = |(i, (_, align)): (usize, &(String, Align))| {
            let text = cells.get(i).map_or("", String::as_str);
            match align {
                Align::Left => format!("{text:<width$}", width = widths[i]),
                Align::Right => format!("{text:>width$}", width = widths[i]),
            }
        };
        let cells: Vec<String> = self.columns.iter().enumerate().map(cell).collect();
        if markdown {
            format!("| {} |\n", cells.join(" | "))
        } else {
            format!("{}\n", cells.join("  ").trim_end())
        }
    }

    fn rule(&self, widths: &[usize], markdown: bool) -> String {
        let dashes = |((_, align), &width): (&(String, Align), &usize)| match align {
            Align::Right if markdown => format!("{}:", "-".repeat(width - 1)),
            _ => "-".repeat(width),
        };
        let cells: Vec<String> = self.columns.iter().zip(widths).map(dashes).collect();
        if markdown {
            format!("| {} |\n", cells.join(" | "))
        } else {
            format!("{}\n", cells.join("  "))
        }
    }
}

/// 12345678 as 12,345,678.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Three digits that count: 0.123, 1.23, 12.3, 123.
pub fn rounded(number: f64) -> String {
    match number.abs() {
        size if size < 1.0 => format!("{number:.3}"),
        size if size < 10.0 => format!("{number:.2}"),
        size if size < 100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let columns = vec![("shape".into(), Align::Left), ("M/s".into(), Align::Right)];
        let mut table = Table::new("Speed", columns);
        table.row(vec!["locked".into(), "15.2".into()]);
        table.row(vec!["wide".into()]);
        table.note("A note.");
        table
    }

    #[test]
    fn plain_tables_are_aligned_without_spaces_at_the_end() {
        let text = "Speed\n\nshape    M/s\n------  ----\nlocked  15.2\nwide\n\nA note.\n";
        assert_eq!(sample().render(false), text);
    }

    #[test]
    fn markdown_tables_say_how_columns_are_aligned() {
        let text = "### Speed\n\n| shape  |  M/s |\n| ------ | ---: |\n| locked | 15.2 |\n\
                    | wide   |      |\n\nA note.\n";
        assert_eq!(sample().render(true), text);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 10_000_007].map(grouped), ["0", "999", "1,000", "10,000,007"]);
        let numbers = [0.0314, 1.005, 15.25, 99.96, 123.4];
        assert_eq!(numbers.map(rounded), ["0.031", "1.00", "15.2", "100.0", "123"]);
    }
}
