//! Measures how much a prefilter by the signs of vectors keeps: `cargo run --release -p lore-search
//! --example prefilter`.
//!
//! Two choices are based on this measurement with the real embedding table. First, which share of
//! similar words (cosine 0.4 and more) differ in at most so many of 256 signs. Second, which share
//! of the ten texts nearest to a question are among the texts whose signs agree most, for different
//! numbers of signs and of texts kept.

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a command for people, over data it made itself"
)]

use lore_text::table::{self, DIMENSIONS};
use lore_text::wordpiece::{pieces_of_word, whole_words};

const WORDS: usize = 6_000;
const TEXTS: usize = 20_000;
const QUESTIONS: usize = 60;

type Vector = [f32; DIMENSIONS];

fn main() {
    let words: Vec<&str> =
        whole_words().map(|(word, _)| word).filter(|word| word.len() > 2).collect();
    measure_words(&words);
    measure_texts(&words);
}

fn measure_words(words: &[&str]) {
    let vectors: Vec<Vector> = words.iter().take(WORDS).map(|word| meaning(&[word])).collect();
    let signs: Vec<[u64; 4]> = vectors.iter().map(signs).collect();
    let (mut alike, mut all) = ([0_u64; 257], [0_u64; 257]);
    for one in (0..WORDS).step_by(7) {
        for other in (0..WORDS).filter(|other| *other != one) {
            let differ = distance(&signs[one], &signs[other], 4);
            all[differ] += 1;
            alike[differ] += u64::from(dot(&vectors[one], &vectors[other]) >= 0.4);
        }
    }
    println!(
        "words: signs that may differ, share of like words kept, share of all words looked at"
    );
    for most in [96, 104, 112, 120] {
        println!("{most:>6} {:>8.4} {:>8.4}", share(&alike, most), share(&all, most));
    }
}

fn measure_texts(words: &[&str]) {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut text = |length: usize| -> Vec<&str> {
        // Common words are drawn more often than rare ones.
        (0..length).map(|_| words[(random.next().powi(3) * words.len() as f64) as usize]).collect()
    };
    let texts: Vec<Vec<&str>> = (0..TEXTS).map(|number| text(6 + number % 20)).collect();
    let vectors: Vec<Vector> = texts.iter().map(|text| meaning(text)).collect();
    let bits: Vec<[u64; 4]> = vectors.iter().map(signs).collect();
    println!("texts: signs, texts kept of {TEXTS}, share of the ten nearest kept");
    let questions: Vec<Vector> = (0..QUESTIONS)
        .map(|number| {
            let mut asked: Vec<&str> =
                texts[number * 331 % TEXTS].iter().copied().take(3).collect();
            asked.extend(text(3));
            meaning(&asked)
        })
        .collect();
    for width in [1, 2, 4] {
        for kept in [500, 1_500, 4_000] {
            let found: usize =
                questions.iter().map(|asked| survivors(asked, &vectors, &bits, width, kept)).sum();
            let share = found as f64 / (QUESTIONS * 10) as f64;
            println!("{:>6} {kept:>8} {share:>8.4}", width * 64);
        }
    }
}

/// Returns how many of the ten nearest texts are among the `kept` whose signs agree most.
fn survivors(
    asked: &Vector,
    vectors: &[Vector],
    bits: &[[u64; 4]],
    width: usize,
    kept: usize,
) -> usize {
    let own = signs(asked);
    let mut by_signs: Vec<usize> = (0..vectors.len()).collect();
    by_signs.sort_by_key(|number| distance(&own, &bits[*number], width));
    let mut nearest: Vec<usize> = (0..vectors.len()).collect();
    nearest.sort_by(|a, b| dot(asked, &vectors[*b]).total_cmp(&dot(asked, &vectors[*a])));
    nearest.iter().take(10).filter(|number| by_signs[..kept].contains(number)).count()
}

fn meaning(words: &[&str]) -> Vector {
    let mut sum = [0.0; DIMENSIONS];
    for piece in words.iter().flat_map(|word| pieces_of_word(word)) {
        table::add_row(piece, 1.0, &mut sum);
    }
    let norm = dot(&sum, &sum).sqrt().max(f32::MIN_POSITIVE);
    sum.map(|value| value / norm)
}

fn signs(vector: &Vector) -> [u64; 4] {
    let mut bits = [0; 4];
    for (at, value) in vector.iter().enumerate() {
        bits[at / 64] |= u64::from(*value > 0.0) << (at % 64);
    }
    bits
}

fn distance(a: &[u64; 4], b: &[u64; 4], words: usize) -> usize {
    a.iter().zip(b).take(words).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
}

fn dot(a: &Vector, b: &Vector) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn share(histogram: &[u64], most: usize) -> f64 {
    histogram[..=most].iter().sum::<u64>() as f64 / histogram.iter().sum::<u64>().max(1) as f64
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
