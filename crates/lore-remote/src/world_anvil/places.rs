//! The worlds that a search goes through, each with the references to its articles. To put these
//! together from the pages of a list takes a second for ten thousand, so they are kept as long as
//! those pages are.

use std::collections::HashMap;
use std::sync::Arc;

use lore_anvil::{Kind, Object};
use lore_app::atlas::ListQuery;
use lore_core::{Result, Timestamp};
use parking_lot::Mutex;

use super::convert::text_of;
use super::{ARTICLES, WorldAnvil};

/// A world and the references to its articles.
pub(super) struct Place {
    pub(super) world: Object,
    pub(super) articles: Vec<Object>,
}

/// The places that were put together.
#[derive(Default)]
pub(super) struct Places(Mutex<HashMap<String, Kept>>);

struct Kept {
    place: Arc<Place>,
    until: Timestamp,
    /// How often answers had been forgotten by then.
    age: u64,
}

impl WorldAnvil {
    /// The worlds that a search goes through: that which is named, else all.
    pub(super) async fn places(&self, world: Option<&str>) -> Result<Vec<Arc<Place>>> {
        let worlds = match world {
            Some(world) => {
                let id = self.world_called(world).await?;
                vec![self.known_world(&id).await?]
            }
            None => self.every_row(&ListQuery::of(Kind::World)).await?,
        };
        let mut places = Vec::with_capacity(worlds.len());
        for world in worlds {
            places.push(self.place(world).await?);
        }
        Ok(places)
    }

    async fn place(&self, world: Object) -> Result<Arc<Place>> {
        let id = text_of(&world, "id");
        let age = self.cache.age();
        if let Some(kept) = self.places.0.lock().get(&id)
            && kept.age == age
            && kept.until > self.cache.now()
            && kept.place.world == world
        {
            return Ok(Arc::clone(&kept.place));
        }
        let listed = ListQuery { world: Some(id.clone()), ..ListQuery::of(Kind::Article) };
        let articles = self.every_row(&listed).await?;
        self.learn_rows(&articles);
        let place = Arc::new(Place { world, articles });
        if let Some(until) = self.cache.first_end(&format!("{ARTICLES}id={id} ")) {
            // What was learnt may have made the cache forget, which says nothing of the list.
            let kept = Kept { place: Arc::clone(&place), until, age: self.cache.age() };
            self.places.0.lock().insert(id, kept);
        }
        Ok(place)
    }
}
