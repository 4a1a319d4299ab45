//! Fixed-point numbers, for sums that must not depend on the order of their terms.
//!
//! Floating-point sums differ in their last digits when the terms are added in another order, but a
//! ranking must not depend on the order in which documents were stored.

/// The number one in fixed point.
pub(crate) const ONE: u64 = 1 << SHIFT;

const SHIFT: u32 = 12;

/// The nearest fixed-point number.
pub(crate) const fn fixed(value: f32) -> u64 {
    (value * ONE as f32 + 0.5) as u64
}

/// The product of two fixed-point numbers.
pub(crate) const fn times(a: u64, b: u64) -> u64 {
    (a * b) >> SHIFT
}

/// Converts to floating point.
pub(crate) fn float(fixed: u64) -> f32 {
    fixed as f32 / ONE as f32
}
