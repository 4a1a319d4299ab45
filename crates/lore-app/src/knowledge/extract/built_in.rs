//! The built-in extractor: finds entities and relations in a text without a language model.
//!
//! It finds known names, names whose words or context reveal their type, and sentences of a few
//! plain forms. It would rather miss something than invent it, and states its confidence.

use super::forms::related;
use super::lexicon::{PLACES, PROJECTS, is_body};
use super::proper_names::names;
use super::sentences::{Untitled, sentences, untitled};
use super::{Extracted, ExtractedEntity, FOUND_MAX, SUMMARY_MAX};
use crate::knowledge::entities::EntityType;
use crate::knowledge::web::review::Mention;

/// The name of the extractor in answers.
const BUILT_IN: &str = "lorewell built-in extractor";

/// Confidence of a name that is known already, and of one whose words reveal its type.
const KNOWN: f64 = 0.9;
pub(super) const TOLD: f64 = 0.6;

/// Extracts entities and relations from a text. `hints` are names that may occur in it.
pub(in crate::knowledge) fn extract(
    text: &str,
    description: Option<&str>,
    known: &[Mention],
    hints: &[String],
) -> Extracted {
    let mut entities: Vec<ExtractedEntity> = known.iter().map(recognised).collect();
    let mut relations = Vec::new();
    let mut hinted = Vec::new();
    let known_names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    for sentence in sentences(text) {
        let said = untitled(sentence, &known_names);
        let names = names(&said, &known_names);
        for name in &names {
            match told_type(&said, name) {
                Some(entity_type) => add(&mut entities, name, entity_type, sentence),
                None if hints.iter().any(|hint| hint.eq_ignore_ascii_case(name)) => {
                    hinted.push((name.clone(), sentence));
                }
                None => {}
            }
        }
        let recognised = |name: &str| {
            let mention = known.iter().find(|one| one.name.eq_ignore_ascii_case(name));
            mention.map(|one| one.entity_type).or_else(|| told_type(&said, name))
        };
        relations.extend(related(&said, &names, &recognised));
    }
    // The words of a name are the best evidence for its type, then its role in a relation; a hint
    // is the weakest.
    for relation in &relations {
        let said =
            format!("{} {} {}", relation.subject, in_words(&relation.predicate), relation.object);
        let (subject, object) = ends(&relation.predicate);
        add(&mut entities, &relation.subject, subject, &said);
        add(&mut entities, &relation.object, object, &said);
    }
    for (name, sentence) in hinted {
        add(&mut entities, &name, EntityType::Concept, sentence);
    }
    entities.truncate(FOUND_MAX);
    relations.truncate(FOUND_MAX);
    Extracted {
        summary: summary(text, description),
        topics: topics(text),
        entities,
        relations,
        read_by: BUILT_IN.to_owned(),
        left_out: Vec::new(),
    }
}

fn recognised(mention: &Mention) -> ExtractedEntity {
    ExtractedEntity {
        name: mention.name.clone(),
        entity_type: mention.entity_type,
        confidence: KNOWN,
        description: mention.context.clone(),
        context: mention.context.clone(),
    }
}

fn add(found: &mut Vec<ExtractedEntity>, name: &str, entity_type: EntityType, sentence: &str) {
    if found.iter().any(|known| known.name.eq_ignore_ascii_case(name)) {
        return;
    }
    let context = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let context: String = context.chars().take(200).collect();
    found.push(ExtractedEntity {
        name: name.to_owned(),
        entity_type,
        confidence: TOLD,
        description: context.clone(),
        context,
    });
}

