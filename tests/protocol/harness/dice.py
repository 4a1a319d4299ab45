"""The dice tools of the Duality contract."""

DICE_TOOLS = (
    "duality_action_roll",
    "duality_outcome",
    "duality_explain",
    "duality_probability",
    "duality_rules_version",
    "roll_dice",
)
