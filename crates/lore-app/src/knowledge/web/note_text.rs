//! Notes about web pages: what is written into them, and what is updated when a page changes.
//! Everything else in such a note belongs to its author and stays.

use lore_markup::vault;

use super::submission::{self, Submission};

/// Returns the text of a note about a page, without the list of mentions.
pub(super) fn note(page: &Submission, now: &str) -> String {
    let mut note = format!(
        "---\n\"@type\": WebSource\n{}\nurl: {}\ndomain: {}\nrid: {}\n",
        named(page),
        quoted(&page.url),
        quoted(&submission::domain(&page.url)),
        quoted(&page.rid),
    );
    if let Some(who) = &page.submitted_by {
        note.push_str(&format!("submittedBy: {}\n", quoted(&vault::property(who))));
    }
    note.push_str(&judged(page));
    note.push_str(&format!("{}\n---\n{}\n\n", taken_in(now), heading(page)));
    if let Some(text) = description(page) {
        note.push_str(&format!("{text}\n\n"));
    }
    note
}

/// Returns the properties for what somebody thinks of a page.
fn judged(page: &Submission) -> String {
    let Some(opinion) = &page.evaluation else { return String::new() };
    let score = opinion.score.map(|score| format!("relevanceScore: {score}\n"));
    let tags = opinion.tags.iter().map(|tag| quoted(&vault::property(tag)));
    let tags = tags.collect::<Vec<_>>().join(", ");
    let tags = (!tags.is_empty()).then(|| format!("tags: [{tags}]\n"));
    score.unwrap_or_default() + &tags.unwrap_or_default()
}

/// The heading above the list of entities the page is about.
const MENTIONS: &str = "## Mentions";

/// Adds links to entities to the note about a page, except those it already contains.
pub(super) fn with_mentions(note: &str, names: &[&str]) -> String {
    let links = names.iter().map(|name| vault::link(name));
    let fresh: Vec<String> = links.filter(|link| !note.contains(link.as_str())).collect();
    let end = note.split_inclusive('\n').next().map_or("\n", line_end);
    let list = fitting(note, &fresh, end);
    if list.is_empty() {
        return note.to_owned();
    }
    match end_of_mentions(note) {
        Some(place) => {
            let (before, after) = note.split_at_checked(place).unwrap_or((note, ""));
            format!("{}{list}{after}", ended(before, end))
        }
        None => format!("{}{MENTIONS}{end}{end}{list}", apart(note, end)),
    }
}

/// What stands in the list for entities that find no room in the note.
const MORE: &str = "- …";
/// Room for the heading of the list and for what line ends add to it, in bytes.
const HEADING_ROOM: usize = 100;

/// Returns a list of links, cut to what the note has room for.
fn fitting(note: &str, links: &[String], end: &str) -> String {
    let most = usize::try_from(lore_vault::LARGEST_NOTE).unwrap_or(usize::MAX);
    let room = most.saturating_sub(note.len() + HEADING_ROOM);
    let mut list = String::new();
    for link in links {
        let line = format!("- {link}{end}");
        if list.len() + line.len() > room {
            let is_told = note.lines().chain(list.lines()).any(|line| line.trim_end() == MORE);
            let has_room = note.len() + list.len() + HEADING_ROOM <= most;
            if !is_told && has_room {
                list.push_str(&format!("{MORE}{end}"));
            }
            break;
        }
        list.push_str(&line);
    }
    list
}

/// Returns the offset at which the list of mentions ends.
fn end_of_mentions(note: &str) -> Option<usize> {
    let mut place = 0;
    let mut found = None;
    for line in note.split_inclusive('\n') {
        place += line.len();
        let said = line.trim();
        let is_listed = said.starts_with("- ") || said.is_empty();
        match found {
            None if said == MENTIONS => found = Some(place),
            Some(_) if said.starts_with("- ") => found = Some(place),
            Some(_) if !is_listed => break,
            _ => {}
        }
    }
    found
}

/// Adds a line ending to the last line if it has none.
fn ended(text: &str, end: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{end}") }
}

