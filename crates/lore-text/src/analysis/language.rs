//! The function words of languages other than English: articles, pronouns, auxiliaries.
//!
//! The index keeps them, because a text does not say for certain which language it is in, and many
//! of them mean something elsewhere: *die*, *war*, *sin*, *come*. Only where a question is
//! recognisably in one of these languages do they say as little as "the" and "which" do in English.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Word, fold, stop, words};

/// A language other than English whose function words are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(u8);

impl Language {
    /// The language of a question. `None` if it is English or an unknown one, or if too little
    /// tells.
    pub fn of(question: &str) -> Option<Self> {
        let said = said(question);
        let languages = (0..LANGUAGES.len()).map(|number| Self(1 << number));
        let evident = languages.map(|language| (evidence(&said, language), language));
        // Of languages with as much evidence, the first.
        let best = evident.rev().max_by_key(|(evidence, _)| *evidence);
        best.filter(|(evidence, _)| *evidence >= ENOUGH).map(|(_, language)| language)
    }

    /// Where its function words begin in a question, in bytes.
    pub fn function_words(self, question: &str) -> Vec<usize> {
        let said = said(question).into_iter().filter(|word| word.is_in(self));
        said.map(|word| word.start).collect()
    }
}

/// Longer questions are texts; their beginning tells the language.
const MOST_WORDS: usize = 200;
/// The evidence from which on a question counts as being in a language.
const ENOUGH: usize = 3;

/// A word of a question that may be a function word.
struct Said {
    folded: String,
    start: usize,
    /// The languages it is a function word of, as bits.
    languages: u8,
    is_english: bool,
}

impl Said {
    fn is_in(&self, language: Language) -> bool {
        self.languages & language.0 != 0
    }

    /// How much it tells of its language: most words nothing else can be mistaken for.
    fn tells(&self) -> usize {
        let word = self.folded.as_str();
        if ENGLISH_TOO.contains(&word) || IN_NAMES.contains(&word) { 1 } else { 2 }
    }
}

fn said(question: &str) -> Vec<Said> {
    let read = |(number, word): (usize, Word<'_>)| {
        let mut folded = String::new();
        fold(word.surface, &mut folded);
        let languages = WORDS.get(folded.as_str()).copied().unwrap_or_default();
        let languages = if number > 0 && is_name(word.surface) { 0 } else { languages };
        let is_english = stop::is_stop(word.surface, &folded);
        Said { folded, start: word.start, languages, is_english }
    };
    words(question).take(MOST_WORDS).enumerate().map(read).collect()
}

/// Whether a word within a question is written as a name. The polite German pronouns are none.
fn is_name(surface: &str) -> bool {
    const POLITE: [&str; 8] = ["Sie", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer", "Ihnen", "Du"];
    surface.starts_with(char::is_uppercase)
        && surface.contains(char::is_lowercase)
        && !POLITE.contains(&surface)
}

/// How much tells that a question is in a language; 0 if as much tells that it is in English.
fn evidence(said: &[Said], language: Language) -> usize {
    let mut seen = FxHashSet::default();
    let mut found: Vec<&Said> = said.iter().filter(|word| word.is_in(language)).collect();
    found.retain(|word| seen.insert(word.folded.as_str()));
    let english = said.iter().filter(|word| word.is_english && !word.is_in(language)).count();
    let is_foreign = found.iter().any(|word| !ENGLISH_TOO.contains(&word.folded.as_str()));
    match is_foreign && found.len() > 2 * english {
        true => found.iter().map(|word| word.tells()).sum(),
        false => 0,
    }
}

/// The languages of each function word, as bits.
static WORDS: LazyLock<FxHashMap<&'static str, u8>> = LazyLock::new(|| {
    let mut languages = FxHashMap::default();
    for (number, list) in LANGUAGES.iter().enumerate() {
        for word in list.split_whitespace() {
            *languages.entry(word).or_default() |= 1 << number;
        }
    }
    languages
});

