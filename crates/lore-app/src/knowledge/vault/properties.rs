//! The properties at the top of a note (frontmatter).
//!
//! Properties are keys with values or lists; keys of a nested block are read as `block.key`. Deeper
//! nesting is ignored. People write things that are almost YAML, so reading never fails: a property
//! that is not valid YAML is taken as plain text and reported in [`Properties::broken`].

use std::collections::BTreeMap;

use super::note::{last, links};
use super::yaml::{self, Value};

/// Longest value that is read, in characters; the rest is cut off.
const VALUE_MAX: usize = 500;
/// Most values of a property.
const VALUES_MAX: usize = 500;
/// After this many invalid properties, the remaining ones are parsed one by one.
const BROKEN_MAX: usize = 20;

/// The properties of a note.
#[derive(Default)]
pub(super) struct Properties {
    values: BTreeMap<String, Vec<String>>,
    /// The paths of the notes that values link to, by property and index.
    paths: BTreeMap<(String, usize), String>,
    broken: Vec<Broken>,
}

/// A property that is not valid YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// Its name.
    pub(super) name: String,
    /// What is wrong with it.
    pub(super) why: String,
}

impl Properties {
    /// Reads the frontmatter block of a note.
    pub(super) fn read(block: &str) -> Self {
        let lines = block.lines().filter(|line| !matches!(line.trim(), "---" | "..."));
        let mut pieces = pieces(lines);
        let mut found = Self::default();
        // Anchors and aliases work across properties, so the valid ones are parsed together.
        for _ in 0..BROKEN_MAX.min(pieces.len()) {
            let Err(problem) = yaml::read(&pieces.concat()) else {
                pieces = vec![pieces.concat()];
                break;
            };
            let piece = pieces.remove(piece_of(&pieces, problem.line));
            found.take_broken(&piece, problem.why);
        }
        for piece in pieces {
            match yaml::read(&piece) {
                Ok(value) => found.take_block(&value),
                Err(problem) => found.take_broken(&piece, problem.why),
            }
        }
        found
    }

    /// Returns all values of a property. `name` must be in lower case.
    pub(super) fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the properties that are not valid YAML.
    pub(super) fn broken(&self) -> &[Broken] {
        &self.broken
    }

    /// Returns every property with each of its values: the path it links to, or else its text.
    pub(super) fn linked(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().flat_map(move |(name, values)| {
            values.iter().enumerate().map(move |(place, value)| {
                let path = self.paths.get(&(name.clone(), place));
                (name.as_str(), path.unwrap_or(value).as_str())
            })
        })
    }

    fn take_block(&mut self, value: &Value) {
        let Value::Block(keys) = value else { return };
        for (key, value) in keys {
            let name = key.trim().to_lowercase();
            match value {
                Value::Block(inner) => inner.iter().for_each(|(key, value)| {
                    self.take(&format!("{name}.{}", key.trim().to_lowercase()), value);
                }),
                value => self.take(&name, value),
            }
        }
    }

    fn take(&mut self, name: &str, value: &Value) {
        if let Some(link) = value.link() {
            return self.put(name, &link);
        }
        match value {
            Value::Plain(text) | Value::Quoted(text) => self.put(name, text),
            Value::List(items) => items.iter().for_each(|item| match item.text() {
                Some(text) => self.put(name, &text),
                None => self.take(name, item),
            }),
            Value::Block(_) => {}
        }
    }

    /// Takes the text of a property that is not valid YAML.
    fn take_broken(&mut self, piece: &str, why: String) {
        // Tabs, and brackets closed at the start of a line, are invalid YAML but easy to repair.
        let further_in = piece.replace('\t', "  ").replace('\n', "\n ");
        if let Ok(value) = yaml::read(&further_in) {
            return self.take_block(&value);
        }
        let Some((name, value)) = piece.split_once(':') else { return };
        let name = name.trim().trim_matches(['"', '\'']).to_owned();
        let key = name.to_lowercase();
        self.broken.push(Broken { name, why });
        let (first, lines) = value.split_once('\n').unwrap_or((value, ""));
        let items: Vec<&str> =
            lines.lines().filter_map(|line| line.trim_start().strip_prefix("- ")).collect();
        if items.is_empty() {
            let text = value.split_whitespace().collect::<Vec<_>>().join(" ");
            let unclosed = text.strip_prefix('[').filter(|rest| !rest.starts_with('['));
            return self.put(&key, unclosed.unwrap_or(&text).trim_matches(['"', '\'']));
        }
        self.put(&key, first);
        for item in items {
            match yaml::read(item) {
                Ok(value) => self.take(&key, &Value::List(vec![value])),
                Err(_) => self.put(&key, item.trim_matches(['"', '\''])),
            }
        }
    }

    /// Adds the value of a property: a text, or links to notes.
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

/// Groups the lines by property. Lines before the first property belong to it.
fn pieces<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for line in lines {
        let begins = !line.starts_with([' ', '\t', '-', '#', '[', ']', '{', '}', '*', '&'])
            && line.contains(':');
        match pieces.last_mut() {
            Some(piece) if !begins => piece.push_str(line),
            _ => pieces.push(line.to_owned()),
        }
        pieces.last_mut().into_iter().for_each(|piece| piece.push('\n'));
    }
    pieces
}

/// Returns the index of the piece that contains a line.
fn piece_of(pieces: &[String], line: usize) -> usize {
    let mut end = 0;
    let has = |piece: &String| {
        end += piece.lines().count();
        line < end
    };
    pieces.iter().position(has).unwrap_or(pieces.len().saturating_sub(1))
}

/// Returns the names a value links to, with the paths of their notes; or the value itself.
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
            ("a: &a [*a]", vec![]),
        ] {
            assert_eq!(values(block, "a"), said, "{block}");
        }
        let linked = Properties::read("x: &all\n  - \"[[F/Two]]\"\nknows: *all\n");
        assert!(linked.linked().any(|pair| pair == ("knows", "F/Two")));
    }

    #[test]
    fn what_is_no_yaml_is_the_text_that_stands_there_and_told() {
        for (block, said) in [
            ("a: Foo: the bar\nb: 1", vec!["Foo: the bar"]),
            ("a: @handle\nb: 1", vec!["@handle"]),
            ("a: *nobody\nb: 1", vec!["*nobody"]),
            ("a: [[One]], [[F/Two]]\nb: 1", vec!["One", "Two"]),
            ("a: 'it's\nb: 1", vec!["it's"]),
            ("a:\n  - One: two: three\n  - \"[[F/Two]]\"\nb: 1", vec!["One: two: three", "Two"]),
        ] {
            let block = format!("x: &x Named\n{block}\nc: *x\n");
            let read = Properties::read(&block);
            assert_eq!(read.all("a"), said, "{block}");
            assert_eq!((read.all("b"), read.all("c")), (&["1".into()][..], &["Named".into()][..]));
            let names: Vec<&str> = read.broken().iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["a"], "{block}");
        }
        let tabs = Properties::read("a:\n\t- One\n\t- Two\n");
        assert_eq!((tabs.all("a").len(), tabs.broken().len()), (2, 0));
        let closed = Properties::read("a: [\n\"[[F/One]]\", # first\n  Two\n]\nb: 1\n");
        assert_eq!((closed.all("a").len(), closed.broken().len()), (2, 0));
        let links = Properties::read("a: [[Smith, John]]\nb:\n  - [[F/A: the first|A]]\n");
        assert_eq!(
            (links.all("a"), links.all("b")),
            (&["Smith, John".into()][..], &["A: the first".into()][..])
        );
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
