//! Effects in a session: damage, healing, stress, Hope and Fear, conditions, rests, death moves and
//! countdowns. Each is one event that contains what it changed, before and after.

mod countdowns;
mod rests;

use lore_core::{Error, Node, Result, Uid, Visibility};
use lore_rules::dice::{ALGORITHM, DiceStream, Sides};
use lore_rules::duality::{Die12, DualityDice};
use lore_rules::table::{
    self as rules, Condition, Damage, DamageOptions, Defence, GmFear, HopeUse, Note, Profile,
    State, Step, StressCause, TableError, Wishes,
};
use serde_json::{Value, json};

use super::call::{Plan, PlayCall};
use super::change_collector::{ChangeCollector, Part, Share, join};
use super::character::{Kind, find_all};
use super::dice::{Randomness, choose_seed};
use super::ids::Thing;
use super::log::remembered;
use super::rights::{self, Rights};
use super::session::{self, touching_log};
use super::sheet::{Sheet, table_error};

pub(crate) use countdowns::tick;
pub use countdowns::{CountdownChange, CountdownView, Ticked, to_value as countdown_value};
pub use rests::{RestPlan, RestingMember};

/// The maximum number of targets of one effect.
const TARGETS_MAX: usize = 50;
/// The maximum length of a reason, in characters.
const REASON_MAX: usize = 1_000;

/// An effect to apply.
#[derive(Debug, Clone)]
pub enum Effect {
    /// The targets take damage.
    Damage(Damage, Defence, DamageOptions),
    /// The targets clear hit points.
    Heal(i64),
    /// The targets clear armour slots.
    RepairArmor(i64),
    /// The targets mark stress.
    MarkStress(i64, StressCause),
    /// The targets clear stress.
    ClearStress(i64),
    /// The targets gain Hope.
    GainHope(i64),
    /// The targets spend Hope.
    SpendHope(i64),
    /// The GM gains Fear, or spends it when the number is below zero.
    Fear(i64),
    /// The targets get a condition.
    AddCondition(String),
    /// The targets lose a condition.
    RemoveCondition(String),
    /// The targets rest.
    Rest(RestPlan),
    /// The only target makes a death move.
    DeathMove(DeathMove),
    /// A countdown is set, advanced or removed.
    Countdown(CountdownChange),
}

/// The moves of a dying character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeathMove {
    /// A last action with critical success.
    BlazeOfGlory,
    /// Fall unconscious, with the risk of a scar.
    AvoidDeath,
    /// Let the dice decide. If Hope is higher, its value clears hit points and stress as wished.
    RiskItAll(Wishes),
}

/// The input for applying an effect.
#[derive(Debug, Clone)]
pub struct EffectRequest {
    /// The session.
    pub session: Uid,
    /// The characters it concerns.
    pub targets: Vec<Uid>,
    /// The effect.
    pub effect: Effect,
    /// The reason, for the log.
    pub reason: Option<String>,
}

/// The result of an effect.
#[derive(Debug, Clone)]
pub struct Effected {
    /// The sequence number of its event.
    pub seq: i64,
    /// The kind of its event.
    pub kind: &'static str,
    /// The sheets of all targets after the effect.
    pub states: Vec<(Uid, Sheet)>,
    /// The GM's Fear, if it is affected.
    pub gm_fear: Option<i64>,
    /// The countdown, if one is affected.
    pub countdown: Option<CountdownView>,
    /// The changes, with values before and after.
    pub changes: Vec<Value>,
    /// Notes for the people at the table.
    pub notes: Vec<Note>,
    /// The numbers and dice behind it.
    pub detail: Value,
}

/// Plans to apply an effect.
pub async fn apply(call: &PlayCall, ask: &EffectRequest) -> Result<Plan<Effected>> {
    let (session, home) = session::find(call, ask.session).await?;
    let (session, home) = (&session, &home);
    session.require_running()?;
    check(ask)?;
    let nodes = find_all(call, home, &ask.targets, "character_ids").await?;
    let rights = rights::in_campaign(call, home).await?;
    check_rights(&rights, &ask.effect, &nodes)?;
    let mut work = Work {
        call,
        home,
        nodes: &nodes,
        collector: ChangeCollector::new(call),
        outcome: Outcome::default(),
    };
    let performed = work.perform(&ask.effect).await;
    performed.map_err(|error| in_field(ask.effect.field(), error))?;
    let Work { collector, outcome, .. } = work;
    let kind = ask.effect.event_kind();
    let event =
        collector.event(&rights, kind, |part, share| payload(ask, &nodes, &outcome, part, share));
    let batch = touching_log(call.batch(), session.node.uid, event.visibility);
    let reason = ask.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    // The reason is as visible as in the event: to all members, or only to the GM if somebody
    // hidden is concerned.
    let shown = if event.secret.is_some() { Visibility::Gm } else { event.visibility };
    let reason = reason.map(|reason| remembered(call, session, reason, shown)).transpose()?;
    let log = call.append(&session.node, vec![event]).await?;
    let whole = collector.whole();
    let mut batch = collector.touching(batch.require(session.unchanged()).change(log), home);
    batch.changes.extend(collector.changes.into_iter().chain(reason));
    let answer = move |seq: i64| Effected {
        seq,
        kind,
        states: collector.states,
        gm_fear: outcome.gm_fear,
        detail: outcome.whole_detail(),
        countdown: outcome.countdown,
        changes: whole.applied,
        notes: whole.notes,
    };
    Ok(Plan { batch, answer: Box::new(answer) })
}

