//! The worlds that a search covers, each with the list of its articles. Putting the list together
//! from cached pages takes a second for ten thousand articles, so the result is cached as long as
//! the pages are.

use std::collections::HashMap;
use std::sync::Arc;

use lore_anvil::{Kind, Object};
use lore_app::atlas::ListQuery;
use lore_core::{Result, Timestamp};
use parking_lot::Mutex;

use super::convert::text_of;
use super::{ARTICLES, WorldAnvil};

/// A world and the list rows of its articles.
pub(super) struct Place {
    pub(super) world: Object,
    pub(super) articles: Vec<Object>,
}

/// The cached places, by world id.
#[derive(Default)]
pub(super) struct Places(Mutex<HashMap<String, Kept>>);

struct Kept {
    place: Arc<Place>,
    until: Timestamp,
    /// The number of cache invalidations when this was stored.
    age: u64,
}

impl WorldAnvil {
    /// Returns the worlds that a search covers: the named one, else all.
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
            // Learning the rows may itself have invalidated cached articles, but not this list, so
            // the age is read again.
            let kept = Kept { place: Arc::clone(&place), until, age: self.cache.age() };
            self.places.0.lock().insert(id, kept);
        }
        Ok(place)
    }
}
