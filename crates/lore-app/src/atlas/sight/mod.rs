//! Removes references to hidden things from values that other people wrote.
//!
//! Fields that join objects are edges, and the store shows only edges to nodes that the viewer
//! sees. Any other field may contain references as well, at any depth: reference objects, mentions,
//! URLs, lists, keys, and texts that contain JSON. One walk removes those that are hidden,
//! according to the store or to a service that was asked. If neither knows, the reference itself
//! must say that it is open.
//!
//! - `references` finds what values and texts refer to.
//! - `ask_store` and `ask_service` find out which of it the viewer sees.

mod ask_service;
mod ask_store;
pub(super) mod references;

use std::collections::HashMap;
use std::ops::Range;

use lore_anvil::{Kind, Object, is_public, is_reference};
pub(super) use lore_markup::veil::UNTOLD;
use lore_markup::{anvil, literal, mention};
use serde_json::Value;

use references::{Name, UUID, data_in, kind_of, looks_like_data, mentioned, name_of, named_in};

/// Kinds that are always shown: the worlds the caller is in, and the caller.
const EVERYBODYS: [Kind; 2] = [Kind::User, Kind::World];
/// Kinds that are open to everybody although they do not say so.
const SHARED: [Kind; 2] = [Kind::RpgSystem, Kind::MarkerType];

/// Which of the things that some values refer to may be shown.
#[derive(Debug)]
pub(super) struct Sight {
    /// Whether each known thing is visible.
    known: HashMap<Name, bool>,
    strangers: Strangers,
}

/// What happens to ids in texts about which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strangers {
    /// They stay: everything hidden is known.
    Stay,
    /// They are removed: they may belong to something hidden.
    Go,
    /// They stay for now, as do references that declare nothing, until the service has been asked.
    Wait,
}

impl Sight {
    pub(super) fn new(known: HashMap<Name, bool>, strangers: Strangers) -> Self {
        Self { known, strangers }
    }

    /// A value without references to hidden things; null if the value itself is hidden.
    pub(super) fn seen(&self, value: Value) -> Value {
        self.shown(value).unwrap_or_default()
    }

    /// A running text in which mentions of hidden things are reduced to their labels. Tags that
    /// only embed a hidden thing, such as `[secret:…]`, are removed.
    pub(super) fn words(&self, text: &str) -> String {
        if let Some(data) = data_in(text) {
            let shown = self.shown(data.clone());
            let same = shown.as_ref() == Some(&data);
            return if same { text.to_owned() } else { shown.unwrap_or_default().to_string() };
        }
        // An id in quotes is part of embedded data, which would tell more about the hidden thing
        // than its id.
        if self.untold_in(text).any(|at| is_quoted(text, &at)) {
            return UNTOLD.to_owned();
        }
        let text = self.in_words(text);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for at in self.untold_in(&text) {
            if at.start < done {
                continue;
            }
            let (cut, instead) = match tag_around(&text, &at) {
                Some(tag) => (tag, ""),
                None => (at, UNTOLD),
            };
            out.push_str(text.get(done..cut.start).unwrap_or_default());
            out.push_str(instead);
            done = cut.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }

    /// The positions of ids that must not be shown.
    fn untold_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        named_in(text).filter(|(_, name)| self.is_out(name)).map(|(at, _)| at)
    }

    fn shown(&self, value: Value) -> Option<Value> {
        match value {
            Value::Object(fields) if self.hides(&fields) => None,
            Value::Object(fields) => {
                let named = fields.into_iter().filter(|(name, _)| !self.names_untold(name));
                let shown = named.map(|(name, value)| match name.as_str() {
                    // This is the id of the object that is being shown.
                    "id" => (name, value),
                    _ => (name, self.seen(value)),
                });
                Some(Value::Object(shown.collect()))
            }
            Value::Array(items) => {
                Some(items.into_iter().filter_map(|item| self.shown(item)).collect())
            }
            Value::String(text) => self.text(text),
            other => Some(other),
        }
    }

