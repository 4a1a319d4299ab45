//! Notes about pages of the web: what is written into them, and what of it is written anew when
//! a page changes. Whatever else stands in a note is somebody's, and stays.

use super::submission::{self, Submission};

/// The note about a page, without what the page mentions.
pub(super) fn note(page: &Submission, now: &str) -> String {
    let mut note = format!(
        "---\n\"@type\": WebSource\n{}\nurl: {}\ndomain: {}\nrid: {}\n",
        named(page),
        quoted(&page.url),
        quoted(&submission::domain(&page.url)),
        quoted(&page.rid),
    );
    if let Some(who) = &page.submitted_by {
        note.push_str(&format!("submittedBy: {}\n", quoted(who)));
    }
    note.push_str(&format!("{}\n---\n{}\n\n", taken_in(now), heading(page)));
    if let Some(text) = description(page) {
        note.push_str(&format!("{text}\n\n"));
    }
    note
}

/// The note about a page that said `old` before and is another now. Of the properties, its name
/// and when it was read are told anew; of the text, the heading and the description, where they
/// still are what was written there.
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

/// The text below the properties, with the heading and the description of the page as it is now.
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

/// How a line ends, which is how lines beside it end. The last of a text may have no end.
fn line_end(line: &str) -> &'static str {
    if line.ends_with("\r\n") { "\r\n" } else { "\n" }
}

fn heading(page: &Submission) -> String {
    format!("# {}", lore_markup::literal(&page.title))
}

/// What a page says it is about, as one line.
fn description(page: &Submission) -> Option<String> {
    let text = page.description.as_deref()?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(lore_markup::literal(&text)).filter(|text| !text.is_empty())
}

fn named(page: &Submission) -> String {
    format!("name: {}", quoted(&page.title))
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
    fn a_description_comes_and_goes_with_the_page() {
        let (none, some) = (page("Ospreys", None), page("Ospreys", Some("One.")));
        let described = refreshed(&note(&none, "t"), &none, &some, "t");
        assert!(described.contains("# Ospreys\n\nOne.\n"), "{described}");
        let bare = refreshed(&note(&some, "t"), &some, &none, "t");
        assert!(!bare.contains("One."), "{bare}");
    }
}
