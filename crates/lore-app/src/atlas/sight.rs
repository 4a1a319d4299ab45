//! References that somebody wrote into fields which nobody declared.
//!
//! What a field of the table joins things by is an edge, and the store shows only those that lead
//! to what the viewer sees. Any other field may hold references, too, at any depth; what they name
//! is looked for here, and what is hidden is left out. Of what the world does not know, the
//! reference itself must say that everybody may see it.

use std::collections::{HashMap, HashSet};

use lore_anvil::{IdForm, Kind, Object, is_public, is_reference};
use lore_core::{Result, Uid};
use lore_markup::anvil;
use serde_json::{Value, json};

use super::source::Atlas;
use crate::pages::Scribe;

/// What is shown to whoever may ask: the worlds they are in, and themselves.
const EVERYBODYS: [Kind; 2] = [Kind::User, Kind::World];
/// What everybody may see although it does not say so.
const SHARED: [Kind; 2] = [Kind::RpgSystem, Kind::MarkerType];

/// Which of the things that some values refer to the viewer sees.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// Whether things can be seen that are known; others are not in it.
    known: HashMap<Name, bool>,
    /// Everything is shown to who sees everything.
    is_whole: bool,
}

/// What a reference says of which thing it means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Uid(Uid),
    /// A number, of whatever kind has it.
    Number(i64),
}

impl Sight {
    /// A value without references to what cannot be seen; nothing when it is one itself.
    pub(super) fn seen(&self, value: Value) -> Value {
        if self.is_whole {
            return value;
        }
        without(self.in_words(value), &|part| match part {
            Value::Object(fields) => self.hides(fields),
            Value::String(text) => self.names_hidden(text),
            _ => false,
        })
    }

    /// A value whose texts mention what is hidden by its label alone.
    fn in_words(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(anvil::replaced(&text, |found| {
                let is_hidden = self.names_hidden(found.id);
                is_hidden.then(|| found.label.to_owned())
            })),
            Value::Array(items) => items.into_iter().map(|item| self.in_words(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.in_words(value))).collect()
            }
            other => other,
        }
    }

    /// Whether the id of something hidden stands in a text, wherever in it.
    fn names_hidden(&self, text: &str) -> bool {
        uids_in(text).any(|uid| self.is_seen(Some(Name::Uid(uid))) == Some(false))
    }

    /// Whether nothing is hidden.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn hides(&self, fields: &Object) -> bool {
        match self.is_seen(name_of(fields)) {
            Some(seen) => !seen,
            None => is_hidden(fields) || is_bare(fields),
        }
    }

    fn is_seen(&self, name: Option<Name>) -> Option<bool> {
        self.known.get(&name?).copied()
    }
}

impl Atlas {
    /// What the caller sees of everything that some values refer to.
    pub(super) async fn sight_of(&self, values: &[&Value]) -> Result<Sight> {
        if self.viewer().sees_gm_side() {
            return Ok(Sight { is_whole: true, ..Sight::default() });
        }
        let mut names = HashSet::new();
        values.iter().for_each(|value| collect(value, &mut names));
        let mut known = HashMap::new();
        let uids: Vec<Uid> = names
            .iter()
            .filter_map(|name| match name {
                Name::Uid(uid) => Some(*uid),
                Name::Number(_) => None,
            })
            .collect();
        let store = &self.app().store;
        for node in store.nodes_by_uid(&self.scribe.all_seeing(), &uids).await? {
            known.insert(Name::Uid(node.uid), false);
        }
        for node in store.nodes_by_uid(self.viewer(), &uids).await? {
            known.insert(Name::Uid(node.uid), true);
        }
        // A secret is a text, not a node.
        for uid in uids {
            if !known.contains_key(&Name::Uid(uid))
                && store.text_by_uid(&self.scribe.all_seeing(), uid).await?.is_some()
            {
                let seen = store.text_by_uid(self.viewer(), uid).await?.is_some();
                known.insert(Name::Uid(uid), seen);
            }
        }
        for name in names {
            if let Name::Number(number) = name
                && let Some(seen) = self.sees_number(number).await?
            {
                known.insert(name, seen);
            }
        }
        Ok(Sight { known, is_whole: false })
    }

    /// Whether the caller sees everything that has a number; nothing where nothing has it.
    async fn sees_number(&self, number: i64) -> Result<Option<bool>> {
        let viewer = self.scribe.all_seeing();
        let all = Self { scribe: Scribe { viewer, ..self.scribe.clone() } };
        let mut seen = None;
        for kind in Kind::ALL {
            if kind.row().id == IdForm::Number && all.numbered(*kind, number).await?.is_some() {
                let sees = self.numbered(*kind, number).await?.is_some();
                seen = Some(seen.unwrap_or(true) && sees);
            }
        }
        Ok(seen)
    }
}

