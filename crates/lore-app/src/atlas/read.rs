//! Reading one object.

use lore_anvil::{Kind, Object};
use lore_core::{Error, Result};
use serde_json::json;

use super::keys;
use super::source::Atlas;

impl Atlas {
    /// One object, as it is told at a granularity.
    pub(super) async fn read_object(
        &self,
        kind: Kind,
        id: Option<&str>,
        granularity: i8,
    ) -> Result<Object> {
        let mut object = match kind {
            Kind::User => self.user(id, granularity).await?,
            Kind::World => self.in_world(id).await?.world(granularity).await?,
            Kind::Secret => self.secret(needed(kind, id)?, granularity).await?,
            _ => {
                let id = needed(kind, id)?;
                let (place, node) = self.locate_shown(kind, id).await?;
                let made = place.assemble(kind, vec![node], granularity).await?;
                made.into_iter().next().ok_or_else(|| keys::unknown(kind, id))?
            }
        };
        object.insert("isEditable".into(), json!(self.viewer().role >= lore_core::Role::Player));
        Ok(object)
    }
}

fn needed(kind: Kind, id: Option<&str>) -> Result<&str> {
    let row = kind.row();
    id.ok_or_else(|| {
        Error::invalid(row.id_argument, "is required", format!("give the id of a {}", row.one))
    })
}
