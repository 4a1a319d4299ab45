//! A fingerprint of a text.

/// Equal for texts that differ only in whitespace, and almost never for others. 0 is the
/// fingerprint of an empty text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Print(pub(super) u32);

impl Print {
    /// Computes the fingerprint of a text.
    pub(crate) fn of(text: &str) -> Self {
        // FNV-1a, because stored fingerprints must mean the same in every version.
        const START: u32 = 0x811C_9DC5;
        const PRIME: u32 = 0x0100_0193;
        let words = text.split_whitespace().flat_map(|word| word.bytes().chain([b' ']));
        let print = words.fold(START, |print, byte| (print ^ u32::from(byte)).wrapping_mul(PRIME));
        Self(if print == START { 0 } else { print })
    }

    /// Whether both belong to the same text, which is not empty.
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
