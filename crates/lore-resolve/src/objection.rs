//! Objections: why two names must not be matched automatically.

use std::fmt;

use crate::compared::Compared;
use crate::given_names;
use crate::name::{Kind, Name, Token};
use crate::profile::Family;
use crate::sameness::Sameness;
use crate::spelling::How;
use crate::words;

/// Why a likely match must not be made without a person checking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Objection {
    /// The names contain different numbers.
    OtherNumbers,
    /// Each name has a significant word that the other lacks.
    OtherWords,
    /// One name is the other with more words.
    MoreWords,
    /// The same words in an order that means something else.
    OtherOrder,
    /// Too little of the names agrees.
    TooUnlike,
    /// A part of the person's name differs.
    OtherName,
    /// A single name may belong to anybody who has it.
    PartOfName,
    /// One of them is marked as junior or senior.
    OtherGeneration,
    /// They are organisations of different legal forms.
    OtherForm,
    /// Their titles are those of a man and a woman.
    OtherTitle,
}

impl fmt::Display for Objection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OtherNumbers => "the numbers differ",
            Self::OtherWords => "each has a telling word the other lacks",
            Self::MoreWords => "one has more words, so it may be something else",
            Self::OtherOrder => "the order of the words may mean something else",
            Self::TooUnlike => "too little of the names agrees",
            Self::OtherName => "part of the name differs",
            Self::PartOfName => "only a part of the name is given",
            Self::OtherGeneration => "one is marked as junior, senior or a successor",
            Self::OtherForm => "the legal forms differ",
            Self::OtherTitle => "the titles are those of a man and of a woman",
        })
    }
}

impl Compared<'_> {
    /// The objection to a match, apart from a low similarity.
    pub(crate) fn objection(
        &self,
        family: Family,
        sameness: Sameness,
        code: Option<&str>,
    ) -> Option<Objection> {
        match (sameness, family) {
            (Sameness::Full, _) => None,
            (Sameness::Loose, Family::Person) => self.bare_name_objection(),
            (Sameness::Loose, family) => self.small_word_objection(family),
            (Sameness::Bare | Sameness::Different, Family::Person) => self.person_objection(),
            (Sameness::Bare | Sameness::Different, family) => self.thing_objection(family, code),
        }
    }

    /// The objection although the words match: legal forms and titles.
    pub(crate) fn objection_beside(&self, family: Family) -> Option<Objection> {
        let (asked, known) = (self.asked, self.known);
        match family {
            Family::Organization if have_other_forms(asked, known) => Some(Objection::OtherForm),
            Family::Person if have_titles(asked, known, words::are_other_titles) => {
                Some(Objection::OtherTitle)
            }
            _ => None,
        }
    }

    fn person_objection(&self) -> Option<Objection> {
        let alone = |name: &Name, places: &[usize], test: &dyn Fn(&Token) -> bool| {
            places.iter().filter_map(|place| name.tokens.get(*place)).any(test)
        };
        let asked =
            |test: &dyn Fn(&Token) -> bool| alone(self.asked, &self.alignment.asked_alone, test);
        let known =
            |test: &dyn Fn(&Token) -> bool| alone(self.known, &self.alignment.known_alone, test);
        let generation = |token: &Token| words::is_generation(&token.text);
        let telling = |token: &Token| token.kind != Kind::Light;
        let count = |name: &Name| name.significant().count();
        let (few, many) =
            (count(self.asked).min(count(self.known)), count(self.asked).max(count(self.known)));
        if asked(&generation) || known(&generation) {
            Some(Objection::OtherGeneration)
        } else if few <= 1 && many > 1 && !self.is_joined_throughout() {
            Some(Objection::PartOfName)
        } else if asked(&telling) && known(&telling)
            || self.has_other_middle_names()
            || self.have_twin_names()
            || self.have_longer_family_name()
            || self.have_distant_names()
        {
            Some(Objection::OtherName)
        } else if self.is_turned() && self.are_first_names() {
            Some(Objection::OtherOrder)
        } else {
            None
        }
    }

    /// Professor Plum is not Mrs. Plum: with titles, a single name is not enough.
    fn bare_name_objection(&self) -> Option<Objection> {
        let (asked, known) = (self.asked.titles(), self.known.titles());
        let both = !asked.is_empty() && !known.is_empty();
        (both && self.has_other_titles()).then_some(Objection::PartOfName)
    }

    /// George W. Bush is not George H. W. Bush. A missing middle name is no objection.
    fn has_other_middle_names(&self) -> bool {
        let middle = |name: &Name| name.significant().count() > 2;
        middle(self.asked) && middle(self.known) && self.leaves_words()
    }

    /// Whether all parts are first names: Henry James is not James Henry, while Jane Austen may be
    /// Austen Jane.
    fn are_first_names(&self) -> bool {
        self.asked.significant().all(|token| given_names::is_first_name(&token.text))
    }

    /// Whether the names differ only in spaces: "Maren Tull" and "marentull".
    fn is_joined_throughout(&self) -> bool {
        let nothing_left =
            self.alignment.asked_alone.is_empty() && self.alignment.known_alone.is_empty();
        nothing_left && self.alignment.pairs.iter().any(|pair| pair.likeness.how == How::Joined)
    }

    fn thing_objection(&self, family: Family, code: Option<&str>) -> Option<Objection> {
        let has_code = code.is_some();
        let (asked, known) = self.left();
        let short = !has_code && self.is_short();
        if !has_code && asked.number && known.number || short && (asked.number || known.number) {
            Some(Objection::OtherNumbers)
        } else if !has_code && self.has_turned_numbers() {
            Some(Objection::OtherOrder)
        } else if !has_code && asked.negation != known.negation
            || short && asked.telling && known.telling
        {
            Some(Objection::OtherWords)
        } else if short
            && (asked.telling_core || known.telling_core)
            && asked.telling != known.telling
        {
            Some(Objection::MoreWords)
        } else if family == Family::Organization && self.is_turned_around() {
            Some(Objection::OtherOrder)
        } else {
            self.small_word_objection(family)
        }
    }

    /// The flight to Arn is not the flight from Arn.
    fn small_word_objection(&self, family: Family) -> Option<Objection> {
        let differ = family != Family::Person && self.is_short() && self.has_other_bonds();
        differ.then_some(Objection::OtherWords)
    }
}

