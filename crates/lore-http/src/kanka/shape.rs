//! Converts pages, posts, attributes and relations into Kanka's JSON objects.

use std::collections::HashMap;

use lore_app::pages::{self, Attribute, Detail, Page, PageKind, PageQuery, Relation, Scribe};
use lore_core::names::name_key;
use lore_core::{NodeId, Result, Text, Timestamp, Visibility};
use lore_markup::to_html;
use serde_json::{Map, Value, json};

use super::{Asked, extra, typed};

/// Each kind with its plural in URLs, its code in objects, and its numeric id.
const KINDS: [(PageKind, &str, &str, i64); 9] = [
    (PageKind::Character, "characters", "character", 1),
    (PageKind::Location, "locations", "location", 3),
    (PageKind::Organization, "organisations", "organisation", 4),
    (PageKind::Note, "notes", "note", 6),
    (PageKind::Race, "races", "race", 9),
    (PageKind::Quest, "quests", "quest", 10),
    (PageKind::Journal, "journals", "journal", 11),
    (PageKind::Tag, "tags", "tag", 12),
    (PageKind::Creature, "creatures", "creature", 20),
];

/// Properties that hold the ids of images. Images themselves are not stored.
pub(super) const IMAGES: [&str; 2] = ["image_uuid", "header_uuid"];

/// The kind with this plural in URLs.
pub(super) fn kind_of_plural(plural: &str) -> Option<PageKind> {
    KINDS.iter().find(|row| row.1 == plural).map(|row| row.0)
}

/// The kind with this numeric id.
pub(super) fn kind_of_id(id: i64) -> Option<PageKind> {
    KINDS.iter().find(|row| row.3 == id).map(|row| row.0)
}

/// All kinds with their id, code and plural.
pub(super) fn kinds() -> Value {
    KINDS.iter().map(|row| json!({ "id": row.3, "code": row.2, "plural": row.1 })).collect()
}

/// The URLs that list the filters of each kind.
pub(super) fn filter_urls(base: &str) -> Value {
    let row = |id: i64, code: &str| json!({ "code": code, "url": format!("{base}/filters/{id}") });
    KINDS.iter().map(|kind| row(kind.3, kind.2)).collect()
}

/// The kind with this code.
pub(super) fn kind_of_code(code: &str) -> Option<PageKind> {
    KINDS.iter().find(|row| row.2 == code).map(|row| row.0)
}

fn row(kind: PageKind) -> (&'static str, &'static str, i64) {
    let found = KINDS.iter().find(|row| row.0 == kind);
    found.map_or(("entities", "entity", 0), |row| (row.1, row.2, row.3))
}

/// The plural of a kind in URLs.
pub(super) fn plural(kind: PageKind) -> &'static str {
    row(kind).0
}

/// Formats a stored timestamp as Kanka does: truncated to whole seconds, with six decimal places.
pub(super) fn moment(at: Timestamp) -> String {
    let second = Timestamp::from_second(at.as_second()).unwrap_or(at);
    format!("{second:.6}")
}

/// All tags that the caller can see, by id and by name.
pub(super) struct Tags {
    names: HashMap<i64, String>,
    numbers: HashMap<String, i64>,
}

impl Tags {
    pub(super) async fn read(scribe: &Scribe) -> Result<Self> {
        let query = PageQuery { kinds: vec![PageKind::Tag], ..PageQuery::default() };
        let found = pages::find(scribe, &query).await?;
        let mut tags: Vec<_> = found.pages.into_iter().map(|row| row.page.node).collect();
        // If a hidden and a visible tag share a name, the visible one comes last and wins in
        // `numbers`.
        tags.sort_by_key(|tag| tag.visibility == Visibility::Members);
        let numbers = tags.iter().map(|tag| (name_key(&tag.name), tag.kind_number)).collect();
        let names = tags.into_iter().map(|tag| (tag.kind_number, tag.name)).collect();
        Ok(Self { names, numbers })
    }

    /// The name of the tag with this id.
    pub(super) fn name(&self, number: i64) -> Option<&str> {
        self.names.get(&number).map(String::as_str)
    }