/// Makes a text end with an empty line.
fn apart(text: &str, end: &str) -> String {
    let text = ended(text, end);
    if text.is_empty() || text.ends_with(&end.repeat(2)) { text } else { text + end }
}

/// Updates the note about a page that changed from `old` to `new`. In the frontmatter, the name and
/// the time of reading change; in the text, the heading and the description. Lines that somebody
/// edited stay.
pub(super) fn refreshed(text: &str, old: &Submission, new: &Submission, now: &str) -> String {
    let (properties, body) = lore_vault::split_frontmatter(text);
    let properties: String = properties
        .split_inclusive('\n')
        .map(|line| {
            let told = line.trim_end();
            let end = line.get(told.len()..).unwrap_or_default();
            if told == named(old) {
                named(new) + end
            } else if told.starts_with(TAKEN_IN) {
                taken_in(now) + end
            } else {
                line.to_owned()
            }
        })
        .collect();
    properties + &retold(body, old, new)
}

/// Updates the heading and the description in the text of a note.
fn retold(body: &str, old: &Submission, new: &Submission) -> String {
    let is = |line: &str, text: &str| line.trim_end() == text;
    let (before, after) = (description(old), description(new));
    let add = before.is_none().then_some(after.as_deref()).flatten();
    let mut told = String::with_capacity(body.len());
    let mut headed = false;
    for line in body.split_inclusive('\n') {
        let end = line_end(line);
        if !headed && is(line, &heading(old)) {
            headed = true;
            told.push_str(&(heading(new) + end));
            told.push_str(&add.map(|text| format!("{end}{text}{end}")).unwrap_or_default());
        } else if headed && before.as_deref().is_some_and(|before| is(line, before)) {
            told.push_str(&after.as_deref().map(|text| format!("{text}{end}")).unwrap_or_default());
        } else {
            told.push_str(line);
        }
    }
    told
}

/// Returns the line ending that a line uses, or a newline if it has none.
fn line_end(line: &str) -> &'static str {
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Longest description in a note, in characters.
const DESCRIPTION_MAX: usize = 5_000;

fn heading(page: &Submission) -> String {
    format!("# {}", vault::literal(&page.title))
}

/// Returns the description of a page as a single line.
fn description(page: &Submission) -> Option<String> {
    let text = page.description.as_deref()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().take(DESCRIPTION_MAX).collect();
    Some(vault::literal(&text)).filter(|text| !text.is_empty())
}

fn named(page: &Submission) -> String {
    format!("name: {}", quoted(&vault::property(&page.title)))
}

const TAKEN_IN: &str = "ingestedAt:";

fn taken_in(now: &str) -> String {
    format!("{TAKEN_IN} {}", quoted(now))
}

fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(500).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "'"))
}

#[cfg(test)]
mod tests {
    use super::super::submission::Status;
    use super::*;

    fn page(title: &str, description: Option<&str>) -> Submission {
        Submission {
            url: "https://example.org/a".into(),
            rid: "orn:web.page:example_org/1".into(),
            title: title.into(),
            description: description.map(str::to_owned),
            author: None,
            published: None,
            site: None,
            language: None,
            keywords: Vec::new(),
            image: None,
            text: String::new(),
            hash: String::new(),
            status: Status::Ingested,
            submitted_by: None,
            note_path: None,
            watched: None,
            evaluation: None,
        }
    }

    #[test]
    fn what_people_wrote_into_a_note_stays_when_the_page_changes() {
        let (old, new) = (page("Ospreys", Some("One.")), page("Falcons", Some("Two.")));
        let before = note(&old, "t1")
            .replace("ingestedAt", "rating: 5\ningestedAt")
            .replace("One.\n", "One.\n\nI saw one myself.\n")
            + "## Mentions\n\n- [[Bill]]\n\n## My remarks\n\nPrecious.\n";
        let after = refreshed(&before, &old, &new, "t2");
        let wanted = before
            .replace("Ospreys", "Falcons")
            .replace("One.", "Two.")
            .replace("\"t1\"", "\"t2\"");
        assert_eq!(after, wanted);
        assert!(after.contains("rating: 5") && after.contains("I saw one myself."));
    }

