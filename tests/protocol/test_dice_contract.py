"""The dice tools follow the Duality contract number by number."""

import itertools
import json
import math

import pytest

from harness.web import Session

SEED_MAX = 2**53 - 1
DICE = {"hope": 8, "fear": 5, "modifier": 2, "difficulty": 15}
EVALUATED = {
    "hope": 8,
    "fear": 5,
    "modifier": 2,
    "difficulty": 15,
    "total": 15,
    "is_crit": False,
    "meets_difficulty": True,
    "outcome": "SUCCESS_WITH_HOPE",
}


@pytest.fixture(scope="module")
def session(web):
    return Session(web).open()


@pytest.fixture(scope="module")
def call(session):
    """A function that calls a tool that must succeed."""

    def made(tool, arguments):
        answer = session.call(tool, arguments)
        assert not answer["isError"], answer
        assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
        return answer["structuredContent"]

    return made


@pytest.fixture(scope="module")
def refuse(session):
    """A function that calls a tool that must fail, and returns its error."""

    def made(tool, arguments):
        answer = session.call(tool, arguments)
        assert answer["isError"], answer
        return answer["structuredContent"]

    return made


def contains(whole, part) -> bool:
    """Whether an answer has everything that the contract shows; it may have more."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and contains(whole[key], part[key]) for key in part
        )
    if isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part and type(whole) is type(part)


def judged(hope: int, fear: int, modifier: int, difficulty: int | None) -> str:
    """A second implementation of the rules."""
    if hope == fear:
        return "CRITICAL_SUCCESS"
    leads = "HOPE" if hope > fear else "FEAR"
    if difficulty is None:
        return f"ROLL_WITH_{leads}"
    return f"{'SUCCESS' if hope + fear + modifier >= difficulty else 'FAILURE'}_WITH_{leads}"


def test_rules_version(call):
    """The contract's answer, verbatim."""
    assert contains(
        call("duality_rules_version", {}),
        {
            "system": "Daggerheart",
            "module": "Duality",
            "rules_version": "1.0.0",
            "dice_model": "DUALITY_D12_V1",
            "total_formula": "hope + fear + modifier",
            "crit_rule": "HOPE_EQUALS_FEAR_IS_CRITICAL",
            "difficulty_rule": "TOTAL_MEETS_OR_EXCEEDS_DIFFICULTY",
            "outcomes": [
                "ROLL_WITH_HOPE",
                "ROLL_WITH_FEAR",
                "SUCCESS_WITH_HOPE",
                "SUCCESS_WITH_FEAR",
                "FAILURE_WITH_HOPE",
                "FAILURE_WITH_FEAR",
                "CRITICAL_SUCCESS",
            ],
        },
    )


def test_action_roll(call):
    """The contract's fields, with dice that follow the rules."""
    rolled = call("duality_action_roll", {"modifier": 2, "difficulty": 15})
    assert set(EVALUATED) <= set(rolled)
    assert (rolled["modifier"], rolled["difficulty"]) == (2, 15)
    assert 1 <= rolled["hope"] <= 12 and 1 <= rolled["fear"] <= 12
    assert rolled["total"] == rolled["hope"] + rolled["fear"] + 2
    assert rolled["outcome"] == judged(rolled["hope"], rolled["fear"], 2, 15)


def test_action_roll_needs_nothing(call):
    """Without arguments there is no modifier and no difficulty, and the outcome says which die
    leads."""
    rolled = call("duality_action_roll", {})
    assert rolled["modifier"] == 0 and "difficulty" not in rolled
    assert rolled["outcome"] == judged(rolled["hope"], rolled["fear"], 0, None)


def test_outcome(call):
    """The contract's answer, verbatim."""
    assert contains(call("duality_outcome", DICE), EVALUATED)


def test_outcome_of_every_pair_of_dice(call):
    """All 144 pairs, with and without a difficulty, against the second implementation."""
    for hope, fear in itertools.product(range(1, 13), repeat=2):
        for difficulty in (None, 15):
            dice = {"hope": hope, "fear": fear, "modifier": 1}
            found = call(
                "duality_outcome",
                dice if difficulty is None else {**dice, "difficulty": difficulty},
            )
            assert found["outcome"] == judged(hope, fear, 1, difficulty), dice
            assert found["is_crit"] == (hope == fear) and found["total"] == hope + fear + 1


