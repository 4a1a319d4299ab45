//! Write-through: changes go to Kanka first, then to the mirror.
//!
//! All requests use the token of the campaign's owner, so the game master's role is required. A
//! page is read before it is changed, so that changes made on Kanka in the meantime are not
//! overwritten.

use lore_core::{Error, Result, Role, Timestamp, Visibility};
use lore_markup::{to_html, to_markdown};

use super::super::edit::{self, Made, NewPage, PagePatch};
use super::super::kinds::PageKind;
use super::super::page::{self, Detail, Page};
use super::super::posts::{self, NewPost, PostPatch, find as find_post};
use super::super::scribe::Scribe;
use super::super::tags::find_tag;
use super::campaign::Campaign;
use super::fate::bring;
use super::put::{self, Told};
use super::remote::{Pace, PostDraft, RemotePage, RemotePatch, RemotePost};
use super::sync::Side;
use super::{is_mirrored, tags};

/// Creates a page. If a tag of that name exists, it is updated instead: tag names are unique.
pub(in super::super) async fn create(
    campaign: &Campaign,
    scribe: &Scribe,
    new: &NewPage,
) -> Result<Made> {
    let own = admitted(campaign, scribe).await?;
    if new.kind == PageKind::Tag
        && let Some(tag) = find_tag(&own, &new.name).await?
    {
        update(campaign, scribe, tag.number, &PagePatch::from(new)).await?;
        return Ok(Made { name: tag.name, number: tag.number, kind_number: tag.kind_number });
    }
    let checked = edit::checked(new)?;
    let draft = RemotePatch {
        name: Some(checked.name),
        subtype: checked.subtype,
        entry: new.entry.clone().filter(|entry| !entry.trim().is_empty()),
        tags: Some(tags::numbers(campaign, &own, &checked.tags).await?),
        private: Some(new.is_private()),
        parent: new.parent.map(Some),
        fields: new.fields.clone(),
    };
    let made = campaign.remote.create(new.kind, &draft).await?;
    mirror(campaign, &own, &made).await?;
    Ok(Made { name: made.name, number: made.number, kind_number: made.kind_number })
}

/// Changes a page.
pub(in super::super) async fn update(
    campaign: &Campaign,
    scribe: &Scribe,
    number: i64,
    patch: &PagePatch,
) -> Result<()> {
    let own = admitted(campaign, scribe).await?;
    let _in_order = campaign.writing.lock().await;
    let checked = edit::checked_patch(patch)?;
    let Some(page) = mirrored(campaign, scribe, &own, number).await? else {
        return edit::update(scribe, number, patch).await;
    };
    let base = current(campaign, &own, &page).await?;
    if let Some(field) = clash(&page, &base, &own, patch).await? {
        tags::acquaint(campaign, &own, Pace::Waiting, std::slice::from_ref(&base)).await?;
        put::put_all(&own, std::slice::from_ref(&base), Told::InPassing(Side::Neither)).await?;
        return Err(Error::Conflict { what: format!("{field} of entity {number} on Kanka") });
    }
    let tags = match &checked.tags {
        Some(names) => {
            let seen = &page.node.tags;
            Some(tags::replaced(campaign, &own, names, seen, &base.tags).await?)
        }
        None => None,
    };
    let wanted = RemotePatch {
        name: checked.name,
        subtype: patch.subtype.as_ref().map(|_| checked.subtype.flatten().unwrap_or_default()),
        entry: patch.entry.clone(),
        tags,
        private: patch.private,
        parent: patch.parent,
        fields: patch.fields.clone(),
    };
    let now = campaign.remote.update(&base, &wanted).await?;
    acquainted(campaign, &own, &now).await?;
    let written = match put::is_changed_here(&page) {
        // Local changes to fields that are not part of this patch are kept.
        true => put::put_beside(&own, &now, patch).await,
        false => put::put_all(&own, std::slice::from_ref(&now), Told::InAnswer).await.map(|_| ()),
    };
    written.map_err(|error| unmirrored(number, &error))
}

/// Deletes a page.
pub(in super::super) async fn delete(
    campaign: &Campaign,
    scribe: &Scribe,
    number: i64,
) -> Result<()> {
    let own = admitted(campaign, scribe).await?;
    let _in_order = campaign.writing.lock().await;
    if let Some(page) = mirrored(campaign, scribe, &own, number).await? {
        campaign.remote.delete(page.kind, page.node.kind_number).await?;
    }
    edit::delete(&own, number).await
}

