//! Tables of values (RFC 4180): the first line names the columns.

/// Most bytes of a table that travels in a job.
pub const MOST_BYTES: usize = 4 << 20;

/// A table.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    values: Vec<String>,
}

impl Table {
    /// Reads a table; an error names the first bad line.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("the file contains a NUL byte".to_owned());
        }
        let mut table = Self::default();
        for (line, row) in rows(text.trim_start_matches('\u{feff}')) {
            if table.columns.is_empty() {
                if row.iter().any(String::is_empty) {
                    return Err("the first line must name all columns".to_owned());
                }
                let twice = |(place, name)| row[..place].contains(name).then_some(name);
                if let Some(name) = row.iter().enumerate().find_map(twice) {
                    return Err(format!(
                        "the first line must name the columns, but has `{name}` twice"
                    ));
                }
                table.columns = row;
            } else if row.len() == table.columns.len() {
                table.values.extend(row);
            } else {
                return Err(format!(
                    "line {line} has {} values for {} columns",
                    row.len(),
                    table.columns.len()
                ));
            }
        }
        if table.values.is_empty() {
            return Err("the file has no rows below the line of column names".to_owned());
        }
        Ok(table)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.len().max(1)
    }

    /// Returns a value.
    pub fn value(&self, row: usize, column: usize) -> &str {
        &self.values[row * self.columns.len() + column]
    }
}

/// Rows that are not empty, with the line in which each begins.
fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut row, mut value) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut began, mut quoted) = (1, 1, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                value.push('"');
            }
            '"' if quoted || value.is_empty() => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut value)),
            '\r' if !quoted && letters.peek() == Some(&'\n') => (),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut value));
                rows.push((began, std::mem::take(&mut row)));
                began = line;
            }
            letter => value.push(letter),
        }
    }
    row.push(value);
    rows.push((began, row));
    rows.retain(|(_, row)| row.len() > 1 || !row[0].is_empty());
    rows
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_table_has_columns_and_rows() {
        let table =
            Table::read("\u{feff}name,what\r\nann,\"a, \"\"b\"\"\nc\"\r\n\r\nbob,\n").unwrap();
        assert_eq!(table.columns, ["name", "what"]);
        assert_eq!(table.rows(), 2);
        assert_eq!(
            (table.value(0, 1), table.value(1, 0), table.value(1, 1)),
            ("a, \"b\"\nc", "bob", "")
        );
    }

    #[test]
    fn what_is_no_table_is_told_with_its_line() {
        for (text, says) in [
            ("", "no rows"),
            ("name\n", "no rows"),
            ("a,\n1,2\n", "name all columns"),
            ("7,b,7\n8,c,8\n", "name the columns, but has `7` twice"),
            ("a,b\n1,2\n\"x\ny\",2\n3\n", "line 5 has 1 values"),
            ("a\n\0\n", "NUL"),
        ] {
            let error = Table::read(text).unwrap_err();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
