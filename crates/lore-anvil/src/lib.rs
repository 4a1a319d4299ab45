//! World Anvil's resources as one table.
//!
//! Each kind of resource in World Anvil's API ("Boromir") is a row: the routes where it is read and
//! listed, its parents, the form of its ids, the fields of each granularity, how long answers may
//! be cached and who may see it. Tools, the compatible API over the user's own world, the connector
//! to the live service and the documentation are all derived from these rows. This crate knows no
//! stores, no sockets and no clock.

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

/// An object of World Anvil's API, with the API's own field names.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// The maximum number of rows in one page of a list. As with the service, a larger limit is
/// silently reduced to it.
pub const PAGE_MAX: usize = 50;

/// The category id that stands for "no category".
pub const UNCATEGORISED: &str = "-1";

/// The templates of articles, as the API spells them.
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

/// Whether a text in an undeclared field is long enough to be running text rather than a value.
pub fn is_long(text: &str) -> bool {
    text.chars().nth(200).is_some()
}