    /// The ids of a page's tags, in ascending order.
    pub(super) fn numbers(&self, page: &Page) -> Vec<i64> {
        let found = page.node.tags.iter().filter_map(|name| self.numbers.get(&name_key(name)));
        let mut numbers: Vec<i64> = found.copied().collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Everything that is needed to convert a set of pages.
pub(super) struct Showing {
    /// All tags that the caller can see.
    pub(super) tags: Tags,
    /// Whether to include posts, attributes and relations.
    pub(super) related: Related,
    /// The URL of the campaign.
    pub(super) campaign: String,
    attributes: HashMap<NodeId, Vec<Attribute>>,
    relations: Vec<Relation>,
    /// For pages that are tags: the ids of the entities with that tag.
    tagged: HashMap<NodeId, Vec<i64>>,
}

impl Showing {
    /// Reads everything needed to convert `pages`, and removes from the pages what the caller may
    /// not see.
    pub(super) async fn of(asked: &Asked, pages: &mut [Page]) -> Result<Self> {
        let (scribe, related) = (&asked.scribe, typed::related(asked));
        let nodes = pages.iter_mut().map(|page| &mut page.node);
        pages::leave_out_hidden(&scribe.app, &scribe.viewer, nodes).await?;
        let mut showing = Self {
            tags: Tags::read(scribe).await?,
            related,
            campaign: typed::campaign(asked),
            attributes: HashMap::new(),
            relations: Vec::new(),
            tagged: HashMap::new(),
        };
        for tag in pages.iter().filter(|page| page.kind == PageKind::Tag) {
            showing.tagged.insert(tag.node.id, tagged(scribe, &tag.node.name).await?);
        }
        if related == Related::Shown {
            let ids: Vec<NodeId> = pages.iter().map(|page| page.node.id).collect();
            showing.attributes = pages::attributes(scribe, &ids).await?;
            showing.relations = pages::relations(scribe, &ids).await?;
        }
        Ok(showing)
    }
}

/// The ids of the entities that have a tag.
async fn tagged(scribe: &Scribe, tag: &str) -> Result<Vec<i64>> {
    let tags = vec![tag.to_owned()];
    let query = PageQuery { tags, detail: Detail::Head, ..PageQuery::default() };
    let found = pages::find(scribe, &query).await?;
    Ok(found.pages.iter().map(|row| row.page.node.number).collect())
}

/// Whether an object includes its posts, attributes and relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Related {
    /// They are included.
    Shown,
    /// They are left out.
    Left,
}

/// A page as an object of its kind.
pub(super) fn typed(page: &Page, showing: &Showing) -> Value {
    let node = &page.node;
    let mut object = common(page, &showing.tags);
    let entry = page.entry.as_ref().map(|text| to_html(&text.body));
    let urls = urls(page, &showing.campaign);
    for (name, value) in [
        ("id", json!(node.kind_number)),
        ("entity_id", json!(node.number)),
        ("entry", json!(entry)),
        ("type", json!(node.subtype)),
        ("image", Value::Null),
        ("image_full", Value::Null),
        ("image_thumb", Value::Null),
        ("has_custom_image", json!(false)),
        ("header_full", Value::Null),
        ("has_custom_header", json!(false)),
        ("urls", urls),
    ] {
        object.insert(name.to_owned(), value);
    }
    for name in page.kind.fields().iter().chain(&IMAGES) {
        let value = node.properties.get(*name).cloned().unwrap_or_default();
        object.insert((*name).to_owned(), value);
    }
    object.extend(extra::shown(page.kind, &node.properties));
    if let Some(tagged) = showing.tagged.get(&node.id) {
        object.insert("entities".into(), json!(tagged));
    }
    if showing.related == Related::Shown {
        object.extend(belongings(page, showing));
    }
    Value::Object(object)
}

/// The posts, attributes and relations of a page, and empty lists for what this server lacks.
fn belongings(page: &Page, showing: &Showing) -> Map<String, Value> {
    let number = page.node.number;
    let posts: Value = page.posts.iter().map(|text| post(text, number)).collect();
    let attributes = showing.attributes.get(&page.node.id).into_iter().flatten();
    let attributes: Value = attributes.map(|row| attribute(row, page)).collect();
    let relations = showing.relations.iter().filter(|relation| relation.owner == number);
    let relations: Value = relations.map(relation).collect();
    let mut object = Map::new();
    for (name, value) in [
        ("posts", posts),
        ("attributes", attributes),
        ("relations", relations),
        ("parent_id", json!(page.parent())),
        ("inventory", json!([])),
        ("entity_abilities", json!([])),
        ("entity_assets", json!([])),
        ("entity_events", json!([])),
        ("reminders", json!([])),
    ] {
        object.insert(name.to_owned(), value);
    }
    object
}

/// An attribute, which is a custom field of an entity.
pub(super) fn attribute(row: &Attribute, page: &Page) -> Value {
    json!({
        "id": row.number,
        "entity_id": page.node.number,
        "name": row.name,
        "value": row.value,
        "type_id": row.form,
        "is_private": row.private,
        "is_pinned": row.pinned,
        "is_star": row.pinned,
        "default_order": row.place(),
        "created_at": moment(page.node.created.at),
        "updated_at": moment(page.node.updated.at),
    })
}

/// A relation of one entity to another.
pub(super) fn relation(row: &Relation) -> Value {
    json!({
        "id": row.number,
        "owner_id": row.owner,
        "target_id": row.target,
        "relation": row.says,
        "attitude": row.attitude,
        "colour": row.colour,
        "is_pinned": row.pinned,
        "visibility_id": visibility_id(row.visibility),
        "mirror_id": Value::Null,
        "created_at": moment(row.created_at),
        "updated_at": moment(row.created_at),
    })
}

fn visibility_id(visibility: Visibility) -> i64 {
    match visibility {
        Visibility::Members => 1,
        Visibility::Gm => 2,
        Visibility::Private(_) => 4,
    }
}

/// A page as a generic entity.
pub(super) fn entity(page: &Page, showing: &Showing) -> Map<String, Value> {
    let (plural, code, type_id) = row(page.kind);
    let mut object = common(page, &showing.tags);
    for (name, value) in [
        ("id", json!(page.node.number)),
        ("type", json!(code)),
        ("type_field", json!(page.node.subtype)),
        ("type_id", json!(type_id)),
        ("module", json!({ "id": type_id, "code": code, "singular": code, "plural": plural })),
        ("child_id", json!(page.node.kind_number)),
        ("parent_id", json!(page.parent())),
        ("campaign_id", json!(page.node.world.0)),
        ("urls", urls(page, &showing.campaign)),
    ] {
        object.insert(name.to_owned(), value);
    }
    object
}

/// A page as a search hit, with the field names of both the old and the new search.
pub(super) fn search_row(page: &Page, showing: &Showing) -> Value {
    let (_, code, type_id) = row(page.kind);
    let mut object = common(page, &showing.tags);
    for (name, value) in [
        ("id", json!(page.node.number)),
        ("entity_id", json!(page.node.number)),
        ("child_id", json!(page.node.number)),
        ("child_type", json!(code)),
        ("type", json!(page.node.subtype)),
        ("type_id", json!(type_id)),
        ("entity_type", json!(code)),
        ("image", Value::Null),
        ("url", json!(address(page, &showing.campaign))),
        ("urls", urls(page, &showing.campaign)),
    ] {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// A post of an entity.
pub(super) fn post(text: &Text, page: i64) -> Value {
    json!({
        "id": pages::post_number(text),
        "name": text.title,
        "entry": to_html(&text.body),
        "entity_id": page,
        "visibility_id": visibility_id(text.visibility),
        "position": text.position,
        "settings": [],
        "permissions": [],
        "tags": [],
        "is_template": false,
        "created_at": moment(text.created.at),
        "created_by": text.created.by.0,
        "updated_at": moment(text.updated.at),
        "updated_by": text.updated.by.0,
    })
}

fn common(page: &Page, tags: &Tags) -> Map<String, Value> {
    let node = &page.node;
    let object = json!({
        "name": node.name,
        "is_private": page.is_private(),
        "is_template": false,
        "is_attributes_private": false,
        "tags": tags.numbers(page),
        "created_at": moment(node.created.at),
        "created_by": node.created.by.0,
        "updated_at": moment(node.updated.at),
        "updated_by": node.updated.by.0,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn address(page: &Page, campaign: &str) -> String {
    format!("{campaign}/entities/{}", page.node.number)
}

fn urls(page: &Page, campaign: &str) -> Value {
    let api = format!("{campaign}/{}/{}", plural(page.kind), page.node.kind_number);
    json!({ "view": address(page, campaign), "api": api })
}
