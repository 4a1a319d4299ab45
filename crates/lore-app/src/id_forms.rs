//! Parses ids in every form that any door shows.
//!
//! Doors show a node as its UUID, as the UUID in base32 with a prefix (`node_…`, `character_…`), as
//! its number in the world, as a mention (`[entity:7|Ada]`) or as an `orn:` URI. Every tool accepts
//! every form that can mean what it asks for. Resolving names is left to the doors. An id of
//! something the viewer does not see is reported as not found.

use data_encoding::BASE32_NOPAD;
use lore_core::{Error, Node, Result, Uid, Viewer};
use lore_markup::mention::{self, Target};
use lore_store::NodeKey;

use crate::{App, knowledge};

/// Returns the uid contained in an id of any form.
pub(crate) fn read_uid(text: &str) -> Option<Uid> {
    let text = text.trim();
    let body = text.rsplit_once('_').map_or(text, |(_, body)| body);
    let decoded = BASE32_NOPAD.decode(body.to_ascii_uppercase().as_bytes()).ok();
    let decoded = decoded.and_then(|bytes| Uid::from_bytes(&bytes));
    decoded.or_else(|| text.parse().ok()).or_else(|| knowledge::uid_shown(text))
}

/// Returns the number in the world that the text denotes: plain digits, `#7` or a mention. Plain
/// digits may also be a name; the other two forms cannot.
pub(crate) fn read_number(text: &str) -> Option<i64> {
    let text = text.trim();
    text.trim_start_matches('#').parse().ok().or_else(|| mentioned(text))
}

/// Returns the number of a mention, if the whole text is exactly one mention.
fn mentioned(text: &str) -> Option<i64> {
    if !text.starts_with('[') {
        return None;
    }
    match mention::find(text).as_slice() {
        [one] if one.text == text => match one.target {
            Target::Entity(number) => Some(number),
            Target::Other | Target::New => None,
        },
        _ => None,
    }
}

/// Finds the visible node that an id of any form denotes. Plain numbers are not accepted, because
/// they may also be names; see [`find_any`].
pub(crate) async fn find(app: &App, viewer: &Viewer, text: &str) -> Result<Option<Node>> {
    if let Some(uid) = read_uid(text)
        && let Some(node) = app.store.node(viewer, NodeKey::Uid(uid)).await?
    {
        return Ok(Some(node));
    }
    if let Some(number) = mentioned(text.trim()) {
        return Ok(app.store.node(viewer, NodeKey::Number(number)).await?);
    }
    knowledge::by_name_outside(app, viewer, text.trim()).await
}

/// Like [`find`], but also accepts plain numbers: for callers that accept ids only, no names.
pub(crate) async fn find_any(app: &App, viewer: &Viewer, text: &str) -> Result<Option<Node>> {
    if let Some(node) = find(app, viewer, text).await? {
        return Ok(Some(node));
    }
    match read_number(text) {
        Some(number) => Ok(app.store.node(viewer, NodeKey::Number(number)).await?),
        None => Ok(None),
    }
}

/// Returns what the entity whose number the text denotes was merged into, if the viewer sees that.
/// For reading: what is written is written about the one that stayed only if the caller names it.
pub(crate) async fn merged_into(app: &App, viewer: &Viewer, text: &str) -> Result<Option<Node>> {
    let Some(number) = read_number(text) else { return Ok(None) };
    let into = knowledge::merged_into(app, viewer, &[number]).await?;
    let ids: Vec<_> = into.into_iter().map(|(_, id)| id).collect();
    Ok(app.store.nodes(viewer, &ids).await?.pop())
}

/// The error for the number of an entity that was merged into another one that the viewer sees;
/// `None` if the text denotes nothing like that.
pub(crate) async fn merged_away(app: &App, viewer: &Viewer, text: &str) -> Result<Option<Error>> {
    let into = merged_into(app, viewer, text).await?;
    let named = read_number(text).zip(into);
    Ok(named.map(|(number, into)| {
        let what = format!("entity {number} (merged into entity {}, {:?})", into.number, into.name);
        let hint = "use the entity it was merged into, or undo that with /entity/unmerge";
        Error::not_found(what, hint)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_core::Timestamp;
    use lore_core::effects::FixedEntropy;

    #[test]
    fn an_id_is_read_in_every_form_it_is_shown_in() {
        let uid = Uid::new(Timestamp::UNIX_EPOCH, &FixedEntropy::new(3));
        let body = BASE32_NOPAD.encode(uid.as_bytes()).to_ascii_lowercase();
        let hex = data_encoding::HEXLOWER.encode(uid.as_bytes());
        let forms = [
            format!("node_{body}"),
            format!("exp_{body}"),
            format!("character_{body}"),
            body.to_uppercase(),
            body,
            uid.to_string(),
            format!("orn:personal-koi.entity:person-ada-holt-{hex}"),
            format!("orn:lorewell.character:{uid}"),
        ];
        for form in forms {
            assert_eq!(read_uid(&format!(" {form} ")), Some(uid), "{form}");
        }
        assert_eq!(read_uid("node_nope"), None);
        assert_eq!(read_uid(""), None);
        assert_eq!((read_number(" #12 "), read_number("Twelve")), (Some(12), None));
        for mention in ["[entity:12]", " [character:12|Ada Holt] "] {
            assert_eq!(read_number(mention), Some(12), "{mention}");
        }
        for other in ["[entity:12] and more", "[post:12]", "[12]", "[entity:12][entity:13]"] {
            assert_eq!(read_number(other), None, "{other}");
        }
    }
}
