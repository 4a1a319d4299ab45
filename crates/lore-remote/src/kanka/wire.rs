//! Conversion between Kanka's JSON objects and our types.
//!
//! Kanka stores texts as HTML; this program uses Markdown. Missing or odd values are tolerated, but
//! an object without its ids is ignored.

use lore_app::pages::PageKind;
use lore_app::pages::live::{Listed, PostDraft, RemoteHead, RemotePage, RemotePatch, RemotePost};
use lore_core::names::{self, NAME_MAX};
use lore_core::{Principal, Properties, Timestamp, Visibility, texts};
use lore_markup::{Frame, framed, frames, to_html, to_markdown};
use serde_json::{Map, Value, json};

/// Each kind with its name in paths and its code in objects.
const KINDS: [(PageKind, &str, &str); 9] = [
    (PageKind::Character, "characters", "character"),
    (PageKind::Creature, "creatures", "creature"),
    (PageKind::Location, "locations", "location"),
    (PageKind::Organization, "organisations", "organisation"),
    (PageKind::Race, "races", "race"),
    (PageKind::Note, "notes", "note"),
    (PageKind::Journal, "journals", "journal"),
    (PageKind::Quest, "quests", "quest"),
    (PageKind::Tag, "tags", "tag"),
];

/// Rows per page if the answer does not say.
const PER_PAGE: usize = 45;
/// Longest value of a kind-specific field, in characters.
const VALUE_MAX: usize = 200;

/// Returns the codes of all kinds, as the list request takes them.
pub(super) fn codes() -> String {
    KINDS.map(|row| row.2).join(",")
}

/// Returns the path segment of a kind.
pub(super) fn plural(kind: PageKind) -> &'static str {
    KINDS.iter().find(|row| row.0 == kind).map_or("entities", |row| row.1)
}

/// Returns the payload of an answer.
pub(super) fn data(body: &Value) -> Option<&Value> {
    body.get("data")
}

/// Reads one page of a list. Only `meta` says whether there are more pages: the links to further
/// pages omit the request's parameters.
pub(super) fn list<T>(
    body: &Value,
    page: u32,
    row: impl Fn(&Value) -> Option<T>,
) -> Option<Listed<T>> {
    let rows = data(body)?.as_array()?;
    let meta = |name: &str| body.get("meta").and_then(|meta| meta.get(name)?.as_u64());
    let next = body.get("links").and_then(|links| links.get("next"));
    let more = match meta("last_page") {
        Some(last) => u64::from(page) < last,
        None => next.is_some_and(|next| !next.is_null()),
    };
    let number = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok());
    Some(Listed {
        more: more && !rows.is_empty(),
        total: number(meta("total")),
        per_page: number(meta("per_page")).unwrap_or(PER_PAGE),
        at: body.get("sync").and_then(moment),
        rows: rows.iter().filter_map(row).collect(),
    })
}

/// Reads a row of the list of all entities.
pub(super) fn head(row: &Value) -> Option<RemoteHead> {
    let code = row.get("type").and_then(Value::as_str);
    let code = code.filter(|code| kind_of(code).is_some());
    // In older versions `type` is the user's own text, and the code is in `entity_type`.
    let code = code.or_else(|| row.get("entity_type").and_then(Value::as_str))?;
    Some(RemoteHead {
        number: row.get("id")?.as_i64()?,
        kind: kind_of(code)?,
        updated_at: moment(row.get("updated_at")?)?,
    })
}

/// Reads an entity with its typed object in `child`.
pub(super) fn entity(row: &Value) -> Option<RemotePage> {
    let kind = head(row)?.kind;
    let page = typed(kind, row.get("child")?)?;
    let parent = row.get("parent_id").map(Value::as_i64);
    Some(RemotePage { parent: parent.or(page.parent), ..page })
}

