//! Which template fits a page, and which page a template.

use lore_core::Node;

use super::head;
use crate::knowledge::EntityType;
use crate::pages::PageKind;

/// Node kind of an article that is no page of the other kinds.
pub(super) const ARTICLE: &str = "article";
/// Node kind of what was written about a session.
pub(super) const JOURNAL: &str = "journal";

/// Every kind of node that is an article.
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

/// The template of a page.
pub(super) fn template_of(node: &Node) -> &'static str {
    let own = head::own(node, "templateType").and_then(serde_json::Value::as_str);
    let known = own.and_then(|own| lore_anvil::TEMPLATES.into_iter().find(|t| *t == own));
    // A template that leads to another kind of page was written by somebody else.
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

/// The template that fits what came in by another door.
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

/// A place is a settlement or a landmark where it says so.
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

/// The kind of node that an article of a template becomes.
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
