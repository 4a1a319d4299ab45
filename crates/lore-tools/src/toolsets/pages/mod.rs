//! `pages`: worldbuilding pages and their posts.

mod check_entity_updates;
mod context;
mod create_entities;
mod create_posts;
mod delete_entities;
mod delete_posts;
mod each;
mod find_entities;
mod get_entities;
mod update_entities;
mod update_posts;
mod wire;

use crate::resource::Resource;
use crate::tool::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<find_entities::FindEntities>(),
        Tool::of::<get_entities::GetEntities>(),
        Tool::of::<create_entities::CreateEntities>(),
        Tool::of::<update_entities::UpdateEntities>(),
        Tool::of::<delete_entities::DeleteEntities>(),
        Tool::of::<create_posts::CreatePosts>(),
        Tool::of::<update_posts::UpdatePosts>(),
        Tool::of::<delete_posts::DeletePosts>(),
        Tool::of::<check_entity_updates::CheckEntityUpdates>(),
    ]
}

pub(super) fn resources() -> Vec<Resource> {
    vec![context::resource()]
}
