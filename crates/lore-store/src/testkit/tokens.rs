//! Contract tests for tokens and the rights they carry.

use lore_core::{Principal, Role, TokenId, Viewer};

use super::Harness;
use super::stage::{Stage, exists, forbidden, invalid, moment, not_found};
use crate::NewToken;

/// The principal is created with the first token.
pub async fn a_token_makes_its_principal_and_lets_them_in(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    assert_ne!(pia.principal, Principal::LOCAL);
    assert_eq!((pia.world, pia.role), (stage.owner.world, Role::Player));
    assert_eq!(stage.store().enter(pia.principal, pia.world).await.unwrap(), Some(pia));
    let worlds = stage.store().worlds(pia.principal).await.unwrap();
    assert_eq!(worlds.iter().map(|world| world.id).collect::<Vec<_>>(), [pia.world]);
}

/// Names of principals are unique, ignoring case.
pub async fn a_token_for_a_known_name_is_for_that_principal(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let first = stage.person("Pia", Role::Player).await;
    let second = stage.person("PIA", Role::Reader).await;
    assert_eq!(first.principal, second.principal);
    let listed = stage.store().tokens(&stage.owner).await.unwrap();
    assert!(listed.iter().all(|token| token.principal == "Pia"));
}

/// A blank name is invalid.
pub async fn a_token_needs_a_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let nameless = stage.token("  ", Role::Reader);
    invalid(stage.store().create_token(&stage.owner, nameless).await);
}

/// The authenticator compares the stored bytes exactly.
pub async fn the_hash_comes_back_as_it_was_stored(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let secret_hash = std::array::from_fn(|i| u8::try_from(i * 8).unwrap());
    let token = NewToken { secret_hash, ..stage.token("Pia", Role::Gm) };
    let public_id = token.public_id.clone();
    let info = stage.store().create_token(&stage.owner, token).await.unwrap();
    let stored = stage.store().token(&public_id).await.unwrap().unwrap();
    assert_eq!((stored.id, stored.secret_hash), (info.id, secret_hash));
    assert_eq!((stored.world, stored.role), (stage.owner.world, Role::Gm));
    assert_eq!((info.public_id, info.created_at), (public_id, moment(0)));
    assert_eq!(info.revoked_at, None);
    assert!(stage.store().token("no such id").await.unwrap().is_none());
}

/// Not even a game master may.
pub async fn only_an_owner_handles_tokens(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for (name, role) in [("Gil", Role::Gm), ("Pia", Role::Player), ("Rob", Role::Reader)] {
        let viewer = stage.person(name, role).await;
        let token = stage.token("Eve", Role::Owner);
        forbidden(stage.store().create_token(&viewer, token).await);
        forbidden(stage.store().tokens(&viewer).await);
        forbidden(stage.store().revoke_token(&viewer, TokenId(1), moment(0)).await);
    }
    assert_eq!(stage.store().tokens(&stage.owner).await.unwrap().len(), 3);
}

/// A public id identifies one token.
pub async fn a_public_id_is_taken_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let token = stage.token("Pia", Role::Player);
    stage.store().create_token(&stage.owner, token.clone()).await.unwrap();
    exists(stage.store().create_token(&stage.owner, token).await);
}

/// Revoking a token takes its right away.
pub async fn a_revoked_token_opens_nothing(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let pia = stage.person("Pia", Role::Player).await;
    stage.store().set_default_world(pia.principal, pia.world).await.unwrap();
    let token = stage.store().tokens(&stage.owner).await.unwrap().remove(0);
    stage.store().revoke_token(&stage.owner, token.id, moment(9)).await.unwrap();
    assert!(stage.store().token(&token.public_id).await.unwrap().is_none());
    assert_eq!(stage.store().enter(pia.principal, pia.world).await.unwrap(), None);
    assert_eq!(stage.store().default_world(pia.principal).await.unwrap(), None);
    assert!(stage.store().worlds(pia.principal).await.unwrap().is_empty());
    let listed = stage.store().tokens(&stage.owner).await.unwrap();
    assert_eq!(listed[0].revoked_at, Some(moment(9)));
}

/// The log shows when it really happened.
pub async fn revoking_twice_keeps_the_first_moment(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.person("Pia", Role::Player).await;
    let token = stage.store().tokens(&stage.owner).await.unwrap().remove(0);
    for at in [moment(1), moment(2)] {
        stage.store().revoke_token(&stage.owner, token.id, at).await.unwrap();
    }
    let listed = stage.store().tokens(&stage.owner).await.unwrap();
    assert_eq!(listed[0].revoked_at, Some(moment(1)));
}

/// Owning one world gives no rights in another.
pub async fn tokens_of_another_world_are_out_of_reach(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    stage.person("Pia", Role::Player).await;
    let token = stage.store().tokens(&stage.owner).await.unwrap().remove(0);
    assert!(stage.store().tokens(&other).await.unwrap().is_empty());
    not_found(stage.store().revoke_token(&other, token.id, moment(0)).await);
    assert!(stage.store().token(&token.public_id).await.unwrap().is_some());
}

/// An owner who creates a reader token for themselves stays owner.
pub async fn a_small_token_takes_nothing_away_from_an_owner(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let reader = stage.person("owner", Role::Reader).await;
    assert_eq!((reader.principal, reader.role), (Principal::LOCAL, Role::Reader));
    let entered = stage.store().enter(Principal::LOCAL, stage.owner.world).await.unwrap();
    assert_eq!(entered, Some(stage.owner));
}

/// When that token is revoked, the next highest counts.
pub async fn the_highest_of_several_tokens_counts(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let gm = stage.person("Pia", Role::Gm).await;
    let role = async || -> Option<Role> {
        let entered: Option<Viewer> =
            stage.store().enter(player.principal, player.world).await.unwrap();
        entered.map(|viewer| viewer.role)
    };
    assert_eq!(role().await, Some(gm.role));
    let listed = stage.store().tokens(&stage.owner).await.unwrap();
    let highest = listed.iter().find(|token| token.role == Role::Gm).unwrap();
    stage.store().revoke_token(&stage.owner, highest.id, moment(0)).await.unwrap();
    assert_eq!(role().await, Some(Role::Player));
}

/// In all worlds. A revoked token does not count.
pub async fn everybody_is_listed_with_each_of_their_roles(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    let gm = stage.person("Pia", Role::Gm).await;
    let revoked = stage.store().tokens(&stage.owner).await.unwrap().remove(0);
    let player = stage.person("Pia", Role::Player).await;
    let all = stage.store().everybody().await.unwrap();
    assert_eq!(all, [stage.owner, gm, player, other]);
    stage.store().revoke_token(&stage.owner, revoked.id, moment(0)).await.unwrap();
    let all = stage.store().everybody().await.unwrap();
    assert_eq!(all, [stage.owner, player, other]);
}

/// In any world, including revoked tokens.
pub async fn whether_there_ever_was_a_token_is_known(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    assert!(!stage.store().has_tokens().await.unwrap());
    let other = stage.other_world("Other").await;
    stage.person_in(&other, "Pia", Role::Player).await;
    assert!(stage.store().has_tokens().await.unwrap());
    let token = stage.store().tokens(&other).await.unwrap().remove(0);
    stage.store().revoke_token(&other, token.id, moment(0)).await.unwrap();
    assert!(stage.store().has_tokens().await.unwrap(), "who locked the door does not find it open");
}
