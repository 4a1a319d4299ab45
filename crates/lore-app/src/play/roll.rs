//! Action rolls in a session.
//!
//! A roll is two events in the session's log, the request and the result, with the seed that proves
//! the dice. It changes no state: [`super::outcome`] applies its consequences, once.

use lore_core::{Error, Node, Result, Role, Uid, Visibility};
use lore_rules::dice::ALGORITHM;
use lore_rules::duality::{self, Difficulty, ExtraDiceRoll, Modifier};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::context::belongs;
use super::dice::{Odds, Randomness, RngUsed, choose_seed};
use super::ids::Thing;
use super::rights::{self, Rights};
use super::session::{self, Session, touching_log};
use super::{played, sheet};

/// The maximum length of trait and modifier names, in characters.
const LABEL_MAX: usize = 80;
/// The maximum number of modifiers of one roll.
const MODIFIERS_MAX: usize = 50;

/// The input of an action roll.
#[derive(Debug, Clone)]
pub struct ActionRoll {
    /// The session.
    pub session: Uid,
    /// The campaign. If given, it must be the session's.
    pub campaign: Option<Uid>,
    /// The character who acts.
    pub character: Uid,
    /// The trait. Only a label unless `use_trait_value` is set.
    pub trait_name: String,
    /// The difficulty to meet.
    pub difficulty: i64,
    /// Bonuses and penalties, as source and value.
    pub modifiers: Vec<(String, i64)>,
    /// Advantage, disadvantage and help.
    pub odds: Odds,
    /// Whether the trait's value on the sheet is added.
    pub use_trait_value: bool,
    /// Whether it is a reaction. It is judged in the same way, but has no consequences, and nobody
    /// can help.
    pub reaction: bool,
    /// Whether only the GM's side may see the difficulty.
    pub hide_difficulty: bool,
    /// The source of randomness.
    pub randomness: Randomness,
}

