//! Tests on strings.

use std::sync::Arc;

use super::Exec;
use super::pattern::Pattern;
use crate::error::{Result, failed};
use crate::plan::TextTest;
use crate::value::Value;

/// The number of compiled regular expressions that are cached.
const PATTERNS: usize = 16;

impl Exec<'_> {
    /// Whether a string passes a test; `None` if an operand is not a string.
    pub(super) fn text_test(
        &mut self,
        test: TextTest,
        text: &Value,
        part: &Value,
    ) -> Result<Option<bool>> {
        let (Value::String(text), Value::String(part)) = (text, part) else { return Ok(None) };
        self.meter.over(text.len() as u64)?;
        Ok(Some(match test {
            TextTest::StartsWith => text.starts_with(&**part),
            TextTest::EndsWith => text.ends_with(&**part),
            TextTest::Contains => text.contains(&**part),
            TextTest::Matches => self.matches_pattern(text, part)?,
        }))
    }

    fn matches_pattern(&mut self, text: &str, written: &Arc<str>) -> Result<bool> {
        // Each is compiled once. A pattern from the query is found by its address.
        let last = self.patterns.iter().rposition(|(known, _)| Arc::ptr_eq(known, written));
        let at = last.or_else(|| self.patterns.iter().position(|(known, _)| known == written));
        if at.is_none() {
            self.meter.look()?;
            // If there are many patterns, they come from data and are rarely repeated.
            if self.patterns.len() >= PATTERNS {
                self.patterns.clear();
            }
            self.patterns.push((Arc::clone(written), Pattern::new(written)?));
        }
        let at = at.unwrap_or(self.patterns.len().saturating_sub(1));
        match self.patterns.get_mut(at) {
            Some((_, pattern)) => pattern.matches(text, &mut self.meter),
            None => failed("the pattern was lost"),
        }
    }
}
