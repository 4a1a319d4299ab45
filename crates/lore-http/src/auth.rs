//! Authentication: from the headers that carry a token to an identity.

use axum::http::{HeaderMap, header};
use lore_app::access::{Doorkeeper, Identity};
use lore_core::Result;

use crate::anvil;

/// The header in which clients of World Anvil's API send their token.
const ANVIL_TOKEN: &str = "x-auth-token";

/// Who sent a request, as far as its token tells.
pub(crate) enum Caller {
    /// The token is valid.
    Known(Identity),
    /// There is no token, and the server requires none.
    Local,
    /// There is no token, but the server requires one.
    Nameless,
    /// The token is not valid, or the header is malformed.
    Unknown,
}

/// Identifies the caller by the token in the headers.
///
/// A wrong token is rejected even where none is required, so that a typing error is noticed.
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
