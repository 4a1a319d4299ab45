//! Two entities that were merged and part again: whose texts are whose.

use std::collections::HashSet;

use lore_core::{Result, Text, Uid};
use lore_store::{Bin, Change, Expect, NodeRef, TextPatch, TextRef};
use serde_json::{Value, json};

use super::entities::Entity;
use super::entries::{self, DESCRIBED};
use super::librarian::Librarian;
use super::log;
use super::shares::{Party, Share, Shares};

/// The texts of one that was kept, by whose they are.
pub(super) struct Leaving {
    /// Its own.
    staying: Vec<Text>,
    /// Copies of texts of the one that parts.
    copies: Vec<Text>,
    /// What was said of the one that parts since, and copies of texts of those that go with it.
    told: Vec<Text>,
    /// Copies that somebody put into the bin.
    gone: HashSet<String>,
}

impl Leaving {
    pub(super) async fn of(
        librarian: &Librarian,
        kept: &Entity,
        shares: &Shares,
        party: &Party<'_>,
    ) -> Result<Self> {
        let described = party.told(shares).filter(|event| event.kind == DESCRIBED);
        let described: HashSet<Value> =
            described.filter_map(|event| entries::details(event).get("text").cloned()).collect();
        let texts = log::texts_of(librarian, kept.node.id).await?;
        let is_copy = |text: &Text| is_given(party.main, text);
        let (copies, texts): (Vec<Text>, Vec<Text>) = texts.into_iter().partition(is_copy);
        let is_told = |text: &Text| {
            let of_joined = party.joined.iter().any(|share| is_given(share, text));
            of_joined || described.contains(&json!(text.uid.to_string()))
        };
        let (told, staying) = texts.into_iter().partition(is_told);
        let store = &librarian.app.store;
        let binned = store.texts_of(&librarian.viewer, kept.node.id, Bin::Deleted).await?;
        let gone = binned.iter().map(|text| text.uid.to_string()).collect();
        Ok(Self { staying, copies, told, gone })
    }

    /// Those that stay.
    pub(super) fn staying(&self) -> Vec<&Text> {
        self.staying.iter().collect()
    }

    /// Those that go.
    pub(super) fn texts(&self) -> Vec<&Text> {
        self.copies.iter().chain(&self.told).collect()
    }

    /// Gives the other what is its own, as it is now.
    pub(super) fn changes(&self, party: &Party<'_>, uid: Uid) -> Vec<Change> {
        let given = &party.main.given;
        let original = |copy: &str| -> Option<TextRef> {
            let place = given.texts.iter().position(|known| known == copy)?;
            Some(TextRef::Uid(given.originals.get(place)?.parse().ok()?))
        };
        let edited = self.copies.iter().filter(|copy| copy.version > 1).filter_map(|copy| {
            let title = Some(copy.title.clone()).filter(|title| *title != given.name);
            let patch = TextPatch { title, body: Some(copy.body.clone()), ..TextPatch::default() };
            Some(Change::UpdateText(original(&copy.uid.to_string())?, Expect::Any, patch))
        });
        let gone = given.texts.iter().filter(|copy| self.gone.contains(*copy));
        let gone = gone.filter_map(|copy| Some(Change::DeleteText(original(copy)?, Expect::Any)));
        let back = self.copies.iter().map(|text| TextRef::Id(text.id));
        let back = back.map(|text| Change::DeleteText(text, Expect::Any));
        let told = self.told.iter().map(|text| TextRef::Id(text.id));
        let told = told.map(|text| Change::MoveText(text, Expect::Any, NodeRef::Uid(uid)));
        let gone_of_joined = self.gone_of_joined(party, uid);
        edited.chain(gone).chain(back).chain(told).chain(gone_of_joined).collect()
    }

    /// Copies in the bin of texts of those that go with the one that parts: they go with it there,
    /// so that it is known what became of them.
    fn gone_of_joined(&self, party: &Party<'_>, uid: Uid) -> Vec<Change> {
        let copies = party.joined.iter().flat_map(|share| &share.given.texts);
        let gone = copies.filter(|copy| self.gone.contains(*copy));
        let moved = |text: TextRef| {
            [
                Change::RestoreText(text),
                Change::MoveText(text, Expect::Any, NodeRef::Uid(uid)),
                Change::DeleteText(text, Expect::Any),
            ]
        };
        gone.filter_map(|copy| copy.parse().ok()).map(TextRef::Uid).flat_map(moved).collect()
    }
}

fn is_given(share: &Share, text: &Text) -> bool {
    share.given.texts.contains(&text.uid.to_string())
}