/// Reads a typed object, such as a character.
pub(super) fn typed(kind: PageKind, row: &Value) -> Option<RemotePage> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let tags = row.get("tags").and_then(Value::as_array);
    let posts = row.get("posts").and_then(Value::as_array);
    let updated_at = row.get("updated_at").and_then(moment);
    let created_at = row.get("created_at").and_then(moment);
    let attached = posts.into_iter().flatten();
    let attached = attached.filter_map(|post| post.get("entry").and_then(Value::as_str));
    let framed = text("entry").into_iter().chain(attached).filter(|html| html.contains("<iframe"));
    let own = kind.fields().iter().map(|name| ((*name).to_owned(), scalar(row.get(*name))));
    Some(RemotePage {
        number: row.get("entity_id")?.as_i64().filter(|number| *number > 0)?,
        kind_number: row.get("id")?.as_i64().filter(|number| *number > 0)?,
        kind,
        name: name(text("name")?),
        subtype: text("type").map(name).filter(|subtype| subtype != NAMELESS),
        entry: text("entry").map(read_text).unwrap_or_default(),
        tags: tags.into_iter().flatten().filter_map(Value::as_i64).collect(),
        private: row.get("is_private").is_some_and(truth),
        parent: parent(row),
        fields: own.collect::<Properties>(),
        posts: posts.map(|posts| posts.iter().filter_map(post).collect()),
        frames: framed.flat_map(frames).collect(),
        created_at: created_at.or(updated_at)?,
        updated_at: updated_at.or(created_at)?,
    })
}

/// Reads a post.
pub(super) fn post(row: &Value) -> Option<RemotePost> {
    Some(RemotePost {
        number: row.get("id")?.as_i64()?,
        name: name(row.get("name")?.as_str()?),
        entry: row.get("entry").and_then(Value::as_str).map(read_text).unwrap_or_default(),
        visibility: match row.get("visibility_id").and_then(Value::as_i64) {
            None | Some(1 | 5) => Visibility::Members,
            Some(4) => Visibility::Private(Principal::LOCAL),
            Some(_) => Visibility::Gm,
        },
        position: row.get("position").and_then(Value::as_i64).unwrap_or(0),
        updated_at: row.get("updated_at").and_then(moment).unwrap_or(Timestamp::UNIX_EPOCH),
    })
}

/// Returns a page as it is after a change. Answers may omit some of it; the patch fills the gaps.
pub(super) fn updated(
    base: &RemotePage,
    patch: &RemotePatch,
    answer: &Value,
) -> Option<RemotePage> {
    if !answer.is_object() {
        return None;
    }
    let shown = typed(base.kind, answer).or_else(|| entity(answer));
    let mut expected = patch.applied_to(base);
    if let Some(entry) = &patch.entry {
        expected.entry = to_markdown(&to_html(entry));
    }
    Some(match shown {
        Some(page) => RemotePage {
            posts: page.posts.or(expected.posts),
            parent: patch.parent.or(page.parent).or(expected.parent),
            ..page
        },
        None => {
            let at = answer.get("updated_at").and_then(moment);
            RemotePage { updated_at: at.unwrap_or(expected.updated_at), ..expected }
        }
    })
}

