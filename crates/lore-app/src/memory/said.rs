//! A copy of what an idea or project says, stored as a text of its node. Through it every door
//! finds the node, and mentions in it become edges. The tools of the contract read the node's
//! properties instead.

use lore_core::{Node, Result};
use lore_store::{Bin, Change, Expect, NewText, NodeRef, TextPatch, TextRef};

use super::keeper::Keeper;
use super::kinds::word;

/// Text kind of this copy.
const SAID: &str = "said";

/// Plans the text of a node that is being created; `None` if it has nothing to say.
pub(super) fn first(keeper: &Keeper, node: &Node, body: &str) -> Result<Option<Change>> {
    if body.is_empty() {
        return Ok(None);
    }
    let (uid, node) = (keeper.app.effects.uid(), NodeRef::Uid(node.uid));
    Ok(Some(Change::CreateText(NewText::new(uid, node, word(SAID)?, body))))
}

/// Plans the change that brings the text of a node in line with `body`; `None` if it is.
pub(super) async fn anew(keeper: &Keeper, node: &Node, body: &str) -> Result<Option<Change>> {
    let texts = keeper.app.store.texts_of(&keeper.viewer, node.id, Bin::Live).await?;
    let Some(old) = texts.into_iter().find(|text| text.kind.as_str() == SAID) else {
        return first(keeper, node, body);
    };
    let (text, expect) = (TextRef::Id(old.id), Expect::Version(old.version));
    if old.body == body {
        return Ok(None);
    }
    if body.is_empty() {
        return Ok(Some(Change::DeleteText(text, expect)));
    }
    let patch = TextPatch { body: Some(body.to_owned()), ..TextPatch::default() };
    Ok(Some(Change::UpdateText(text, expect, patch)))
}
