//! Estimates how many tokens a text has.
//!
//! The estimate is rough on purpose: every model counts differently, and a budget only has to keep
//! an answer from overwhelming its reader. It imitates how common tokenizers split texts, with the
//! figures of the one that needs most tokens (GPT-4's `cl100k`; later ones need about half as many
//! for most scripts), so that it is rather too high than too low.

/// Returns the approximate number of tokens of a text.
pub fn tokens(text: &str) -> usize {
    let mut kinds = text.chars().map(Kind::of).peekable();
    let (mut hundredths, mut before) = (0_usize, Kind::Blank);
    while let Some(kind) = kinds.next() {
        let mut length = 1;
        while kinds.next_if_eq(&kind).is_some() {
            length += 1;
        }
        let beside = [before, kinds.peek().copied().unwrap_or(Kind::Blank)];
        hundredths += kind.cost(length, beside);
        before = kind;
    }
    hundredths.div_ceil(100)
}

/// The kind of characters in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// ASCII letters.
    Letter,
    /// Other Latin letters.
    Accented,
    Digit,
    /// Spaces: a single one is part of the token of the following word.
    Blank,
    /// Other ASCII characters: punctuation, line breaks, symbols of programs.
    Sign,
    /// Anything else, with the cost per character in hundredths of a token.
    Other(usize),
}

/// The length of a common word, which is one token.
const USUAL: usize = 5;

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            ' ' => Self::Blank,
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            '\0'..='\x7f' => Self::Sign,
            '\u{C0}'..='\u{24F}' | '\u{300}'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}' => {
                Self::Accented
            }
            _ => Self::Other(cost_of(u32::from(letter))),
        }
    }

    /// Returns the cost of a run, in hundredths of a token.
    fn cost(self, length: usize, beside: [Self; 2]) -> usize {
        match self {
            // Letters next to digits are parts of ids rather than words.
            Self::Letter if beside.contains(&Self::Digit) => (60 * length).max(100),
            // Words with letters beyond ASCII are less common in tokenizers.
            Self::Letter if beside.contains(&Self::Accented) => 35 * length,
            Self::Letter => 100 + 30 * length.saturating_sub(USUAL),
            Self::Accented => 150 * length,
            Self::Digit | Self::Sign => 100 * length.div_ceil(3),
            Self::Blank => 100 * usize::from(length > 1),
            Self::Other(cost) => cost * length,
        }
    }
}

/// The cost per character by script, in hundredths of a token, measured on the interface texts of a
/// program with many translations. Each entry is the last code point of a range and the cost within
/// it.
const SCRIPTS: [(u32, usize); 22] = [
    (0x036F, 150), // combining marks and modifiers beside Latin
    (0x03FF, 110), // Greek
    (0x040F, 300), // Cyrillic that Russian lacks: its languages cost more in general
    (0x044F, 60),  // Cyrillic
    (0x052F, 300),
    (0x058F, 220), // Armenian
    (0x05FF, 125), // Hebrew
    (0x08FF, 95),  // Arabic
    (0x097F, 130), // Devanagari
    (0x09FF, 155), // Bengali
    (0x0DFF, 205), // scripts of southern India
    (0x0E7F, 100), // Thai
    (0x10FF, 220), // Tibetan, Burmese, Georgian
    (0x11FF, 200), // part of Hangul
    (0x1FFF, 180), // Khmer, Mongolian
    (0x206F, 100), // quotes and dashes
    (0x2FFF, 200), // symbols
    (0x30FF, 100), // kana
    (0x33FF, 200),
    (0x9FFF, 150), // Han
    (0xABFF, 200),
    (0xD7FF, 155), // Hangul
];
/// The cost of rare characters: emoji, historic scripts.
const RARE: usize = 250;

fn cost_of(code: u32) -> usize {
    SCRIPTS.iter().find(|(last, _)| code <= *last).map_or(RARE, |(_, cost)| *cost)
}

/// Returns how many of the texts, in order, fit into the budget. The first one always counts as
/// fitting, because an empty answer helps nobody.
pub fn that_fit(costs: impl IntoIterator<Item = usize>, budget: usize) -> usize {
    let mut spent = 0_usize;
    let mut fitting = 0_usize;
    for cost in costs {
        spent = spent.saturating_add(cost);
        if spent > budget && fitting > 0 {
            break;
        }
        fitting += 1;
    }
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_tokens_and_ids_are_many() {
        assert_eq!((tokens(""), tokens("word"), tokens("two words")), (0, 1, 2));
        assert_eq!(tokens("consists of letters, numbers"), 8);
        assert_eq!(tokens("龍の道"), 4);
    }

    /// Sentences with their token counts in `cl100k` and `o200k`.
    const COUNTED: [(&str, usize, usize); 14] = [
        (
            "The bridge at Millbrook was washed away in the spring flood, so caravans take the northern road.",
            22,
            21,
        ),
        (
            "{\"source\":\"experience\",\"id\":\"exp_agq6znu5hr2jbi462pst6zfmmq\",\"type\":\"pattern\",\"content\":\"\",\"confidence\":\"medium\",\"relevance\":1.0,\"score\":1.1633}",
            49,
            49,
        ),
        (
            "Мост у мельницы смыло весенним паводком, поэтому караваны идут северной дорогой.",
            44,
            24,
        ),
        ("Міст біля млина змило весняною повінню, тому каравани йдуть північною дорогою.", 46, 30),
        (
            "Die Brücke an der Mühle wurde vom Hochwasser im Frühling weggerissen, deshalb ziehen die Karawanen auf der Nordstraße.",
            36,
            29,
        ),
        (
            "Most przy młynie został zmyty przez wiosenną powódź, dlatego karawany jadą północną drogą.",
            36,
            29,
        ),
        (
            "Η γέφυρα στον μύλο παρασύρθηκε από την ανοιξιάτικη πλημμύρα και τα καραβάνια παίρνουν τον βόρειο δρόμο.",
            91,
            44,
        ),
        ("الجسر عند الطاحونة جرفه فيضان الربيع، لذلك تسلك القوافل الطريق الشمالي.", 51, 24),
        ("הגשר ליד הטחנה נסחף בשיטפון האביב ולכן השיירות נוסעות בדרך הצפונית.", 70, 26),
        ("चक्की के पास का पुल वसंत की बाढ़ में बह गया, इसलिए कारवाँ उत्तरी सड़क से जाते हैं।", 80, 28),
        ("水車小屋のそばの橋は春の洪水で流されたので、隊商は北の道を通る。", 39, 29),
        ("磨坊旁边的桥被春天的洪水冲走了，所以商队走北边的路。", 39, 24),
        ("방앗간 옆의 다리가 봄 홍수에 떠내려가서 상단은 북쪽 길로 다닌다.", 43, 30),
        ("สะพานข้างโรงสีถูกน้ำท่วมในฤดูใบไม้ผลิพัดไป กองคาราวานจึงใช้ถนนทางเหนือ", 69, 34),
    ];

    #[test]
    fn an_estimate_is_hardly_below_what_tokenizers_count_and_not_far_above() {
        for (text, hungry, modest) in COUNTED {
            let (estimate, most) = (tokens(text), hungry.max(modest));
            let fair = 95 * most..=135 * most;
            assert!(fair.contains(&(100 * estimate)), "{estimate} for {most}: {text}");
        }
    }

    #[test]
    fn what_fits_is_a_prefix_and_never_empty() {
        assert_eq!(that_fit([5, 5, 5], 10), 2);
        assert_eq!(that_fit([50, 1], 10), 1);
        assert_eq!(that_fit([], 10), 0);
    }
}
