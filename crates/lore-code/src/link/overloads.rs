//! Overloads: functions with the same name that differ in how many arguments they take.

use super::Linker;
use super::confidence::UNSURE_OVERLOAD;

/// The minimum and maximum number of arguments of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taken {
    least: usize,
    most: usize,
}

impl Linker<'_, '_> {
    /// Among the overloads of a function, returns the one that accepts this number of arguments.
    /// The caller itself is excluded if others fit as well.
    pub(super) fn taking(
        &self,
        (node, sure): (usize, f64),
        arguments: u8,
        caller: Option<usize>,
    ) -> (usize, f64) {
        let arguments = usize::from(arguments);
        let alike = self.alike_beside(node);
        if alike.len() < 2 {
            return (node, sure);
        }
        let fits = |other: &usize| {
            let params = self.graph.nodes.get(*other).and_then(|node| node.params.as_deref());
            params.and_then(taken).is_none_or(|taken| taken.fits(arguments))
        };
        let mut fitting: Vec<usize> = alike.iter().copied().filter(fits).collect();
        if fitting.len() > 1 {
            fitting.retain(|other| Some(*other) != caller);
        }
        match fitting.as_slice() {
            [only] => (*only, sure),
            [first, ..] if !fitting.contains(&node) => (*first, sure.min(UNSURE_OVERLOAD)),
            _ => (node, sure.min(UNSURE_OVERLOAD)),
        }
    }

    /// Returns the functions with the same name in the same file, class and module.
    fn alike_beside(&self, node: usize) -> Vec<usize> {
        let Some(found) = self.graph.nodes.get(node) else { return Vec::new() };
        let known = self.functions.get(found.name.as_str()).into_iter().flatten();
        let beside = known.filter(|other| {
            self.graph.nodes.get(other.node).is_some_and(|other| {
                other.file_path == found.file_path && other.receiver_type == found.receiver_type
            }) && self.scopes.get(&other.node) == self.scopes.get(&node)
        });
        beside.map(|other| other.node).collect()
    }
}

impl Taken {
    fn fits(self, arguments: usize) -> bool {
        (self.least..=self.most).contains(&arguments)
    }
}

/// Returns the number of arguments that a parameter list accepts; `None` if it was shortened.
fn taken(params: &str) -> Option<Taken> {
    let inside = params.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    if inside.is_empty() || inside == "void" {
        return Some(Taken { least: 0, most: 0 });
    }
    let (mut depth, mut least, mut most) = (0_usize, 0_usize, 0_usize);
    let (mut is_optional, mut is_open) = (false, false);
    for letter in inside.chars().chain([',']) {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => is_optional = true,
            '.' if depth == 0 => is_open = true,
            ',' if depth == 0 => {
                most += 1;
                least += usize::from(!is_optional && !is_open);
                (is_optional, is_open) = (false, is_open);
            }
            _ => {}
        }
    }
    Some(Taken { least, most: if is_open { usize::MAX } else { most } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_tell_how_many_arguments_they_stand_for() {
        for (params, least, most) in [
            ("()", 0, 0),
            ("(void)", 0, 0),
            ("(int a)", 1, 1),
            ("(int a, Map<String, Integer> b)", 2, 2),
            ("(int a, int b = f(1, 2))", 1, 2),
            ("(int a, String... rest)", 1, usize::MAX),
            ("(const char *format, ...)", 1, usize::MAX),
        ] {
            assert_eq!(taken(params), Some(Taken { least, most }), "{params}");
        }
        assert_eq!(taken("(int a, int …"), None);
    }
}