/// The result of an action roll.
#[derive(Debug, Clone)]
pub struct Rolled {
    /// The sequence number of the result, by which the outcome is applied.
    pub roll_seq: i64,
    /// The dice and how they were judged.
    pub roll: ExtraDiceRoll,
    /// The source of randomness that was used.
    pub rng: RngUsed,
    /// Whether the caller may see the difficulty.
    pub shows_difficulty: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Plans an action roll.
pub async fn action(call: &PlayCall, ask: &ActionRoll) -> Result<Plan<Rolled>> {
    let (session, home) = session::find(call, ask.session).await?;
    session.require_running()?;
    if ask.campaign.is_some_and(|wanted| wanted != home.uid) {
        return Err(Error::invalid(
            "campaign_id",
            "is not the campaign of this session",
            "leave campaign_id out, or give the session's own",
        ));
    }
    let character = call.find(Thing::Character, ask.character).await?;
    belongs(&character, &home, Thing::Character, "character_id")?;
    let rights = rights::in_campaign(call, &home).await?;
    rights.require(&character)?;
    check_privileges(call, ask, &rights)?;
    if ask.reaction && ask.odds.helpers != 0 {
        let hint = "leave it out: nobody can help with a reaction";
        return Err(Error::invalid("helpers", "does not belong to a reaction", hint));
    }
    let label = checked_label("trait", &ask.trait_name)?;
    let counted = trait_value(call, ask, &character, &label).await?;
    let modifier = total_modifier(&ask.modifiers, counted.value)?;
    let difficulty = Difficulty::new(ask.difficulty).map_err(|_| {
        let hint = format!("use a whole number from {} to {}", Difficulty::MIN, Difficulty::MAX);
        Error::invalid("difficulty", format!("is {}", ask.difficulty), hint)
    })?;
    let rng = choose_seed(&call.app.effects, ask.randomness);
    let roll =
        duality::roll_with_extra_dice(rng.seed, modifier, Some(difficulty), ask.odds.extra_dice()?);
    let events = Events {
        call,
        ask,
        rights: &rights,
        session: &session,
        character: &character,
        label: &label,
        trait_value: counted.value,
        visibility: counted.visibility,
    };
    let log = call.append(&session.node, events.of(&roll, rng)).await?;
    let batch = call.batch().require(session.unchanged()).change(log);
    let batch = touching_log(batch, session.node.uid, counted.visibility);
    let shows_difficulty = !ask.hide_difficulty || call.viewer.sees_gm_side();
    let answer = move |first: i64| Rolled {
        roll_seq: first + 1,
        roll,
        rng,
        shows_difficulty,
        warnings: counted.warnings,
    };
    Ok(Plan { batch, answer: Box::new(answer) })
}

/// Fails if a caller other than the GM chooses the dice or hides the difficulty.
fn check_privileges(call: &PlayCall, ask: &ActionRoll, rights: &Rights) -> Result<()> {
    let refuse = |field: &str, what: &str| {
        Err(Error::invalid(field, what, "leave it out: only the GM may use it in a session"))
    };
    if rights.is_gm() && call.viewer.role >= Role::Gm {
        return Ok(());
    }
    if let Randomness::Replay(_) = ask.randomness {
        return refuse("rng", "chooses the dice");
    }
    if ask.hide_difficulty {
        return refuse("hide_difficulty", "is not yours to use");
    }
    Ok(())
}

/// What the character's sheet adds to a roll.
struct Counted {
    /// The value of the trait, if it is to be added.
    value: Option<i64>,
    /// The visibility of the roll. A roll that uses a value of a hidden sheet is hidden as well.
    visibility: Visibility,
    /// Warnings for the caller.
    warnings: Vec<String>,
}

/// Looks up what the sheet adds to a roll. Fails if the character cannot act.
async fn trait_value(
    call: &PlayCall,
    ask: &ActionRoll,
    node: &Node,
    label: &str,
) -> Result<Counted> {
    let mut counted =
        Counted { value: None, visibility: played::shown(node), warnings: Vec::new() };
    let (sheet, _, visibility) = match sheet::load_with_visibility(call, node).await {
        Ok(found) => found,
        // A caller who may not see the sheet can roll, but not with the trait's value.
        Err(hidden) if ask.use_trait_value => return Err(hidden),
        Err(_) => return Ok(counted),
    };
    sheet.require_able(&node.name)?;
    match (sheet.trait_value(label), ask.use_trait_value) {
        (Some(value), true) => {
            counted.value = Some(value);
            if visibility != Visibility::Members {
                counted.visibility = Visibility::Gm;
            }
        }
        (None, true) => {
            return Err(Error::invalid(
                "trait",
                format!("{label:?} is not on the sheet of {}", node.name),
                format!("use one of {}", sheet.trait_names().join(", ")),
            ));
        }
        (Some(_), false) => {}
        (None, false) => {
            counted.warnings.push(format!("{label:?} is not a trait of {}", node.name));
        }
    }
    Ok(counted)
}

fn total_modifier(modifiers: &[(String, i64)], trait_value: Option<i64>) -> Result<Modifier> {
    if modifiers.len() > MODIFIERS_MAX {
        let hint = format!("give at most {MODIFIERS_MAX}");
        return Err(Error::invalid("modifiers", "are too many", hint));
    }
    let mut total = trait_value.unwrap_or(0);
    for (index, (source, value)) in modifiers.iter().enumerate() {
        checked_label(&format!("modifiers[{index}].source"), source)?;
        Modifier::new(*value).map_err(|_| {
            Error::invalid(
                format!("modifiers[{index}].value"),
                format!("is {value}"),
                format!("use a whole number from {} to {}", Modifier::MIN, Modifier::MAX),
            )
        })?;
        total += value;
    }
    Modifier::new(total).map_err(|_| {
        let hint = format!("keep their sum between {} and {}", Modifier::MIN, Modifier::MAX);
        Error::invalid("modifiers", format!("add up to {total}"), hint)
    })
}

fn checked_label(field: &str, text: &str) -> Result<String> {
    let label = text.trim();
    if label.is_empty() || label.chars().count() > LABEL_MAX || label.chars().any(char::is_control)
    {
        return Err(Error::invalid(
            field,
            format!("is not a name of 1 to {LABEL_MAX} characters"),
            "give a short name",
        ));
    }
    Ok(label.to_owned())
}

/// Builds the two events of a roll.
struct Events<'a> {
    call: &'a PlayCall,
    ask: &'a ActionRoll,
    rights: &'a Rights,
    session: &'a Session,
    character: &'a Node,
    label: &'a str,
    trait_value: Option<i64>,
    visibility: Visibility,
}