/// Function words that are also English words, so that they tell little of a language.
const ENGLISH_TOO: [&str; 128] = [
    "a", "ai", "al", "am", "an", "as", "ate", "ben", "bent", "bin", "c", "car", "ci", "com",
    "come", "comment", "con", "cosa", "d", "dan", "de", "den", "des", "die", "dies", "door",
    "dove", "ed", "elk", "em", "en", "era", "ero", "es", "eu", "fra", "fu", "fur", "ha", "had",
    "has", "hat", "hay", "he", "heel", "hem", "hen", "hoe", "hun", "i", "in", "io", "is", "j",
    "kan", "l", "las", "lei", "les", "m", "ma", "mag", "mal", "man", "mas", "me", "men", "mes",
    "met", "mi", "mia", "n", "ni", "no", "non", "num", "nun", "of", "on", "ons", "op", "or",
    "over", "par", "pas", "pendant", "per", "plus", "pode", "pour", "pues", "s", "sans", "sea",
    "sei", "sera", "si", "sin", "sino", "so", "son", "sous", "soy", "sue", "sur", "t", "te",
    "tens", "tes", "ton", "tot", "tout", "tu", "tue", "u", "vi", "want", "war", "wart", "was",
    "wat", "we", "wil", "will", "word", "ya", "yo", "zelf",
];

/// Function words that often stand in names, as in *Rio de la Plata*.
const IN_NAMES: [&str; 22] = [
    "da", "das", "del", "della", "der", "di", "do", "dos", "du", "e", "el", "het", "il", "la",
    "le", "los", "o", "un", "van", "von", "y", "zu",
];

// Folded. Of verbs, only auxiliaries and their like, as in the English list.
const LANGUAGES: [&str; 6] = [GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];

const GERMAN: &str = "
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
    dieser diese dieses diesen diesem dies jener jene jenes jenen jenem derjenige
    ich du er sie es wir ihr mich mir dich dir ihn ihm ihnen uns euch sich man
    mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines
    sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres
    unser unsere unseren unserem unserer unseres euer eure euren eurem eurer
    bin bist ist sind seid war warst waren wart gewesen sei waere ware
    habe hast hat haben habt hatte hattest hatten hattet gehabt
    werde wirst wird werden werdet wurde wurdest wurden wurdet worden geworden
    kann kannst konnen konnt konnte konnten muss musst mussen musste mussten
    soll sollst sollen sollte sollten darf darfst durfen durfte will willst wollen wollte wollten
    mochte mochten mag
    und oder aber denn weil wenn als ob dass damit obwohl sondern
    in im an am auf aus bei beim bis durch fur gegen mit nach ohne seit uber um unter von vom vor
    zu zum zur zwischen
    was wer wen wem wessen wie wo wann warum wieso weshalb woher wohin womit wofur worauf woran
    wovon wozu wogegen welche welcher welches welchen welchem
    hier da dort nicht nichts auch nur noch schon so sehr mal doch eigentlich nun ja
    alle alles allem allen beide jeder jede jedes mehr etwas
";

const FRENCH: &str = "
    le la les l un une des du de d au aux ce cet cette ces c
    je j tu il elle on nous vous ils elles me m te t se s lui leur leurs moi toi eux y en
    mon ma mes ton ta tes son sa ses notre nos votre vos
    suis es est sommes etes sont etais etait etions etaient ete etre sera serait
    ai as a avons avez ont avais avait avions avaient eu avoir aura aurait
    dois doit devons devez doivent devait devrais devrait
    peux peut pouvons pouvez peuvent pouvait pourrais pourrait
    et ou mais donc or ni car si que qu qui quoi dont
    dans par pour avec sans sur sous entre vers chez avant apres depuis pendant contre
    quel quelle quels quelles quand comment combien pourquoi lequel laquelle
    ne n pas plus tres aussi deja encore ici ainsi
    tout tous toute toutes meme memes autre autres
";

const SPANISH: &str = "
    el la los las lo un una unos unas al del de
    yo tu usted ustedes nosotros vosotros ellos ellas ella me te se nos os le les mi mis tus su sus
    nuestro nuestra nuestros nuestras vuestro vuestra mio mia suyo suya
    este esta estos estas ese esa esos esas eso esto aquel aquella
    soy eres es somos son era eras eran fui fue fueron sido ser sea seria
    estoy estamos estan estaba estaban estuve estuvo estar
    he has ha hemos han habia habian hubo haber hay haya
    tengo tienes tiene tenemos tienen tenia tuve tuvo tener
    puedo puedes puede podemos pueden podia podria debo debes debe debemos deben deberia
    y e o u pero sino porque pues si ni
    en con por para sin sobre entre desde hasta hacia segun contra
    que quien quienes cual cuales cuando donde adonde como cuanto cuanta cuantos cuantas cuyo
    no muy mas tambien ya aqui alli ahi todo toda todos todas otro otra otros otras mismo misma
";

