//! Clients for external services named in the configuration.
//!
//! Each module translates one service's protocol, through `lore-net`. `lore-app` decides what to do
//! with the answers.

pub mod chat;
pub mod embeddings;
pub mod kanka;
pub mod koi;
pub mod koi_net;
pub mod openai;
pub mod web;
pub mod world_anvil;
