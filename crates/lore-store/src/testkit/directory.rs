//! Contract tests for worlds and their members.

use lore_core::{Principal, PrincipalId, Role, WorldId};

use super::Harness;
use super::stage::{Stage, exists, invalid, moment, not_found, origin};

/// A new store has the local principal and a first world, so that work can begin at once.
pub async fn a_new_store_has_an_owner_with_a_world(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let worlds = stage.store().worlds(Principal::LOCAL).await.unwrap();
    assert_eq!(worlds.len(), 1);
    assert_eq!(worlds[0].name, "Main");
    assert_eq!(stage.owner.world, worlds[0].id);
    assert_eq!(stage.owner.role, Role::Owner);
}

/// Ordered by name, not by age, ignoring case.
pub async fn worlds_are_listed_by_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    for name in ["zorn", "Aelysh", "north"] {
        stage.other_world(name).await;
    }
    let worlds = stage.store().worlds(Principal::LOCAL).await.unwrap();
    let names: Vec<_> = worlds.iter().map(|world| world.name.as_str()).collect();
    assert_eq!(names, ["Aelysh", "Main", "north", "zorn"]);
}

/// Name, uid and creation time are as given.
pub async fn a_world_comes_back_as_it_was_made(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let uid = stage.uid();
    let made = stage
        .store()
        .create_world(Principal::LOCAL, uid, "Aelysh".into(), origin(), moment(5))
        .await
        .unwrap();
    assert_eq!((made.uid, made.name.as_str(), made.created_at), (uid, "Aelysh", moment(5)));
    let worlds = stage.store().worlds(Principal::LOCAL).await.unwrap();
    assert!(worlds.contains(&made));
    let viewer = stage.store().enter(Principal::LOCAL, made.id).await.unwrap().unwrap();
    assert_eq!(viewer.role, Role::Owner);
}

/// Two worlds cannot differ by case alone.
pub async fn a_world_name_is_taken_once_ignoring_case(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    stage.other_world("Äther").await;
    for name in ["Äther", "äTHER", " Äther "] {
        let second = stage
            .store()
            .create_world(Principal::LOCAL, stage.uid(), name.into(), origin(), moment(0))
            .await;
        exists(second);
    }
    assert_eq!(stage.store().worlds(Principal::LOCAL).await.unwrap().len(), 2);
}

/// A uid identifies one world.
pub async fn a_world_uid_is_taken_once(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let uid = stage.uid();
    let make = |name: &str| {
        stage.store().create_world(Principal::LOCAL, uid, name.into(), origin(), moment(0))
    };
    make("One").await.unwrap();
    exists(make("Two").await);
}

/// A blank name is invalid.
pub async fn a_world_needs_a_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let uid = stage.uid();
    invalid(
        stage.store().create_world(Principal::LOCAL, uid, "  ".into(), origin(), moment(0)).await,
    );
}

/// An unknown principal has no worlds, no default world and no role.
pub async fn a_stranger_has_no_worlds(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let stranger = PrincipalId(999);
    assert!(stage.store().worlds(stranger).await.unwrap().is_empty());
    assert_eq!(stage.store().default_world(stranger).await.unwrap(), None);
    assert_eq!(stage.store().enter(stranger, stage.owner.world).await.unwrap(), None);
    assert_eq!(stage.store().enter(Principal::LOCAL, WorldId(999)).await.unwrap(), None);
}

/// The owner of a new world must exist.
pub async fn a_stranger_cannot_own_a_world(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let made = stage
        .store()
        .create_world(PrincipalId(999), stage.uid(), "Stolen".into(), origin(), moment(0))
        .await;
    not_found(made);
}

/// The last choice counts.
pub async fn the_default_world_can_be_chosen(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let other = stage.other_world("Other").await;
    stage.store().set_default_world(Principal::LOCAL, other.world).await.unwrap();
    let chosen = stage.store().default_world(Principal::LOCAL).await.unwrap();
    assert_eq!(chosen, Some(other.world));
}

/// A principal cannot choose a world in which they have no role.
pub async fn a_default_world_must_be_open_to_its_principal(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let other = stage.other_world("Other").await;
    not_found(stage.store().set_default_world(player.principal, other.world).await);
    not_found(stage.store().set_default_world(player.principal, WorldId(999)).await);
    assert_eq!(stage.store().default_world(player.principal).await.unwrap(), None);
    stage.store().set_default_world(player.principal, player.world).await.unwrap();
    let chosen = stage.store().default_world(player.principal).await.unwrap();
    assert_eq!(chosen, Some(player.world));
}

/// A principal with a token has the name that the token was created for.
pub async fn somebody_has_a_name(harness: &dyn Harness) {
    let stage = Stage::set(harness).await;
    let player = stage.person("Pia", Role::Player).await;
    let found = stage.store().principal(player.principal).await.unwrap();
    assert_eq!(found, Some(Principal { id: player.principal, name: "Pia".into() }));
    assert_eq!(stage.store().principal(PrincipalId(999)).await.unwrap(), None);
}