    /// A text of unknown nature. Unless it is running text, it is dropped as a whole if it refers
    /// to something hidden, because the rest would mean nothing.
    fn text(&self, text: String) -> Option<Value> {
        if let Some(data) = data_in(&text) {
            let shown = self.shown(data.clone())?;
            return Some(if shown == data { text.into() } else { shown.to_string().into() });
        }
        let is_running = text.trim().contains(char::is_whitespace) && !looks_like_data(&text);
        match self.in_words(&text) {
            named if !self.names_untold(&named) => Some(named.into()),
            named => is_running.then(|| self.words(&named).into()),
        }
    }

    /// A text in which mentions of hidden things are reduced to what readers see of them.
    fn in_words(&self, text: &str) -> String {
        let text = anvil::replaced(text, |found| {
            let is_out = match mentioned(found) {
                Some(name) => self.is_out(&name),
                None => self.strangers == Strangers::Go,
            };
            is_out.then(|| words_for(Some(found.label)))
        });
        if self.strangers != Strangers::Go {
            return text;
        }
        // A service's text has no valid mentions of this form: it would have converted any that
        // lead somewhere.
        mention::replaced(&text, |found| {
            matches!(found.target, mention::Target::Entity(_)).then(|| words_for(found.label()))
        })
    }

    fn names_untold(&self, text: &str) -> bool {
        self.untold_in(text).next().is_some()
    }

    fn is_out(&self, name: &Name) -> bool {
        match self.known.get(name) {
            Some(seen) => !seen,
            None => self.strangers == Strangers::Go,
        }
    }

    /// Whether an object without an id of its own contains the id of something hidden together with
    /// a title.
    fn tells_of_hidden(&self, fields: &Object) -> bool {
        let is_hidden = |text: &str| {
            let name = Name::of(text).filter(|name| matches!(name, Name::Uid(_)));
            name.is_some_and(|name| self.known.get(&name) == Some(&false))
        };
        let is_called = ["title", "name", "label"].iter().any(|name| fields.contains_key(*name));
        is_called && fields.values().filter_map(Value::as_str).any(is_hidden)
    }

    fn hides(&self, fields: &Object) -> bool {
        let name = name_of(fields);
        let is_of_another = is_reference(fields) || fields.contains_key(UUID);
        match (name.as_ref().and_then(|name| self.known.get(name)), name) {
            (Some(seen), _) => !seen,
            (None, None) if self.tells_of_hidden(fields) => true,
            (None, Some(Name::Uid(_))) if is_of_another && self.strangers == Strangers::Go => true,
            (None, _) if is_bare(fields) => self.strangers != Strangers::Wait,
            (None, _) => is_hidden(fields) || says_private(fields),
        }
    }
}

/// What readers see in place of a mention that must not be shown.
fn words_for(label: Option<&str>) -> String {
    match label.unwrap_or_default() {
        "" => UNTOLD.to_owned(),
        label => literal(label),
    }
}

/// Whether an object is a reference with nothing but an id.
fn is_bare(fields: &Object) -> bool {
    fields.len() == 1 && fields.contains_key("id")
}

/// Whether a reference does not declare its target open. Worlds always say that they are private,
/// but the caller takes part in them, so they count as open.
pub(super) fn is_hidden(fields: &Object) -> bool {
    // An unknown kind is treated like an article.
    is_reference(fields) && !is_open(kind_of(fields).unwrap_or(Kind::Article), fields)
}

/// Whether an object that is not a reference says that it is private.
fn says_private(fields: &Object) -> bool {
    let state = fields.get("state").and_then(Value::as_str);
    let is_private = state.is_some_and(|state| state.trim().eq_ignore_ascii_case("private"));
    is_private && !is_open(kind_of(fields).unwrap_or(Kind::Article), fields)
}

/// Whether everybody may see an object. An object that does not say so is not shown.
pub(super) fn is_open(kind: Kind, object: &Object) -> bool {
    let is_silent = object.get("state").is_none_or(Value::is_null);
    let is_shared = SHARED.contains(&kind) && is_silent;
    EVERYBODYS.contains(&kind) || is_shared || is_public(object)
}

