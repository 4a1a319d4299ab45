//! A copy of what properties of a node say, stored as a text of the node. Through it search finds
//! the words, and mentions in them become edges. The use cases read the properties instead.

use lore_core::{Node, Result, Uid, Viewer};
use lore_store::{Bin, Change, Expect, NewText, NodeRef, TextPatch, TextRef};

use crate::App;
use crate::word::word;

/// Plans the text of a node that is being created; `None` if it has nothing to say.
pub(crate) fn create(app: &App, node: Uid, kind: &str, body: &str) -> Result<Option<Change>> {
    if body.trim().is_empty() {
        return Ok(None);
    }
    let (uid, node) = (app.effects.uid(), NodeRef::Uid(node));
    Ok(Some(Change::CreateText(NewText::new(uid, node, word(kind)?, body))))
}

/// Plans the change that brings the text in line with `body`; `None` if it is. Creates the text if
/// the node is older than its kind.
pub(crate) async fn update(
    app: &App,
    viewer: &Viewer,
    node: &Node,
    kind: &str,
    body: &str,
) -> Result<Option<Change>> {
    let texts = app.store.texts_of(viewer, node.id, Bin::Live).await?;
    let Some(old) = texts.into_iter().find(|text| text.kind.as_str() == kind) else {
        return create(app, node.uid, kind, body);
    };
    let (text, expect) = (TextRef::Id(old.id), Expect::Version(old.version));
    if old.body == body {
        return Ok(None);
    }
    if body.trim().is_empty() {
        return Ok(Some(Change::DeleteText(text, expect)));
    }
    let patch = TextPatch { body: Some(body.to_owned()), ..TextPatch::default() };
    Ok(Some(Change::UpdateText(text, expect, patch)))
}
