//! The properties at the top of a note: as much of YAML as people and their programs write.
//!
//! Keys with values, lists in brackets or on lines of their own, texts in quotes, over several
//! lines and in blocks, comments, values that are named and meant again, and blocks of keys as
//! `block.key`. Deeper nesting is left alone: it belongs to somebody else. No text fails; what
//! cannot be understood is no property.

use std::collections::BTreeMap;

use super::anchors::{Anchored, Anchors, MERGE, undecorated};
use super::flow::{self, Told};
use super::note::{last, links};

/// Longest value that is looked at, in characters.
const VALUE_MAX: usize = 500;
/// Most values of a property.
const VALUES_MAX: usize = 500;
/// Most lines of one value.
const LINES_MAX: usize = 200;

/// The properties of a note.
#[derive(Default)]
pub(super) struct Properties {
    values: BTreeMap<String, Vec<String>>,
    /// The paths of the notes that values link to, by property and place.
    paths: BTreeMap<(String, usize), String>,
}

impl Properties {
    /// Reads the block at the top of a note.
    pub(super) fn read(block: &str) -> Self {
        let lines = block.lines().filter(|line| !matches!(line.trim(), "---" | "..."));
        let mut reader = Reader { lines: lines.collect(), ..Reader::default() };
        while let Some(line) = reader.next() {
            reader.line(line);
        }
        reader.take_in();
        reader.found
    }

    /// Every value of a property, whose name is in small letters.
    pub(super) fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every property with its values: the paths they link to, else what they say.
    pub(super) fn linked(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().flat_map(move |(name, values)| {
            values.iter().enumerate().map(move |(place, value)| {
                let path = self.paths.get(&(name.clone(), place));
                (name.as_str(), path.unwrap_or(value).as_str())
            })
        })
    }

    /// What a property says, and what its keys say.
    fn under(&self, name: &str) -> Told {
        let inner = format!("{name}.");
        let told = self.values.iter().filter_map(|(other, values)| {
            let key = match other.strip_prefix(&inner) {
                Some(key) => Some(key.to_owned()),
                None if other == name => None,
                None => return None,
            };
            let texts = values.iter().enumerate().map(|(place, text)| {
                let path = self.paths.get(&(other.clone(), place));
                path.map_or_else(|| text.clone(), |path| format!("[[{path}]]"))
            });
            Some(texts.map(move |text| (key.clone(), text)))
        });
        told.flatten().take(VALUES_MAX).collect()
    }

    /// Adds what a value says: a text, or links to notes.
    fn put(&mut self, name: &str, text: &str) {
        let known = self.values.entry(name.to_owned()).or_default();
        for (text, path) in read_links(text) {
            if known.len() >= VALUES_MAX || text.is_empty() {
                continue;
            }
            self.paths.extend(path.map(|path| ((name.to_owned(), known.len()), path)));
            known.push(text);
        }
    }
}

