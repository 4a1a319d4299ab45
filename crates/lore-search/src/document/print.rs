//! A number that a text is known again by.

/// The same for texts that differ in nothing but blanks, and hardly ever for others. None is that
/// of no text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Print(pub(super) u32);

impl Print {
    /// The print of a text.
    pub(crate) fn of(text: &str) -> Self {
        // FNV-1a: stored prints must mean the same in every version.
        const START: u32 = 0x811C_9DC5;
        const PRIME: u32 = 0x0100_0193;
        let words = text.split_whitespace().flat_map(|word| word.bytes().chain([b' ']));
        let print = words.fold(START, |print, byte| (print ^ u32::from(byte)).wrapping_mul(PRIME));
        Self(if print == START { 0 } else { print })
    }

    /// Whether both are of the same text.
    pub(crate) fn is_of(self, other: Self) -> bool {
        self == other && self != Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Print;

    #[test]
    fn texts_are_known_again_whatever_their_blanks() {
        assert!(Print::of("The bridge\n fell. ").is_of(Print::of("The bridge fell.")));
        assert!(!Print::of("8 May: it fell").is_of(Print::of("[8 May] it fell")));
        assert!(!Print::of("ab c").is_of(Print::of("a bc")));
        assert!(!Print::of("").is_of(Print::of(" ")));
    }
}
