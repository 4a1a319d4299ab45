//! Words with which statements deny each other, and words without meaning.

use super::figures::UNSPACED_DENIAL;

/// Words that deny the next one.
pub(super) const DENIALS: [&str; 42] = [
    "not",
    "no",
    "never",
    "none",
    "neither",
    "nor",
    "without",
    "cannot",
    "nicht",
    "nichts",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "keines",
    "nie",
    "niemals",
    "ohne",
    "pas",
    "sans",
    "sin",
    "non",
    "senza",
    "não",
    "sem",
    "niet",
    "geen",
    "zonder",
    "ikke",
    "inte",
    "ingen",
    "не",
    "нет",
    "нельзя",
    "без",
    "bez",
    "nem",
    "değil",
    UNSPACED_DENIAL,
    "ei",
    "yok",
];

/// Words that deny by themselves in languages in which several of them are one denial.
pub(super) const CONCORDANT: [&str; 22] = [
    "ne",
    "jamais",
    "rien",
    "aucun",
    "aucune",
    "nunca",
    "jamás",
    "nada",
    "nadie",
    "ningún",
    "ninguna",
    "ninguno",
    "nenhum",
    "nenhuma",
    "niente",
    "nessun",
    "nessuno",
    "никогда",
    "ничего",
    "никто",
    "nigdy",
    "nikdy",
];

/// Pairs of a word that negates another and that other word, in full or without endings. `on` is
/// also a filler, so it is dropped again.
pub(super) const OPPOSITES: [(&str, &str); 16] = [
    ("fail", "pass"),
    ("reject", "accept"),
    ("forbid", "allow"),
    ("forbidden", "allowed"),
    ("closed", "open"),
    ("dislike", "like"),
    ("unavailable", "available"),
    ("impossible", "possible"),
    ("invalid", "valid"),
    ("unsupported", "supported"),
    ("off", "on"),
    ("disabled", "enabled"),
    ("disable", "enable"),
    ("inactive", "active"),
    ("unsafe", "safe"),
    ("false", "true"),
];

/// Words that say nothing of what a statement is about.
pub(super) const FILLERS: [&str; 34] = [
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at",
    "for", "and", "or", "with", "by", "it", "its", "this", "that", "as", "we", "i", "you", "do",
    "does", "did", "has", "have", "had", "any",
];
