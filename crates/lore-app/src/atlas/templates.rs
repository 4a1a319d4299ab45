//! Maps pages to World Anvil's article templates, and templates to kinds of pages.

use lore_core::Node;

use super::read::head;
use crate::knowledge::EntityType;
use crate::pages::PageKind;

/// Node kind of an article that fits none of the other page kinds.
pub(super) const ARTICLE: &str = "article";
/// Node kind of a journal, an account of a session.
pub(super) const JOURNAL: &str = "journal";

/// Every node kind that is shown as an article.
pub(super) const NODE_KINDS: [&str; 9] = [
    ARTICLE,
    "character",
    "creature",
    "location",
    "organization",
    "race",
    "note",
    JOURNAL,
    "quest",
];

/// The template of a page: the stored one, or else the one that fits its kind.
pub(super) fn template_of(node: &Node) -> &'static str {
    let own = head::own(node, "templateType").and_then(serde_json::Value::as_str);
    let known = own.and_then(|own| lore_anvil::TEMPLATES.into_iter().find(|t| *t == own));
    // Ignores a stored template that belongs to another kind of page: another door must have
    // changed the kind.
    match known.filter(|template| node_kind(template) == node.kind.as_str()) {
        Some(template) => template,
        None => usual_template(node),
    }
}

fn usual_template(node: &Node) -> &'static str {
    match PageKind::of(&node.kind) {
        Some(PageKind::Character) => "person",
        Some(PageKind::Creature | PageKind::Race) => "species",
        Some(PageKind::Location) => place_template(node.subtype.as_deref()),
        Some(PageKind::Organization) => "organization",
        Some(PageKind::Note) => "document",
        Some(PageKind::Journal) => "report",
        Some(PageKind::Quest) => "plot",
        None if node.kind.as_str() != ARTICLE => template_of_other(node),
        Some(PageKind::Tag) | None => "article",
    }
}

/// The template that fits a node of another door (toolset).
fn template_of_other(node: &Node) -> &'static str {
    match EntityType::of(node) {
        Some(EntityType::Person) => "person",
        Some(EntityType::Organization) => "organization",
        Some(EntityType::Location | EntityType::Bioregion) => "location",
        Some(EntityType::Meeting) => "report",
        Some(EntityType::Project) => "plot",
        Some(_) => "article",
        None => "document",
    }
}

/// The template of a location: settlement or landmark if the subtype says so.
fn place_template(subtype: Option<&str>) -> &'static str {
    const SETTLEMENTS: [&str; 7] =
        ["city", "town", "village", "settlement", "hamlet", "capital", "metropolis"];
    const LANDMARKS: [&str; 6] = ["landmark", "building", "ruin", "ruins", "temple", "tavern"];
    let subtype = subtype.map(str::to_lowercase).unwrap_or_default();
    if SETTLEMENTS.contains(&subtype.as_str()) {
        "settlement"
    } else if LANDMARKS.contains(&subtype.as_str()) {
        "landmark"
    } else {
        "location"
    }
}

/// The kind of node that an article with this template becomes.
pub(super) fn node_kind(template: &str) -> &'static str {
    match template {
        "person" => "character",
        "species" | "ethnicity" => "race",
        "location" | "settlement" | "landmark" => "location",
        "organization" | "formation" => "organization",
        "report" => JOURNAL,
        "plot" => "quest",
        _ => ARTICLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_an_article_and_every_template_has_a_page() {
        for kind in PageKind::ALL {
            assert!(NODE_KINDS.contains(&kind.as_str()), "{kind:?}");
        }
        for template in lore_anvil::TEMPLATES {
            assert!(NODE_KINDS.contains(&node_kind(template)), "{template}");
        }
    }

    #[test]
    fn places_are_what_they_say() {
        assert_eq!(place_template(Some("City")), "settlement");
        assert_eq!(place_template(Some("Temple")), "landmark");
        assert_eq!(place_template(Some("Swamp")), "location");
        assert_eq!(place_template(None), "location");
    }
}