/// The position of a tag around an id that only embeds the thing: `[secret:id]`, or `\[secret:id\]`
/// if it is escaped.
fn tag_around(text: &str, id: &Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..id.start)?.strip_suffix(':')?;
    let word = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let start = word.strip_suffix('[').filter(|_| word.len() < before.len())?;
    let start = start.strip_suffix('\\').unwrap_or(start).len();
    let after = text.get(id.end..)?;
    let end = after
        .find([']', '[', '\n'])
        .filter(|end| after.get(*end..).is_some_and(|rest| rest.starts_with(']')))?;
    Some(start..id.end + end + 1)
}

/// Whether a position in a text is quoted like a JSON value.
fn is_quoted(text: &str, at: &Range<usize>) -> bool {
    let before = text.get(..at.start).is_some_and(|before| before.ends_with('"'));
    before
        && text.get(at.end..).is_some_and(|after| after.trim_start_matches('\\').starts_with('"'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OPEN: &str = "0190a1b2-0000-7000-8000-000000000001";
    const HIDDEN: &str = "0190a1b2-0000-7000-8000-000000000002";
    const STRANGE: &str = "0190a1b2-0000-7000-8000-000000000003";

    fn sight(strangers: Strangers) -> Sight {
        let name = |id: &str| Name::of(id).unwrap();
        let block = Name::Counted(Kind::Block, 7);
        let hidden = [name(HIDDEN), Name::Number(7), block].map(|name| (name, false));
        let known = hidden.into_iter().chain([(name(OPEN), true)]);
        Sight::new(known.collect(), strangers)
    }

    #[test]
    fn what_is_hidden_is_left_out_at_any_depth() {
        let value = json!({
            "deep": [{ "x": { "id": HIDDEN, "title": "X" } }, { "id": HIDDEN }, HIDDEN, OPEN],
            "one": { "id": OPEN, "title": "Shown", "state": "private" },
            "picture": { "id": 7, "url": "X" , "title": "X" },
            "bare": { "id": 7 },
            "shape": { "id": 7, "size": [1, 2] },
        });
        let shown = json!({
            "deep": [{ "x": null }, OPEN],
            "one": { "id": OPEN, "title": "Shown", "state": "private" },
            "picture": null, "bare": null,
            "shape": { "id": 7, "size": [1, 2] },
        });
        for strangers in [Strangers::Stay, Strangers::Go] {
            assert_eq!(sight(strangers).seen(value.clone()), shown);
        }
    }

    #[test]
    fn what_is_hidden_is_named_in_no_text() {
        let value = json!({
            "words": format!("By @[the Mill](location:{HIDDEN}) and @[Bob](person:{OPEN})."),
            "number": "A @[Wolf](block:7) there.",
            "address": format!("https://example.org/{HIDDEN}"),
            "list": format!("{OPEN},{HIDDEN}"),
            "running": format!("See {HIDDEN} and {OPEN}."),
            "other": { "uuid": HIDDEN, "name": "X" },
            "by id": { (HIDDEN): "x", "y": 1 },
        });
        let shown = json!({
            "words": format!("By the Mill and @[Bob](person:{OPEN})."),
            "number": "A Wolf there.",
            "address": null, "list": null,
            "running": format!("See … and {OPEN}."),
            "other": null,
            "by id": { "y": 1 },
        });
        for strangers in [Strangers::Stay, Strangers::Go] {
            assert_eq!(sight(strangers).seen(value.clone()), shown);
        }
    }

    #[test]
    fn a_text_that_is_data_is_shown_like_what_it_says() {
        let text = |value: Value| Value::String(value.to_string());
        let hidden = json!({ "id": HIDDEN, "title": "X" });
        let numbered = json!({ "id": 7, "title": "X", "state": "public" });
        for (value, shown) in [
            (text(hidden.clone()), Value::Null),
            (text(json!({ "a": hidden, "b": 1 })), text(json!({ "a": null, "b": 1 }))),
            (text(json!([numbered, "y"])), text(json!(["y"]))),
            (text(json!({ "in": text(hidden.clone()) })), text(json!({ "in": null }))),
            (json!(r#"{ "b" : 1 }"#), json!(r#"{ "b" : 1 }"#)),
            (json!(format!(r#"{{"id": "{HIDDEN}", "title": "X""#)), Value::Null),
        ] {
            for strangers in [Strangers::Stay, Strangers::Go] {
                assert_eq!(sight(strangers).seen(value.clone()), shown, "{value}");
            }
        }
    }

    #[test]
    fn of_what_nobody_knows_the_reference_must_say_that_it_is_public() {
        for (reference, shown) in [
            (json!({ "id": STRANGE, "title": "T", "state": "public" }), true),
            (json!({ "id": STRANGE, "title": "T", "state": "private" }), false),
            (json!({ "id": STRANGE, "title": "T" }), false),
            (json!({ "id": STRANGE }), false),
            (json!({ "id": STRANGE, "points": [] }), true),
            (json!({ "target": HIDDEN, "title": "T" }), false),
            (json!({ "target": OPEN, "title": "T" }), true),
            (json!({ "target": HIDDEN, "points": 4 }), true),
            (json!({ "id": STRANGE, "title": "T", "entityClass": "User" }), true),
        ] {
            let sight = sight(Strangers::Stay);
            assert_eq!(!sight.seen(reference.clone()).is_null(), shown, "{reference}");
        }
    }

    #[test]
    fn texts_name_strangers_where_everything_hidden_is_known() {
        let text = format!("By @[Bob](person:{STRANGE}), see {STRANGE}.");
        assert_eq!(sight(Strangers::Stay).words(&text), text);
        assert_eq!(sight(Strangers::Go).words(&text), "By Bob, see ….");
        let text = "By [character:30|Bob], see [entity:30] and [post:3].";
        assert_eq!(sight(Strangers::Stay).words(text), text);
        assert_eq!(sight(Strangers::Go).words(text), "By Bob, see … and [post:3].");
    }

    #[test]
    fn a_text_that_is_data_or_a_piece_of_it_does_not_tell_what_is_hidden() {
        let data = format!(r#"{{"ref": {{"id": "{HIDDEN}", "title": "Secret"}}, "b": 1}}"#);
        assert_eq!(sight(Strangers::Stay).words(&data), r#"{"ref":null,"b":1}"#);
        let piece = data.get(4..).unwrap_or_default();
        assert_eq!(sight(Strangers::Stay).words(piece), UNTOLD);
        let open = format!(r#"{{"ref": {{"id": "{OPEN}", "title": "Known"}}, "b": 1}}"#);
        assert_eq!(sight(Strangers::Stay).words(&open), open);
    }

    #[test]
    fn what_only_shows_something_hidden_is_not_there() {
        for (text, shown) in [
            (format!(r"See \[secret:{HIDDEN}\] there."), "See  there.".to_owned()),
            (format!("[map:{HIDDEN}|wide] [b]x[/b]"), " [b]x[/b]".to_owned()),
            (format!("[{HIDDEN}] [x: {HIDDEN}]"), "[…] [x: …]".to_owned()),
            (format!("[map:{HIDDEN} [b]x[/b]"), "[map:… [b]x[/b]".to_owned()),
            (format!("[map:{OPEN}]"), format!("[map:{OPEN}]")),
            (format!("{HIDDEN}{HIDDEN}[a:{HIDDEN}][b:{HIDDEN}]!"), "……!".to_owned()),
            (r"A \[block:7\|wide\] and [block:7].".to_owned(), "A  and .".to_owned()),
            ("lorewell://atlas/block/7.".to_owned(), "lorewell://atlas/block/….".to_owned()),
            ("[img:7] [block:77] 7".to_owned(), "[img:7] [block:77] 7".to_owned()),
        ] {
            assert_eq!(sight(Strangers::Stay).words(&text), shown);
        }
        assert_eq!(sight(Strangers::Go).words("[img:7] [block:8] [rank:9] 7"), "  [rank:9] 7");
    }
}
