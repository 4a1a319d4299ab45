//! Links in notes: wiki links (`[[People/Ada|her]]`) and Markdown links (`[her](People/Ada.md)`).
//!
//! A target is a path without `.md`. Where a target is relative to its note, it begins with `./` or
//! `../`; `./` also stands for any place in the vault, because some programs write paths from the
//! root like that.

use std::ops::Range;

use lore_markup::link;

use crate::knowledge::entities::uri;

/// A link in a text.
struct Link {
    place: Range<usize>,
    target: String,
}

/// Returns the targets of the links in a text, without headings and captions.
pub(in crate::knowledge) fn targets(text: &str) -> impl Iterator<Item = String> {
    links(text).into_iter().map(|link| link.target)
}

/// Returns the targets of the links in a text that contains nothing else.
pub(super) fn only_targets(text: &str) -> Option<Vec<String>> {
    let (mut done, mut targets) = (0, Vec::new());
    let is_between = |text: &str| text.chars().all(|c| c.is_whitespace() || ",;&".contains(c));
    for link in links(text) {
        if !is_between(text.get(done..link.place.start)?) {
            return None;
        }
        done = link.place.end;
        targets.push(link.target);
    }
    is_between(text.get(done..)?).then_some(targets)
}

/// Returns the links in a text, in order.
fn links(text: &str) -> Vec<Link> {
    let mut found: Vec<Link> = wiki_links(text);
    found.extend(link::find(text).into_iter().filter_map(|link| {
        let target = note_at(link.url)?;
        Some(Link { place: link.place, target })
    }));
    found.sort_by_key(|link| link.place.start);
    found
}

fn wiki_links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((start, inner)) = next_wiki_link(text, from) {
        let end = start + inner.len() + 4;
        let target = target(inner);
        if !target.is_empty() {
            found.push(Link { place: start..end, target: target.to_owned() });
        }
        from = end;
    }
    found
}

/// Returns the next wiki link, and what is between its brackets.
fn next_wiki_link(text: &str, from: usize) -> Option<(usize, &str)> {
    let (before, rest) = text.get(from..)?.split_once("[[")?;
    let (inner, _) = rest.split_once("]]")?;
    // Of several opening brackets, the last ones belong to the closing ones.
    let own = inner.rsplit_once("[[").map_or(inner, |(_, own)| own);
    Some((from + before.len() + (inner.len() - own.len()), own))
}

/// Returns the target of a wiki link.
pub(super) fn target(link: &str) -> &str {
    let target = link.split(['|', '#', '\n']).next().unwrap_or(link).trim();
    target.strip_suffix(".md").unwrap_or(target)
}

/// Returns the target of a Markdown link, unless it leads out of the vault.
fn note_at(url: &str) -> Option<String> {
    if url.starts_with(uri::PREFIX) {
        return Some(url.to_owned());
    }
    let is_scheme = |text: &str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) && !text.is_empty()
    };
    if url.starts_with("//") || url.split_once(':').is_some_and(|(first, _)| is_scheme(first)) {
        return None;
    }
    let path = decoded(url.split('#').next().unwrap_or(url));
    let path = path.strip_suffix(".md").unwrap_or(&path);
    let is_placed = ["/", "./", "../"].iter().any(|start| path.starts_with(start));
    match (path.is_empty(), is_placed) {
        (true, _) => None,
        (_, true) => Some(path.to_owned()),
        (_, false) => Some(format!("./{path}")),
    }
}

/// Replaces percent signs and the two digits after them by what they stand for. Text that is not
/// encoded properly stays as it is.
fn decoded(url: &str) -> String {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let digits = digits.filter(|two| two.chars().all(|digit| digit.is_ascii_hexdigit()));
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| url.to_owned())
}

/// Returns the path in the vault that a target leads to from a note. `is_note` says whether there
/// is a note at a path.
pub(in crate::knowledge) fn placed(
    target: &str,
    from: &str,
    is_note: impl Fn(&str) -> bool,
) -> String {
    if let Some(path) = target.strip_prefix('/') {
        return path.to_owned();
    }
    let anywhere = target.strip_prefix("./");
    if anywhere.is_none() && !target.starts_with("../") {
        return target.to_owned();
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let path = names.join("/");
    match anywhere.filter(|path| !path.contains("../")) {
        Some(anywhere) if !is_note(&path) => anywhere.to_owned(),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_notes_however_they_are_written() {
        for (text, wanted) in [
            ("[[People/Ada|her]] and [[Bo.md#Life]]", vec!["People/Ada", "Bo"]),
            ("[her](../People/Wiki%20Anna.md)", vec!["../People/Wiki Anna"]),
            ("[her](/People/Anna.md#bio), [he](<Bo Li.md>)", vec!["/People/Anna", "./Bo Li"]),
            ("[x](https://a.org/b.md) [y](mailto:a@b) [z](//a/b) [h](#top)", vec![]),
            ("[x](100%.md) [y](%ff.md)", vec!["./100%", "./%ff"]),
            ("[[a [[Bo]]", vec!["Bo"]),
            ("[[]] [[ ]]", vec![]),
        ] {
            assert_eq!(targets(text).collect::<Vec<_>>(), wanted, "{text}");
        }
    }

    #[test]
    fn targets_are_taken_from_where_the_note_is() {
        for (target, path) in [
            ("People/Ada", "People/Ada"),
            ("/People/Ada", "People/Ada"),
            ("../People/Ada", "A/People/Ada"),
            ("../../People/Ada", "People/Ada"),
            ("../../../People/Ada", "People/Ada"),
            ("./Here", "A/Log/Here"),
            ("./Elsewhere", "Elsewhere"),
        ] {
            assert_eq!(placed(target, "A/Log/Note.md", |path| path.ends_with("Here")), path);
        }
    }
}
