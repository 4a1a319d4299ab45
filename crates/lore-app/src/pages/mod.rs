//! Worldbuilding pages: characters, places, notes, journals and what is written on them.
//!
//! A page is a node with a main text (`entry`) and any number of posts. Its tags are nodes as well,
//! and edges join it to them and to everything its texts mention. Each item of a call is written
//! separately, so that a bad one does not affect the others.

mod attributes;
mod dates;
mod days;
mod door;
mod edit;
mod find;
mod kinds;
mod likeness;
pub(crate) mod links;
pub mod live;
mod mentions;
mod moments;
mod page;
mod posts;
mod references;
mod relations;
mod roll;
mod scribe;
pub(crate) mod tags;
mod updates;

pub use attributes::{Attribute, AttributeEdit, AttributePatch, attributes, edit_attributes};
pub use dates::{Date, DateRange, any_day};
pub use days::Days;
pub use door::{create, create_post, delete, delete_post, join_made, update, update_post};
pub use edit::{Made, NewPage, PagePatch};
pub use find::{Listing, NameFilter, PageQuery, Scored, find, make_ready};
pub use kinds::PageKind;
pub(crate) use kinds::{ENTRY, PARENT, POST};
pub use mentions::{Mentioning, mentions_of};
pub use moments::moment;
pub use page::{Detail, Origin, Page, absent, get, get_all, get_of_kind, number_of, unknown};
pub use posts::{NewPost, PostPatch, post_number};
pub use references::{is_hidden, leave_out_hidden};
pub use relations::{Relation, RelationPatch, Ways, change_relation, part, relate, relations};
pub use roll::Rolls;
pub use scribe::{Scribe, TagsAre};
pub use updates::{Updates, check as check_updates};
