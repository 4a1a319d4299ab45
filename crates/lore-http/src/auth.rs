//! From the headers that carry a token to an identity.

use axum::http::{HeaderMap, header};
use lore_app::access::{Doorkeeper, Identity};
use lore_core::Result;

use crate::anvil;

/// Where clients of World Anvil's API send their token.
const ANVIL_TOKEN: &str = "x-auth-token";

/// Who a request comes from.
pub(crate) enum Caller {
    /// A token that is known.
    Known(Identity),
    /// No token, and none is needed.
    Local,
    /// No token where one is needed.
    Nameless,
    /// A token that is not known.
    Unknown,
}

/// Finds out who asks. A wrong token is refused even where none is needed, so
/// that a mistyped one is noticed.
pub(crate) async fn identify(
    doorkeeper: &Doorkeeper,
    headers: &HeaderMap,
    path: &str,
) -> Result<Caller> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let caller = match (given.next(), given.next()) {
        (None, _) if path.starts_with(anvil::PREFIX) && headers.contains_key(ANVIL_TOKEN) => {
            let token = headers.get(ANVIL_TOKEN).and_then(|value| value.to_str().ok());
            let known = doorkeeper.identify(token.unwrap_or_default()).await?;
            known.map_or(Caller::Unknown, Caller::Known)
        }
        (None, _) if doorkeeper.is_open().await? => Caller::Local,
        (None, _) => Caller::Nameless,
        (Some(value), None) => match value.to_str().ok().and_then(bearer) {
            Some(token) => doorkeeper.identify(token).await?.map_or(Caller::Unknown, Caller::Known),
            None => Caller::Unknown,
        },
        (Some(_), Some(_)) => Caller::Unknown,
    };
    Ok(caller)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
