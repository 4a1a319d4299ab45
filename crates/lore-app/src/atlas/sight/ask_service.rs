//! Finds out which things named in a service's answers are visible to everybody. The service is
//! asked only about those whose visibility the answers do not state themselves. Whatever it does
//! not say to be open counts as hidden.

use std::collections::{HashMap, HashSet};

use lore_anvil::{IdForm, Kind, Object, Sensitivity, TEMPLATES};
use lore_core::{Error, Result};
use lore_markup::anvil;
use serde_json::Value;

use super::references::{Name, Names, mentioned, named_in};
use super::{Sight, Strangers, is_bare};
use crate::atlas::ids::id_of;
use crate::atlas::live::Screened;
use crate::atlas::live::opened::{joined_to, world_of};
use crate::atlas::read::find::FoundArticle;
use crate::atlas::source::{Detail, ListQuery};

/// The lists searched for ids of unknown kind. Things of other kinds count as hidden.
const LISTED: [Kind; 4] = [Kind::Article, Kind::Category, Kind::Map, Kind::Timeline];

/// Everything that some answers refer to.
#[derive(Debug, Default)]
struct Asked {
    names: Names,
    /// Things of which the answers state the kind but not the visibility.
    kinds: HashSet<(Kind, String)>,
}

impl Screened {
    /// Determines what everybody may see of everything that objects of a kind refer to.
    pub(in crate::atlas) async fn sight_of(
        &self,
        kind: Kind,
        things: &[Object],
        world: Option<&str>,
    ) -> Result<Sight> {
        let mut asked = Asked::default();
        things.iter().for_each(|thing| asked.collect(kind, thing));
        let (mut known, unknown) = self.answers_to(asked).await?;
        if !unknown.is_empty() {
            let world = match world.map(str::to_owned).or_else(|| things.iter().find_map(world_of))
            {
                Some(world) => Some(world),
                None => self.world_of_one(kind, things).await?,
            };
            known.extend(self.found_in_lists(unknown, world).await?);
        }
        Ok(Sight::new(known, Strangers::Go))
    }

    /// Removes references to hidden things from the excerpts of a search.
    pub(in crate::atlas) async fn without_hidden(
        &self,
        articles: &mut [FoundArticle],
        world: Option<&str>,
    ) -> Result<()> {
        let mut asked = Asked::default();
        for found in articles.iter() {
            asked.names.told.extend(id_of(&found.article).and_then(|id| Name::of(&id)));
            asked.collect_text(&found.excerpt);
        }
        let (mut known, unknown) = self.answers_to(asked).await?;
        if !unknown.is_empty() {
            known.extend(self.found_in_lists(unknown, world.map(str::to_owned)).await?);
        }
        let sight = Sight::new(known, Strangers::Go);
        articles.iter_mut().for_each(|found| found.excerpt = sight.words(&found.excerpt));
        Ok(())
    }

    /// Returns what can be determined per thing, and the names for which lists have to be searched.
    async fn answers_to(&self, asked: Asked) -> Result<(HashMap<Name, bool>, HashSet<Name>)> {
        let told = asked.names.told.into_iter();
        let mut known: HashMap<Name, bool> = told.map(|name| (name, true)).collect();
        for (kind, id) in asked.kinds {
            let Some(name) = Name::of_kind(kind, &id).filter(|name| !known.contains_key(name))
            else {
                continue;
            };
            let is_open = self.is_said_to_be_open(kind, &id).await?;
            known.insert(name, is_open);
            // A bare number, without a kind, is as hidden as the most hidden thing with that
            // number.
            if let Some(number @ Name::Number(_)) = Name::of(&id) {
                *known.entry(number).or_insert(true) &= is_open;
            }
        }
        let mut unknown = asked.names.written;
        unknown.retain(|name| matches!(name, Name::Uid(_)) && !known.contains_key(name));
        Ok((known, unknown))
    }

