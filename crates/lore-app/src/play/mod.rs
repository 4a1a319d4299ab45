//! Running the table.

pub mod dice;