/// Returns the type that a name's own words, or those around it, reveal.
fn told_type(said: &Untitled, name: &str) -> Option<EntityType> {
    if said.people.iter().any(|person| person == name) {
        return Some(EntityType::Person);
    }
    let words: Vec<&str> = name.split(' ').collect();
    let last = words.last().copied().filter(|_| words.len() > 1)?;
    if is_body(&words) {
        return Some(EntityType::Organization);
    }
    if PROJECTS.has(last) {
        return Some(EntityType::Project);
    }
    if PLACES.has(last) {
        return Some(EntityType::Location);
    }
    let says = ["said", "says", "wrote", "writes", "explained", "told", "argues", "recalls"];
    let after = said.sentence.split_once(name).map(|(_, after)| after)?;
    let next = after.split_whitespace().next().unwrap_or_default();
    (words.len() == 2 && says.contains(&next)).then_some(EntityType::Person)
}

/// Returns a predicate of a sentence form as part of a sentence.
fn in_words(predicate: &str) -> &str {
    match predicate {
        "affiliated_with" => "is affiliated with",
        "collaborates_with" => "collaborates with",
        "located_in" => "is located in",
        other => other,
    }
}

/// Returns the types of both ends of a relation found by a sentence form.
fn ends(predicate: &str) -> (EntityType, EntityType) {
    match predicate {
        "located_in" => (EntityType::Organization, EntityType::Location),
        "collaborates_with" | "knows" => (EntityType::Person, EntityType::Person),
        _ => (EntityType::Person, EntityType::Organization),
    }
}

fn summary(text: &str, description: Option<&str>) -> String {
    let own = description.map(str::trim).filter(|text| !text.is_empty());
    let first =
        || text.lines().map(str::trim).find(|line| line.len() > 60 && !line.starts_with('#'));
    own.or_else(first).unwrap_or_default().chars().take(SUMMARY_MAX).collect()
}

