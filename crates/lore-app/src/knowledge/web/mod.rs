//! Web pages: previewed, judged, ingested and watched for changes.
//!
//! - `review` previews pages, extracts what they tell of, and stores what somebody thinks of them.
//! - `ingest` takes in pages with the entities and relations that somebody found in them.
//! - `reading` reads fetched pages, for a limited time.
//! - `submission` keeps the content of a page, and its status on the way to being ingested.
//! - `monitor` fetches pages from time to time to notice changes.
//! - `notes` writes the note about a page into the vault, and `note_text` has the words of it.

pub(super) mod ingest;
pub(super) mod monitor;
mod note_text;
mod notes;
mod reading;
pub(super) mod review;
mod submission;

pub use ingest::{Ingested, IngestedEntity, Intake, NewEntity, Newness, Taken, ingest};
pub use monitor::{
    Added, Monitored, Rounds, SCAN_INTERVAL, keep_watching, monitor, monitored, scan_now, unmonitor,
};
pub use review::{
    Looked, Mention, Opinion, Preview, Processed, TakenIn, Verdict, document_rid, evaluate,
    preview, process,
};
pub use submission::Evaluation;