/// The payload of the event, for readers who may know `part` of it.
fn payload(
    ask: &EffectRequest,
    nodes: &[Node],
    outcome: &Outcome,
    part: &Part,
    share: Share,
) -> Value {
    // The reason may mention hidden characters.
    let reason = ask.reason.as_deref().filter(|_| share != Share::Open);
    let named = |node: &&Node| share != Share::Open || part.targets.contains(&node.uid);
    let names: Vec<_> = nodes.iter().filter(named).map(|node| node.name.as_str()).collect();
    json!({
        "summary": summary(&ask.effect, &names, reason),
        "reason": reason,
        "targets": part.target_ids(),
        "applied_changes": part.applied,
        "notes": part.notes.iter().map(|note| note.as_str()).collect::<Vec<_>>(),
        "detail": detail(outcome, part, share),
    })
}

/// The details for one part of the readers. Hits are split by target.
fn detail(outcome: &Outcome, part: &Part, share: Share) -> Value {
    let whole = &outcome.detail;
    let Some(hits) = whole.get("hits").and_then(Value::as_array).filter(|_| share != Share::Whole)
    else {
        return if share == Share::Hidden { outcome.hidden_detail.clone() } else { whole.clone() };
    };
    let ids = part.target_ids();
    let of_part = |hit: &&Value| {
        hit.get("character_id")
            .and_then(Value::as_str)
            .is_some_and(|id| ids.iter().any(|i| i == id))
    };
    json!({ "hits": hits.iter().filter(of_part).collect::<Vec<_>>() })
}

/// The results of an effect other than changed sheets.
#[derive(Default)]
struct Outcome {
    gm_fear: Option<i64>,
    countdown: Option<CountdownView>,
    detail: Value,
    /// Details that only the GM's side may see.
    hidden_detail: Value,
}

impl Outcome {
    /// Returns the details including the hidden ones.
    fn whole_detail(&self) -> Value {
        let mut whole = self.detail.clone();
        if !self.hidden_detail.is_null() {
            join(&mut whole, self.hidden_detail.clone());
        }
        whole
    }
}

/// The context in which an effect is worked out.
struct Work<'a> {
    call: &'a PlayCall,
    home: &'a Node,
    nodes: &'a [Node],
    collector: ChangeCollector<'a>,
    outcome: Outcome,
}