def test_a_critical_succeeds_against_any_difficulty(call):
    """Equal dice succeed even if their total does not reach the difficulty."""
    found = call("duality_outcome", {"hope": 1, "fear": 1, "difficulty": 1000})
    assert found["is_crit"] and found["meets_difficulty"] and found["outcome"] == "CRITICAL_SUCCESS"


def test_explain(call):
    """The contract's answer with its five steps; the last one states the outcome itself."""
    assert contains(
        call("duality_explain", {**DICE, "request_id": "req_123"}),
        {
            **EVALUATED,
            "rules_version": "1.0.0",
            "intermediates": {
                "base_total": 13,
                "total": 15,
                "is_crit": False,
                "meets_difficulty": True,
                "hope_gt_fear": True,
                "fear_gt_hope": False,
            },
            "steps": [
                {
                    "code": "SUM_DICE",
                    "message": "Sum hope and fear dice",
                    "data": {"hope": 8, "fear": 5, "base_total": 13},
                },
                {
                    "code": "APPLY_MODIFIER",
                    "message": "Apply modifier to base total",
                    "data": {"base_total": 13, "modifier": 2, "total": 15},
                },
                {
                    "code": "CHECK_CRIT",
                    "message": "Check for critical outcome",
                    "data": {"hope": 8, "fear": 5, "is_crit": False},
                },
                {
                    "code": "CHECK_DIFFICULTY",
                    "message": "Compare total against difficulty",
                    "data": {"total": 15, "difficulty": 15, "meets_difficulty": True},
                },
                {
                    "code": "SELECT_OUTCOME",
                    "message": "Select final outcome based on roll",
                    "data": {"outcome": "SUCCESS_WITH_HOPE"},
                },
            ],
        },
    )


def test_probability(call):
    """The contract's question with the right numbers; the printed ones do not add up."""
    assert contains(
        call("duality_probability", {"modifier": 2, "difficulty": 15}),
        {
            "total_outcomes": 144,
            "crit_count": 12,
            "success_count": 84,
            "failure_count": 60,
            "outcome_counts": [
                {"outcome": "CRITICAL_SUCCESS", "count": 12},
                {"outcome": "SUCCESS_WITH_HOPE", "count": 36},
                {"outcome": "SUCCESS_WITH_FEAR", "count": 36},
                {"outcome": "FAILURE_WITH_HOPE", "count": 30},
                {"outcome": "FAILURE_WITH_FEAR", "count": 30},
            ],
        },
    )


@pytest.mark.parametrize("modifier", [-20, -3, 0, 2, 20])
@pytest.mark.parametrize("difficulty", [0, 2, 13, 15, 24, 25, 50])
def test_probability_counts_every_pair(call, modifier, difficulty):
    """The counts are the same as those of enumerating all 144 pairs."""
    found = call("duality_probability", {"modifier": modifier, "difficulty": difficulty})
    outcomes = [
        judged(h, f, modifier, difficulty) for h, f in itertools.product(range(1, 13), repeat=2)
    ]
    counts = {row["outcome"]: row["count"] for row in found["outcome_counts"]}
    for outcome in counts:
        assert counts[outcome] == outcomes.count(outcome), outcome
    assert sum(counts.values()) == 144 == found["success_count"] + found["failure_count"]
    failed = [outcome for outcome in outcomes if outcome.startswith("FAILURE")]
    assert found["failure_count"] == len(failed)


def test_roll_dice(call):
    """The contract's pools: every die is within its sides, and every sum is right."""
    rolled = call("roll_dice", {"dice": [{"sides": 20, "count": 2}, {"sides": 6, "count": 1}]})
    assert [(pool["sides"], len(pool["results"])) for pool in rolled["rolls"]] == [(20, 2), (6, 1)]
    for pool in rolled["rolls"]:
        assert all(1 <= die <= pool["sides"] for die in pool["results"])
        assert pool["total"] == sum(pool["results"])
    assert rolled["total"] == sum(pool["total"] for pool in rolled["rolls"])