/// Returns the body that creates or changes a page. Embedded frames of the old text are kept.
pub(super) fn fields(patch: &RemotePatch, frames: &[Frame]) -> Value {
    let mut fields: Map<String, Value> = patch.fields.clone();
    let mut set = |name: &str, value: Option<Value>| {
        fields.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("name", patch.name.as_ref().map(|name| json!(name)));
    let subtype = patch.subtype.as_ref();
    set("type", subtype.map(|given| json!(Some(given).filter(|given| !given.is_empty()))));
    set("entry", patch.entry.as_ref().map(|entry| json!(framed(to_html(entry), frames))));
    set("tags", patch.tags.as_ref().map(|tags| json!(tags)));
    set("is_private", patch.private.map(Value::Bool));
    set("parent_id", patch.parent.map(|parent| json!(parent)));
    Value::Object(fields)
}

/// Returns the body that creates or changes a post.
pub(super) fn post_fields(draft: &PostDraft) -> Value {
    let mut fields = Map::new();
    let name = draft.name.as_ref().map(|name| ("name".to_owned(), json!(name)));
    let html = |entry: &String| json!(framed(to_html(entry), &draft.frames));
    let entry = draft.entry.as_ref().map(|entry| ("entry".to_owned(), html(entry)));
    let seen = draft.private.map(|private| {
        let visibility = if private { 2 } else { 1 };
        ("visibility_id".to_owned(), json!(visibility))
    });
    fields.extend([name, entry, seen].into_iter().flatten());
    Value::Object(fields)
}

fn kind_of(code: &str) -> Option<PageKind> {
    KINDS.iter().find(|row| row.2 == code).map(|row| row.0)
}

/// Returns the parent of an entity; the outer `None` means that the answer does not say. A list of
/// all ancestors identifies the parent only if it has at most one item.
fn parent(row: &Value) -> Option<Option<i64>> {
    if let Some(parent) = row.get("parent_id") {
        return Some(parent.as_i64());
    }
    match row.get("parents")?.as_array()?.as_slice() {
        [] => Some(None),
        [only] => Some(only.as_i64().or_else(|| only.get("entity_id")?.as_i64())),
        _ => None,
    }
}

const NAMELESS: &str = "(no name)";

/// Converts a text of theirs, without hidden characters.
fn read_text(html: &str) -> String {
    texts::cleaned(&to_markdown(html)).into_owned()
}

/// Cleans and shortens a name of theirs so that it is valid here.
fn name(given: &str) -> String {
    let cut: String = names::cleaned(given).chars().take(NAME_MAX).collect();
    if cut.is_empty() { NAMELESS.to_owned() } else { cut }
}

fn scalar(given: Option<&Value>) -> Value {
    match given {
        Some(Value::String(text)) => {
            json!(texts::cleaned(text).chars().take(VALUE_MAX).collect::<String>())
        }
        Some(value @ (Value::Bool(_) | Value::Number(_))) => value.clone(),
        _ => Value::Null,
    }
}

fn truth(given: &Value) -> bool {
    given.as_bool().unwrap_or_else(|| given.as_i64().is_some_and(|number| number != 0))
}

fn moment(given: &Value) -> Option<Timestamp> {
    given.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Value {
        json!({
            "id": 7, "entity_id": 70, "name": "Aelysh", "type": "NPC", "tags": [3],
            "entry": "<p>Warden of [location:5|the <b>grove</b>]</p>", "is_private": 1,
            "title": "Lady", "age": null, "created_at": "2019-08-29T13:48:54.000000Z",
            "updated_at": "2020-01-01T00:00:00.000000Z",
            "posts": [
                { "id": 1, "name": "A", "entry": null, "visibility_id": 1 },
                { "id": 2, "name": "B", "entry": "<p>x</p>", "visibility_id": 2 },
                { "id": 3, "name": "C", "entry": "", "visibility_id": 4 },
                { "id": 4, "name": "D", "entry": "", "visibility_id": 5 },
            ],
        })
    }

    #[test]
    fn a_typed_object_becomes_a_page() {
        let page = typed(PageKind::Character, &row()).unwrap();
        assert_eq!((page.number, page.kind_number, page.name.as_str()), (70, 7, "Aelysh"));
        assert!(page.entry.starts_with("Warden of [location:5|"), "{}", page.entry);
        assert!(page.private && page.tags == [3] && page.parent.is_none());
        assert_eq!(page.fields.get("title"), Some(&json!("Lady")));
        let seen: Vec<Visibility> = page.posts.unwrap().iter().map(|p| p.visibility).collect();
        let own = Visibility::Private(Principal::LOCAL);
        assert_eq!(seen, [Visibility::Members, Visibility::Gm, own, Visibility::Members]);
    }

    #[test]
    fn an_object_without_its_numbers_is_none() {
        for missing in ["id", "entity_id", "name"] {
            let mut row = row();
            row.as_object_mut().unwrap().shift_remove(missing);
            assert!(typed(PageKind::Character, &row).is_none(), "{missing}");
        }
    }

    #[test]
    fn heads_of_both_generations_are_read_and_others_left_out() {
        let at = "2020-01-01T00:00:00.000000Z";
        let new =
            json!({ "id": 1, "type": "organisation", "type_field": "Guild", "updated_at": at });
        let old = json!({ "id": 2, "type": "NPC", "entity_type": "character", "updated_at": at });
        let other = json!({ "id": 3, "type": "family", "updated_at": at });
        assert_eq!(head(&new).unwrap().kind, PageKind::Organization);
        assert_eq!(head(&old).unwrap().kind, PageKind::Character);
        assert_eq!(head(&other), None);
    }

    #[test]
    fn an_answer_that_shows_little_is_filled_from_what_was_known() {
        let base = typed(PageKind::Character, &row()).unwrap();
        let patch = RemotePatch { name: Some("Aelyn".into()), ..RemotePatch::default() };
        let at = "2021-01-01T00:00:00.000000Z";
        let bare = updated(&base, &patch, &json!({ "id": 70, "updated_at": at })).unwrap();
        assert_eq!((bare.name.as_str(), bare.entry.as_str()), ("Aelyn", base.entry.as_str()));
        assert_eq!(bare.updated_at, at.parse().unwrap());
        assert_eq!(bare.posts, base.posts);
        let mut whole = row();
        whole["name"] = json!("Aelyn of the Grove");
        whole.as_object_mut().unwrap().shift_remove("posts");
        let shown = updated(&base, &patch, &whole).unwrap();
        assert!(updated(&base, &patch, &json!("nothing")).is_none());
        assert_eq!(shown.name, "Aelyn of the Grove");
        assert_eq!(shown.posts, base.posts);
    }

    #[test]
    fn only_what_changes_is_sent_and_new_is_never_made_by_accident() {
        let patch = RemotePatch {
            subtype: Some(String::new()),
            entry: Some("See [new:character|Eve] and [entity:5]".into()),
            parent: Some(None),
            ..RemotePatch::default()
        };
        let sent = fields(&patch, &[]);
        assert_eq!(sent.get("type"), Some(&Value::Null));
        assert_eq!(sent.get("parent_id"), Some(&Value::Null));
        assert!(sent.get("name").is_none() && sent.get("tags").is_none());
        let entry = sent["entry"].as_str().unwrap();
        assert!(!entry.contains("[new:") && entry.contains("[entity:5]"), "{entry}");
    }

    #[test]
    fn what_kanka_shows_in_a_frame_is_framed_after_a_change_to_the_text() {
        let frame = "<iframe src=\"https://films.example/7\"></iframe>";
        let mut row = row();
        row["entry"] = json!(format!("<p>a</p>{frame}"));
        row["posts"][1]["entry"] = json!(frame);
        let base = typed(PageKind::Character, &row).unwrap();
        assert_eq!(base.frames.len(), 2);
        let entry = Some(format!("{}\n\nmore", base.entry));
        let patch = RemotePatch { entry, ..RemotePatch::default() };
        let sent = fields(&patch, &base.frames)["entry"].as_str().unwrap().to_owned();
        assert!(sent.contains(frame) && sent.contains("more"), "{sent}");
        let fresh = RemotePatch { entry: Some(frame.to_owned()), ..RemotePatch::default() };
        let told = updated(&base, &fresh, &json!({ "id": 70 })).unwrap();
        assert_eq!(told.entry, "<https://films.example/7>");
    }

    #[test]
    fn the_frame_of_a_list_says_whether_there_is_more() {
        let body = |last: u64| {
            json!({
                "data": [row()], "links": { "next": "https://x/characters?page=2" },
                "meta": { "last_page": last, "total": 46, "per_page": 45 },
                "sync": "2020-01-01T00:00:00.123456Z",
            })
        };
        let read = |body: &Value| list(body, 1, |row| typed(PageKind::Character, row)).unwrap();
        let first = read(&body(2));
        assert!(first.more && first.total == Some(46) && first.at.is_some());
        assert!(!read(&body(1)).more);
        assert!(list(&json!({ "data": 5 }), 1, head).is_none());
        assert!(list(&json!([]), 1, head).is_none());
    }
}
