//! Names: which entities a name can mean, and which names occur in a text.
//!
//! - `catalogue` is the in-memory index of the names one viewer sees.
//! - `resolve` finds the entity a name means, by the name and its context; `meaning` finds entities
//!   whose names mean the same but are spelled differently.
//! - `tuning` has the settings for comparing names of a type.
//! - `spotter` finds known names in a text.

pub(super) mod catalogue;
mod meaning;
mod resolve;
pub(super) mod spotter;
pub(super) mod tuning;

pub use catalogue::Catalogues;
pub use resolve::{Asked, Possible, Resolved, Surroundings, folders, profiles, resolve};