ROLLS = {
    "duality_action_roll": {"modifier": 2, "difficulty": 15},
    "roll_dice": {"dice": [{"sides": 1_000_000, "count": 5}, {"sides": 6, "count": 10}]},
}


def dice_of(rolled: dict):
    return rolled["rolls"] if "rolls" in rolled else (rolled["hope"], rolled["fear"])


@pytest.mark.parametrize("tool", ROLLS)
def test_a_roll_is_repeated_by_its_seed(call, tool):
    """Sending back the `seed_used` of a roll gives the same dice; the answer says who chose the
    seed."""
    first = call(tool, ROLLS[tool])
    assert (first["rng"]["seed_source"], first["rng"]["roll_mode"]) == ("SERVER", "LIVE")
    seed = first["rng"]["seed_used"]
    for rng in (
        {"seed": seed, "roll_mode": "REPLAY"},
        {"seed": seed},
        {"seed": str(seed), "roll_mode": "REPLAY"},
        {"seed": seed, "roll_mode": " Replay "},
    ):
        again = call(tool, {**ROLLS[tool], "rng": rng})
        assert dice_of(again) == dice_of(first)
        assert (again["rng"]["seed_used"], again["rng"]["seed_source"]) == (seed, "CLIENT")
        assert again["rng"]["roll_mode"] == "REPLAY"


@pytest.mark.parametrize("tool", ROLLS)
def test_seeds_survive_json(call, tool):
    """No seed is larger than what a double holds exactly, so no client can garble it."""
    for _ in range(50):
        seed = call(tool, ROLLS[tool])["rng"]["seed_used"]
        assert isinstance(seed, int) and 0 <= seed <= SEED_MAX
        assert int(float(seed)) == seed


@pytest.mark.parametrize("seed", [0, 1, 42, SEED_MAX])
def test_every_seed_in_range_is_accepted_in_both_forms(call, seed):
    """A seed as a number and the same seed as text give the same dice."""
    as_number = call("roll_dice", {**ROLLS["roll_dice"], "rng": {"seed": seed}})
    as_text = call("roll_dice", {**ROLLS["roll_dice"], "rng": {"seed": str(seed)}})
    assert dice_of(as_number) == dice_of(as_text) and as_text["rng"]["seed_used"] == seed


@pytest.mark.parametrize(
    "seed", [SEED_MAX + 1, 2**64, -1, 1.5, "x", "", "1.5", "-1", str(2**53), True, []]
)
def test_a_seed_out_of_range_is_refused(refuse, seed):
    """A seed is never rounded or wrapped."""
    error = refuse(
        "roll_dice", {**ROLLS["roll_dice"], "rng": {"seed": seed, "roll_mode": "REPLAY"}}
    )
    assert error["field"] == "rng.seed"


def test_replay_needs_a_seed(refuse):
    """REPLAY without a seed is refused."""
    assert (
        refuse("roll_dice", {**ROLLS["roll_dice"], "rng": {"roll_mode": "REPLAY"}})["field"]
        == "rng.seed"
    )


@pytest.mark.parametrize("tool", ROLLS)
def test_live_ignores_the_seed_of_the_client(call, tool):
    """With LIVE, the server always chooses the seed, and the answer says so."""
    seeds = set()
    for _ in range(10):
        rolled = call(tool, {**ROLLS[tool], "rng": {"seed": 42, "roll_mode": "LIVE"}})
        assert rolled["rng"]["seed_source"] == "SERVER" and rolled["rng"]["roll_mode"] == "LIVE"
        seeds.add(rolled["rng"]["seed_used"])
    assert len(seeds) == 10 and 42 not in seeds


def test_the_same_seed_gives_the_same_dice_everywhere(call, shared):
    """The dice are the same over HTTP, over stdio and on the command line."""
    arguments = {**ROLLS["roll_dice"], "rng": {"seed": 7, "roll_mode": "REPLAY"}}
    over_http = call("roll_dice", arguments)
    with shared.program.stdio() as pipes:
        pipes.initialize()
        answer = pipes.request("tools/call", {"name": "roll_dice", "arguments": arguments})
        assert answer["structuredContent"] == over_http
    assert json.loads(shared.program.ok("call", "roll_dice", json.dumps(arguments))) == over_http


