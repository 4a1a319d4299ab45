//! `duality_explain`: explains step by step how an outcome is determined.

use lore_core::{Result, Role, names};
use lore_rules::duality::{self, Difficulty, DualityDice, Explanation, RULES, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::wire::{self, EvaluationOut};
use crate::call::Call;
use crate::tool::{Annotations, ToolSpec};
use crate::toolset::Toolset;

pub(super) struct DualityExplain;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[schemars(range(min = 1, max = 12))]
    hope: i64,
    #[schemars(range(min = 1, max = 12))]
    fear: i64,
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    modifier: Option<i64>,
    #[schemars(range(min = 0, max = 1_000_000))]
    difficulty: Option<i64>,
    /// Returned in the answer.
    #[schemars(length(max = 200))]
    request_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(flatten)]
    evaluation: EvaluationOut,
    /// Version of the rules that were applied.
    rules_version: &'static str,
    /// Intermediate values.
    intermediates: Intermediates,
    /// The five steps, in order.
    steps: Vec<StepOut>,
    /// The request_id that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Intermediates {
    /// Hope + Fear.
    base_total: i64,
    /// Hope + Fear + modifier.
    total: i64,
    /// Whether both dice show the same number: a critical.
    is_crit: bool,
    /// Whether the roll succeeds.
    meets_difficulty: bool,
    /// Whether the Hope die is higher.
    hope_gt_fear: bool,
    /// Whether the Fear die is higher.
    fear_gt_hope: bool,
}

#[derive(Serialize, JsonSchema)]
struct StepOut {
    /// Code of the step: SUM_DICE, APPLY_MODIFIER, CHECK_CRIT, CHECK_DIFFICULTY or SELECT_OUTCOME.
    code: &'static str,
    /// What the step does.
    message: &'static str,
    /// The values that it used and determined.
    data: Map<String, Value>,
}

impl ToolSpec for DualityExplain {
    const NAME: &'static str = "duality_explain";
    const TOOLSET: Toolset = Toolset::Play;
    const TITLE: &'static str = "Explain a Duality outcome";
    const DESCRIPTION: &'static str = "Explain step by step how Hope and Fear dice are \
        judged. Use when somebody asks why; duality_outcome is shorter. Returns \
        outcome and steps.";
    const ANNOTATIONS: Annotations = Annotations::READ;
    const ROLE: Role = Role::Reader;

    type Input = Input;
    type Output = Output;

    fn example() -> Value {
        json!({ "hope": 8, "fear": 5, "modifier": 2, "difficulty": 15, "request_id": "req_123" })
    }

    async fn run(_: Call, input: Input) -> Result<Output> {
        names::checked_length("request_id", input.request_id.as_deref().unwrap_or(""), 200)?;
        let dice = DualityDice {
            hope: wire::die("hope", input.hope)?,
            fear: wire::die("fear", input.fear)?,
        };
        let modifier = wire::modifier(input.modifier)?;
        let difficulty = wire::difficulty(input.difficulty)?;
        Ok(shape(&duality::explain(dice, modifier, difficulty), input.request_id))
    }
}

fn shape(explanation: &Explanation, request_id: Option<String>) -> Output {
    let values = &explanation.intermediates;
    Output {
        evaluation: (&explanation.evaluation).into(),
        rules_version: RULES.rules_version,
        intermediates: Intermediates {
            base_total: values.base_total,
            total: values.total,
            is_crit: values.is_crit,
            meets_difficulty: values.meets_difficulty,
            hope_gt_fear: values.hope_gt_fear,
            fear_gt_hope: values.fear_gt_hope,
        },
        steps: explanation.steps.iter().map(step).collect(),
        request_id,
    }
}

fn step(step: &Step) -> StepOut {
    let data = match step {
        Step::SumDice { hope, fear, base_total } => {
            json!({ "hope": hope.value(), "fear": fear.value(), "base_total": base_total })
        }
        Step::ApplyModifier { base_total, modifier, total } => {
            json!({ "base_total": base_total, "modifier": modifier.value(), "total": total })
        }
        Step::CheckCrit { hope, fear, is_crit } => {
            json!({ "hope": hope.value(), "fear": fear.value(), "is_crit": is_crit })
        }
        Step::CheckDifficulty { total, difficulty, meets_difficulty, critical_override } => {
            check_difficulty(*total, *difficulty, *meets_difficulty, *critical_override)
        }
        Step::SelectOutcome { outcome } => json!({
            "outcome": outcome.as_str(),
            "outcome_code": outcome.code(),
            "outcome_label": outcome.label(),
        }),
    };
    let data = if let Value::Object(map) = data { map } else { Map::new() };
    StepOut { code: step.code(), message: step.message(), data }
}

fn check_difficulty(
    total: i64,
    difficulty: Option<Difficulty>,
    meets: bool,
    critical_override: bool,
) -> Value {
    match difficulty {
        Some(difficulty) => json!({
            "total": total,
            "difficulty": difficulty.value(),
            "meets_difficulty": meets,
            "critical_override": critical_override,
        }),
        None => json!({ "total": total, "meets_difficulty": meets, "critical_override": false }),
    }
}
