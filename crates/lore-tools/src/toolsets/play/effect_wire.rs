//! The arguments that describe an effect.

use lore_app::play::call::PlayCall;
use lore_app::play::effect::{
    CountdownChange, CountdownView, DeathMove, Effect, RestPlan, RestingMember, Ticked,
    countdown_value,
};
use lore_app::play::ids::Thing;
use lore_core::{Error, Result, Uid};
use lore_rules::table::{
    ArmorUse, Company, CountdownKind, Damage, DamageKind, DamageOptions, Defence, Directness,
    Looping, MassiveDamage, Protection, RestCourse, RestKind, RestMove, StressCause, Wishes,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::choice::choice;

choice! {
    /// The type of damage.
    enum DamageTypeWire { Physical = "PHYSICAL", Magic = "MAGIC", Both = "BOTH" }
}

choice! {
    /// The target's protection from this damage.
    enum ProtectionWire { None = "NONE", Resistant = "RESISTANT", Immune = "IMMUNE" }
}

choice! {
    /// The length of a rest.
    enum RestKindWire { Short = "SHORT", Long = "LONG" }
}

choice! {
    /// A move that a character makes during a rest.
    enum RestMoveWire {
        TendWounds = "TEND_WOUNDS",
        ClearStress = "CLEAR_STRESS",
        RepairArmor = "REPAIR_ARMOR",
        Prepare = "PREPARE",
        PrepareTogether = "PREPARE_TOGETHER",
        Project = "PROJECT",
    }
}

choice! {
    /// The move of a dying character.
    enum DeathChoiceWire {
        BlazeOfGlory = "BLAZE_OF_GLORY",
        AvoidDeath = "AVOID_DEATH",
        RiskItAll = "RISK_IT_ALL",
    }
}

choice! {
    /// What makes a countdown tick.
    enum CountdownKindWire {
        Standard = "STANDARD",
        Progress = "PROGRESS",
        Consequence = "CONSEQUENCE",
        LongTerm = "LONG_TERM",
    }
}

choice! {
    /// How a countdown starts again after it triggered.
    enum LoopWire { Once = "ONCE", Same = "SAME", Increasing = "INCREASING", Decreasing = "DECREASING" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DamageIn {
    #[schemars(range(min = 0, max = 1_000_000))]
    amount: i64,
    #[serde(rename = "type")]
    kind: Option<DamageTypeWire>,
    protection: Option<ProtectionWire>,
    /// Mark an armor slot: one HP less.
    #[serde(default)]
    use_armor: bool,
    /// Armor does not help.
    #[serde(default)]
    direct: bool,
    /// Twice the severe threshold marks 4 HP.
    #[serde(default)]
    massive: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConditionIn {
    /// Hidden, Restrained, Vulnerable or your own.
    #[schemars(length(min = 1, max = 40))]
    name: String,
    #[serde(default)]
    remove: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RestIn {
    length: RestKindWire,
    #[serde(default)]
    interrupted: bool,
    /// Moves, up to two each.
    #[serde(default)]
    members: Vec<RestMemberIn>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RestMemberIn {
    character_id: String,
    moves: Vec<RestMoveIn>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RestMoveIn {
    #[serde(rename = "move")]
    chosen: RestMoveWire,
    /// Who is helped; default: self.
    target: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeathMoveIn {
    choice: DeathChoiceWire,
    /// RISK_IT_ALL: HP to clear first.
    clear_hp: Option<i64>,
    /// RISK_IT_ALL: stress to clear next.
    clear_stress: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CountdownIn {
    name: String,
    /// New start value.
    #[schemars(range(min = 1, max = 100))]
    start: Option<i64>,
    ticks: Option<CountdownKindWire>,
    #[serde(rename = "loop")]
    looping: Option<LoopWire>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    advance: i64,
    #[serde(default)]
    remove: bool,
}

/// A countdown after a change.
#[derive(Serialize, JsonSchema)]
pub(super) struct CountdownOut {
    /// Name of the countdown.
    name: String,
    /// Start, current value, kind and loop; absent if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    countdown: Option<Value>,
    /// Whether it triggered.
    triggered: bool,
}

impl From<CountdownView> for CountdownOut {
    fn from(view: CountdownView) -> Self {
        Self {
            name: view.name,
            countdown: view.countdown.map(countdown_value),
            triggered: view.triggered,
        }
    }
}

/// A countdown that a roll has ticked.
#[derive(Serialize, JsonSchema)]
pub(super) struct TickedOut {
    /// Name of the countdown.
    name: String,
    /// Value before the roll.
    before: i64,
    /// Value after the roll; if it triggered and loops, the new start value.
    after: i64,
    /// Whether it triggered.
    triggered: bool,
}

impl From<Ticked> for TickedOut {
    fn from(ticked: Ticked) -> Self {
        let Ticked { name, before, after, triggered } = ticked;
        Self { name, before, after, triggered }
    }
}

/// The effects in a request, of which exactly one must be given.
pub(super) struct EffectIn {
    pub(super) damage: Option<DamageIn>,
    pub(super) heal: Option<i64>,
    pub(super) repair_armor: Option<i64>,
    pub(super) stress: Option<i64>,
    pub(super) hope: Option<i64>,
    pub(super) fear: Option<i64>,
    pub(super) condition: Option<ConditionIn>,
    pub(super) rest: Option<RestIn>,
    pub(super) death_move: Option<DeathMoveIn>,
    pub(super) countdown: Option<CountdownIn>,
}

impl EffectIn {
    /// Converts ids in other doors' forms to the form of this door.
    pub(super) async fn found(mut self, call: &PlayCall) -> Result<Self> {
        let members = self.rest.iter_mut().flat_map(|rest| &mut rest.members);
        for (index, member) in members.enumerate() {
            let field = format!("rest.members[{index}]");
            own_id(call, format!("{field}.character_id"), &mut member.character_id).await?;
            for (at, chosen) in member.moves.iter_mut().enumerate() {
                if let Some(target) = &mut chosen.target {
                    own_id(call, format!("{field}.moves[{at}].target"), target).await?;
                }
            }
        }
        Ok(self)
    }

    /// Returns the one effect that is given.
    pub(super) fn read(self, targets: &[Uid]) -> Result<Effect> {
        let given = [
            ("damage", self.damage.map(|damage| Ok(damage.read()))),
            ("heal", self.heal.map(|by| cleared("heal", by).map(Effect::Heal))),
            (
                "repair_armor",
                self.repair_armor.map(|by| cleared("repair_armor", by).map(Effect::RepairArmor)),
            ),
            ("stress", self.stress.map(|by| changed("stress", by).map(stress_effect))),
            ("hope", self.hope.map(|by| changed("hope", by).map(hope_effect))),
            ("fear", self.fear.map(|by| changed("fear", by).map(Effect::Fear))),
            ("condition", self.condition.map(|condition| Ok(condition.read()))),
            ("rest", self.rest.map(|rest| rest.read(targets))),
            ("death_move", self.death_move.map(DeathMoveIn::read)),
            ("countdown", self.countdown.map(CountdownIn::read)),
        ];
        only(given.into_iter().filter_map(|(name, effect)| Some((name, effect?))).collect())
    }
}

async fn own_id(call: &PlayCall, field: String, id: &mut String) -> Result<()> {
    *id = Thing::Character.show(Thing::Character.find(call, &field, id).await?);
    Ok(())
}

/// Returns the one effect in the list, or an error if there are none or several.
fn only(mut given: Vec<(&'static str, Result<Effect>)>) -> Result<Effect> {
    let hint = "give exactly one of damage, heal, repair_armor, stress, hope, fear, condition, \
                rest, death_move, countdown";
    match (given.pop(), given.pop()) {
        (None, _) => Err(Error::invalid("arguments", "name no effect", hint)),
        (Some((_, effect)), None) => effect,
        (Some((last, _)), Some((other, _))) => {
            Err(Error::invalid(last, format!("is given besides {other}"), hint))
        }
    }
}

/// The maximum amount by which one effect changes a value.
const AMOUNT_MAX: i64 = 1_000;

/// Checks an amount to clear.
fn cleared(field: &str, by: i64) -> Result<i64> {
    match by {
        1..=AMOUNT_MAX => Ok(by),
        _ => {
            let hint = format!("use a whole number from 1 to {AMOUNT_MAX}");
            Err(Error::invalid(field, format!("is {by}"), hint))
        }
    }
}

/// Checks an amount by which a value changes, up or down.
fn changed(field: &str, by: i64) -> Result<i64> {
    match by.checked_abs() {
        Some(1..=AMOUNT_MAX) => Ok(by),
        _ => {
            let hint = format!(
                "use a whole number from 1 to {AMOUNT_MAX}, or below zero for the opposite"
            );
            Err(Error::invalid(field, format!("is {by}"), hint))
        }
    }
}

fn stress_effect(by: i64) -> Effect {
    match by {
        ..0 => Effect::ClearStress(by.saturating_neg()),
        _ => Effect::MarkStress(by, StressCause::Forced),
    }
}

fn hope_effect(by: i64) -> Effect {
    match by {
        ..0 => Effect::SpendHope(by.saturating_neg()),
        _ => Effect::GainHope(by),
    }
}

impl ConditionIn {
    fn read(self) -> Effect {
        match self.remove {
            true => Effect::RemoveCondition(self.name),
            false => Effect::AddCondition(self.name),
        }
    }
}

impl DamageIn {
    fn read(self) -> Effect {
        let kind = match self.kind {
            Some(DamageTypeWire::Magic) => DamageKind::Magic,
            Some(DamageTypeWire::Both) => DamageKind::Both,
            Some(DamageTypeWire::Physical) | None => DamageKind::Physical,
        };
        let protection = match self.protection {
            Some(ProtectionWire::Resistant) => Protection::Resistant,
            Some(ProtectionWire::Immune) => Protection::Immune,
            Some(ProtectionWire::None) | None => Protection::None,
        };
        let directness = if self.direct { Directness::Direct } else { Directness::Normal };
        let armor = if self.use_armor { ArmorUse::MarkSlot } else { ArmorUse::Spare };
        let massive = if self.massive { MassiveDamage::Counts } else { MassiveDamage::Off };
        let damage = Damage { amount: self.amount, kind, directness };
        let defence = Defence { physical: protection, magic: protection };
        Effect::Damage(damage, defence, DamageOptions { armor, massive })
    }
}

impl RestIn {
    fn read(self, targets: &[Uid]) -> Result<Effect> {
        if targets.is_empty() {
            let hint = "name everybody who rests, also those without moves";
            return Err(Error::invalid("character_ids", "is required for a rest", hint));
        }
        let kind = match self.length {
            RestKindWire::Short => RestKind::Short,
            RestKindWire::Long => RestKind::Long,
        };
        let course = if self.interrupted { RestCourse::Interrupted } else { RestCourse::Finished };
        let mut members: Vec<RestingMember> = Vec::with_capacity(self.members.len());
        for (index, member) in self.members.into_iter().enumerate() {
            let member = member.read(index, targets)?;
            if members.iter().any(|known| known.character == member.character) {
                return Err(Error::invalid(
                    format!("rest.members[{index}].character_id"),
                    "is named twice",
                    "put all moves of a character into one entry",
                ));
            }
            members.push(member);
        }
        Ok(Effect::Rest(RestPlan { kind, course, members }))
    }
}

impl RestMemberIn {
    fn read(self, index: usize, targets: &[Uid]) -> Result<RestingMember> {
        let field = format!("rest.members[{index}]");
        let character =
            Thing::Character.read(&format!("{field}.character_id"), &self.character_id)?;
        if !targets.contains(&character) {
            return Err(does_not_rest(format!("{field}.character_id")));
        }
        let mut moves = Vec::with_capacity(self.moves.len());
        for (at, chosen) in self.moves.iter().enumerate() {
            let helped = match &chosen.target {
                Some(id) => Thing::Character.read(&format!("{field}.moves[{at}].target"), id)?,
                None => character,
            };
            let whom = targets.iter().position(|uid| *uid == helped);
            let whom = whom.ok_or_else(|| does_not_rest(format!("{field}.moves[{at}].target")))?;
            if helped != character && !chosen.chosen.helps_others() {
                return Err(Error::invalid(
                    format!("{field}.moves[{at}].target"),
                    "does not belong to this move, which everybody makes for themselves",
                    "leave it out; TEND_WOUNDS and REPAIR_ARMOR help others",
                ));
            }
            moves.push(match chosen.chosen {
                RestMoveWire::TendWounds => RestMove::TendWounds { whom },
                RestMoveWire::RepairArmor => RestMove::RepairArmor { whom },
                RestMoveWire::ClearStress => RestMove::ClearStress,
                RestMoveWire::Prepare => RestMove::Prepare(Company::Alone),
                RestMoveWire::PrepareTogether => RestMove::Prepare(Company::Together),
                RestMoveWire::Project => RestMove::WorkOnProject,
            });
        }
        Ok(RestingMember { character, moves })
    }
}

impl RestMoveWire {
    fn helps_others(self) -> bool {
        matches!(self, Self::TendWounds | Self::RepairArmor)
    }
}

fn does_not_rest(field: String) -> Error {
    let hint = "name everybody who rests in character_ids";
    Error::invalid(field, "does not rest with the others", hint)
}

impl DeathMoveIn {
    fn read(self) -> Result<Effect> {
        let wishes = [("clear_hp", self.clear_hp), ("clear_stress", self.clear_stress)];
        let wished = wishes.into_iter().find(|(_, wish)| wish.is_some());
        let chosen = match (self.choice, wished) {
            (DeathChoiceWire::BlazeOfGlory, None) => DeathMove::BlazeOfGlory,
            (DeathChoiceWire::AvoidDeath, None) => DeathMove::AvoidDeath,
            (DeathChoiceWire::RiskItAll, _) => DeathMove::RiskItAll(Wishes {
                hp: self.clear_hp.unwrap_or(0),
                stress: self.clear_stress.unwrap_or(0),
            }),
            (_, Some((name, _))) => {
                return Err(Error::invalid(
                    format!("death_move.{name}"),
                    "does not belong to this move",
                    "leave it out, or choose RISK_IT_ALL",
                ));
            }
        };
        Ok(Effect::DeathMove(chosen))
    }
}

impl CountdownIn {
    fn read(self) -> Result<Effect> {
        self.check()?;
        let kind = match self.ticks {
            Some(CountdownKindWire::Progress) => CountdownKind::Progress,
            Some(CountdownKindWire::Consequence) => CountdownKind::Consequence,
            Some(CountdownKindWire::LongTerm) => CountdownKind::LongTerm,
            Some(CountdownKindWire::Standard) | None => CountdownKind::Standard,
        };
        let looping = match self.looping {
            Some(LoopWire::Same) => Looping::Same,
            Some(LoopWire::Increasing) => Looping::Increasing,
            Some(LoopWire::Decreasing) => Looping::Decreasing,
            Some(LoopWire::Once) | None => Looping::Once,
        };
        Ok(Effect::Countdown(CountdownChange {
            name: self.name,
            set: self.start.map(|start| (start, kind, looping)),
            advance: self.advance,
            remove: self.remove,
        }))
    }

    /// Refuses arguments that would otherwise be ignored (changes besides `remove`, or `ticks` and
    /// `loop` without `start`), and a countdown without any change.
    fn check(&self) -> Result<()> {
        let parts = [
            ("start", self.start.is_some()),
            ("ticks", self.ticks.is_some()),
            ("loop", self.looping.is_some()),
            ("advance", self.advance != 0),
        ];
        let given = parts.into_iter().find_map(|(name, is_given)| is_given.then_some(name));
        match (given, self.remove) {
            (None, false) => Err(Error::invalid(
                "countdown",
                "names nothing to do",
                "give start to set it, advance to tick it down, or remove",
            )),
            (Some(name), true) => Err(Error::invalid(
                format!("countdown.{name}"),
                "is given besides remove",
                "either remove the countdown, or change it",
            )),
            (Some(name @ ("ticks" | "loop")), false) => Err(Error::invalid(
                format!("countdown.{name}"),
                "needs start",
                "give start, too: it sets the countdown anew",
            )),
            _ => Ok(()),
        }
    }
}