    async fn is_said_to_be_open(&self, kind: Kind, id: &str) -> Result<bool> {
        let is_number = matches!(Name::of(id), Some(Name::Number(_)));
        // The service answers an id in the wrong form with an error, so it is not asked.
        if is_number != (kind.row().id == IdForm::Number) {
            return Ok(false);
        }
        allowed(self.open_one(kind, Some(id), -1).await.map(|_| true))
    }

    /// Looks for things in the service's lists and returns whether everybody may see those found.
    async fn found_in_lists(
        &self,
        mut wanted: HashSet<Name>,
        world: Option<String>,
    ) -> Result<HashMap<Name, bool>> {
        let mut known = HashMap::new();
        for kind in LISTED {
            if wanted.is_empty() {
                break;
            }
            let all =
                ListQuery { world: world.clone(), detail: Detail::Heads, ..ListQuery::of(kind) };
            for (row, is_open) in allowed(self.judged_rows(&all).await)? {
                let name = id_of(&row).and_then(|id| Name::of(&id));
                if let Some(name) = name.filter(|name| wanted.remove(name)) {
                    known.insert(name, is_open);
                }
            }
        }
        Ok(known)
    }

    /// The world of objects that state it only in their full form.
    async fn world_of_one(&self, kind: Kind, things: &[Object]) -> Result<Option<String>> {
        let Some(id) = things.iter().find_map(id_of) else { return Ok(None) };
        if kind == Kind::World {
            return Ok(Some(id));
        }
        let full = kind.row().granularity(2);
        let whole = allowed(self.inner.read(kind, Some(&id), full).await)?;
        Ok(world_of(&whole))
    }
}

impl Asked {
    /// Adds everything that an object refers to.
    fn collect(&mut self, kind: Kind, thing: &Object) {
        self.names.told.extend(id_of(thing).and_then(|id| Name::of(&id)));
        for (name, value) in thing {
            match name.as_str() {
                "id" => continue,
                "data" if kind == Kind::Canvas => self.names.collect_data(value),
                _ => self.names.collect(value),
            }
            self.collect_kinds(value);
            if let Some(other) = joined_to(kind, name) {
                self.collect_bare(other, value);
            }
        }
    }

    fn collect_text(&mut self, text: &str) {
        self.names.collect_text(text);
        for found in anvil::mentions(text) {
            let kind = kind_called(found.kind).filter(|kind| *kind != Kind::Article);
            self.kinds.extend(kind.map(|kind| (kind, found.id.to_owned())));
            self.collect_number(mentioned(&found));
        }
        named_in(text).for_each(|(_, name)| self.collect_number(Some(name)));
    }

    /// Adds a number whose kind is known, so that the service can be asked about it.
    fn collect_number(&mut self, name: Option<Name>) {
        if let Some(Name::Counted(kind, number)) = name {
            self.kinds.insert((kind, number.to_string()));
        }
    }

    /// Adds the kinds that mentions give for their targets, at any depth.
    fn collect_kinds(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.collect_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.collect_kinds(item)),
            Value::Object(fields) => fields.values().for_each(|value| self.collect_kinds(value)),
            _ => {}
        }
    }

    fn collect_bare(&mut self, kind: Kind, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect_bare(kind, item)),
            Value::Object(fields) if is_bare(fields) => {
                self.kinds.extend(id_of(fields).map(|id| (kind, id)));
            }
            _ => {}
        }
    }
}

/// The kind that a mention gives for its target, unless players may never see such things.
fn kind_called(word: &str) -> Option<Kind> {
    let is_template = TEMPLATES.iter().any(|known| known.eq_ignore_ascii_case(word));
    let kind = if is_template { Some(Kind::Article) } else { Kind::at(word) };
    kind.filter(|kind| kind.row().sensitivity == Sensitivity::Open)
}

/// Treats "not found", "forbidden" and "invalid" as an empty answer: the service then says nothing
/// about the thing.
fn allowed<T: Default>(answer: Result<T>) -> Result<T> {
    match answer {
        Err(Error::NotFound { .. } | Error::Forbidden { .. } | Error::Invalid { .. }) => {
            Ok(T::default())
        }
        other => other,
    }
}