/// A value without those objects and texts in it that are to be left out.
pub(super) fn without(value: Value, is_out: &dyn Fn(&Value) -> bool) -> Value {
    if is_out(&value) {
        return Value::Null;
    }
    match value {
        Value::Object(fields) => {
            let named = fields.into_iter().filter(|(name, _)| !is_out(&json!(name)));
            let shown = named.map(|(name, value)| match name.as_str() {
                // Whatever else it is, it is the id of what is shown.
                "id" => (name, value),
                _ => (name, without(value, is_out)),
            });
            Value::Object(shown.collect())
        }
        Value::Array(items) => {
            let shown = items.into_iter().filter(|item| !is_out(item));
            Value::Array(shown.map(|item| without(item, is_out)).collect())
        }
        other => other,
    }
}

/// Whether an object is a reference that tells nothing but an id.
pub(super) fn is_bare(fields: &Object) -> bool {
    fields.len() == 1 && fields.contains_key("id")
}

/// Whether a reference does not say that its target is for everybody. Worlds are always private to
/// those who have no part in them, and who asks here has.
pub(super) fn is_hidden(fields: &Object) -> bool {
    let class = fields.get("entityClass");
    let said = Kind::ALL.iter().copied().find(|kind| class == Some(&json!(kind.row().class)));
    // Whatever else it is, it is no more open than an article.
    is_reference(fields) && !is_open(said.unwrap_or(Kind::Article), fields)
}

/// Whether everybody may see an object. What says nothing of that is not shown.
pub(super) fn is_open(kind: Kind, object: &Object) -> bool {
    let is_silent = object.get("state").is_none_or(Value::is_null);
    let is_shared = SHARED.contains(&kind) && is_silent;
    EVERYBODYS.contains(&kind) || is_shared || is_public(object)
}

fn collect(value: &Value, names: &mut HashSet<Name>) {
    match value {
        Value::Object(fields) => {
            names.extend(name_of(fields));
            for (name, value) in fields {
                names.extend(uids_in(name).map(Name::Uid));
                collect(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::String(text) => names.extend(uids_in(text).map(Name::Uid)),
        _ => {}
    }
}

/// The ids that stand in a text: by themselves, in mentions, addresses, lists and data.
fn uids_in(text: &str) -> impl Iterator<Item = Uid> {
    const LENGTH: usize = 36;
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let bytes = text.as_bytes();
    let is_shaped = move |at: &usize| DASHES.iter().all(|dash| bytes.get(at + dash) == Some(&b'-'));
    let starts = (0..bytes.len()).filter(is_shaped);
    starts.filter_map(move |at| text.get(at..at + LENGTH)?.parse().ok())
}

/// What an object says it means. A number means something only where the rest is a reference, too.
fn name_of(fields: &Object) -> Option<Name> {
    let id = fields.get("id").or_else(|| fields.get("uuid"))?;
    let number = || match id {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    };
    let uid = id.as_str().and_then(|text| text.trim().parse().ok()).map(Name::Uid);
    let is_numbered = is_reference(fields) || fields.contains_key("entityClass") || is_bare(fields);
    uid.or_else(|| number().filter(|_| is_numbered).map(Name::Number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = "0190a1b2-0000-7000-8000-000000000001";
    const HIDDEN: &str = "0190a1b2-0000-7000-8000-000000000002";
    const STRANGE: &str = "0190a1b2-0000-7000-8000-000000000003";

    fn sight() -> Sight {
        let name = |id: &str| Name::Uid(id.parse().unwrap());
        let known = [(name(OPEN), true), (name(HIDDEN), false), (Name::Number(7), false)];
        Sight { known: known.into_iter().collect(), is_whole: false }
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
        assert_eq!(sight().seen(value.clone()), shown);
        assert_eq!(Sight { is_whole: true, ..sight() }.seen(value.clone()), value);
    }

    #[test]
    fn what_is_hidden_is_named_in_no_text() {
        let value = json!({
            "words": format!("By @[the Mill](location:{HIDDEN}) and @[Bob](person:{OPEN})."),
            "address": format!("https://example.org/{HIDDEN}"),
            "list": format!("{OPEN},{HIDDEN}"),
            "data": format!(r#"{{"id":"{HIDDEN}","title":"X"}}"#),
            "other": { "uuid": HIDDEN, "name": "X" },
            "by id": { (HIDDEN): "x", "y": 1 },
        });
        let shown = json!({
            "words": format!("By the Mill and @[Bob](person:{OPEN})."),
            "address": null, "list": null, "data": null, "other": null,
            "by id": { "y": 1 },
        });
        assert_eq!(sight().seen(value), shown);
    }

    #[test]
    fn of_what_nobody_knows_the_reference_must_say_that_it_is_public() {
        for (reference, shown) in [
            (json!({ "id": STRANGE, "title": "T", "state": "public" }), true),
            (json!({ "id": STRANGE, "title": "T", "state": "private" }), false),
            (json!({ "id": STRANGE, "title": "T" }), false),
            (json!({ "id": STRANGE }), false),
            (json!({ "id": STRANGE, "points": [] }), true),
            (json!({ "id": STRANGE, "title": "T", "entityClass": "User" }), true),
        ] {
            assert_eq!(!sight().seen(reference.clone()).is_null(), shown, "{reference}");
        }
    }
}
