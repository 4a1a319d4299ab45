//! Connectors to services of the configuration.
//!
//! Each speaks one service's language through `lore-net`; what is done with the
//! answers is decided in `lore-app`.

pub mod chat;
pub mod embeddings;
pub mod kanka;
pub mod koi;
pub mod koi_net;
pub mod openai;
pub mod web;
pub mod world_anvil;