impl Work<'_> {
    async fn perform(&mut self, effect: &Effect) -> Result<()> {
        match effect {
            Effect::Damage(damage, defence, options) => {
                self.damage(*damage, *defence, *options).await
            }
            Effect::Heal(amount) => self.each(|p, s| rules::heal(p, s, *amount)).await,
            Effect::RepairArmor(amount) => {
                self.each(|p, s| rules::repair_armor(p, s, *amount)).await
            }
            Effect::MarkStress(amount, cause) => {
                self.each(|p, s| rules::mark_stress(p, s, *amount, *cause)).await
            }
            Effect::ClearStress(amount) => {
                self.each(|p, s| rules::clear_stress(p, s, *amount)).await
            }
            Effect::GainHope(amount) => self.each(|p, s| rules::gain_hope(p, s, *amount)).await,
            Effect::SpendHope(amount) => {
                self.each(|p, s| rules::spend_hope(p, s, HopeUse::Other(*amount))).await
            }
            Effect::AddCondition(name) => {
                let condition = Condition::named(name).map_err(table_error)?;
                self.each(|p, s| rules::add_condition(p, s, condition.clone())).await
            }
            Effect::RemoveCondition(name) => {
                let condition = Condition::named(name).map_err(table_error)?;
                self.each(|p, s| rules::remove_condition(p, s, &condition)).await
            }
            Effect::Fear(amount) => self.fear(*amount).await,
            Effect::DeathMove(chosen) => self.death_move(*chosen).await,
            Effect::Rest(plan) => self.rest(plan).await,
            Effect::Countdown(change) => self.countdown(change).await,
        }
    }

    /// Applies a rule to every target.
    async fn each(
        &mut self,
        rule: impl Fn(&Profile, &State) -> std::result::Result<Step, TableError> + Sync,
    ) -> Result<()> {
        for node in self.nodes {
            let stepped = |sheet: &Sheet| {
                let step =
                    rule(&sheet.profile, &sheet.state).map_err(|error| refusal_of(node, error))?;
                Ok(sheet.stepped(step.of_kind(Kind::of(node).into())))
            };
            self.collector.sheet(node, stepped).await?;
        }
        Ok(())
    }

    async fn damage(
        &mut self,
        damage: Damage,
        defence: Defence,
        options: DamageOptions,
    ) -> Result<()> {
        let mut hits = Vec::new();
        for node in self.nodes {
            let id = Thing::Character.show(node.uid);
            let take = |sheet: &Sheet| {
                let hit =
                    rules::take_damage(&sheet.profile, &sheet.state, damage, defence, options);
                let hit = hit.map_err(|error| refusal_of(node, error))?;
                let step = hit.step.of_kind(Kind::of(node).into());
                hits.push(json!({
                    "character_id": id, "dealt": hit.dealt, "hp_marked": hit.hp_marked,
                    "severity": format!("{:?}", hit.severity).to_uppercase(),
                    "death_move_due": step.death_move_due(),
                }));
                Ok(sheet.stepped(step))
            };
            self.collector.sheet(node, take).await?;
        }
        self.outcome.detail = json!({ "hits": hits });
        Ok(())
    }

    async fn fear(&mut self, amount: i64) -> Result<()> {
        let table = self
            .collector
            .table(self.home, |table| {
                let fear = GmFear::new(table.gm_fear);
                let step = fear.and_then(|fear| {
                    if amount < 0 { fear.spend(amount.saturating_neg()) } else { fear.gain(amount) }
                });
                let step = step.map_err(table_error)?;
                table.gm_fear = step.fear.value();
                Ok(step.notes)
            })
            .await?;
        self.outcome.gm_fear = Some(table.gm_fear);
        Ok(())
    }

    async fn death_move(&mut self, chosen: DeathMove) -> Result<()> {
        let [node] = self.nodes else {
            let hint = "give exactly one character";
            return Err(Error::invalid("character_ids", "are not one character", hint));
        };
        if Kind::of(node) == Kind::Npc {
            return Err(Error::invalid(
                "character_ids[0]",
                format!("{} is an NPC, and only PCs make death moves", node.name),
                "leave an NPC without hit points defeated, or archive it with character_update",
            ));
        }
        let rng = choose_seed(&self.call.app.effects, Randomness::Live);
        let dice = drawn(rng.seed)?;
        let step = move |sheet: &Sheet| {
            let (profile, state) = (&sheet.profile, &sheet.state);
            let step = match chosen {
                DeathMove::BlazeOfGlory => rules::blaze_of_glory(profile, state),
                DeathMove::AvoidDeath => {
                    rules::avoid_death(profile, state, dice.hope).map(|avoided| avoided.step)
                }
                DeathMove::RiskItAll(wishes) => rules::risk_it_all(profile, state, dice, wishes),
            };
            Ok(sheet.stepped(step.map_err(|error| refusal_of(node, error))?))
        };
        self.collector.sheet(node, step).await?;
        if chosen != DeathMove::BlazeOfGlory {
            self.outcome.detail = json!({
                "hope_die": dice.hope.value(), "fear_die": dice.fear.value(),
                "seed_used": rng.seed.value(), "rng_algo": ALGORITHM,
            });
        }
        Ok(())
    }
}

/// Converts an error of the rules, naming the character it is about.
fn refusal_of(node: &Node, error: TableError) -> Error {
    let state = match &error {
        TableError::NotInPlay(life) => Some(life.as_str()),
        _ => None,
    };
    match (table_error(error), state) {
        (Error::Precondition { hint, .. }, Some(state)) => {
            Error::Precondition { message: format!("{} is {state}", node.name), hint }
        }
        (Error::Precondition { message, hint }, None) => {
            Error::Precondition { message: format!("{}: {message}", node.name), hint }
        }
        (other, _) => other,
    }
}

/// Draws the Hope and Fear dice from a seed, in the order that all rolls use.
fn drawn(seed: lore_rules::dice::Seed) -> Result<DualityDice> {
    let mut stream = DiceStream::new(seed);
    let mut die = || {
        let value = i64::from(stream.die(Sides::D12));
        Die12::new(value).map_err(|_| Error::Bug { what: "a die".into() })
    };
    Ok(DualityDice { hope: die()?, fear: die()? })
}

