//! Irregular English forms that a stemmer does not reduce to their base.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The base of an irregular form: `went` → `go`, `mice` → `mouse`.
pub(super) fn base(form: &str) -> Option<&'static str> {
    BASES.get(form).copied()
}

static BASES: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut bases = FxHashMap::default();
    for line in FORMS.lines() {
        let mut words = line.split_whitespace();
        if let Some(base) = words.next() {
            bases.extend(words.map(|form| (form, base)));
        }
    }
    bases
});

/// Each line has a base followed by its forms. Forms that are more often words of their own
/// ("lives" of "life", "wound", "ground") are left out.
const FORMS: &str = "
arise arose arisen
awake awoke awoken
bear bore borne
beat beaten
become became
begin began begun
bend bent
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
dwell dwelt
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fling flung
fly flew flown flies
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
forsake forsook forsaken
freeze froze frozen
get got gotten
give gave given
go went gone goes
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
lean leant
leap leapt
learn learnt
leave left
lend lent
lie lain lying
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
overtake overtook overtaken
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shear shorn
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
slay slew slain
sleep slept
slide slid
smell smelt
sow sown
speak spoke spoken
speed sped
spend spent
spill spilt
spin spun
spit spat
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stink stank stunk
stride strode stridden
strike struck stricken
string strung
strive strove striven
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
thrive throve
throw threw thrown
tread trod trodden
understand understood
undertake undertook undertaken
undo undid undone
uphold upheld
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
withhold withheld
withstand withstood
wring wrung
write wrote written
die dying died dies
tie tying
child children
man men
woman women
person people
foot feet
tooth teeth
goose geese
mouse mice
ox oxen
wife wives
knife knives
wolf wolves
elf elves
dwarf dwarves
thief thieves
shelf shelves
loaf loaves
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_is_listed_under_two_bases() {
        let listed: usize = FORMS.lines().map(|line| line.split_whitespace().skip(1).count()).sum();
        assert_eq!(BASES.len(), listed);
    }

    #[test]
    fn forms_lead_to_bases_that_are_not_forms_themselves() {
        let loops: Vec<_> = BASES.values().filter(|base| BASES.contains_key(**base)).collect();
        assert!(loops.is_empty(), "{loops:?}");
    }
}