/// Adds a post and returns its number.
pub(in super::super) async fn create_post(
    campaign: &Campaign,
    scribe: &Scribe,
    new: &NewPost,
) -> Result<i64> {
    let own = admitted(campaign, scribe).await?;
    let _in_order = campaign.writing.lock().await;
    let name = new.checked_name()?;
    let Some(page) = mirrored(campaign, scribe, &own, new.page).await? else {
        return posts::create(scribe, new).await;
    };
    let draft = PostDraft {
        name: Some(name),
        entry: Some(new.entry.clone()),
        private: Some(new.private),
        frames: Vec::new(),
    };
    let post = campaign.remote.create_post(new.page, &draft).await?;
    let number = post.number;
    let at = post.updated_at;
    mirror_posts(campaign, &own, &page, at, |posts| posts.push(post)).await?;
    Ok(number)
}

/// Changes a post.
pub(in super::super) async fn update_post(
    campaign: &Campaign,
    scribe: &Scribe,
    number: i64,
    post: i64,
    patch: &PostPatch,
) -> Result<()> {
    let own = admitted(campaign, scribe).await?;
    let _in_order = campaign.writing.lock().await;
    let name = patch.checked_name()?;
    let Some(page) = mirrored(campaign, scribe, &own, number).await? else {
        return posts::update(scribe, number, post, patch).await;
    };
    let here = find_post(&page, post)?.clone();
    let base = current(campaign, &own, &page).await?;
    let there = base.posts.iter().flatten().find(|known| known.number == post);
    let clash = there.is_none_or(|there| {
        let differs = |wanted: &Option<String>, here: &str, there: &str| {
            wanted.as_deref().is_some_and(|wanted| wanted != there) && here != there
        };
        differs(&patch.name, &here.title, &there.name)
            || differs(&patch.entry, &here.body, &there.entry)
    });
    if clash {
        put::put_all(&own, std::slice::from_ref(&base), Told::InPassing(Side::Neither)).await?;
        let what = format!("post {post} of entity {number} on Kanka");
        return Err(Error::Conflict { what });
    }
    // Kanka has several ways to hide a post. One that is already hidden keeps its own.
    let hidden = there.map(|there| there.visibility != Visibility::Members);
    let private = patch.private.filter(|private| Some(*private) != hidden);
    let frames = base.frames.clone();
    let draft = PostDraft { name, entry: patch.entry.clone(), private, frames };
    let changed = campaign.remote.update_post(number, post, &draft).await?;
    let at = changed.updated_at;
    let replace = |posts: &mut Vec<RemotePost>| {
        posts.retain(|known| known.number != post);
        posts.push(changed);
    };
    mirror_posts(campaign, &own, &page, at, replace).await
}

/// Deletes a post.
pub(in super::super) async fn delete_post(
    campaign: &Campaign,
    scribe: &Scribe,
    number: i64,
    post: i64,
) -> Result<()> {
    let own = admitted(campaign, scribe).await?;
    let _in_order = campaign.writing.lock().await;
    let Some(page) = mirrored(campaign, scribe, &own, number).await? else {
        return posts::delete(scribe, number, post).await;
    };
    find_post(&page, post)?;
    campaign.remote.delete_post(number, post).await?;
    let at = own.app.effects.now();
    let remove = |posts: &mut Vec<RemotePost>| posts.retain(|known| known.number != post);
    mirror_posts(campaign, &own, &page, at, remove).await
}

/// Checks the caller's role and returns the mirror's context for this call.
async fn admitted(campaign: &Campaign, scribe: &Scribe) -> Result<Scribe> {
    scribe.viewer.require(Role::Gm)?;
    let own = campaign.scribe(&scribe.app).await?;
    Ok(Scribe { tool: scribe.tool, request_id: scribe.request_id.clone(), ..own })
}

/// The page, if it came from Kanka; `None` if it is local.
async fn mirrored(
    campaign: &Campaign,
    scribe: &Scribe,
    own: &Scribe,
    number: i64,
) -> Result<Option<Page>> {
    bring(campaign, scribe, &[number]).await?;
    // A page that the caller cannot see does not exist for them.
    match page::node(scribe, number).await {
        Err(Error::NotFound { .. }) => return Err(page::absent(scribe, number).await?),
        found => found?,
    };
    let page = page::get(own, number, Detail::Posts).await?;
    Ok(Some(page).filter(|page| is_mirrored(&page.node)))
}

