//! What a text costs a language model, roughly.
//!
//! An estimate on purpose: every model counts differently, and a budget only has to keep an
//! answer from drowning its reader.

/// About how many tokens a text has: four plain letters make one, other signs cost more.
pub fn tokens(text: &str) -> usize {
    let (plain, other) = text.chars().fold((0_usize, 0_usize), |(plain, other), c| {
        if c.is_ascii() { (plain + 1, other) } else { (plain, other + 1) }
    });
    (plain + 3 * other).div_ceil(4)
}

/// How many of the texts, in order, fit into the budget. The first always does: an answer that
/// leaves everything out helps nobody.
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
    fn four_plain_letters_are_a_token_and_a_foreign_sign_nearly_one() {
        assert_eq!((tokens(""), tokens("abcd"), tokens("abcde")), (0, 1, 2));
        assert_eq!(tokens("龍の道"), 3);
    }

    #[test]
    fn what_fits_is_a_prefix_and_never_empty() {
        assert_eq!(that_fit([5, 5, 5], 10), 2);
        assert_eq!(that_fit([50, 1], 10), 1);
        assert_eq!(that_fit([], 10), 0);
    }
}