/// The names a value links to, with the paths of their notes; or the value as it is.
fn read_links(text: &str) -> Vec<(String, Option<String>)> {
    let clean = |text: &str| -> String {
        lore_core::names::cleaned(text).chars().take(VALUE_MAX).collect()
    };
    let text = text.trim();
    let between = text.split("[[").map(|part| part.split_once("]]").map_or(part, |(_, rest)| rest));
    let only_links = between.flat_map(str::chars).all(|c| c.is_whitespace() || ",;&".contains(c));
    if !only_links {
        return vec![(clean(text), None)];
    }
    let paths = links(text).map(clean);
    paths.map(|path| (last(&path).to_owned(), Some(path))).collect()
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    found: Properties,
    /// The last property that is not nested, and the last of all.
    top: String,
    last: String,
    anchors: Anchors,
    /// What is to be taken in of blocks that are meant again, a list for each.
    merges: Vec<Vec<(String, String)>>,
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// Behind a key.
    Alone,
    /// Behind a dash.
    InList,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    fn line(&mut self, line: &'a str) {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        if inner.is_empty() || inner.starts_with('#') {
            return;
        }
        if let Some(item) = inner.strip_prefix("- ") {
            return self.value(item, indent, Stands::InList);
        }
        let Some((name, value)) = flow::key(inner) else { return };
        if name == MERGE {
            return self.merge(value.trim(), indent);
        }
        let name = name.to_lowercase();
        if indent == 0 {
            self.top.clone_from(&name);
            self.last = name;
        } else {
            self.last = format!("{}.{name}", self.top);
        }
        self.value(value, indent, Stands::Alone);
    }

    /// Takes the value in that begins here and may go on below.
    fn value(&mut self, text: &'a str, indent: usize, stands: Stands) {
        let (anchor, text) = undecorated(text.trim());
        let told = self.told(text, indent);
        let is_empty = told.iter().all(|(_, text)| text.is_empty());
        match anchor {
            Some(anchor) if !is_empty => self.anchors.name(anchor, Anchored::Value(told.clone())),
            Some(anchor) if stands == Stands::Alone => {
                self.anchors.name(anchor, Anchored::Property(self.last.clone()));
            }
            _ => {}
        }
        let mut taken_in = Vec::new();
        for (name, value) in told {
            let name = name.map(|name| name.to_lowercase());
            match name.as_deref().map(|name| (name, name.strip_prefix("<<."))) {
                Some((_, Some(key))) => taken_in.push((format!("{}.{key}", self.last), value)),
                Some((key, None)) => self.found.put(&format!("{}.{key}", self.last), &value),
                None => self.found.put(&self.last, &value),
            }
        }
        self.merges.push(taken_in);
    }

    /// What the value says that begins here and may go on below.
    fn told(&mut self, text: &'a str, indent: usize) -> Told {
        let meant = self.meant(flow::uncommented(text));
        let told = match text.chars().next() {
            Some('*') if meant.is_some() => meant,
            Some('[' | '{') if !is_link(text) => {
                let read = |reader: &Self, text: &str| flow::read(text, &|text| reader.meant(text));
                self.closed(flow::remarkless(text), flow::remarkless, read)
            }
            Some('"' | '\'') => self.closed(text, str::trim, |_, text| flow::quoted(text).map(one)),
            Some('|' | '>') => Some(one(self.block(text, indent))),
            _ => Some(one(self.plain(text, indent))),
        };
        // What is never closed is what stands there.
        told.unwrap_or_else(|| one(text.trim_matches(['"', '\'', '[']).to_owned()))
    }

    fn meant(&self, text: &str) -> Option<Told> {
        self.anchors.meant(text, |name| self.found.under(name))
    }

    /// Remembers the keys that are to be taken in of a block that is meant again, or of several.
    fn merge(&mut self, text: &str, indent: usize) {
        let prefix = if indent == 0 { String::new() } else { format!("{}.", self.top) };
        let text = flow::remarkless(text);
        let listed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        for block in listed.unwrap_or(text).split(',') {
            let told = self.meant(block.trim()).into_iter().flatten();
            let keys = told.filter_map(|(key, text)| Some((format!("{prefix}{}", key?), text)));
            self.merges.push(keys.collect());
        }
    }

    /// Takes in the keys of blocks that are meant again, but for those that are there: what stands
    /// in a block itself comes first, then what is meant first.
    fn take_in(&mut self) {
        for keys in std::mem::take(&mut self.merges) {
            let is_there = |(name, _): &&(String, String)| self.found.values.contains_key(name);
            let there: Vec<String> =
                keys.iter().filter(is_there).map(|(name, _)| name.clone()).collect();
            for (name, text) in keys.iter().filter(|(name, _)| !there.contains(name)) {
                self.found.put(name, text);
            }
        }
    }

    /// A value that is closed by a sign, which may stand on a later line.
    fn closed(
        &mut self,
        text: &str,
        line: fn(&str) -> &str,
        read: impl Fn(&Self, &str) -> Option<Told>,
    ) -> Option<Told> {
        let mut whole = text.to_owned();
        let begin = self.at;
        for _ in 0..LINES_MAX {
            if let Some(told) = read(self, &whole) {
                return Some(told);
            }
            let Some(more) = self.next() else { break };
            whole.push(' ');
            whole.push_str(line(more));
        }
        self.at = begin;
        None
    }

    /// A text of lines that are further in than their key, as they are or as one line.
    fn block(&mut self, sign: &str, indent: usize) -> String {
        let between = if sign.starts_with('|') { "\n" } else { " " };
        let lines = self.further_in(indent, |_| true);
        lines.join(between)
    }

    /// A text without quotes. What is further in and no property goes on with it.
    fn plain(&mut self, text: &str, indent: usize) -> String {
        let is_text = |line: &str| !line.starts_with("- ") && flow::key(line).is_none();
        let begun = flow::uncommented(text);
        let more = self.further_in(indent, is_text);
        let all = [begun].into_iter().chain(more.into_iter().map(flow::uncommented));
        let all = all.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        if matches!(all.as_str(), "~" | "null" | "Null" | "NULL") { String::new() } else { all }
    }

    /// The lines that follow and are further in, as long as they are of the sort.
    fn further_in(&mut self, indent: usize, is_sort: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let mut found = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let inner = line.trim();
            let inside = line.len() - line.trim_start().len() > indent;
            if found.len() >= LINES_MAX || !inner.is_empty() && (!inside || !is_sort(inner)) {
                break;
            }
            found.push(inner);
            self.at += 1;
        }
        found
    }
}