fn topics(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let headings = headings.map(|line| line.trim_matches(['#', ' ', '*']).to_owned());
    headings.filter(|line| !line.is_empty() && line.chars().count() <= 100).take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Seeds\n\nAda Holt founded the Herring Foundation. Dr. Jane Roe works at \
        the Salish Institute. The Herring Foundation is based in Victoria. \"Good,\" Bo Lin said \
        it best. Nothing else.\n";

    #[test]
    fn names_get_the_type_their_words_tell() {
        let found = extract(TEXT, None, &[], &[]);
        let types: Vec<_> =
            found.entities.iter().map(|one| (one.name.as_str(), one.entity_type)).collect();
        for wanted in [
            ("Herring Foundation", EntityType::Organization),
            ("Salish Institute", EntityType::Organization),
            ("Ada Holt", EntityType::Person),
            ("Victoria", EntityType::Location),
        ] {
            assert!(types.contains(&wanted), "{wanted:?} in {types:?}");
        }
        assert!(!types.iter().any(|(name, _)| *name == "Nothing"), "{types:?}");
        assert_eq!(found.topics, ["Seeds"]);
    }

    #[test]
    fn plain_sentences_become_relations() {
        let found = extract(TEXT, None, &[], &[]);
        let told: Vec<_> = found
            .relations
            .iter()
            .map(|one| (one.subject.as_str(), one.predicate.as_str(), one.object.as_str()))
            .collect();
        assert!(told.contains(&("Ada Holt", "founded", "Herring Foundation")), "{told:?}");
        assert!(told.contains(&("Herring Foundation", "located_in", "Victoria")), "{told:?}");
    }

    #[test]
    fn what_people_are_of_something_is_told_and_no_part_of_its_name() {
        let text = "Mira Kestrel, CEO of Kestrel Boats Ltd, sails. Ann Rook is the founder of the \
            Rook Guild. Bo Lin, who works at Tide Labs, knows Ann Rook. Una Fenn knows Bo Lin. \
            Ola Brandt is affiliated with Tide Labs. Was the Harrow Foundation founded by Petra \
            Klein?";
        let found = extract(text, None, &[], &[]);
        let told: Vec<_> = found
            .relations
            .iter()
            .map(|one| format!("{} {} {}", one.subject, one.predicate, one.object))
            .collect();
        for wanted in [
            "Mira Kestrel affiliated_with Kestrel Boats Ltd",
            "Ola Brandt affiliated_with Tide Labs",
            "Ann Rook founded Rook Guild",
            "Bo Lin affiliated_with Tide Labs",
            "Una Fenn knows Bo Lin",
        ] {
            assert!(told.iter().any(|one| one == wanted), "{wanted} in {told:?}");
        }
        assert!(found.entities.iter().all(|one| !one.name.starts_with("CEO")));
        assert!(found.entities.iter().any(|one| one.name == "Harrow Foundation"));
    }

    #[test]
    fn who_is_of_something_does_it_and_not_the_thing() {
        let text = "Dr. Jane Roe of the University of Otago collaborates with Ada Holt.";
        let found = extract(text, None, &[], &[]);
        let told: Vec<_> = found
            .relations
            .iter()
            .map(|one| format!("{} {} {}", one.subject, one.predicate, one.object))
            .collect();
        assert_eq!(
            told,
            ["Jane Roe affiliated_with University of Otago", "Jane Roe collaborates_with Ada Holt"]
        );
        for text in [
            "The University of Otago collaborates with Ada Holt.",
            "Ada Holt knows the Herring Foundation.",
        ] {
            assert_eq!(extract(text, None, &[], &[]).relations, [], "{text}");
        }
        let placed = extract("The Herring Guild is based in Victoria.", None, &[], &[]);
        let victoria = placed.entities.iter().find(|one| one.name == "Victoria").unwrap();
        assert_eq!(victoria.description, "Herring Guild is located in Victoria");
    }

    #[test]
    fn what_is_denied_or_asked_is_not_told() {
        for text in [
            "Neither Ada Holt nor Bo Lind founded the Bluefin Institute.",
            "It is false that Bo Lind works at the Herring Foundation.",
            "Bo Lind denied that Ada Holt knows Una Fenn.",
            "If Ada Holt founded the Tide Project, it was late.",
            "Ada Holt founded the Tide Project?",
        ] {
            assert_eq!(extract(text, None, &[], &[]).relations, [], "{text}");
        }
        let apart =
            extract("Ada Holt knows Bo Lind and Cy Dahl founded the Tide Guild.", None, &[], &[]);
        let founders: Vec<_> =
            apart.relations.iter().filter(|one| one.predicate == "founded").collect();
        assert!(matches!(founders.as_slice(), [one] if one.subject == "Cy Dahl"), "{founders:?}");
        let both = extract("Ada Holt and Bo Lind founded the Tide Guild.", None, &[], &[]);
        let who: Vec<_> = both.relations.iter().map(|one| one.subject.as_str()).collect();
        assert_eq!(who, ["Ada Holt", "Bo Lind"]);
    }

    #[test]
    fn what_a_name_does_tells_more_than_that_it_was_asked_for() {
        let found = extract(TEXT, None, &[], &["Victoria".into(), "Nobody".into()]);
        let victoria = found.entities.iter().find(|one| one.name == "Victoria").unwrap();
        assert_eq!(victoria.entity_type, EntityType::Location);
        assert!(!found.entities.iter().any(|one| one.name == "Nobody"));
    }

    #[test]
    fn hostile_texts_end() {
        let many = |text: &str| text.repeat(100_000 / text.len());
        let counted: String = (0..9_000).map(|at| format!("Ab{at} Cd{at}, ")).collect();
        let stops = (0..9_000).map(|at| format!("Mr. Ab{at} and Cd{at}. of ")).collect::<String>();
        for text in ["A ", "Mr. ", "Mr. A B and ", "J. ", "of the and ", "\"?\" ", "Inc., ", "É’s "]
        {
            extract(&many(text), Some(""), &[], &["A".into()]);
        }
        for text in ["", "#", ".", "Mr.", "é. É! ?", "of the and", &counted, &stops] {
            extract(text, Some(""), &[], &["A".into()]);
        }
    }
}
