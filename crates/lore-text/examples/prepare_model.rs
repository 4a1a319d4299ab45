//! Writes the data files in `crates/lore-text/model` from the distilled model.
//!
//! `cargo run --release -p lore-text --example prepare_model -- <model> <out>`, where `<model>` is
//! a folder with model2vec's `tokenizer.json` and `model.safetensors` (int8). The table is changed
//! in two steps:
//!
//! 1. The mean row and the two strongest principal directions are subtracted. All words have them
//!    in common, so they would make all texts look alike.
//! 2. Each row is stored as int8 with its own scale, so that the rows of common words, which are
//!    short in the model, keep their precision.
//!
//! The vocabulary is written with one token per line, in the order of the rows.

#![allow(clippy::print_stdout, reason = "a command for people")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

const DIMENSIONS: usize = 256;
const REMOVED_DIRECTIONS: usize = 2;

type Row = Vec<f64>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(model), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: prepare_model <model folder> <output folder>".into());
    };
    let (model, out) = (Path::new(&model), Path::new(&out));
    let tokens = vocabulary(&fs::read(model.join("tokenizer.json"))?)?;
    let mut rows = table(&fs::read(model.join("model.safetensors"))?)?;
    if tokens.len() != rows.len() {
        return Err("the vocabulary and the table differ in length".into());
    }
    subtract_mean(&mut rows);
    for _ in 0..REMOVED_DIRECTIONS {
        let direction = strongest_direction(&rows);
        rows.iter_mut().for_each(|row| remove(row, &direction));
    }
    fs::write(out.join("vocabulary.txt"), tokens.join("\n") + "\n")?;
    fs::write(out.join("table.bin"), quantise(&rows))?;
    println!("{} tokens of {DIMENSIONS} dimensions", rows.len());
    Ok(())
}

/// Parses the vocabulary: the tokens in the order of their numbers.
fn vocabulary(json: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
    let json: Value = serde_json::from_slice(json)?;
    let entries = json.pointer("/model/vocab").and_then(Value::as_object).ok_or("no vocabulary")?;
    let mut tokens: Vec<_> =
        entries.iter().map(|(token, number)| (number.as_u64(), token.clone())).collect();
    tokens.sort();
    let gapless = tokens.iter().zip(0..).all(|((number, _), expected)| *number == Some(expected));
    if !gapless || tokens.iter().any(|(_, token)| token.contains(char::is_whitespace)) {
        return Err("tokens must be numbered without gaps and hold no blanks".into());
    }
    Ok(tokens.into_iter().map(|(_, token)| token).collect())
}

/// Parses a safetensors file with one tensor: the length of the header in 8 bytes, the header, and
/// the numbers.
fn table(bytes: &[u8]) -> Result<Vec<Row>, Box<dyn Error>> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or("no header")?;
    let length = usize::try_from(u64::from_le_bytes(*length))?;
    let (header, numbers) = rest.split_at_checked(length).ok_or("short header")?;
    let header: Value = serde_json::from_slice(header)?;
    if header.pointer("/embeddings/dtype") != Some(&Value::from("I8")) {
        return Err("the table is not int8".into());
    }
    let row = |bytes: &[u8]| bytes.iter().map(|&byte| f64::from(byte.cast_signed())).collect();
    Ok(numbers.chunks_exact(DIMENSIONS).map(row).collect())
}

fn subtract_mean(rows: &mut [Row]) {
    let mut mean = vec![0.0; DIMENSIONS];
    for row in rows.iter() {
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    mean.iter_mut().for_each(|sum| *sum /= rows.len() as f64);
    for row in rows {
        row.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
    }
}

/// Computes the first principal direction by power iteration. The start is fixed, so that the
/// output is the same every time.
fn strongest_direction(rows: &[Row]) -> Row {
    let mut direction: Row = (0..DIMENSIONS).map(|at| 1.0 + at as f64 / 1000.0).collect();
    for _ in 0..200 {
        let mut next = vec![0.0; DIMENSIONS];
        for row in rows {
            let along = dot(row, &direction);
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += along * value);
        }
        let length = dot(&next, &next).sqrt();
        direction = next.into_iter().map(|value| value / length).collect();
    }
    direction
}

fn remove(row: &mut Row, direction: &Row) {
    let along = dot(row, direction);
    row.iter_mut().zip(direction).for_each(|(value, part)| *value -= along * part);
}

fn dot(a: &Row, b: &Row) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Serialises the table: all rows as int8, then all scales as little-endian f32.
fn quantise(rows: &[Row]) -> Vec<u8> {
    let mut numbers = Vec::with_capacity(rows.len() * (DIMENSIONS + 4));
    let mut scales = Vec::new();
    for row in rows {
        let largest = row.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let scale = largest / 127.0;
        let small = |value: &f64| if scale > 0.0 { (value / scale).round() as i8 } else { 0 };
        numbers.extend(row.iter().map(|value| small(value).cast_unsigned()));
        // The unit of the original table has no meaning. Dividing once more keeps sums near 1.
        scales.extend(((scale / 127.0) as f32).to_le_bytes());
    }
    numbers.extend(scales);
    numbers
}
