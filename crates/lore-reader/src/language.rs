//! Detects the language of a text by its most common words.

/// Returns the language code; `None` if the text is too short or in no known language.
pub fn language(text: &str) -> Option<&'static str> {
    let mut counts = [0_usize; LANGUAGES.len()];
    let mut words = 0_usize;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(2000)
    {
        words += 1;
        let word = word.to_lowercase();
        for (count, (_, common)) in counts.iter_mut().zip(LANGUAGES) {
            *count += usize::from(common.split(' ').any(|other| other == word));
        }
    }
    let mut ranked: Vec<_> =
        counts.iter().zip(LANGUAGES).map(|(count, (code, _))| (*count, code)).collect();
    ranked.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match ranked.as_slice() {
        // At least one word in ten, and clearly more than for the next language.
        [(best, code), (next, _), ..]
            if words >= 10 && best * 10 >= words && best * 4 > next * 5 =>
        {
            Some(code)
        }
        _ => None,
    }
}

/// Language codes, each with very common words of the language.
const LANGUAGES: [(&str, &str); 7] = [
    (
        "en",
        "the of and to in is that for it was with as be on by not are this from have or an they which",
    ),
    (
        "de",
        "der die und das ist nicht ein eine zu den mit auf für von dem sich des auch es wird im sind",
    ),
    (
        "fr",
        "le la les et des est une du dans que pour qui pas sur au avec ce il sont par plus aux cette",
    ),
    (
        "es",
        "el los las y que del se una por con para es no su al lo como más pero sus este está son",
    ),
    (
        "it",
        "il di che è la per un una non sono con del della le si da dei come più anche alla nel gli",
    ),
    (
        "pt",
        "o os as e que do da não uma um para com em dos por mais se na no ao como foi são à pelo",
    ),
    (
        "nl",
        "de het een en van ik te dat die in is niet op aan met voor zijn er maar om ook als bij wordt",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_show_their_language() {
        let cases = [
            (
                "The keeper of the old mill was not at home, and the river ran over the weir with a roar.",
                "en",
            ),
            (
                "Der Müller der alten Mühle war nicht zu Hause, und das Wasser lief mit großem Lärm über das Wehr.",
                "de",
            ),
            (
                "Le gardien du vieux moulin est parti avec les enfants dans la forêt pour une journée de marche.",
                "fr",
            ),
            (
                "El molino del pueblo está junto al río y los niños juegan con las piedras que hay en la orilla.",
                "es",
            ),
            (
                "Il mulino del paese è vicino al fiume e i bambini non sono più nel cortile della scuola con gli altri.",
                "it",
            ),
            (
                "De molen van het dorp is niet ver van de rivier en de kinderen spelen er met een bal op het gras.",
                "nl",
            ),
        ];
        for (text, code) in cases {
            assert_eq!(language(text), Some(code), "{text}");
        }
    }

    #[test]
    fn doubt_is_admitted() {
        for text in [
            "",
            "Mill",
            "Xyzzy plugh frobnicate grue lantern dwarf axe bird rod cage bottle",
            "漢字かな交じり文",
        ] {
            assert_eq!(language(text), None, "{text}");
        }
    }
}
