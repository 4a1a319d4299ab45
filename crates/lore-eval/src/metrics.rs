//! The quality of a ranking.

use std::collections::HashSet;

/// The scores of one question, or their mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Scores {
    /// The share of the gold texts among the first 5, 10 and 20 results.
    pub(crate) recall: [f64; CUTS.len()],
    /// The reciprocal rank of the first gold text.
    pub(crate) reciprocal_rank: f64,
    /// The normalised discounted cumulative gain of the first ten results.
    pub(crate) ndcg: f64,
}

/// The cutoffs of [`Scores::recall`].
pub(crate) const CUTS: [usize; 3] = [5, 10, 20];

/// Scores a ranking by the gold texts, which should have been found.
pub(crate) fn score(ranking: &[String], gold: &[String]) -> Scores {
    let gold: HashSet<&String> = gold.iter().collect();
    if gold.is_empty() {
        return Scores::default();
    }
    let wanted = gold.len() as f64;
    let found = |cut: usize| ranking.iter().take(cut).filter(|id| gold.contains(id)).count() as f64;
    let first = ranking.iter().position(|id| gold.contains(id));
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let hits = ranking.iter().take(10).enumerate().filter(|(_, id)| gold.contains(id));
    let best: f64 = (0..gold.len().min(10)).map(gain).sum();
    Scores {
        recall: CUTS.map(|cut| found(cut) / wanted),
        reciprocal_rank: first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0)),
        ndcg: hits.map(|(rank, _)| gain(rank)).sum::<f64>() / best,
    }
}

/// Returns the mean of the scores of many questions.
pub(crate) fn mean(scores: &[Scores]) -> Scores {
    let count = scores.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Scores) -> f64| scores.iter().map(of).sum::<f64>() / count;
    let mut sums = [0.0; CUTS.len()];
    for one in scores {
        for (sum, value) in sums.iter_mut().zip(one.recall) {
            *sum += value;
        }
    }
    Scores {
        recall: sums.map(|sum| sum / count),
        reciprocal_rank: mean(&|one| one.reciprocal_rank),
        ndcg: mean(&|one| one.ndcg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_perfect_ranking_scores_one() {
        let scores = score(&ids("a b c"), &ids("b a"));
        assert_eq!((scores.recall, scores.reciprocal_rank), ([1.0; 3], 1.0));
        assert!((scores.ndcg - 1.0).abs() < 1e-12);
    }

    #[test]
    fn late_hits_count_less() {
        let scores = score(&ids("x x x x x a"), &ids("a b"));
        assert_eq!(scores.recall, [0.0, 0.5, 0.5]);
        assert!((scores.reciprocal_rank - 1.0 / 6.0).abs() < 1e-12);
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        assert!((scores.ndcg - (1.0 / 7.0_f64.log2()) / ideal).abs() < 1e-12);
    }

    #[test]
    fn the_mean_of_nothing_is_nothing() {
        assert_eq!(mean(&[]), Scores::default());
        let half = mean(&[score(&ids("a"), &ids("a")), score(&ids("b"), &ids("a"))]);
        assert_eq!((half.recall, half.ndcg), ([0.5; 3], 0.5));
    }
}