const ITALIAN: &str = "
    il lo la i gli le l un uno una del dello della dei degli delle d di al allo alla ai agli alle
    dal dallo dalla dai nel nello nella nei negli nelle sul sullo sulla sui
    io tu lui lei noi voi loro mi ti ci vi si ne me te se
    mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra
    questo questa questi queste quello quella quelli quelle quel
    sono sei e siamo siete era ero erano fu stato stata stati essere sia sarebbe
    ho hai ha abbiamo avete hanno aveva avevo avevano avuto avere
    posso puoi puo possiamo possono potrebbe devo devi deve dobbiamo devono dovrebbe
    ed o ma perche
    in a da con su per tra fra senza sopra sotto verso dopo prima contro
    che chi cosa cui quale quali quando dove come quanto quanta quanti quante cos dov qual
    non piu molto anche gia ancora qui ogni tutto tutta tutti tutte altro altra altri altre stesso
";

const PORTUGUESE: &str = "
    o a os as um uma uns umas do da dos das de no na nos nas num numa ao aos pelo pela pelos pelas
    eu tu ele ela eles elas voce voces me te se lhe lhes
    meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas
    este esta estes estas esse essa esses essas isso isto aquele aquela aquilo
    sou es e somos sao era eram fui foi foram sido ser seja seria
    estou estamos estao estava estavam esteve estar
    tenho tens tem temos tinha tinham teve ter hei ha havia houve haver
    posso pode podemos podem podia poderia devo deve devemos devem deveria
    mas ou porque pois nem
    em com por para sem sobre entre desde ate apos contra
    que quem qual quais quando onde como quanto quanta quantos quantas
    nao muito mais tambem ja aqui ali la todo toda todos todas outro outra outros outras mesmo
";

const DUTCH: &str = "
    de het een
    ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun zich men
    mijn jouw uw zijn onze
    deze dit die dat
    ben bent is was waren geweest
    heb hebt heeft hebben had hadden gehad
    word wordt worden werd werden geworden
    kan kunt kunnen kon konden moet moeten moest mag mogen zal zult zullen zou zouden wil wilt willen
    en of maar want dan als omdat terwijl hoewel
    in op aan van voor met bij naar uit over door om tot tegen zonder onder tussen sinds te
    wat wie wiens waar wanneer waarom hoe hoeveel welke welk waarmee waarheen
    niet niets geen ook nog al wel er hier daar zo zeer heel toch
    alle alles elk elke andere zelf iets
";

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that are left.
    fn left(question: &str) -> String {
        let language = Language::of(question);
        let function = language.map(|one| one.function_words(question)).unwrap_or_default();
        let kept = words(question).filter(|word| !function.contains(&word.start));
        kept.map(|word| word.surface).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn function_words_of_a_question_are_told_by_its_language() {
        for (question, expected) in [
            ("Wo habe ich den Code?", "Code"),
            ("wo ist der code", "code"),
            ("Wer hat die Bundestagswahl gewonnen?", "Bundestagswahl gewonnen"),
            ("Was war mit dem Auto?", "Auto"),
            ("Wo haben Sie den Code?", "Code"),
            ("¿Qué código tengo?", "código"),
            ("¿Dónde está la llave?", "llave"),
            ("Quel code est-ce que je dois utiliser ?", "code utiliser"),
            ("Où est-ce que j'ai mis le code ?", "mis code"),
            ("Dove ho messo la chiave?", "messo chiave"),
            ("Onde está a chave do carro?", "chave carro"),
            ("Waar heb ik de sleutel van het huis?", "sleutel huis"),
        ] {
            assert_eq!(left(question), expected, "{question}");
        }
    }

    #[test]
    fn words_of_other_questions_all_stay() {
        for question in [
            "Where did the war die in her hat?",
            "die hard war hat",
            "how many die in the war",
            "sin and son come to an era",
            "La La Land",
            "Rio de la Plata",
            "van der Berg war",
            "los angeles",
            "des moines",
            "Who wrote La vie est belle?",
            "What does the word sein mean?",
            "Code",
            "Привет мир",
            "",
        ] {
            let all = words(question).map(|word| word.surface).collect::<Vec<_>>().join(" ");
            assert_eq!(left(question), all, "{question}");
        }
    }

    #[test]
    fn names_within_a_question_stay() {
        assert_eq!(left("Was hat die Mia mit Will gemacht?"), "Mia Will gemacht");
        assert_eq!(left("Wo liegt das Land Uns?"), "liegt Land Uns");
    }

    #[test]
    fn lists_are_folded() {
        let all = LANGUAGES.iter().flat_map(|list| list.split_whitespace());
        let mut all = all.chain(ENGLISH_TOO).chain(IN_NAMES);
        assert!(all.all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
        assert!(ENGLISH_TOO.iter().chain(&IN_NAMES).all(|word| WORDS.contains_key(word)));
    }
}
