//! The rules of a Daggerheart table, as functions on its state.
//!
//! Every function takes a state and what happens, and returns a new state, the list of changes and
//! notes for the people at the table. Nothing here may modify a state in place, let a number leave
//! its range, or know where states are stored.
//!
//! * [`Profile`] holds what play does not change: level, traits, maxima, thresholds.
//! * [`State`] holds what play changes: Hit Points left, Stress marked, Hope, conditions.
//! * [`GmFear`] is the Game Master's Fear.
//! * [`Step`] is the result of nearly every function.

mod change;
mod condition;
mod countdown;
mod damage;
mod death;
mod error;
mod fear;
mod hope;
mod note;
mod outcome;
mod profile;
mod recovery;
mod rest;
mod state;
mod step;
mod stress;

pub use change::{Change, Field, Value};
pub use condition::{Condition, add_condition, remove_condition};
pub use countdown::{
    Countdown, CountdownKind, Looping, advance, advance_by_outcome, advance_by_rest,
    advance_linked, ticks,
};
pub use damage::{
    ArmorUse, Damage, DamageKind, DamageOptions, DamageStep, Defence, Directness, MassiveDamage,
    Protection, Severity, reduced_damage, severity, take_damage,
};
pub use death::{AvoidDeath, Wishes, avoid_death, blaze_of_glory, risk_it_all};
pub use error::TableError;
pub use fear::{FearStep, GmFear};
pub use hope::{HopeUse, gain_hope, spend_hope};
pub use note::Note;
pub use outcome::{OutcomeEffects, apply_outcome, apply_outcome_to_fear, outcome_effects};
pub use profile::{CharacterKind, Level, Profile, ProfileError, ProfileFields, TRAITS};
pub use recovery::{clear_stress, heal, repair_armor};
pub use rest::{
    Company, Place, RestCourse, RestDice, RestError, RestKind, RestLog, RestMove, RestRoll,
    RestStep, Rester, rest,
};
pub use state::{Life, State, StatePatch, clamp_to, patch};
pub use step::Step;
pub use stress::{StressCause, mark_stress};
