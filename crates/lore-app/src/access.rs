//! Authentication and entry into worlds: bearer tokens, the local user, and the [`Viewer`] a
//! request acts as.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use data_encoding::BASE32_NOPAD;
use lore_core::{Error, Principal, PrincipalId, Result, Role, TokenId, Viewer, WorldId, names};
use lore_store::{NewToken, StoredToken, TokenInfo};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::App;

/// Who a request acts as, before it enters a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The principal.
    pub principal: PrincipalId,
    /// The world a token is bound to. `None` for the local user, who may enter any of their worlds.
    pub world: Option<WorldId>,
    /// The highest role the token grants. It caps the principal's role in the world, even where
    /// other tokens of theirs grant more.
    pub most: Role,
}

impl Identity {
    /// The local user: the person at the machine, who needs no token.
    pub const LOCAL: Self = Self { principal: Principal::LOCAL, world: None, most: Role::Owner };

    /// Returns where the caller is. Only token bearers, whose identity has a world, may be
    /// anywhere.
    pub fn presence(self) -> Presence {
        match self.world {
            None => Presence::Here,
            Some(_) => Presence::Anywhere,
        }
    }
}

/// Where a caller is. Files and keys on the machine are only for callers at the machine. Neither
/// the principal nor the role proves that: a token can be issued to anybody, including the owner,
/// and used from anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// At the machine.
    Here,
    /// Possibly elsewhere: the caller presented a token, which works from any place.
    Anywhere,
}

/// A newly issued token. The secret is shown once and not stored; the store keeps only its hash.
#[derive(Clone)]
pub struct IssuedToken {
    /// What the client sends after `Bearer `.
    pub secret: String,
    /// What is stored about it.
    pub info: TokenInfo,
}

/// Creates a token that lets `principal` act with `role` in the viewer's world. Only owners may.
pub async fn create_token(
    app: &App,
    viewer: &Viewer,
    principal: &str,
    role: Role,
) -> Result<IssuedToken> {
    viewer.require(Role::Owner)?;
    let principal = names::checked_name("name", principal)?;
    let mut public = [0_u8; 5];
    let mut secret = [0_u8; 32];
    app.effects.entropy.fill(&mut public);
    app.effects.entropy.fill(&mut secret);
    let public_id = lower_base32(&public);
    let secret = lower_base32(&secret);
    let token = NewToken {
        public_id: public_id.clone(),
        secret_hash: Sha256::digest(secret.as_bytes()).into(),
        principal,
        role,
        at: app.effects.now(),
    };
    let info = app.store.create_token(viewer, token).await?;
    Ok(IssuedToken { secret: format!("lw_{public_id}_{secret}"), info })
}

/// Returns the tokens of the viewer's world.
pub async fn tokens(app: &App, viewer: &Viewer) -> Result<Vec<TokenInfo>> {
    Ok(app.store.tokens(viewer).await?)
}

/// Revokes a token of the viewer's world.
pub async fn revoke_token(app: &App, viewer: &Viewer, id: TokenId) -> Result<()> {
    Ok(app.store.revoke_token(viewer, id, app.effects.now()).await?)
}

/// Turns the credentials of a request into an [`Identity`] and lets it into a world.
///
/// Answers of the store are cached for one second ([`TRUST`]), so that a busy connection does not
/// cost a read per request. A revoked right therefore keeps working for at most that long.
pub struct Doorkeeper {
    app: Arc<App>,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    open: Option<(bool, Instant)>,
    tokens: HashMap<String, (StoredToken, Instant)>,
    viewers: HashMap<(Identity, Option<String>), (Viewer, Instant)>,
}

/// How long a cached answer of the store is used.
const TRUST: Duration = Duration::from_secs(1);
/// The maximum number of entries in each cache. A full cache is emptied.
const REMEMBER_MAX: usize = 1_024;

impl Doorkeeper {
    /// Creates a doorkeeper over the application's store.
    pub fn new(app: Arc<App>) -> Self {
        Self { app, remembered: Mutex::default() }
    }

    /// Returns who sends this bearer token, or `None` if it is unknown, revoked or malformed.
    pub async fn identify(&self, bearer: &str) -> Result<Option<Identity>> {
        let Some((public_id, secret)) = split_token(bearer) else { return Ok(None) };
        let Some(token) = self.stored(public_id).await? else { return Ok(None) };
        let given: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let matches: bool = given.ct_eq(&token.secret_hash).into();
        let (world, most) = (Some(token.world), token.role);
        Ok(matches.then_some(Identity { principal: token.principal, world, most }))
    }

    /// Whether requests without a token act as the local user. They do only as long as nobody has
    /// ever created a token.
    pub async fn is_open(&self) -> Result<bool> {
        if let Some((open, at)) = self.remembered.lock().open
            && at.elapsed() < TRUST
        {
            return Ok(open);
        }
        let open = !self.app.store.has_tokens().await?;
        self.remembered.lock().open = Some((open, Instant::now()));
        Ok(open)
    }

