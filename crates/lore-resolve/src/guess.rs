//! Whether the difference of two names may as well mean two different things.

use crate::align::Pair;
use crate::compared::Compared;
use crate::given_names;
use crate::name::Name;
use crate::objection::have_titles;
use crate::profile::Family;
use crate::spelling::{How, is_slip};
use crate::words;

impl Compared<'_> {
    /// Whether the names differ in a way in which the names of two different things could differ.
    pub(crate) fn is_guess(&self, family: Family, code: Option<&str>) -> bool {
        let pairs = &self.alignment.pairs;
        let longer_code = code.is_some_and(|code| !self.known.codes.iter().any(|own| own == code));
        longer_code
            || self.is_turned()
            || pairs.iter().any(|pair| self.is_guessed(pair, family))
            || match family {
                Family::Person => {
                    self.leaves_words()
                        || self.has_other_titles()
                        || self.has_other_particles()
                        || have_titles(self.asked, self.known, words::are_other_ranks)
                }
                _ => {
                    self.has_other_bonds() || self.begins_otherwise() || self.leaves_telling_words()
                }
            }
    }

    /// Whether this pair of words may be a coincidence. Real names may differ by one letter or
    /// sound alike, many people share initials and short names, a letter after a code makes another
    /// model, and some words are not the same when written as two: "nowhere", "now here".
    fn is_guessed(&self, pair: &Pair, family: Family) -> bool {
        let token = |name: &'_ Name, places: &[usize]| {
            places.first().and_then(|place| name.tokens.get(*place)).cloned()
        };
        let ends = token(self.asked, &pair.asked).zip(token(self.known, &pair.known));
        let Some((asked, known)) = ends else { return false };
        match pair.likeness.how {
            How::Equal => asked.character.is_some() != known.character.is_some(),
            How::Initials | How::Torn => true,
            How::Joined => {
                let word = if pair.asked.len() == 1 { &asked } else { &known };
                given_names::is_real(&word.text)
            }
            // Names differ by one letter as easily as words are mistyped.
            How::Typo => family == Family::Person || !is_slip(&asked.text, &known.text),
            // Mendes and Mendez are two different families.
            How::Initial | How::Sound | How::Nickname | How::Variant => family == Family::Person,
            // The main railway station is not the railway: Bahn, Bahnhof.
            How::Longer => true,
            How::SpelledOut => false,
        }
    }
}
