//! The protocol benchmark.
fn main() {}