    /// Lets `identity` into the named world, or into its default world if none is named.
    pub async fn enter(&self, identity: Identity, world: Option<&str>) -> Result<Viewer> {
        let key = (identity, world.map(str::to_owned));
        if let Some((viewer, at)) = self.remembered.lock().viewers.get(&key)
            && at.elapsed() < TRUST
        {
            return Ok(*viewer);
        }
        let viewer = enter(&self.app, identity, world).await?;
        let mut remembered = self.remembered.lock();
        if remembered.viewers.len() >= REMEMBER_MAX {
            remembered.viewers.clear();
        }
        remembered.viewers.insert(key, (viewer, Instant::now()));
        Ok(viewer)
    }

    /// Lets `identity` into a world that it entered before.
    pub async fn stay(&self, identity: Identity, world: WorldId) -> Result<Viewer> {
        self.enter(Identity { world: Some(world), ..identity }, None).await
    }

    async fn stored(&self, public_id: &str) -> Result<Option<StoredToken>> {
        if let Some((token, at)) = self.remembered.lock().tokens.get(public_id)
            && at.elapsed() < TRUST
        {
            return Ok(Some(token.clone()));
        }
        let found = self.app.store.token(public_id).await?;
        let mut remembered = self.remembered.lock();
        if remembered.tokens.len() >= REMEMBER_MAX {
            remembered.tokens.clear();
        }
        match &found {
            Some(token) => {
                remembered.tokens.insert(public_id.to_owned(), (token.clone(), Instant::now()));
            }
            None => {
                remembered.tokens.remove(public_id);
            }
        }
        Ok(found)
    }
}

/// Enters the named world, or the caller's default world if none is named. A token gives access to
/// its own world only.
pub async fn enter(app: &App, identity: Identity, world: Option<&str>) -> Result<Viewer> {
    let target = match (identity.world, world) {
        (Some(bound), None) => bound,
        (bound, Some(name)) => {
            let mut worlds = crate::worlds::list(app, identity.principal).await?;
            // A token tells nothing about the other worlds of its holder, not even their names.
            worlds.retain(|world| bound.is_none_or(|bound| bound == world.id));
            crate::worlds::among(worlds, name)?.id
        }
        (None, None) => crate::worlds::default_world(app, identity.principal).await?,
    };
    let viewer = app.store.enter(identity.principal, target).await?;
    let viewer = viewer.map(|viewer| Viewer { role: viewer.role.min(identity.most), ..viewer });
    viewer.ok_or_else(|| no_world("list your worlds with the resource lorewell://worlds"))
}

/// Returns the same caller in another world, or `None` if they have no access to it.
///
/// A role is granted per world and does not carry over: in the other world the caller gets the
/// lower of their role there and the role they call with here.
///
/// A caller who is a reader here becomes an anonymous reader there. Readers cannot store anything
/// of their own, so whatever the principal keeps privately in the other world was made with a
/// higher role than this caller presented.
pub async fn in_another(app: &App, viewer: &Viewer, world: WorldId) -> Result<Option<Viewer>> {
    let there = app.store.enter(viewer.principal, world).await?;
    let is_any_reader = viewer.role == Role::Reader && viewer.world != world;
    Ok(there.map(|there| Viewer {
        principal: if is_any_reader { NOBODY } else { there.principal },
        role: there.role.min(viewer.role),
        ..there
    }))
}

/// A viewer who sees only what everybody in the viewer's world sees.
pub(crate) fn for_everybody(viewer: &Viewer) -> Viewer {
    Viewer { principal: NOBODY, role: Role::Reader, ..*viewer }
}

/// The viewer with at least the game master's visibility, for decisions that depend on hidden data.
/// Nothing read this way may appear in an answer.
pub(crate) fn all_seeing(viewer: &Viewer) -> Viewer {
    Viewer { role: viewer.role.max(Role::Gm), ..*viewer }
}

/// A principal that owns nothing.
const NOBODY: PrincipalId = PrincipalId(0);

fn no_world(hint: &str) -> Error {
    Error::not_found("the world", hint)
}

/// Fails unless the viewer may change what `maker` made. The game master's side may change
/// everything they see; other viewers only what they made themselves.
pub fn may_change(viewer: &Viewer, maker: PrincipalId, name: &str) -> Result<()> {
    if viewer.role >= Role::Gm || maker == viewer.principal {
        return Ok(());
    }
    Err(Error::Forbidden {
        action: format!("{name:?} is not yours to change"),
        hint: "ask whoever made it, or the game master".into(),
    })
}

fn split_token(bearer: &str) -> Option<(&str, &str)> {
    let (public_id, secret) = bearer.trim().strip_prefix("lw_")?.split_once('_')?;
    let plausible = public_id.len() == 8 && secret.len() == 52;
    plausible.then_some((public_id, secret))
}

/// Encodes bytes as lower-case base32 without padding, the alphabet of tokens and session ids.
pub(crate) fn lower_base32(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_tokens_are_not_looked_up() {
        for bad in ["", "lw_", "lw_abc_def", "Bearer lw_abcdefgh_x", "lw_abcdefgh"] {
            assert_eq!(split_token(bad), None, "{bad}");
        }
        let good = format!("lw_abcdefgh_{}", "a".repeat(52));
        assert!(split_token(&good).is_some());
    }
}