impl Events<'_> {
    fn of(&self, roll: &ExtraDiceRoll, rng: RngUsed) -> Vec<lore_store::NewEvent> {
        let requested = self.event("ACTION_ROLL_REQUESTED", self.asked());
        let resolved = self.event("ACTION_ROLL_RESOLVED", self.result(roll, rng));
        vec![requested, resolved]
    }

    fn asked(&self) -> Value {
        json!({
            "session_id": Thing::Session.show(self.session.node.uid),
            "character_id": Thing::Character.show(self.character.uid),
            "trait": self.label,
            "difficulty": self.ask.difficulty,
            "modifiers": self.modifiers(),
        })
    }

    fn result(&self, roll: &ExtraDiceRoll, rng: RngUsed) -> Value {
        let id = Thing::Character.show(self.character.uid);
        let evaluation = &roll.evaluation;
        let (source, mode) = match rng.requested {
            Randomness::Live => ("SERVER", "LIVE"),
            Randomness::Replay(_) => ("CLIENT", "REPLAY"),
        };
        json!({
            "roller_character_id": id,
            "character_id": id,
            "character": self.character.name,
            "trait": self.label,
            "trait_value": self.trait_value,
            "modifiers": self.modifiers(),
            "modifier": evaluation.modifier.value(),
            "edge": self.ask.odds.to_value(),
            "seed_used": rng.seed.value(),
            "rng_algo": ALGORITHM,
            "seed_source": source,
            "roll_mode": mode,
            "dice": {
                "hope_die": evaluation.dice.hope.value(),
                "fear_die": evaluation.dice.fear.value(),
                "edge_die": roll.advantage_die,
                "helper_dice": roll.helper_dice,
            },
            "total": evaluation.total,
            "difficulty": self.ask.difficulty,
            "success": evaluation.meets_difficulty,
            "outcome": evaluation.outcome.as_str(),
            "flavor": flavor(roll),
            "crit": evaluation.is_crit,
            "reaction": self.ask.reaction,
        })
    }

    /// The modifiers, sorted so that their order does not depend on the caller.
    fn modifiers(&self) -> Vec<Value> {
        let mut sorted = self.ask.modifiers.clone();
        sorted.sort();
        sorted
            .iter()
            .map(|(source, value)| json!({ "source": source.trim(), "value": value }))
            .collect()
    }

    /// Creates an event about the character. A hidden difficulty becomes part of the secret, with a
    /// salt: the hash of an event is public, so without it guesses could be verified.
    fn event(&self, kind: &str, mut payload: Value) -> lore_store::NewEvent {
        let mut secret = None;
        if self.ask.hide_difficulty
            && let Some(map) = payload.as_object_mut()
        {
            let hidden = map.shift_remove("difficulty");
            map.insert("difficulty_hidden".into(), json!(true));
            let salt = self.call.app.effects.uid().to_string();
            secret = hidden
                .map(|difficulty| json!({ "difficulty": difficulty, "salt": salt }).to_string());
        }
        let mut event = self.call.event(self.rights, kind, &payload);
        event.character = Some(self.character.uid);
        event.secret = secret;
        event.visibility = self.visibility;
        event
    }
}

/// Returns which die is higher. Equal dice, which are a critical, count as Hope.
pub fn flavor(roll: &ExtraDiceRoll) -> &'static str {
    let dice = roll.evaluation.dice;
    if dice.fear > dice.hope { "FEAR" } else { "HOPE" }
}
