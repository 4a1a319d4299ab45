//! Reads record sets from CSV files with any common separator.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};

/// A record: its id and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// Reads records. The id column is the one titled as such, or else the first. The name comes from
/// the columns listed in `name_column`, or from those with a title that is typical of names.
pub(crate) fn read_records(path: &Path, name_column: Option<&str>) -> anyhow::Result<Vec<Record>> {
    let mut rows = read_rows(path)?.into_iter();
    let header = rows.next().context("there are no lines")?;
    let id = header.iter().position(|cell| is_id(cell)).unwrap_or(0);
    let names = name_columns(&header, id, name_column)?;
    let records = rows.filter_map(|row| {
        let cells: Vec<_> = names.iter().filter_map(|place| row.get(*place)).collect();
        let name = cells.iter().map(|cell| cell.trim()).collect::<Vec<_>>().join(" ");
        Some(Record { id: row.get(id)?.trim().to_owned(), name: name.trim().to_owned() })
    });
    Ok(records.collect())
}

/// Reads pairs of matching ids from the first two columns. A header is read as a pair as well, but
/// its ids match no record.
pub(crate) fn read_pairs(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let rows = read_rows(path)?.into_iter();
    let pair = |row: Vec<String>| {
        let [left, right] = [row.first()?, row.get(1)?].map(|cell| cell.trim().to_owned());
        Some((left, right))
    };
    Ok(rows.filter_map(pair).collect())
}

fn is_id(cell: &str) -> bool {
    matches!(cell.trim().to_lowercase().as_str(), "id" | "rec_id" | "record_id" | "idx")
}

fn name_columns(header: &[String], id: usize, named: Option<&str>) -> anyhow::Result<Vec<usize>> {
    let cells: Vec<_> = header.iter().map(|cell| cell.trim().to_lowercase()).collect();
    let place = |wanted: &str| cells.iter().position(|cell| cell == wanted);
    if let Some(named) = named {
        let wanted = named.split(',').map(|one| one.trim().to_lowercase());
        let found: Vec<_> = wanted.filter_map(|one| place(&one)).collect();
        ensure!(!found.is_empty(), "there is no column {named}; there are {}", cells.join(", "));
        return Ok(found);
    }
    let parts = [["given_name", "surname"], ["first_name", "last_name"], ["first_name", "surname"]];
    for [first, last] in parts {
        if let (Some(first), Some(last)) = (place(first), place(last)) {
            return Ok(vec![first, last]);
        }
    }
    let known = ["name", "title", "label", "full_name"].iter().find_map(|wanted| place(wanted));
    let other = (0..cells.len()).find(|place| *place != id);
    match known.or(other) {
        Some(place) => Ok(vec![place]),
        None => bail!("there is no column with names"),
    }
}

fn read_rows(path: &Path) -> anyhow::Result<Vec<Vec<String>>> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Old record sets are in Latin-1, where bytes equal code points.
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    };
    Ok(parse(text.trim_start_matches('\u{feff}')))
}

/// Splits a text into rows and cells. Quotes protect separators, line ends and doubled quotes.
fn parse(text: &str) -> Vec<Vec<String>> {
    let separator = separator(text.lines().next().unwrap_or_default());
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(row) = rows.last_mut() else { break };
        let Some(cell) = row.last_mut() else { break };
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            '\n' if !quoted => rows.push(vec![String::new()]),
            '\r' if !quoted => {}
            other if other == separator && !quoted => row.push(String::new()),
            other => cell.push(other),
        }
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    rows
}

fn separator(header: &str) -> char {
    let count = |separator: &char| header.matches(*separator).count();
    [',', ';', '|', '\t'].into_iter().rev().max_by_key(count).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_protect() {
        let rows = parse("id,name\r\n1,\"a, \"\"b\"\"\nc\"\n\n2,d");
        assert_eq!(rows, [vec!["id", "name"], vec!["1", "a, \"b\"\nc"], vec!["2", "d"]]);
    }

    #[test]
    fn separators_are_seen() {
        assert_eq!(parse("id|name\n1|x, y"), [["id", "name"], ["1", "x, y"]]);
        assert_eq!(parse("id\tname\n1\tx"), [["id", "name"], ["1", "x"]]);
    }

    #[test]
    fn names_are_found_by_their_columns() {
        let columns = |header: &[&str], named| {
            let header: Vec<_> = header.iter().map(|cell| (*cell).to_owned()).collect();
            name_columns(&header, 0, named).ok()
        };
        assert_eq!(columns(&["id", "price", "Title"], None), Some(vec![2]));
        assert_eq!(columns(&["rec_id", "given_name", "surname"], None), Some(vec![1, 2]));
        assert_eq!(columns(&["a", "b"], None), Some(vec![1]));
        assert_eq!(columns(&["a", "b"], Some("c")), None);
    }
}