/// Reads the current version from Kanka. If it was deleted there, it is deleted here, unless it was
/// changed here.
async fn current(campaign: &Campaign, own: &Scribe, page: &Page) -> Result<RemotePage> {
    let number = page.node.number;
    let read = campaign.remote.page(Pace::Waiting, number).await;
    if matches!(read, Err(Error::NotFound { .. })) && !put::is_changed_here(page) {
        edit::delete(own, number).await?;
        let what = format!("entity {number} on Kanka");
        return Err(Error::not_found(what, "it was deleted there; create it again if you need it"));
    }
    read
}

/// The first field of the patch that was changed on Kanka in the meantime.
async fn clash(
    page: &Page,
    base: &RemotePage,
    own: &Scribe,
    patch: &PagePatch,
) -> Result<Option<&'static str>> {
    let names = tags::TagNames::read(own).await?;
    let entry = page.entry.as_ref().map_or("", |text| text.body.as_str()).trim();
    let same = |one: &[String], other: &[String]| put::keys(one) == put::keys(other);
    let (there, written) = (names.names(&base.tags), base.entry.trim());
    // A value that Kanka already has is not a conflict: somebody made the same change, or an answer
    // got lost.
    let other_name = |wanted: &String| wanted.trim() != base.name;
    let other_type = |wanted: &String| wanted.trim() != base.subtype.as_deref().unwrap_or_default();
    let other_entry = |wanted: &String| {
        wanted.trim() != written && to_markdown(&to_html(wanted)).trim() != written
    };
    let name = patch.name.as_ref().is_some_and(other_name) && base.name != page.node.name;
    let subtype =
        patch.subtype.as_ref().is_some_and(other_type) && base.subtype != page.node.subtype;
    let entry = patch.entry.as_ref().is_some_and(other_entry) && written != entry;
    let tags = patch.tags.as_ref().is_some_and(|wanted| !same(wanted, &there));
    let tags = tags && !same(&there, &page.node.tags);
    let private = patch.private.is_some_and(|wanted| wanted != base.private);
    let private = private && base.private != page.is_private();
    // A field changed only here is not a conflict either. Tags are only ever changed on Kanka.
    let changed = put::is_changed_there(page, base);
    let fields = [
        ("the name", changed && name),
        ("the type", changed && subtype),
        ("the entry", changed && entry),
        ("the tags", tags),
        ("is_private", changed && private),
    ];
    Ok(fields.into_iter().find(|(_, clashes)| *clashes).map(|(field, _)| field))
}

/// Makes the tags of a page known to the mirror; otherwise the page would lose them here.
async fn acquainted(campaign: &Campaign, own: &Scribe, page: &RemotePage) -> Result<()> {
    let read = tags::acquaint(campaign, own, Pace::Waiting, std::slice::from_ref(page)).await;
    read.map(|_| ()).map_err(|error| unmirrored(page.number, &error))
}

async fn mirror(campaign: &Campaign, own: &Scribe, page: &RemotePage) -> Result<()> {
    acquainted(campaign, own, page).await?;
    let written = put::put_all(own, std::slice::from_ref(page), Told::InAnswer).await;
    written.map(|_| ()).map_err(|error| unmirrored(page.number, &error))
}

/// Writes the posts of a page to the mirror as they now are on Kanka.
async fn mirror_posts(
    campaign: &Campaign,
    own: &Scribe,
    page: &Page,
    at: Timestamp,
    change: impl FnOnce(&mut Vec<RemotePost>),
) -> Result<()> {
    if put::is_changed_here(page) {
        // The local page differs from Kanka's version, which therefore has to be read.
        let remote = current(campaign, own, page).await?;
        return put::put_all(own, std::slice::from_ref(&remote), Told::InPassing(Side::Neither))
            .await
            .map(|_| ());
    }
    let mut remote = put::as_remote(own, page).await?;
    remote.updated_at = at.max(remote.updated_at);
    change(remote.posts.get_or_insert_default());
    mirror(campaign, own, &remote).await
}

/// The error for a write that reached Kanka but not the mirror. The next synchronisation brings it
/// here, so the caller must not repeat it.
fn unmirrored(number: i64, error: &Error) -> Error {
    Error::Precondition {
        message: format!("entity {number} was written to Kanka, but not here: {error}"),
        hint: "do not repeat it; `lorewell sync kanka` brings it here".into(),
    }
}
