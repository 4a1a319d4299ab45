//! Worldbuilding pages: characters, places, notes, journals and what is written on them.
//!
//! A page is a node with an `entry` and any number of posts. Its tags are nodes, too,
//! joined to it by edges, and so is whatever its texts mention. Every item of a
//! call is written by itself: a bad one never hurts its neighbours.

mod dates;
mod edit;
mod find;
mod kinds;
mod likeness;
pub(crate) mod links;
mod moments;
mod page;
mod posts;
mod scribe;
mod updates;

pub use dates::{Date, DateRange};
pub use edit::{Made, NewPage, PagePatch, create, delete, update};
pub use find::{Listing, NameFilter, PageQuery, Scored, find};
pub use kinds::PageKind;
pub(crate) use kinds::{ENTRY, POST};
pub use moments::moment;
pub use page::{Detail, Page, get, get_all, get_of_kind, unknown};
pub use posts::update as update_post;
pub use posts::{NewPost, PostPatch, create as create_post, delete as delete_post};
pub use scribe::{Scribe, TagsAre};
pub use updates::{Updates, check as check_updates};
