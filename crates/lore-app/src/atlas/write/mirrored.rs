//! Articles of a world that mirrors a Kanka campaign. Writes go to Kanka, and the mirror follows.
//! Fields that Kanka has no place for are refused, so that nobody believes they were saved.

use lore_anvil::{DRAFT, Kind, Object};
use lore_core::names::Word;
use lore_core::{Error, Node, Result};
use serde_json::{Value, json};

use super::input::{State, Written};
use crate::atlas::source::Atlas;
use crate::atlas::{keys, templates};
use crate::pages::{self, NewPage, PageKind, PagePatch};

impl Atlas {
    /// Whether nodes of a kind are entities of a Kanka campaign here.
    pub(super) fn is_mirrored(&self, kind: &Word) -> bool {
        self.scribe.live().is_some() && PageKind::of(kind).is_some()
    }

    /// Creates an article on Kanka.
    pub(super) async fn create_mirrored(
        &self,
        kind: Kind,
        name: String,
        written: Written,
    ) -> Result<Object> {
        check_fields(&written)?;
        let node_kind = keys::node_word(kind, written.template)?;
        let page_kind = PageKind::of(&node_kind);
        let new = NewPage {
            kind: page_kind.ok_or_else(|| Error::Bug { what: "a page without a kind".into() })?,
            name,
            subtype: written.subtype.flatten(),
            entry: written.text,
            tags: written.tags.unwrap_or_default(),
            private: Some(written.state.unwrap_or(State::Private) == State::Private),
            parent: None,
            fields: lore_core::Properties::new(),
        };
        let made = pages::create(&self.scribe, &new).await?;
        self.read_object(kind, Some(&made.number.to_string()), kind.row().granularity(2)).await
    }

    /// Changes an article on Kanka.
    pub(super) async fn update_mirrored(
        &self,
        kind: Kind,
        node: &Node,
        fields: &Object,
    ) -> Result<()> {
        let written = self.understand(kind, fields).await?;
        check_fields(&written)?;
        if let Some(template) = written.template.filter(|t| templates::template_of(node) != *t) {
            let problem = format!("cannot become {template} any more");
            let hint = "make a new article of that template";
            return Err(Error::invalid("templateType", problem, hint));
        }
        let patch = PagePatch {
            name: written.title,
            subtype: written.subtype.map(Option::unwrap_or_default),
            entry: written.text,
            tags: written.tags,
            private: written.state.map(|state| state == State::Private),
            ..PagePatch::default()
        };
        pages::update(&self.scribe, node.number, &patch).await
    }
}

/// Fails if a field is given that Kanka has no place for.
fn check_fields(written: &Written) -> Result<()> {
    let section = written.sections.first().map(|section| section.name.clone());
    // `isDraft: false` is harmless, because Kanka has no drafts.
    let says_more = |(name, value): &(&String, &Value)| *name != DRAFT || **value != json!(false);
    let own = || written.own.iter().find(says_more).map(|(name, _)| name.clone());
    let link = || written.links.first().map(|link| link.field.to_owned());
    match section.or_else(own).or_else(link) {
        None => Ok(()),
        Some(field) => Err(Error::invalid(
            field,
            "cannot be written: this world mirrors a campaign on Kanka",
            "use create_posts for further texts, and Kanka itself for the rest",
        )),
    }
}