fn one(text: String) -> Told {
    vec![(None, text)]
}

/// Whether a value begins with a link to a note, and not with a list.
fn is_link(text: &str) -> bool {
    text.starts_with("[[") && !text.starts_with("[[[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(block: &str, name: &str) -> Vec<String> {
        Properties::read(block).all(name).to_vec()
    }

    #[test]
    fn lists_are_read_however_they_are_written() {
        for list in [
            "a: [One, \"Smith, John\", '[[Two]]']",
            "a: [One, # first\n  \"Smith, John\" ,\n\n  '[[Two]]' # the last\n # of all\n]\nb: 1",
            "a:\n- One # first\n- \"Smith, John\" # second\n- >-\n    [[Two]]\n",
            "a: &anchor [One, \"Smith, John\", [[Two]]]",
            "a:\n  - !!str One\n  - 'Smith, John'\n  - [[Folder/Two|Deux]]\n",
        ] {
            assert_eq!(values(list, "a"), ["One", "Smith, John", "Two"], "{list}");
        }
        assert_eq!(values("a: \"[[One]], [[Two]]\"", "a"), ["One", "Two"]);
        assert_eq!(values("a: [one\n  , two]\nb: x", "a"), ["one", "two"]);
        assert_eq!(values("a: []\nb: ~\nc:\n", "a"), [] as [&str; 0]);
    }

    #[test]
    fn texts_are_read_however_they_are_quoted() {
        for (text, said) in [
            (r#"a: "Caf\xE9 Y\u00e9 \U0001F409""#, "Café Yé 🐉"),
            ("a: 'O''Brien'", "O'Brien"),
            (r#"a: "Esc \"q\" \\ x""#, r#"Esc "q" \ x"#),
            ("a: Hash # tail", "Hash"),
            ("a: C# and a#tag", "C# and a#tag"),
            ("a: >\n  two\n  lines\nb: 1", "two lines"),
            ("a: it goes\n  on below\nb: 1", "it goes on below"),
            ("a: \"it goes\n  on below\"\nb: 1", "it goes on below"),
            ("a: \"never closed\nb: 1", "never closed"),
            ("a: it's", "it's"),
            ("\"a\": schema:Person", "schema:Person"),
        ] {
            assert_eq!(values(text, "a"), [said], "{text}");
        }
        assert_eq!(values("a: \"never closed\nb: 1", "b"), ["1"]);
    }

    #[test]
    fn blocks_hold_keys() {
        for block in [
            "r:\n  k: v\n  l:\n    - x\n    - y\n",
            "r: {k: v, l: [x, y]}",
            "r: { \"k\": 'v',\n l: [x,\n y] }",
        ] {
            assert_eq!(
                (values(block, "r.k"), values(block, "r.l")),
                (vec!["v".into()], vec!["x".into(), "y".into()]),
                "{block}"
            );
        }
    }

    #[test]
    fn what_is_named_once_is_meant_again() {
        for (block, said) in [
            ("x: &who Ada Holt\na: *who", vec!["Ada Holt"]),
            ("x: &who Ada Holt\na: *who # she", vec!["Ada Holt"]),
            ("x: &all [One, \"[[F/Two]]\"]\na: *all", vec!["One", "Two"]),
            ("x: &all\n  - One\n  - \"[[F/Two]]\"\na: *all\n", vec!["One", "Two"]),
            ("x: &one One\na:\n  - *one\n  - Two\n", vec!["One", "Two"]),
            ("x: &one One\na: [*one, Two]", vec!["One", "Two"]),
            ("x: &one One\ny: &one Two\na: *one", vec!["Two"]),
            ("x: &one One\na: \"*one\"", vec!["*one"]),
            ("a: *nobody", vec!["*nobody"]),
            ("a: *bold* words", vec!["*bold* words"]),
            ("a: &a [*a]", vec!["*a"]),
        ] {
            assert_eq!(values(block, "a"), said, "{block}");
        }
        let linked = Properties::read("x: &all\n  - \"[[F/Two]]\"\nknows: *all\n");
        assert!(linked.linked().any(|pair| pair == ("knows", "F/Two")));
    }

    #[test]
    fn keys_of_a_block_are_taken_in_where_there_are_none() {
        for block in [
            "base: &b\n  k: v\n  l: w\na:\n  <<: *b\n  k: own\n",
            "base: &b\n  k: v\n  l: w\na:\n  k: own\n  <<: *b\n",
            "base: &b {k: v, l: w}\na: {<<: *b, k: own}\n",
            "base: &b {k: v, l: w}\nother: &o {l: x, k: y}\na:\n  <<: [*b, *o]\n  k: own\n",
        ] {
            assert_eq!(values(block, "a.k"), ["own"], "{block}");
            assert_eq!(values(block, "a.l"), ["w"], "{block}");
        }
        let top = "base: &b\n  aliases: [One, Two]\n  name: Base\n<<: *b\nname: Own\n";
        assert_eq!(values(top, "aliases"), ["One", "Two"]);
        assert_eq!(values(top, "name"), ["Own"]);
    }

    #[test]
    fn what_is_meant_again_and_again_does_not_grow_without_end() {
        let mut laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
        for level in 1..40 {
            let before = format!("*a{}, ", level - 1).repeat(9);
            laughs.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        let read = Properties::read(&laughs);
        assert!(read.values.values().map(Vec::len).sum::<usize>() <= 40 * VALUES_MAX);
        let many = format!("x: &x [{}]\na:\n{}", "y, ".repeat(400), "  - *x\n".repeat(50_000));
        assert!(values(&many, "a").len() <= VALUES_MAX);
    }

    #[test]
    fn no_text_fails() {
        for text in [
            "",
            ":",
            "a:",
            "a: [",
            "a: {",
            "a: \"",
            "a: '",
            "- x",
            "a: [[",
            "a: ]]",
            "a: &",
            "[[[[[[",
            "a: {b: [c, {d: e",
            "a: \"\\x\"",
            "a: \"\\",
        ] {
            let _ = Properties::read(text);
        }
        let deep = format!("a: {}", "[".repeat(10_000));
        assert!(values(&deep, "a").len() <= 1);
    }
}
