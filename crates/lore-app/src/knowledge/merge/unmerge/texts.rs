//! Unmerging: dividing texts between the survivor and the departing entity (terms: see `unmerge`).

use std::collections::HashSet;

use lore_core::{Result, Text, Uid, Visibility};
use lore_store::{Bin, Change, Expect, NodeRef, TextPatch, TextRef};
use serde_json::{Value, json};

use super::everybody::Everybody;
use super::given_back::{self, Stood};
use crate::knowledge::entities::Entity;
use crate::knowledge::entities::history::{self, DESCRIBED};
use crate::knowledge::merge::shares::{Party, Share, Shares};

/// The texts of the survivor, by whom they belong to.
pub(super) struct Leaving {
    /// The survivor's own.
    staying: Vec<Text>,
    /// Copies of the departing entity's texts, made by the merge.
    copies: Vec<Text>,
    /// Texts added about the departing entity since the merge, and copies of its companions' texts.
    told: Vec<Text>,
    /// Uids of texts of the survivor that somebody deleted.
    gone: HashSet<String>,
}

impl Leaving {
    pub(super) async fn of(
        everybody: &Everybody<'_>,
        kept: &Entity,
        shares: &Shares,
        party: &Party<'_>,
    ) -> Result<Self> {
        let described = party.told(shares).filter(|event| event.kind == DESCRIBED);
        let described: HashSet<Value> =
            described.filter_map(|event| history::details(event).get("text").cloned()).collect();
        let texts = everybody.texts(kept.node.id, Bin::Live).await?;
        let is_copy = |text: &Text| is_given(party.main, text);
        let (copies, texts): (Vec<Text>, Vec<Text>) = texts.into_iter().partition(is_copy);
        let is_told = |text: &Text| {
            let of_joined = party.joined.iter().any(|share| is_given(share, text));
            of_joined || described.contains(&json!(text.uid.to_string()))
        };
        let (told, staying) = texts.into_iter().partition(is_told);
        let binned = everybody.texts(kept.node.id, Bin::Deleted).await?;
        let gone = binned.iter().map(|text| text.uid.to_string()).collect();
        Ok(Self { staying, copies, told, gone })
    }

    /// Returns the texts that stay with the survivor.
    pub(super) fn staying(&self) -> Vec<&Text> {
        self.staying.iter().collect()
    }

    /// Returns the texts that leave.
    pub(super) fn texts(&self) -> Vec<&Text> {
        self.copies.iter().chain(&self.told).collect()
    }

    /// Returns the changes that give the departing entity (`uid`) its texts in their current state:
    /// edits and deletions of copies are carried over to the originals, the copies are deleted, and
    /// texts that were added about it move to it.
    pub(super) fn changes(&self, party: &Party<'_>, uid: Uid) -> Vec<Change> {
        let given = &party.main.given;
        let place = |copy: &str| given.texts.iter().position(|known| known == copy);
        let original = |copy: &str| -> Option<TextRef> {
            Some(TextRef::Uid(given.originals.get(place(copy)?)?.parse().ok()?))
        };
        let seen = |copy: &str| Some(Visibility::from(*given.seen.get(place(copy)?)?));
        let edited = self.copies.iter().filter(|copy| copy.version > 1).filter_map(|copy| {
            let title = Some(copy.title.clone()).filter(|title| *title != given.name);
            let uid = copy.uid.to_string();
            let visibility = given_back::visibility(seen(&uid), copy.visibility, Stood::ForOne);
            let body = Some(copy.body.clone());
            let patch = TextPatch { title, body, visibility, ..TextPatch::default() };
            Some(Change::UpdateText(original(&uid)?, Expect::Any, patch))
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

    /// Moves deleted copies of the companions' texts to the departing entity's part of the bin, so
    /// that a later unmerge of a companion still finds out that they were deleted.
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
