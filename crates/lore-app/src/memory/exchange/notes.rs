//! Import of folders of Markdown notes.

use std::collections::{HashMap, HashSet};

use lore_core::Provenance;

use super::super::kinds::DESCRIPTION;
use super::super::learn::moment;
use super::super::parts::parts;
use super::own::{self, OwnNote};
use super::{LINKS_TO, Load, Passage, Record, Tie, reference};

/// Parses notes, given as path within the folder and text. Links outside of code become ties; the
/// import counts those whose target is missing. Notes that Lorewell exported become the nodes they
/// were.
pub fn read(folder: &str, files: &[(String, String)]) -> Load {
    let label = format!("markdown {folder}");
    let mut load = Load { label, keys_are_places: true, ..Load::default() };
    let notes: Vec<Note> = files.iter().map(|(path, text)| Note::of(path, text)).collect();
    let ways = Ways::of(&notes);
    for note in &notes {
        // Each pair is linked once per type, and links of a note to itself are left out.
        let mut ends = HashSet::from([(LINKS_TO.to_owned(), note.key.clone())]);
        for (kind, link) in note.links() {
            let to = ways.find(&note.path, &link).map_or(link, str::to_owned);
            if ends.insert((kind.clone(), to.clone())) {
                load.ties.push(Tie::new(note.key.clone(), to, kind));
            }
        }
        let own = note.own.iter().flat_map(|own| &own.relations);
        load.ties.extend(own.filter_map(reference::relation));
    }
    for record in notes.into_iter().map(Note::record) {
        match record {
            Some(record) => load.records.push(record),
            None => load.unreadable += 1,
        }
    }
    load
}

/// A parsed note.
struct Note {
    path: String,
    /// The id in its front matter, or its path.
    key: String,
    front: HashMap<String, String>,
    body: String,
    /// The exported node, if Lorewell exported the note.
    own: Option<OwnNote>,
}

impl Note {
    fn of(path: &str, text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let (front, body) = front_matter(&text);
        let key = front.get("id").cloned().unwrap_or_else(|| path.to_owned());
        let own = own::read(&text);
        Self { path: path.to_owned(), key, front, body: body.trim().to_owned(), own }
    }

    /// Returns the links as type and target. For an exported note, only those added by hand.
    fn links(&self) -> Vec<(String, String)> {
        match &self.own {
            Some(own) => own.added.clone(),
            None => {
                let links = links(&without_code(&self.body)).into_iter();
                links.map(|link| (LINKS_TO.to_owned(), link)).collect()
            }
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.front.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn list(&self, names: [&str; 2]) -> Vec<String> {
        names.iter().find_map(|name| self.field(name)).map(list).unwrap_or_default()
    }

    /// Its title and aliases.
    fn names(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.title().to_owned()).chain(self.list(["aliases", "alias"]))
    }

    fn title(&self) -> &str {
        let heading = self.body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
        let title = self.field("title").or(heading).filter(|title| !title.is_empty());
        title.unwrap_or_else(|| stem(&self.path))
    }

    fn record(self) -> Option<Record> {
        if let Some(own) = &self.own {
            let record = reference::entity(&own.entity)?;
            return Some(Record { file: Some(self.path), ..record });
        }
        // A session ties the parts of a long note together for search.
        let session = (parts(&self.body).len() > 1).then(|| self.path.clone());
        let passage = Passage {
            provenance: Provenance { session, ..Provenance::default() },
            ..Passage::new(DESCRIPTION, self.body.as_str())
        };
        let made = ["created", "created_at", "date"].iter().find_map(|name| self.field(name));
        Some(Record {
            made: made.and_then(|at| at.parse().ok().or_else(|| moment(at))),
            name: self.title().to_owned(),
            type_name: self.field("type").unwrap_or("note").to_owned(),
            namespace: self.field("namespace").unwrap_or("notes").to_owned(),
            aliases: self.list(["aliases", "alias"]),
            tags: self.list(["tags", "tag"]),
            passages: vec![passage],
            file: Some(self.path),
            key: self.key,
            ..Record::default()
        })
    }
}

/// Resolves links to notes by path, file name, title or alias, in any case. Of notes with the same
/// name, the first one counts.
#[derive(Default)]
struct Ways<'a> {
    paths: HashMap<String, &'a str>,
    /// By the ends of their paths, from the file name alone on.
    ends: HashMap<String, &'a str>,
    names: HashMap<String, &'a str>,
}

