//! The properties at the top of a note (frontmatter).
//!
//! Properties are keys with values or lists; keys of a nested block are read as `block.key`. Deeper
//! nesting is ignored. People write things that are almost YAML, so reading never fails: a property
//! that is not valid YAML is taken as plain text, a line that belongs to none is left out, and both
//! are reported in [`Properties::broken`].

use std::collections::BTreeMap;

use super::links;
use super::note::last;
use super::yaml::{self, Value};

/// Longest value that is read, in characters; the rest is cut off.
const VALUE_MAX: usize = 500;
/// Most values of a property.
const VALUES_MAX: usize = 500;
/// After this many invalid properties, the remaining ones are parsed one by one.
const BROKEN_MAX: usize = 20;
/// Properties that are lists even if they are written on one line without brackets.
const LISTS: [&str; 3] = ["alias", "aliases", "tags"];

/// The properties of a note.
#[derive(Default)]
pub(super) struct Properties {
    values: BTreeMap<String, Vec<String>>,
    /// The paths of the notes that values link to, by property and index.
    paths: BTreeMap<(String, usize), String>,
    broken: Vec<Broken>,
}

/// Something in the properties that is probably not meant as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// A property that is not valid YAML.
    Property {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A line that belongs to no property.
    Stray(String),
}

impl Broken {
    /// Says what is wrong.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Property { name, why } => {
                format!("the property {name} is not YAML ({why}) and is read as plain text")
            }
            Self::Stray(line) => {
                format!("the line {line:?} belongs to no property and is left out")
            }
        }
    }
}

impl Properties {
    /// Reads the frontmatter block of a note.
    pub(super) fn read(block: &str) -> Self {
        let lines = block.lines().filter(|line| !matches!(line.trim(), "---" | "..."));
        let mut found = Self::default();
        let mut pieces = pieces(lines);
        if pieces.first().is_some_and(|piece| is_stray(piece)) {
            let piece = pieces.remove(0);
            found.take_stray(piece.lines());
        }
        // Anchors and aliases work across properties, so the valid ones are parsed together.
        for _ in 0..BROKEN_MAX.min(pieces.len()) {
            let Err(problem) = yaml::read(&pieces.concat()) else {
                pieces = vec![pieces.concat()];
                break;
            };
            let at = piece_of(&pieces, problem.line);
            // A stray line may be noticed only where the next property begins.
            let mut near = [Some(at), at.checked_sub(1)].into_iter().flatten();
            if let Some((whole, stray)) = near.find_map(|at| without_stray(&pieces, at)) {
                found.take_stray(stray.iter().map(String::as_str));
                pieces = whole;
                continue;
            }
            let piece = pieces.remove(at);
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

    /// Returns what is not valid YAML.
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
            Value::Plain(text) if LISTS.contains(&name) && !text.contains("[[") => {
                text.split(',').for_each(|text| self.put(name, text));
            }
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
        self.broken.push(Broken::Property { name, why });
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

    /// Reports lines that belong to no property.
    fn take_stray<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        let lines = lines.filter(|line| !is_silent(line));
        let line = |line: &str| Broken::Stray(line.trim().chars().take(VALUE_MAX).collect());
        self.broken.extend(lines.map(line));
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

/// Returns the pieces without the stray lines of one of them, and these lines. `None` if there are
/// none or that piece is not valid without them either.
fn without_stray(pieces: &[String], at: usize) -> Option<(Vec<String>, Vec<String>)> {
    let (own, stray) = parted(pieces.get(at)?);
    let mut pieces = pieces.to_vec();
    *pieces.get_mut(at).filter(|_| !stray.is_empty())? = own;
    let is_valid = yaml::read(&pieces.get(..=at)?.concat()).is_ok();
    is_valid.then_some((pieces, stray))
}

/// Splits off the lines that would have to be indented to belong to a property. The items of a list
/// need not be.
fn parted(piece: &str) -> (String, Vec<String>) {
    let is_indented = |line: &str| line.starts_with([' ', '\t']) || is_silent(line);
    let (first, rest) = piece.split_once('\n').unwrap_or((piece, ""));
    let has_value = first.split_once(':').is_some_and(|(_, value)| !is_silent(value));
    let inside = rest.lines().find(|line| !is_silent(line));
    let has_items = !has_value && inside.is_some_and(|line| line.starts_with("- "));
    let is_own = |line: &&str| is_indented(line) || has_items && line.starts_with("- ");
    let (own, stray): (Vec<&str>, Vec<&str>) = rest.lines().partition(is_own);
    let lines = std::iter::once(first).chain(own);
    let own = lines.flat_map(|line| [line, "\n"]).collect();
    (own, stray.into_iter().map(str::to_owned).collect())
}

/// Whether a line is empty or a comment.
fn is_silent(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Whether the lines before the first property are no property themselves.
fn is_stray(piece: &str) -> bool {
    !piece.contains(':') || piece.trim_start().starts_with("- ")
}

/// Groups the lines by property. Lines before the first property are a group of their own.
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
    let Some(targets) = links::only_targets(text) else { return vec![(clean(text), None)] };
    let paths = targets.iter().map(|target| clean(target));
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
            let is_a = |one: &Broken| matches!(one, Broken::Property { name, .. } if name == "a");
            assert!(read.broken().len() == 1 && read.broken().iter().all(is_a), "{block}");
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
    fn a_line_that_belongs_to_no_property_leaves_the_others_as_they_are() {
        for stray in ["- stray", "plain line no colon", "kno"] {
            for block in [
                format!("{stray}\na: &x One\nb: [*x, Two]\n"),
                format!("a: &x One\n{stray}\nb: [*x, Two]\n"),
                format!("a: &x One\nb:\n  - *x\n  - Two\n{stray}\n"),
            ] {
                let read = Properties::read(&block);
                let values = [read.all("a"), read.all("b")].map(<[String]>::len);
                assert_eq!((values, read.all("a")), ([1, 2], &["One".into()][..]), "{block}");
                assert_eq!(read.broken(), [Broken::Stray(stray.into())], "{block}");
            }
        }
        let commented = Properties::read("# of her\n\na: One\n# more\nb: Two\n");
        assert_eq!((commented.all("b").len(), commented.broken().len()), (1, 0));
    }

    #[test]
    fn names_with_commas_between_them_are_several() {
        assert_eq!(values("aliases: Uschi, Uta", "aliases"), ["Uschi", "Uta"]);
        assert_eq!(values("alias: Uschi", "alias"), ["Uschi"]);
        for one in
            ["aliases: [\"Smith, John\"]", "aliases:\n- Smith, John", "aliases: 'Smith, John'"]
        {
            assert_eq!(values(one, "aliases"), ["Smith, John"], "{one}");
        }
    }

    #[test]
    fn markdown_links_lead_to_notes() {
        let read = Properties::read("a: \"[Org One](../Orgs/Org%20One.md)\"\nb: see [x](y.md)\n");
        assert_eq!(read.all("a"), ["Org One"]);
        assert!(read.linked().any(|pair| pair == ("a", "../Orgs/Org One")));
        assert_eq!(read.all("b"), ["see [x](y.md)"]);
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
