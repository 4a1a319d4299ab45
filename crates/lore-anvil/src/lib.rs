//! World Anvil's resources as one table.
//!
//! Every kind of thing that World Anvil's API ("Boromir") knows is a row: where it is
//! read and listed, below what, how its ids look, how much each granularity tells, how
//! long answers may be kept and who may know. Tools, the API over the own world, the
//! connector to the live service and the documentation all come from these rows.
//! Nothing here knows stores, sockets or the clock.

mod field;
mod fields;
mod offered;
mod open;
mod resource;
mod section;
mod shown;
mod table;
mod told;

pub use field::{Field, Form, Look};
pub use open::{OPEN_FIELDS, as_everybody_sees, seen_otherwise, tells_everybody};
pub use resource::{
    Cache, IdForm, List, Need, Offered, Presence, Resource, Sensitivity, Takes, Writes,
};
pub use section::{OddSection, check_section, check_sections, first_title};
pub use shown::{
    DRAFT, GROUPS, Shape, is_draft, is_for_groups, is_mark, is_public, is_reference, shown,
    shown_name,
};
pub use table::Kind;
pub use told::{with_table_names, with_texts_apart, with_told_names};

/// An object of World Anvil's API, in its own names.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// Rows of a list at once, at most; more are silently fewer, there as here.
pub const PAGE_MAX: usize = 50;

/// The category that stands for having none.
pub const UNCATEGORISED: &str = "-1";

/// Templates that articles can have, as the API writes them.
pub const TEMPLATES: [&str; 26] = [
    "article",
    "person",
    "species",
    "ethnicity",
    "condition",
    "settlement",
    "location",
    "landmark",
    "organization",
    "formation",
    "militaryConflict",
    "item",
    "material",
    "vehicle",
    "technology",
    "language",
    "myth",
    "ritual",
    "profession",
    "rank",
    "law",
    "spell",
    "document",
    "prose",
    "plot",
    "report",
];

/// Whether a text in a field that nobody declared is running text rather than a value.
pub fn is_long(text: &str) -> bool {
    text.chars().nth(200).is_some()
}