impl<'a> Ways<'a> {
    fn of(notes: &'a [Note]) -> Self {
        let mut ways = Self::default();
        for note in notes {
            let key = note.key.as_str();
            let path = without_ending(&note.path).to_lowercase();
            for (slash, _) in path.match_indices('/') {
                let end = path.get(slash + 1..).unwrap_or_default();
                ways.ends.entry(end.to_owned()).or_insert(key);
            }
            ways.paths.entry(path).or_insert(key);
            for name in note.names() {
                ways.names.entry(name.to_lowercase()).or_insert(key);
            }
        }
        ways
    }

    /// Returns the key of the note that a link in the note at `from` leads to.
    fn find(&self, from: &str, link: &str) -> Option<&'a str> {
        let link = without_ending(link).to_lowercase();
        let by_path = self.paths.get(&beside(&from.to_lowercase(), &link));
        let by_path = by_path.or_else(|| self.paths.get(&link));
        by_path.or_else(|| self.ends.get(&link)).or_else(|| self.names.get(&link)).copied()
    }
}

/// Resolves a link relative to the folder of a note.
fn beside(from: &str, link: &str) -> String {
    let mut way: Vec<&str> = from.split('/').collect();
    way.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(way.pop()),
            part => way.push(part),
        }
    }
    way.join("/")
}

/// Parses the front matter into lower-case names and values, and returns the text after it. A list
/// on several lines is joined with commas.
fn front_matter(text: &str) -> (HashMap<String, String>, &str) {
    let inside = text.strip_prefix("---\n").and_then(|rest| {
        rest.split_once("\n---\n").or_else(|| Some((rest.strip_suffix("\n---")?, "")))
    });
    let Some((front, body)) = inside else { return (HashMap::new(), text) };
    let mut fields: HashMap<String, String> = HashMap::new();
    let mut last: Option<String> = None;
    for line in front.lines() {
        let entry = line.trim_start().strip_prefix("- ").zip(last.as_ref());
        if let Some((entry, name)) = entry {
            let list = fields.entry(name.clone()).or_default();
            if !list.is_empty() {
                list.push_str(", ");
            }
            list.push_str(entry.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            let name = name.trim().to_lowercase();
            fields.insert(name.clone(), value.trim().trim_matches(['"', '\'']).to_owned());
            last = Some(name);
        }
    }
    (fields, body)
}

/// Parses a list written as `[a, b]` or `a, b`.
pub(super) fn list(value: &str) -> Vec<String> {
    let inside = value.trim_start_matches('[').trim_end_matches(']');
    let entries = inside.split(',').map(|entry| entry.trim().trim_matches(['"', '\'', '#']));
    entries.filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

/// Returns the text without fenced code blocks and inline code.
fn without_code(body: &str) -> String {
    let mut prose = String::with_capacity(body.len());
    let mut fence: Option<&str> = None;
    for line in body.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                line.split('`').step_by(2).for_each(|part| prose.push_str(part));
                prose.push('\n');
            }
        }
    }
    prose
}

/// Returns the targets of `[[…]]` links and of links to `.md` files, without labels and anchors.
fn links(body: &str) -> Vec<String> {
    let wiki = body.split("[[").skip(1).filter_map(|rest| Some(rest.split_once("]]")?.0));
    let wiki = wiki.filter_map(|link| link.split(['|', '#']).next()).map(str::to_owned);
    // A path with blanks is in angle brackets.
    let target = |rest: &str| match rest.strip_prefix('<') {
        Some(rest) => rest.split_once('>').map(|(link, _)| link.to_owned()),
        None => rest.split_once(')').map(|(link, _)| link.to_owned()),
    };
    let plain = body.split("](").skip(1).filter_map(target);
    let plain = plain.filter_map(|link| Some(link.split('#').next()?.to_owned()));
    let plain = plain.filter(|link| link.ends_with(".md") && !link.contains("://"));
    let plain = plain.map(|link| link.replace("%20", " "));
    let all = wiki.chain(plain).map(|link| link.trim().to_owned());
    all.filter(|link| !link.is_empty()).collect()
}

