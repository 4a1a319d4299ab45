//! `knowledge`: entities, documents, web pages, code and the vault. Thin wrappers around the KOI
//! API.
//!
//! An answer has the text form that the contract prescribes: JSON indented by two spaces for
//! answers of the API, plain text for the vault tools. Its structured content is the same answer.

mod code_query;
mod federation_status;
mod get_entity_documents;
mod get_entity_neighborhood;
mod github_scan;
mod ingest_url;
mod knowledge_search;
mod koi_search;
mod monitor_url;
mod preview_url;
mod process_url;
mod resolve_entity;
mod vault_list_notes;
mod vault_read_note;
mod vault_write_note;
mod wire;

use crate::tool::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<resolve_entity::ResolveEntity>(),
        Tool::of::<get_entity_neighborhood::GetEntityNeighborhood>(),
        Tool::of::<get_entity_documents::GetEntityDocuments>(),
        Tool::of::<koi_search::KoiSearch>(),
        Tool::of::<knowledge_search::KnowledgeSearch>(),
        Tool::of::<preview_url::PreviewUrl>(),
        Tool::of::<process_url::ProcessUrl>(),
        Tool::of::<ingest_url::IngestUrl>(),
        Tool::of::<github_scan::GithubScan>(),
        Tool::of::<monitor_url::MonitorUrl>(),
        Tool::of::<code_query::CodeQuery>(),
        Tool::of::<vault_read_note::VaultReadNote>(),
        Tool::of::<vault_write_note::VaultWriteNote>(),
        Tool::of::<vault_list_notes::VaultListNotes>(),
        Tool::of::<federation_status::FederationStatus>(),
    ]
}
