//! Folders of Markdown notes.

use lore_core::Provenance;

use super::super::kinds::DESCRIPTION;
use super::{Load, Passage, Record, Tie, parts};

/// Longest part of a note that is kept as one text, in characters.
const PART_LETTERS: usize = 6_000;

/// Reads notes: the path of each within its folder, and its text. `[[links]]` between them
/// become edges.
pub fn read(folder: &str, files: &[(String, String)]) -> Load {
    let mut load = Load { label: format!("markdown {folder}"), ..Load::default() };
    for (path, text) in files {
        let (front, body) = front_matter(text);
        let record = note(path, &front, body);
        for target in links(body) {
            let named = |(path, _): &&(String, String)| stem(path).eq_ignore_ascii_case(target);
            if let Some((other, _)) = files.iter().find(named).filter(|(other, _)| other != path) {
                load.ties.push(Tie {
                    from: path.clone(),
                    to: other.clone(),
                    type_name: "links_to".into(),
                    weight: 1.0,
                });
            }
        }
        load.records.push(record);
    }
    load
}

fn note(path: &str, front: &[(&str, &str)], body: &str) -> Record {
    let field = |name: &str| front.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let heading = body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let title = field("title").or(heading).filter(|title| !title.is_empty());
    let session = (body.chars().count() > PART_LETTERS).then(|| path.to_owned());
    let passage = |body: String| Passage {
        kind: DESCRIPTION,
        body,
        provenance: Provenance { session: session.clone(), ..Provenance::default() },
    };
    Record {
        key: path.to_owned(),
        made: field("created").or(field("created_at")).and_then(|at| at.parse().ok()),
        name: title.unwrap_or_else(|| stem(path)).to_owned(),
        type_name: field("type").unwrap_or("note").to_owned(),
        namespace: field("namespace").unwrap_or("notes").to_owned(),
        tags: field("tags").map(list).unwrap_or_default(),
        passages: parts(body, PART_LETTERS).into_iter().map(passage).collect(),
        ..Record::default()
    }
}

/// The lines between two `---` at the top, as names and values.
fn front_matter(text: &str) -> (Vec<(&str, &str)>, &str) {
    let inside = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((front, body)) = inside else { return (Vec::new(), text) };
    let pair = |line: &'_ str| -> Option<(usize, usize)> {
        let at = line.find(':')?;
        Some((at, at + 1))
    };
    let fields = front.lines().filter_map(|line| {
        let (end, start) = pair(line)?;
        Some((line.get(..end)?.trim(), line.get(start..)?.trim().trim_matches('"')))
    });
    (fields.collect(), body)
}

/// `[a, b]` or `a, b`.
fn list(value: &str) -> Vec<String> {
    let inside = value.trim_start_matches('[').trim_end_matches(']');
    let entries = inside.split(',').map(|entry| entry.trim().trim_matches(['"', '\'', '#']));
    entries.filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

/// What `[[…]]` names, without what is shown instead and without headings.
fn links(body: &str) -> Vec<&str> {
    let inside = body.split("[[").skip(1).filter_map(|rest| Some(rest.split_once("]]")?.0));
    let name = |link: &'_ str| link.split(['|', '#']).next().map(str::len);
    inside.filter_map(|link| link.get(..name(link)?)).map(str::trim).collect()
}

fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".md").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_titles_tags_and_links() {
        let files = [
            (
                "a/Rope.md".to_owned(),
                "---\ntags: [hemp, \"old\"]\n---\n# The rope\nSee [[tar|that]].".to_owned(),
            ),
            ("Tar.md".to_owned(), "Black and sticky".to_owned()),
        ];
        let load = read("ship", &files);
        assert_eq!(
            (load.records[0].name.as_str(), load.records[1].name.as_str()),
            ("The rope", "Tar")
        );
        assert_eq!(load.records[0].tags, ["hemp", "old"]);
        assert_eq!((load.ties[0].from.as_str(), load.ties[0].to.as_str()), ("a/Rope.md", "Tar.md"));
    }
}