fn without_ending(path: &str) -> &str {
    let ending = path.rsplit_once('.').filter(|(_, ending)| is_note(ending));
    ending.map_or(path, |(rest, _)| rest)
}

/// Whether files with this extension are notes.
pub fn is_note(ending: &str) -> bool {
    ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn stem(path: &str) -> &str {
    without_ending(path.rsplit('/').next().unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn ends(load: &Load) -> Vec<(&str, &str)> {
        load.ties.iter().map(|tie| (tie.from.as_str(), tie.to.as_str())).collect()
    }

    #[test]
    fn notes_have_titles_tags_and_links() {
        let files = files(&[
            ("a/Rope.md", "---\ntags: [hemp, \"old\"]\n---\n# The rope\nSee [[tar|that]]."),
            ("Tar.md", "Black and sticky"),
        ]);
        let load = read("ship", &files);
        let names: Vec<_> = load.records.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names, ["The rope", "Tar"]);
        assert_eq!(load.records[0].tags, ["hemp", "old"]);
        assert_eq!(ends(&load), [("a/Rope.md", "Tar.md")]);
    }

    #[test]
    fn links_go_by_path_name_title_and_alias_and_not_through_code() {
        let files = files(&[
            ("A.md", "[[sub/Deep|deep]], [[Zork]], [x](sub/Deep.md), [[Missing]], `[[B]]`"),
            ("B.md", "---\naliases:\n  - Zork\n---\nIt\n```\n[[A]]\n```\n"),
            ("sub/Deep.md", "up to [[A#Head]] and [a](../A.md)"),
            ("sub/A.md", "another, [c](<../C file.md>), [c](<../C file.md#there> \"C\")"),
            ("C file.md", "blank"),
        ]);
        let load = read("ship", &files);
        let expected = [
            ("A.md", "sub/Deep.md"),
            ("A.md", "B.md"),
            ("A.md", "Missing"),
            ("sub/Deep.md", "sub/A.md"),
            ("sub/Deep.md", "A.md"),
            ("sub/A.md", "C file.md"),
        ];
        assert_eq!(ends(&load), expected);
        assert_eq!(load.records[1].aliases, ["Zork"]);
    }

    #[test]
    fn a_note_is_as_old_as_it_says() {
        for (said, made) in [
            ("2023-05-08", "2023-05-08T00:00:00Z"),
            ("2023-05-08 14:00", "2023-05-08T14:00:00Z"),
            ("2023-05-08T14:00:05", "2023-05-08T14:00:05Z"),
            ("\"2023-05-08T14:00:00+02:00\"", "2023-05-08T12:00:00Z"),
            ("8 May 2023", "2023-05-08T00:00:00Z"),
        ] {
            for field in ["created", "date"] {
                let files = files(&[("a.md", &format!("---\n{field}: {said}\n---\nTea"))]);
                let known = read("ship", &files).records[0].made.map(|at| at.to_string());
                assert_eq!(known.as_deref(), Some(made), "{field}: {said}");
            }
        }
        let files = files(&[("a.md", "---\ncreated: long ago\n---\nTea")]);
        assert_eq!(read("ship", &files).records[0].made, None);
    }

    #[test]
    fn marks_of_the_encoding_and_of_windows_do_not_matter() {
        let files = files(&[("a.md", "\u{feff}---\r\ntitle: Tea\r\n---\r\ngreen\r\n")]);
        let record = &read("ship", &files).records[0];
        assert_eq!((record.name.as_str(), record.passages[0].body.as_str()), ("Tea", "green"));
    }
}
