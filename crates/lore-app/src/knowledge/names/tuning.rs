//! Settings of the vault's ontology notes for comparing names of a type.
//!
//! A note below `Ontology/` may have a `resolution` block in its frontmatter. It is stored as a
//! property of the note's node, from which the catalogue of every viewer who sees the note learns
//! it.

use lore_core::Node;
use lore_resolve::{Profile, key};
use serde_json::{Value, json};

use crate::knowledge::entities::EntityType;
use crate::knowledge::entities::ontology::word_of;
use crate::knowledge::vault::note::Note;

/// The folder of ontology notes.
const FOLDER: &str = "Ontology/";
/// The property of a note's node that holds its settings; also the name of the block.
pub(in crate::knowledge) const TUNING: &str = "resolution";
/// Allowed range of the confidence from which a match is certain.
const LINK_AT: std::ops::RangeInclusive<f64> = 0.5..=0.999;
/// Highest number of context entities that a candidate may be required to be related to.
const COMPANY_MAX: f64 = 10.0;
/// Required similarity of two names where a note demands common words.
const OVERLAP: f64 = 0.5;

/// Returns the settings in the note at a path, if there are any.
pub(in crate::knowledge) fn told(path: &str, note: &Note<'_>) -> Option<Value> {
    let said = |field: &str| note.first(&format!("{TUNING}.{field}"));
    let entity_type = said("type_key").and_then(EntityType::read)?;
    let flag = |field: &str| said(field).and_then(|text| text.to_lowercase().parse::<bool>().ok());
    let number = |field: &str| {
        let given = said(field).and_then(|text| text.parse::<f64>().ok());
        given.filter(|given| given.is_finite())
    };
    let all = |field: &str| note.all(&format!("{TUNING}.{field}"));
    path.starts_with(FOLDER).then(|| {
        json!({
            "type": entity_type.as_str(),
            "similarity_threshold": number("similarity_threshold"),
            "semantic_threshold": number("semantic_threshold"),
            "min_context_people": number("min_context_people"),
            "phonetic_matching": flag("phonetic_matching"),
            "require_token_overlap": flag("require_token_overlap"),
            "folder": said("folder"),
            "type_aliases": all("type_aliases"),
            "phonetic_stopwords": all("phonetic_stopwords"),
        })
    })
}

/// The settings a note defines for a type.
pub(super) struct Tuning {
    /// The type.
    pub(super) entity_type: EntityType,
    /// How names of the type are compared.
    pub(super) profile: Profile,
    /// The folder for notes of the type.
    pub(super) folder: Option<String>,
    /// Other words for the type.
    words: Vec<String>,
}

impl Tuning {
    /// Whether a word stands for the type.
    pub(super) fn is_meant_by(&self, text: &str) -> bool {
        let word = word_of(text);
        !word.is_empty() && self.words.iter().chain(&self.folder).any(|own| word_of(own) == word)
    }
}

/// Reads the settings stored with a node, if there are any.
pub(super) fn of(node: &Node) -> Option<Tuning> {
    let told = node.properties.get(TUNING)?;
    let entity_type = told.get("type").and_then(Value::as_str).and_then(EntityType::read)?;
    let flag = |field: &str| told.get(field).and_then(Value::as_bool);
    let mut profile = Profile::of(entity_type.as_str());
    if let Some(threshold) = told.get("similarity_threshold").and_then(Value::as_f64) {
        profile.link_at = threshold.clamp(*LINK_AT.start(), *LINK_AT.end());
    }
    if let Some(threshold) = told.get("semantic_threshold").and_then(Value::as_f64) {
        profile.meaning_at = threshold.clamp(0.0, 1.0);
    }
    if let Some(people) = told.get("min_context_people").and_then(Value::as_f64) {
        profile.least_company = people.clamp(1.0, COMPANY_MAX) as u32;
    }
    if let Some(phonetic) = flag("phonetic_matching") {
        profile.phonetic = phonetic;
    }
    match flag("require_token_overlap") {
        Some(true) => profile.least_likeness = profile.least_likeness.max(OVERLAP),
        Some(false) => profile.least_likeness = 0.0,
        None => {}
    }
    let list = |field: &str| -> Vec<String> {
        let list = told.get(field).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mute: Vec<String> = list("phonetic_stopwords").iter().map(|word| key(word)).collect();
    profile.mute = Some(mute).filter(|mute| !mute.is_empty()).map(Into::into);
    let folder = told.get("folder").and_then(Value::as_str).map(str::to_owned);
    Some(Tuning { entity_type, profile, folder, words: list("type_aliases") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "---\nname: People\nresolution:\n  type_key: Person\n  \
        similarity_threshold: 0.97\n  phonetic_matching: false\n---\nText";

    #[test]
    fn a_note_is_heard_in_its_folder_alone() {
        let note = Note::read(NOTE);
        let told = told("Ontology/schema-person.md", &note).unwrap();
        assert_eq!(told["type"], "Person");
        assert_eq!(
            (&told["similarity_threshold"], &told["phonetic_matching"]),
            (&json!(0.97), &json!(false))
        );
        assert_eq!(super::told("People/Person.md", &note), None);
    }

    #[test]
    fn a_block_on_one_line_says_the_same() {
        let flow = "---\nresolution: {type_key: Claim, require_token_overlap: True}\n---\n";
        let told = told("Ontology/schema-claim.md", &Note::read(flow)).unwrap();
        assert_eq!(
            (&told["type"], &told["require_token_overlap"]),
            (&json!("Claim"), &json!(true))
        );
    }
}
