//! Changes to two entities while they are merged.

use crate::parting::Step::{
    Alias, Merge, Move, Note, Page, Relate, Remove, Retype, Unalias, Unmerge, Whole,
};
use crate::parting::Who::{Ada, Eleanor, Mask, Nora, Otto};
use crate::parting::{ADA, ELEANOR, NORA, NORMA, Step};

/// Stories: what happens between a merge and its end.
pub(crate) const STORIES: &[(&str, &[Step])] = &[
    ("nothing", &[Merge(Nora, Eleanor), Unmerge(Nora)]),
    ("a note is renamed", &[Merge(Nora, Eleanor), Move(NORA, NORMA), Unmerge(Nora)]),
    ("a note moves", &[Merge(Nora, Eleanor), Move(NORA, "Old/Nora Pike.md"), Unmerge(Nora)]),
    (
        "the other note is renamed",
        &[Merge(Nora, Eleanor), Move(ELEANOR, "People/Ella Vance.md"), Unmerge(Nora)],
    ),
    (
        "a note has another name in it",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "name: Norma Pike\naliases: [Norrie]\n", "She came."),
            Note(NORA, "name: Norma Peck\naliases: [Norrie]\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note has other aliases and relations",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "aliases: [Nono]\nknows: \"[[Otto Krug]]\"\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note has other aliases and relations",
        &[
            Merge(Nora, Eleanor),
            Note(ELEANOR, "aliases: [Norrie, Elly]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Nora),
        ],
    ),
    (
        "both notes come to say the same",
        &[
            Merge(Nora, Eleanor),
            Note(NORA, "aliases: [Boss]\nknows: \"[[Otto Krug]]\"\n", "She came."),
            Note(ELEANOR, "aliases: [Boss]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Nora),
            Note(ELEANOR, "", "She sails."),
        ],
    ),
    (
        "both notes cease to say the same",
        &[
            Note(ELEANOR, "aliases: [Norrie]\nknows: \"[[Mia Vale]]\"\n", "She sails."),
            Merge(Nora, Eleanor),
            Note(NORA, "", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note says it is another thing",
        &[
            Merge(Nora, Eleanor),
            Whole(NORA, "---\n\"@type\": schema:Organization\n---\nA firm.\n"),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note says it is another thing",
        &[
            Merge(Nora, Eleanor),
            Whole(ELEANOR, "---\n\"@type\": schema:Organization\n---\nA firm.\n"),
            Unmerge(Nora),
        ],
    ),
    (
        "a note is about nothing any more",
        &[Merge(Nora, Eleanor), Whole(NORA, "Just a text.\n"), Unmerge(Nora)],
    ),
    ("a note goes", &[Merge(Nora, Eleanor), Remove(NORA), Unmerge(Nora)]),
    ("the other note goes", &[Merge(Nora, Eleanor), Remove(ELEANOR), Unmerge(Nora)]),
    ("both notes go", &[Merge(Nora, Eleanor), Remove(ELEANOR), Remove(NORA), Unmerge(Nora)]),
    (
        "the note goes of one whom others speak of",
        &[
            Note(ADA, "aliases: [Addie]\n", "She sings."),
            Merge(Ada, Eleanor),
            Remove(ADA),
            Unmerge(Ada),
        ],
    ),
    (
        "the note of the only one with a note goes",
        &[Merge(Otto, Nora), Remove(NORA), Unmerge(Otto)],
    ),
    (
        "a note goes and comes back",
        &[
            Merge(Nora, Eleanor),
            Remove(NORA),
            Note(NORA, "aliases: [Nono]\n", "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "the other note goes and comes back",
        &[
            Merge(Nora, Eleanor),
            Remove(ELEANOR),
            Note(ELEANOR, "aliases: [Elly]\n", "She sails."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note goes and comes back under another name",
        &[Merge(Nora, Eleanor), Remove(NORA), Note(NORMA, "", "She came at last."), Unmerge(Nora)],
    ),
    (
        "each is given a name",
        &[Merge(Nora, Eleanor), Alias(Nora, "Nono"), Alias(Eleanor, "Elly"), Unmerge(Nora)],
    ),
    (
        "each is given a name of the other",
        &[
            Alias(Eleanor, "Elly"),
            Merge(Nora, Eleanor),
            Alias(Nora, "Elly"),
            Alias(Eleanor, "Norrie"),
            Unmerge(Nora),
        ],
    ),
    (
        "each loses a name",
        &[
            Alias(Eleanor, "Elly"),
            Alias(Nora, "Nono"),
            Merge(Nora, Eleanor),
            Unalias(Nora, "Nono"),
            Unalias(Eleanor, "Elly"),
            Unmerge(Nora),
        ],
    ),
    (
        "one loses a name that both have",
        &[
            Alias(Eleanor, "Boss"),
            Alias(Nora, "Boss"),
            Merge(Nora, Eleanor),
            Unalias(Nora, "Boss"),
            Unmerge(Nora),
        ],
    ),
    (
        "the other loses a name that both have",
        &[
            Alias(Eleanor, "Boss"),
            Alias(Nora, "Boss"),
            Merge(Nora, Eleanor),
            Unalias(Eleanor, "Boss"),
            Unmerge(Nora),
        ],
    ),
    (
        "one is said to be another thing",
        &[Merge(Nora, Eleanor), Retype(Nora, "Project"), Unmerge(Nora)],
    ),
    (
        "the other is said to be another thing",
        &[Merge(Nora, Eleanor), Retype(Eleanor, "Project"), Unmerge(Nora)],
    ),
    ("a page is renamed", &[Merge(Nora, Mask), Page("The Masked Duke"), Unmerge(Nora)]),
    ("a page goes into a note's", &[Merge(Mask, Nora), Move(NORA, NORMA), Unmerge(Mask)]),
    (
        "relations are told of both",
        &[
            Merge(Nora, Eleanor),
            Relate("Nora Pike", "knows", "Ada Holt"),
            Relate("Eleanor Vance", "knows", "Ada Holt"),
            Relate("Otto Krug", "knows", "Norrie"),
            Unmerge(Nora),
        ],
    ),
    (
        "a note comes to speak of both",
        &[
            Merge(Nora, Eleanor),
            Note(ADA, "knows: [\"[[Nora Pike]]\", \"[[Eleanor Vance]]\"]\n", "She sings."),
            Unmerge(Nora),
        ],
    ),
    (
        "a note speaks of neither any more",
        &[
            Note(ADA, "knows: [\"[[Nora Pike]]\", \"[[Eleanor Vance]]\"]\n", "She sings."),
            Merge(Nora, Eleanor),
            Note(ADA, "", "She sings."),
            Unmerge(Nora),
        ],
    ),
    (
        "a text comes to speak of both",
        &[
            Merge(Nora, Eleanor),
            Whole("Log.md", "Nora Pike met Eleanor Vance and Ada Holt."),
            Unmerge(Nora),
        ],
    ),
    (
        "a text speaks of neither any more",
        &[
            Whole("Log.md", "Nora Pike met Eleanor Vance and Ada Holt."),
            Merge(Nora, Eleanor),
            Whole("Log.md", "Ada Holt met nobody."),
            Unmerge(Nora),
        ],
    ),
    (
        "a third comes and goes last",
        &[
            Note(ADA, "aliases: [Norrie]\n", "She sings."),
            Merge(Nora, Eleanor),
            Merge(Ada, Eleanor),
            Alias(Nora, "Nono"),
            Alias(Ada, "Addie"),
            Unmerge(Nora),
            Alias(Eleanor, "Elly"),
            Unmerge(Ada),
        ],
    ),
    (
        "a third comes and goes first",
        &[
            Merge(Nora, Eleanor),
            Merge(Ada, Eleanor),
            Move(NORA, NORMA),
            Move(ADA, "People/Ada Hold.md"),
            Unmerge(Ada),
            Unmerge(Nora),
        ],
    ),
    (
        "the one that stayed goes into a third",
        &[
            Merge(Nora, Eleanor),
            Merge(Eleanor, Ada),
            Alias(Nora, "Nono"),
            Alias(Eleanor, "Elly"),
            Move(NORA, NORMA),
            Note(ELEANOR, "aliases: [Vance]\nknows: \"[[Otto Krug]]\"\n", "She sails."),
            Unmerge(Eleanor),
            Unmerge(Nora),
        ],
    ),
    (
        "twice",
        &[
            Merge(Nora, Eleanor),
            Move(NORA, NORMA),
            Unmerge(Nora),
            Merge(Eleanor, Nora),
            Alias(Eleanor, "Elly"),
            Move(NORMA, NORA),
            Unmerge(Eleanor),
        ],
    ),
];
