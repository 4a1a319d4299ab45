//! The print of a page: a fingerprint of the content that Kanka and the mirror have in common.

use lore_core::{Properties, Visibility};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::kinds::PageKind;
use super::super::page::Page;
use super::remote::RemotePost;

/// The content of a page that goes into its print. Tags are left out: renaming a tag on Kanka
/// changes its pages without marking them as changed.
pub(super) struct Content<'a> {
    pub(super) name: &'a str,
    pub(super) subtype: Option<&'a str>,
    pub(super) entry: &'a str,
    pub(super) private: bool,
    pub(super) parent: Option<i64>,
    pub(super) fields: Vec<Value>,
    pub(super) posts: Vec<RemotePost>,
}

pub(super) fn print_of_local(page: &Page) -> String {
    print(&Content {
        name: &page.node.name,
        subtype: page.node.subtype.as_deref(),
        entry: page.entry.as_ref().map_or("", |text| text.body.as_str()),
        private: page.is_private(),
        parent: page.parent(),
        fields: own_fields(page.kind, &page.node.properties),
        posts: page.posts.iter().map(RemotePost::from).collect(),
    })
}

pub(super) fn print(content: &Content<'_>) -> String {
    let mut posts: Vec<Value> = content
        .posts
        .iter()
        .map(|post| json!([post.number, post.name, post.entry, shown(post.visibility)]))
        .collect();
    posts.sort_by_key(|post| post.get(0).and_then(Value::as_i64));
    let whole = json!([
        content.name,
        content.subtype,
        content.entry.trim(),
        content.private,
        content.parent,
        content.fields,
        posts
    ]);
    let hash = Sha256::digest(whole.to_string());
    data_encoding::HEXLOWER.encode(hash.get(..12).unwrap_or_default())
}

fn shown(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Members => 1,
        Visibility::Gm => 2,
        Visibility::Private(_) => 4,
    }
}

pub(super) fn own_fields(kind: PageKind, fields: &Properties) -> Vec<Value> {
    kind.fields().iter().map(|name| fields.get(*name).cloned().unwrap_or_default()).collect()
}