def test_live_dice_are_fair(call):
    """In 12,000 rolls of a d12, no face is off by more than five standard deviations."""
    results = []
    for _ in range(12):
        rolled = call("roll_dice", {"dice": [{"sides": 12, "count": 1_000}]})
        results += rolled["rolls"][0]["results"]
    spread = math.sqrt(len(results) * (1 / 12) * (11 / 12))
    for face in range(1, 13):
        assert abs(results.count(face) - 1_000) < 5 * spread, face


def test_ten_thousand_dice_are_rolled(call):
    """The maximum, in ten pools."""
    rolled = call("roll_dice", {"dice": [{"sides": 6, "count": 1_000}] * 10})
    assert sum(len(pool["results"]) for pool in rolled["rolls"]) == 10_000


def test_one_more_is_refused(refuse):
    """10,001 dice in several pools: the error names the field."""
    pools = [{"sides": 6, "count": 1_000}] * 10 + [{"sides": 6, "count": 1}]
    assert refuse("roll_dice", {"dice": pools})["field"].startswith("dice")


def test_ten_thousand_and_one_in_one_pool_are_refused(refuse):
    """The same in a single pool."""
    assert refuse("roll_dice", {"dice": [{"sides": 6, "count": 10_001}]})["field"].startswith(
        "dice"
    )


@pytest.mark.parametrize(
    ("pool", "field"),
    [
        ({"sides": 4_294_967_302, "count": 1}, "dice[0].sides"),
        ({"sides": 6, "count": 4_294_967_297}, "dice[0].count"),
        ({"sides": 1_000_001, "count": 1}, "dice[0].sides"),
        ({"sides": 0, "count": 1}, "dice[0].sides"),
        ({"sides": -6, "count": 1}, "dice[0].sides"),
        ({"sides": 6, "count": 0}, "dice[0].count"),
        ({"sides": 6, "count": -1}, "dice[0].count"),
        ({"sides": 6.5, "count": 1}, "dice[0].sides"),
        ({"sides": "6", "count": 1}, "dice[0].sides"),
        ({"sides": 2**64, "count": 1}, "dice[0].sides"),
    ],
)
def test_impossible_dice_are_refused(refuse, pool, field):
    """A value out of range is refused with the path of the field; nothing wraps to a small
    number."""
    assert refuse("roll_dice", {"dice": [pool]})["field"] == field


def test_no_dice_are_refused(refuse):
    """An empty list is refused."""
    assert refuse("roll_dice", {"dice": []})["field"] == "dice"


@pytest.mark.parametrize(
    "tool", ["duality_action_roll", "duality_outcome", "duality_explain", "duality_probability"]
)
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("modifier", 2_147_483_647),
        ("modifier", -2_147_483_648),
        ("modifier", 4_294_967_298),
        ("modifier", 2**63 - 1),
        ("modifier", 1_000_001),
        ("difficulty", 2_147_483_648),
        ("difficulty", 1_000_001),
        ("difficulty", -1),
    ],
)
def test_numbers_out_of_range_are_refused_not_wrapped(refuse, tool, field, value):
    """The error names the field and the range."""
    good = {"duality_outcome": DICE, "duality_explain": DICE}.get(
        tool, {"modifier": 2, "difficulty": 15}
    )
    error = refuse(tool, {**good, field: value})
    assert error["field"] == field and "1000000" in error["hint"]


@pytest.mark.parametrize("tool", ["duality_outcome", "duality_explain"])
@pytest.mark.parametrize(
    ("field", "value"), [("hope", 0), ("hope", 13), ("fear", -1), ("fear", 4_294_967_297)]
)
def test_no_die_shows_that(refuse, tool, field, value):
    """A d12 shows 1 to 12."""
    error = refuse(tool, {**DICE, field: value})
    assert error["field"] == field and "12" in error["hint"]


def test_the_largest_numbers_add_up(call):
    """At the edge of the range the total is still exact."""
    found = call(
        "duality_outcome", {"hope": 12, "fear": 11, "modifier": 1_000_000, "difficulty": 1_000_000}
    )
    assert found["total"] == 1_000_023 and found["outcome"] == "SUCCESS_WITH_HOPE"
