//! Pages and posts in Kanka's shapes.

use std::collections::HashMap;

use lore_app::pages::{self, Attribute, Detail, Page, PageKind, PageQuery, Relation, Scribe};
use lore_core::names::name_key;
use lore_core::{NodeId, Result, Text, Timestamp, Visibility};
use lore_markup::to_html;
use serde_json::{Map, Value, json};

use super::{Asked, extra, typed};

/// What a kind is called in addresses, in objects, and by number.
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

/// Pictures, which are kept by their ids only.
pub(super) const IMAGES: [&str; 2] = ["image_uuid", "header_uuid"];

/// The kind behind a word in an address.
pub(super) fn kind_of_plural(plural: &str) -> Option<PageKind> {
    KINDS.iter().find(|row| row.1 == plural).map(|row| row.0)
}

/// The kind behind a number.
pub(super) fn kind_of_id(id: i64) -> Option<PageKind> {
    KINDS.iter().find(|row| row.3 == id).map(|row| row.0)
}

/// Every kind with its number, code and address part.
pub(super) fn kinds() -> Value {
    KINDS.iter().map(|row| json!({ "id": row.3, "code": row.2, "plural": row.1 })).collect()
}

/// Where the filters of each kind are told.
pub(super) fn filter_urls(base: &str) -> Value {
    let row = |id: i64, code: &str| json!({ "code": code, "url": format!("{base}/filters/{id}") });
    KINDS.iter().map(|kind| row(kind.3, kind.2)).collect()
}

/// The kind behind a code.
pub(super) fn kind_of_code(code: &str) -> Option<PageKind> {
    KINDS.iter().find(|row| row.2 == code).map(|row| row.0)
}

fn row(kind: PageKind) -> (&'static str, &'static str, i64) {
    let found = KINDS.iter().find(|row| row.0 == kind);
    found.map_or(("entities", "entity", 0), |row| (row.1, row.2, row.3))
}

/// The address part of a kind.
pub(super) fn plural(kind: PageKind) -> &'static str {
    row(kind).0
}

/// A moment of something kept, as Kanka writes it: in whole seconds.
pub(super) fn moment(at: Timestamp) -> String {
    let second = Timestamp::from_second(at.as_second()).unwrap_or(at);
    format!("{second:.6}")
}

/// All tags that the reader sees.
pub(super) struct Tags {
    names: HashMap<i64, String>,
    numbers: HashMap<String, i64>,
}

impl Tags {
    pub(super) async fn read(scribe: &Scribe) -> Result<Self> {
        let query = PageQuery { kinds: vec![PageKind::Tag], ..PageQuery::default() };
        let found = pages::find(scribe, &query).await?;
        let mut tags: Vec<_> = found.pages.into_iter().map(|row| row.page.node).collect();
        // Of a hidden and an open one of a name, what everybody sees is told.
        tags.sort_by_key(|tag| tag.visibility == Visibility::Members);
        let numbers = tags.iter().map(|tag| (name_key(&tag.name), tag.kind_number)).collect();
        let names = tags.into_iter().map(|tag| (tag.kind_number, tag.name)).collect();
        Ok(Self { names, numbers })
    }

    /// The name of a tag.
    pub(super) fn name(&self, number: i64) -> Option<&str> {
        self.names.get(&number).map(String::as_str)
    }

    /// The numbers of a page's tags.
    pub(super) fn numbers(&self, page: &Page) -> Vec<i64> {
        let found = page.node.tags.iter().filter_map(|name| self.numbers.get(&name_key(name)));
        let mut numbers: Vec<i64> = found.copied().collect();
        numbers.sort_unstable();
        numbers
    }
}

/// What pages are shown with.
pub(super) struct Showing {
    /// All tags.
    pub(super) tags: Tags,
    /// Whether what belongs to them is shown.
    pub(super) related: Related,
    /// The campaign's address.
    pub(super) campaign: String,
    attributes: HashMap<NodeId, Vec<Attribute>>,
    relations: Vec<Relation>,
    /// The entities that have a tag, for tags.
    tagged: HashMap<NodeId, Vec<i64>>,
}

impl Showing {
    /// Reads what is needed to show pages, and takes out of them what the reader may not see.
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

/// The numbers of the entities that have a tag.
async fn tagged(scribe: &Scribe, tag: &str) -> Result<Vec<i64>> {
    let tags = vec![tag.to_owned()];
    let query = PageQuery { tags, detail: Detail::Head, ..PageQuery::default() };
    let found = pages::find(scribe, &query).await?;
    Ok(found.pages.iter().map(|row| row.page.node.number).collect())
}

/// Whether an object shows what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Related {
    /// Yes.
    Shown,
    /// No.
    Left,
}

/// A page as the list of its kind shows it.
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

/// What belongs to a page.
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

/// A field that the campaign's people invented.
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

/// What an entity is to another.
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

/// A page as the list of all entities shows it.
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

/// A page as the search shows it, in the shapes of both generations.
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

/// A post.
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