    #[test]
    fn what_people_changed_is_theirs() {
        let (old, new) = (page("Ospreys", Some("One.")), page("Falcons", None));
        let mine = note(&old, "t1")
            .replace("# Ospreys", "# Fish hawks")
            .replace("name: \"Ospreys\"", "name: Hawks");
        let after = refreshed(&mine, &old, &new, "t1");
        assert_eq!(after, mine);
    }

    #[test]
    fn lines_end_as_those_of_the_file_do() {
        let crlf = |text: &str| text.replace('\n', "\r\n");
        for (old, new) in [
            (page("Ospreys", Some("One.")), page("Falcons", Some("Two."))),
            (page("Ospreys", None), page("Falcons", Some("Two."))),
            (page("Ospreys", Some("One.")), page("Falcons", None)),
        ] {
            let unix = refreshed(&note(&old, "t1"), &old, &new, "t2");
            let other = refreshed(&crlf(&note(&old, "t1")), &old, &new, "t2");
            assert_eq!(other, crlf(&unix));
        }
    }

    #[test]
    fn mentions_are_added_to_what_people_wrote() {
        let page = page("Ospreys", Some("One."));
        let first = with_mentions(&note(&page, "t"), &["Bill", "Ada"]);
        assert!(first.ends_with("One.\n\n## Mentions\n\n- [[Bill]]\n- [[Ada]]\n"), "{first}");
        assert_eq!(with_mentions(&first, &["Ada", "Bill"]), first);
        let mine = first.clone() + "\n## My remarks\n\n- [[Cy]] says so.";
        let more = with_mentions(&mine, &["Cy", "Dora", "Ada"]);
        let wanted = mine.replace("- [[Ada]]\n", "- [[Ada]]\n- [[Dora]]\n");
        assert_eq!(more, wanted);
        let crlf = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(with_mentions(&crlf(&mine), &["Dora"]), crlf(&wanted));
        assert_eq!(with_mentions("Mine.", &["Ada"]), "Mine.\n\n## Mentions\n\n- [[Ada]]\n");
        let bare = with_mentions("a\n## Mentions", &["Ada"]);
        assert_eq!(bare, "a\n## Mentions\n- [[Ada]]\n");
    }

    #[test]
    fn a_note_never_grows_too_large_to_be_written() {
        let names: Vec<String> = (0..6_000).map(|n| format!("{} {n}", "Ada ".repeat(49))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let huge = page("Ospreys", Some(&"One two. ".repeat(300_000)));
        let note = with_mentions(&note(&huge, "t"), &names);
        let most = usize::try_from(lore_vault::LARGEST_NOTE).unwrap();
        assert!(note.len() <= most && note.ends_with("- …\n"), "{}", note.len());
        assert_eq!(with_mentions(&note, &names), note);
    }

    #[test]
    fn a_page_puts_no_links_into_a_note() {
        let live = page("[[Wei Zhang]]", Some("![[Secret Note]] %% gone %% a:: b <% run %> ^one"));
        let note = Submission { submitted_by: Some("[[Ann]]".into()), ..live };
        let note = super::note(&note, "t");
        for live in ["[[", "%%", "::", "<%", " ^"] {
            assert!(!note.contains(live), "{live} in {note}");
        }
        let body = lore_vault::split_frontmatter(&note).1;
        let shown = lore_markup::to_text(body);
        assert!(shown.contains("![[Secret Note]] %% gone %% a:: b <% run %> ^one"), "{shown}");
        assert!(shown.starts_with("[[Wei Zhang]]"), "{shown}");
    }

    #[test]
    fn a_description_comes_and_goes_with_the_page() {
        let (none, some) = (page("Ospreys", None), page("Ospreys", Some("One.")));
        let described = refreshed(&note(&none, "t"), &none, &some, "t");
        assert!(described.contains("# Ospreys\n\nOne.\n"), "{described}");
        let bare = refreshed(&note(&some, "t"), &some, &none, "t");
        assert!(!bare.contains("One."), "{bare}");
    }
}