/// Whether both names have legal forms, but none in common.
fn have_other_forms(asked: &Name, known: &Name) -> bool {
    let forms = |name: &Name| -> Vec<String> {
        let light = name.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.filter_map(|token| words::legal_form(&token.text).map(str::to_owned)).collect()
    };
    let (asked, known) = (forms(asked), forms(known));
    let shared = |form: &String| known.iter().any(|other| words::is_one_form(form, other));
    !asked.is_empty() && !known.is_empty() && !asked.iter().any(shared)
}

/// Whether the titles of two persons differ in the given way.
pub(crate) fn have_titles(asked: &Name, known: &Name, differ: fn(&str, &str) -> bool) -> bool {
    let titles = |name: &'_ Name| -> Vec<String> {
        let light = name.tokens.iter().filter(|token| token.kind == Kind::Light);
        light.filter(|token| words::is_title(&token.text)).map(|token| token.text.clone()).collect()
    };
    let (asked, known) = (titles(asked), titles(known));
    asked.iter().any(|one| known.iter().any(|other| differ(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;
    use crate::profile::Profile;

    fn objection(one: &str, other: &str, family: Family) -> Option<Objection> {
        let profile = Profile::of_family(family);
        let (one, other) = (Name::parse(one, family), Name::parse(other, family));
        judge(&one, &other, &profile, &|_, _| 7.0).objection
    }

    #[test]
    fn guards_hold_back_what_spelling_cannot_decide() {
        use Family::{Organization, Person, Thing, Title};
        let cases = [
            ("Phase 1", "Phase 2", Thing, Objection::OtherNumbers),
            ("GPT-3", "GPT-4", Thing, Objection::OtherNumbers),
            (
                "And Then There Were Eight",
                "And Then There Were Nine",
                Title,
                Objection::OtherNumbers,
            ),
            ("Portland Oregon", "Portland Maine", Organization, Objection::OtherWords),
            ("Regen Network", "Regen Network Development", Organization, Objection::MoreWords),
            (
                "University of Washington",
                "Washington University",
                Organization,
                Objection::OtherOrder,
            ),
            ("Jane Doe", "Jane Roe", Person, Objection::OtherName),
            ("Jane", "Jane Roe", Person, Objection::PartOfName),
            ("John Smith", "John Smith Jr", Person, Objection::OtherGeneration),
            ("Henry VII", "Henry VIII", Person, Objection::OtherGeneration),
            ("Henry James", "James Henry", Person, Objection::OtherOrder),
            ("George W. Bush", "George H. W. Bush", Person, Objection::OtherName),
            ("张伟", "章伟", Person, Objection::OtherName),
            ("Lord Vex Marrow", "Lady Vex Marrow", Person, Objection::OtherTitle),
            ("Mr John Vane", "Mrs. John Vane", Person, Objection::OtherTitle),
            ("Meeting 2024-01-02", "Meeting 2024-02-01", Title, Objection::OtherOrder),
            ("Release 1.2", "Release 2.1", Thing, Objection::OtherOrder),
            ("C", "C++", Thing, Objection::OtherWords),
            ("C#", "C++", Thing, Objection::OtherWords),
            ("Server web1", "Server web10", Thing, Objection::OtherNumbers),
        ];
        for (one, other, family, expected) in cases {
            assert_eq!(objection(one, other, family), Some(expected), "{one} / {other}");
            assert_eq!(objection(other, one, family), Some(expected), "{other} / {one}");
        }
    }

    #[test]
    fn a_title_is_one_only_in_front_and_ranks_make_a_guess() {
        let guess = |one: &str, other: &str| {
            let family = Family::Person;
            let (one, other) = (Name::parse(one, family), Name::parse(other, family));
            judge(&one, &other, &Profile::of_family(family), &|_, _| 7.0).guess
        };
        for (one, other) in [
            ("Martin Luther", "Martin Luther King"),
            ("Ruth Ann", "Ruth Ann Prince"),
            ("King Aldric Stone", "Prince Aldric Stone"),
        ] {
            assert!(guess(one, other) && guess(other, one), "{one} / {other}");
        }
        assert!(!guess("King Aldric Stone", "Aldric Stone"));
        assert!(!guess("Ilse Marrow, PhD", "Dr Ilse Marrow"));
    }

    #[test]
    fn harmless_differences_raise_no_objection() {
        use Family::{Organization, Person, Thing};
        for (one, other, family) in [
            ("Acme Corp", "ACME Incorporated", Organization),
            ("Bone's Restaurant", "Bones", Organization),
            ("St. John", "Saint John", Organization),
            ("Herring Monitring", "Monitoring Herring", Thing),
            ("Sony PSLX350H", "Sony PS-LX350H belt drive turntable", Thing),
            ("J. R. Smith", "John Smith", Person),
            ("Smith, John", "John Smith", Person),
            ("Dr. Ilse Marrow", "Prof. Ilse Marrow", Person),
            ("Captain Vane", "Vane (Captain)", Person),
        ] {
            let found = objection(one, other, family);
            assert!(
                matches!(found, None | Some(Objection::TooUnlike)),
                "{one} / {other}: {found:?}"
            );
        }
    }
}
