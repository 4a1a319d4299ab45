//! Reports about two entities while they are merged.

use crate::parting::Step::{
    Alias, Away, Back, ByHand, Describe, Ingest, IngestUri, Join, Journal, Log, Merge, Note,
    Register, RegisterUri, Relate, Remove, Retype, Unalias, Unmerge, Whole,
};
use crate::parting::Who::{Ada, Eleanor, Mask, Nora, Otto};
use crate::parting::{ADA, ELEANOR, NORA, OTTO, Step};

/// Stories: what is reported about either entity, through any door, while they are merged.
pub(crate) const TOLD: &[(&str, &[Step])] = &[
    (
        "somebody whom both know is away when they part",
        &[Merge(Nora, Eleanor), Away, Unmerge(Nora), Back],
    ),
    (
        "somebody whom one is told to know is away when they part",
        &[
            Merge(Ada, Otto),
            Relate("Ada Holt", "knows", "Mia Vale"),
            Away,
            Unmerge(Ada),
            Back,
            Relate("Otto Krug", "related_to", "Mia Vale"),
        ],
    ),
    (
        "somebody is away for one of two partings",
        &[
            Merge(Ada, Nora),
            Merge(Nora, Otto),
            Relate("Ada Holt", "related_to", "Mia Vale"),
            Away,
            Unmerge(Nora),
            Back,
            Unmerge(Ada),
        ],
    ),
    (
        "documents are said to speak of each",
        &[
            Merge(Nora, Eleanor),
            Ingest("doc:1", &["Nora Pike"]),
            Ingest("doc:2", &["Eleanor Vance"]),
            Ingest("doc:3", &["Nora Pike", "Eleanor Vance"]),
            Ingest("doc:4", &["Norrie"]),
            IngestUri("doc:5", Nora),
            IngestUri("doc:6", Eleanor),
            Unmerge(Nora),
        ],
    ),
    (
        "one is spoken of by a name that the other has too",
        &[
            Merge(Otto, Eleanor),
            Alias(Eleanor, "Otto Krug"),
            Register("Otto Krug", "Ottie"),
            Relate("Otto Krug", "knows", "Ada Holt"),
            Ingest("doc:1", &["Otto Krug"]),
            Unmerge(Otto),
        ],
    ),
    (
        "a note about one that gave it the name of the other goes",
        &[
            Merge(Otto, Eleanor),
            ByHand(OTTO, "aliases: [Eleanor Vance, Ottie]\n", "He came."),
            Remove(OTTO),
            Unmerge(Otto),
        ],
    ),
    (
        "a note about one gives it the name of the other no more",
        &[
            Merge(Otto, Eleanor),
            ByHand(OTTO, "aliases: [Eleanor Vance, Ottie]\n", "He came."),
            ByHand(OTTO, "aliases: [Ottie]\n", "He came."),
            Unmerge(Otto),
        ],
    ),
    (
        "one is given the name of the other, and it is taken away",
        &[
            Merge(Otto, Eleanor),
            Alias(Otto, "Eleanor Vance"),
            Unalias(Otto, "Eleanor Vance"),
            Unmerge(Otto),
        ],
    ),
    (
        "documents are said to speak of others",
        &[
            Ingest("doc:1", &["Nora Pike"]),
            Ingest("doc:2", &["Eleanor Vance"]),
            Ingest("doc:3", &["Nora Pike", "Eleanor Vance"]),
            Ingest("doc:4", &["Nora Pike", "Eleanor Vance"]),
            Merge(Nora, Eleanor),
            Ingest("doc:1", &["Eleanor Vance"]),
            Ingest("doc:2", &["Nora Pike"]),
            Ingest("doc:3", &[]),
            Ingest("doc:4", &["Nora Pike"]),
            Unmerge(Nora),
        ],
    ),
    (
        "documents spoke of each before",
        &[
            Ingest("doc:1", &["Nora Pike"]),
            Ingest("doc:2", &["Eleanor Vance"]),
            Ingest("doc:3", &["Nora Pike", "Eleanor Vance"]),
            IngestUri("doc:4", Nora),
            Merge(Nora, Eleanor),
            Unmerge(Nora),
        ],
    ),
    (
        "a document speaks of who is one with one that is one with another",
        &[
            Ingest("doc:1", &["Otto Krug"]),
            Merge(Otto, Nora),
            Merge(Nora, Eleanor),
            IngestUri("doc:2", Otto),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    ("a page comes to mention one", &[Merge(Nora, Eleanor), Journal(&[Nora]), Unmerge(Nora)]),
    (
        "a page comes to mention both",
        &[Merge(Nora, Eleanor), Journal(&[Nora, Eleanor]), Unmerge(Nora)],
    ),
    (
        "a page mentions one no more",
        &[Journal(&[Nora]), Merge(Nora, Eleanor), Journal(&[]), Unmerge(Nora)],
    ),
    (
        "a page mentions neither any more",
        &[Journal(&[Nora, Eleanor]), Merge(Nora, Eleanor), Journal(&[]), Unmerge(Nora)],
    ),
    (
        "a page mentions the other instead",
        &[Journal(&[Nora]), Merge(Nora, Eleanor), Journal(&[Eleanor]), Unmerge(Nora)],
    ),
    (
        "a page mentions one instead of the other",
        &[Journal(&[Eleanor]), Merge(Nora, Eleanor), Journal(&[Nora]), Unmerge(Nora)],
    ),
    (
        "a page mentions one of both",
        &[Journal(&[Nora, Eleanor]), Merge(Nora, Eleanor), Journal(&[Nora]), Unmerge(Nora)],
    ),
    (
        "a page mentions a page that was merged",
        &[Merge(Mask, Nora), Journal(&[Mask]), Unmerge(Mask)],
    ),
    ("a note mentions one by number", &[Merge(Nora, Eleanor), Log(Nora), Unmerge(Nora)]),
    (
        "each is registered",
        &[
            Merge(Nora, Eleanor),
            Register("Nora Pike", "Nono"),
            Register("Eleanor Vance", "Elly"),
            Register("Norrie", "Norry"),
            Unmerge(Nora),
        ],
    ),
    (
        "each is registered by URI, and the notes go",
        &[
            Merge(Nora, Eleanor),
            RegisterUri(Nora, "Nono"),
            Unmerge(Nora),
            Remove(NORA),
            Remove(ELEANOR),
        ],
    ),
    (
        "the other is registered by URI, and the notes go",
        &[
            Merge(Nora, Eleanor),
            RegisterUri(Eleanor, "Elly"),
            Unmerge(Nora),
            Remove(NORA),
            Remove(ELEANOR),
        ],
    ),
    (
        "a name is given to one, and the notes say it for a while",
        &[
            Merge(Nora, Eleanor),
            Alias(Nora, "Boss"),
            Unmerge(Nora),
            Note(NORA, "aliases: [Boss]\n", "She came."),
            Note(NORA, "", "She came."),
            Note(ELEANOR, "aliases: [Boss]\n", "She sails."),
            Note(ELEANOR, "", "She sails."),
        ],
    ),
    (
        "both are said to be another thing",
        &[Merge(Nora, Eleanor), Retype(Eleanor, "Project"), Retype(Nora, "Project"), Unmerge(Nora)],
    ),
    (
        "both are said to be another thing, and one is not after all",
        &[
            Merge(Nora, Eleanor),
            Retype(Nora, "Project"),
            Retype(Eleanor, "Project"),
            Retype(Nora, "Person"),
            Unmerge(Nora),
        ],
    ),
    (
        "a relation of one is told of the other",
        &[
            Relate("Nora Pike", "knows", "Ada Holt"),
            Relate("Otto Krug", "knows", "Eleanor Vance"),
            Merge(Nora, Eleanor),
            Relate("Eleanor Vance", "knows", "Ada Holt"),
            Relate("Otto Krug", "knows", "Nora Pike"),
            Unmerge(Nora),
        ],
    ),
    (
        "a relation is told by a name that one has for a while",
        &[
            Merge(Nora, Eleanor),
            Alias(Nora, "Nono"),
            Relate("Nono", "knows", "Ada Holt"),
            Unalias(Nora, "Nono"),
            Unmerge(Nora),
        ],
    ),
    (
        "a third is merged into the one that went",
        &[
            Merge(Nora, Eleanor),
            Join(Otto, Nora),
            Alias(Otto, "Oskar"),
            Ingest("doc:1", &["Otto Krug"]),
            Unmerge(Nora),
        ],
    ),
    (
        "a note comes about one by another name",
        &[
            Merge(Nora, Eleanor),
            Note("People/Norrie.md", "knows: \"[[Otto Krug]]\"\n", "More of her."),
            Unmerge(Nora),
        ],
    ),
    (
        "a name that two have leaves the note of one",
        &[
            ByHand(ELEANOR, "aliases: [Norrie]\n", "She sails."),
            Merge(Ada, Nora),
            Merge(Eleanor, Ada),
            ByHand(ELEANOR, "", "She sails."),
            Unmerge(Eleanor),
            Unmerge(Ada),
        ],
    ),
    (
        "two who know each other become one with a third and part in the same order",
        &[
            Relate("Nora Pike", "knows", "Otto Krug"),
            Merge(Nora, Eleanor),
            Merge(Otto, Eleanor),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    (
        "one of two is told to know another who becomes one with them, and parts first",
        &[
            Merge(Nora, Eleanor),
            Relate("Nora Pike", "knows", "Otto Krug"),
            Relate("Eleanor Vance", "related_to", "Otto Krug"),
            Merge(Otto, Eleanor),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    (
        "one of two is told to know another who becomes one with them, and parts last",
        &[
            Merge(Nora, Eleanor),
            Relate("Nora Pike", "knows", "Otto Krug"),
            Relate("Eleanor Vance", "related_to", "Otto Krug"),
            Merge(Otto, Eleanor),
            Unmerge(Otto),
            Unmerge(Nora),
        ],
    ),
    (
        "two who know each other become one as parts of a third, twice",
        &[
            Relate("Nora Pike", "knows", "Otto Krug"),
            Merge(Nora, Eleanor),
            Merge(Otto, Eleanor),
            Unmerge(Nora),
            Merge(Nora, Eleanor),
            Unmerge(Otto),
            Unmerge(Nora),
        ],
    ),
    (
        "one who knows another becomes one with a third, and the other with them",
        &[
            Relate("Nora Pike", "knows", "Otto Krug"),
            Merge(Nora, Eleanor),
            Join(Otto, Nora),
            Unmerge(Nora),
        ],
    ),
    (
        "each of two is told to know one of two others",
        &[
            Merge(Otto, Eleanor),
            Merge(Nora, Ada),
            Relate("Ada Holt", "knows", "Otto Krug"),
            Relate("Nora Pike", "knows", "Eleanor Vance"),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    (
        "each of two is told to know one of two others, who part first",
        &[
            Merge(Otto, Eleanor),
            Merge(Nora, Ada),
            Relate("Ada Holt", "knows", "Otto Krug"),
            Relate("Nora Pike", "knows", "Eleanor Vance"),
            Unmerge(Otto),
            Unmerge(Nora),
        ],
    ),
    (
        "a note that tells of one goes while others tell of the other",
        &[
            Note(ADA, "knows: \"[[Otto Krug]]\"\n", "She sings."),
            Register("Ada Holt", "Addie"),
            Merge(Nora, Ada),
            Relate("Otto Krug", "knows", "Nora Pike"),
            Remove(ADA),
            Unmerge(Nora),
        ],
    ),
    (
        "a note comes to tell of one what others tell of the other, and goes when they parted",
        &[
            Register("Ada Holt", "Addie"),
            Merge(Nora, Ada),
            Relate("Otto Krug", "knows", "Nora Pike"),
            Note(ADA, "knows: \"[[Otto Krug]]\"\n", "She sings."),
            Unmerge(Nora),
            Remove(ADA),
        ],
    ),
    (
        "one document comes to speak of another while both are one with a third",
        &[
            Merge(Nora, Ada),
            IngestUri("doc:1", Ada),
            Merge(Ada, Eleanor),
            IngestUri("doc:1", Nora),
            Unmerge(Ada),
            Unmerge(Nora),
        ],
    ),
    (
        "a note comes to tell of those it is one with, who part one after the other",
        &[
            Merge(Nora, Ada),
            Merge(Eleanor, Nora),
            Note(ELEANOR, "knows: [\"[[Ada Holt]]\", \"[[Nora Pike]]\"]\n", "She sails."),
            Unmerge(Nora),
            Unmerge(Eleanor),
        ],
    ),
    (
        "all of it twice",
        &[
            Merge(Nora, Eleanor),
            Ingest("doc:1", &["Nora Pike"]),
            Journal(&[Nora]),
            Relate("Nora Pike", "knows", "Ada Holt"),
            Relate("Eleanor Vance", "knows", "Ada Holt"),
            Unmerge(Nora),
            Merge(Eleanor, Nora),
            Ingest("doc:2", &["Eleanor Vance"]),
            Journal(&[Nora, Eleanor]),
            Unmerge(Eleanor),
        ],
    ),
    (
        "a relation is told of who is one with another, and who told of it comes along",
        &[
            Merge(Nora, Eleanor),
            Merge(Eleanor, Ada),
            Relate("Otto Krug", "knows", "Eleanor Vance"),
            Merge(Otto, Nora),
            Unmerge(Eleanor),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    (
        "a relation of two who are one is told of no more while they are apart",
        &[
            Note(ADA, "knows: \"[[Otto Krug]]\"\n", "She sings."),
            Merge(Nora, Ada),
            Merge(Otto, Nora),
            Unmerge(Nora),
            Note(ADA, "", "She sings."),
            Merge(Nora, Ada),
            Unmerge(Nora),
            Unmerge(Otto),
        ],
    ),
    (
        "a relation is told of no more before the other comes along",
        &[
            Note(NORA, "knows: \"[[Otto Krug]]\"\n", "She came."),
            Merge(Nora, Eleanor),
            Note(NORA, "", "She came."),
            Merge(Otto, Eleanor),
            Unmerge(Otto),
            Unmerge(Nora),
        ],
    ),
    (
        "a note of one leads to another, and both go into a third",
        &[
            Note(NORA, "knows: \"[[Ada Holt]]\"\n", "She came."),
            Merge(Ada, Mask),
            Merge(Nora, Mask),
            Unmerge(Ada),
            Unmerge(Nora),
        ],
    ),
    (
        "a note links to two, and one of them goes into the other by the name of a third",
        &[
            Merge(Ada, Eleanor),
            Whole("Log.md", "See [[Nora Pike]] and [[Eleanor Vance]]."),
            Merge(Nora, Ada),
            Unmerge(Ada),
            Unmerge(Nora),
        ],
    ),
    (
        "a name is taken from somebody whose note has it still, and is read again",
        &[
            Merge(Ada, Eleanor),
            Note(NORA, "aliases: [Elly]\nknows: \"[[Eleanor Vance]]\"\n", "She came."),
            Unalias(Nora, "Elly"),
            Unmerge(Ada),
        ],
    ),
    (
        "the same is said of both",
        &[
            Merge(Nora, Eleanor),
            Describe(Nora, "She came."),
            Describe(Eleanor, "She came."),
            Describe(Nora, "She came."),
            Unmerge(Nora),
        ],
    ),
    (
        "the names of one change while the one it is part of is part of a third",
        &[
            Merge(Nora, Mask),
            Note(NORA, "aliases: [Nono, Boss]\n", "She came."),
            Merge(Mask, Otto),
            Note(NORA, "aliases: [Norrie]\n", "She came."),
            Unmerge(Mask),
            Unmerge(Nora),
        ],
    ),
];