impl Effect {
    fn event_kind(&self) -> &'static str {
        match self {
            Self::Damage(..) => "DAMAGE_TAKEN",
            Self::Heal(_) => "HEALED",
            Self::RepairArmor(_) => "ARMOR_REPAIRED",
            Self::MarkStress(..) | Self::ClearStress(_) => "STRESS_CHANGED",
            Self::GainHope(_) | Self::SpendHope(_) => "HOPE_CHANGED",
            Self::Fear(_) => "FEAR_CHANGED",
            Self::AddCondition(_) | Self::RemoveCondition(_) => "CONDITION_CHANGED",
            Self::Rest(_) => "RESTED",
            Self::DeathMove(_) => "DEATH_MOVE_MADE",
            Self::Countdown(_) => "COUNTDOWN_CHANGED",
        }
    }

    /// The argument that the rules call `amount` in their errors.
    fn field(&self) -> &'static str {
        match self {
            Self::Damage(..) => "damage.amount",
            Self::Heal(_) => "heal",
            Self::RepairArmor(_) => "repair_armor",
            Self::MarkStress(..) | Self::ClearStress(_) => "stress",
            Self::GainHope(_) | Self::SpendHope(_) => "hope",
            Self::Fear(_) => "fear",
            Self::Countdown(_) => "countdown.advance",
            Self::AddCondition(_) | Self::RemoveCondition(_) => "condition.name",
            Self::Rest(_) => "rest",
            Self::DeathMove(_) => "death_move",
        }
    }

    /// Whether the effect concerns the table rather than single characters.
    fn is_of_the_table(&self) -> bool {
        matches!(self, Self::Fear(_) | Self::Countdown(_))
    }
}

/// Renames the field of an error from the term of the rules to the argument of the call.
fn in_field(field: &str, error: Error) -> Error {
    match error {
        Error::Invalid { field: of_rule, problem, hint } if of_rule == "amount" => {
            Error::invalid(field, problem, hint)
        }
        Error::Invalid { field: of_rule, problem, hint } if of_rule == "start" => {
            Error::invalid("countdown.start", problem, hint)
        }
        Error::Invalid { field: of_rule, problem, hint } if of_rule.starts_with("clear_") => {
            Error::invalid(format!("{field}.{of_rule}"), problem, hint)
        }
        other => other,
    }
}

fn check(ask: &EffectRequest) -> Result<()> {
    let of_table = ask.effect.is_of_the_table();
    if !of_table && ask.targets.is_empty() {
        let hint = "name the characters it concerns";
        return Err(Error::invalid("character_ids", "is required for this effect", hint));
    }
    if of_table && !ask.targets.is_empty() {
        let hint = "leave it out: this effect is of the table";
        return Err(Error::invalid("character_ids", "does not belong to this effect", hint));
    }
    if ask.targets.len() > TARGETS_MAX {
        let hint = format!("name at most {TARGETS_MAX} in one call");
        return Err(Error::invalid("character_ids", "are too many", hint));
    }
    if ask.reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_MAX) {
        let limit = format!("{REASON_MAX} characters");
        return Err(Error::TooLarge { what: "reason".into(), limit });
    }
    Ok(())
}

/// Fails unless the caller may apply the effect. Players may affect the characters they control;
/// Fear, rests and countdowns are the GM's.
fn check_rights(rights: &Rights, effect: &Effect, nodes: &[Node]) -> Result<()> {
    if effect.is_of_the_table() || matches!(effect, Effect::Rest(_)) {
        return rights.require_gm();
    }
    nodes.iter().try_for_each(|node| rights.require(node))
}

fn summary(effect: &Effect, names: &[&str], reason: Option<&str>) -> String {
    let what = match effect {
        Effect::Damage(damage, ..) => format!("{} damage to", damage.amount),
        Effect::Heal(amount) => format!("{amount} hit points cleared for"),
        Effect::RepairArmor(amount) => format!("{amount} armour slots cleared for"),
        Effect::MarkStress(amount, _) => format!("{amount} stress marked by"),
        Effect::ClearStress(amount) => format!("{amount} stress cleared for"),
        Effect::GainHope(amount) => format!("{amount} Hope for"),
        Effect::SpendHope(amount) => format!("{amount} Hope spent by"),
        Effect::Fear(amount) if *amount < 0 => format!("{} Fear spent", amount.saturating_neg()),
        Effect::Fear(amount) => format!("{amount} Fear for the GM"),
        Effect::AddCondition(name) => format!("{name} comes upon"),
        Effect::RemoveCondition(name) => format!("{name} leaves"),
        Effect::Rest(plan) => format!("{} rest of", plan.name()),
        Effect::DeathMove(_) => "death move of".to_owned(),
        Effect::Countdown(change) => format!("countdown {}", change.name),
    };
    let mut text = format!("{what} {}", names.join(", ")).trim_end().to_owned();
    if let Some(reason) = reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        text.push_str(": ");
        text.push_str(reason);
    }
    text
}
