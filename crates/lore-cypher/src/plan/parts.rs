//! Traversal of plans: the subexpressions of expressions and the slots they use.

use super::{Expand, Expr, Match, Place, Project, Query, Slot, Source, Stage, Step};

impl Expr {
    /// Visits every direct subexpression, including those in nested patterns and queries.
    pub(crate) fn each_part<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        match self {
            Self::Const(_) | Self::Parameter(..) | Self::Slot(_) => {}
            Self::Property { base, .. }
            | Self::HasLabels { base, .. }
            | Self::Not(base)
            | Self::Negate(base, _)
            | Self::IsNull(base) => visit(base),
            Self::Index(pair, _)
            | Self::Xor(pair)
            | Self::Arithmetic(_, pair, _)
            | Self::Text(_, pair, _)
            | Self::In(pair, _) => {
                visit(&pair.0);
                visit(&pair.1);
            }
            Self::Slice { base, from, to, .. } => {
                visit(base);
                from.iter().chain(to).for_each(|bound| visit(bound));
            }
            Self::List(parts) | Self::And(parts) | Self::Or(parts) | Self::Call(_, parts, _) => {
                parts.iter().for_each(visit);
            }
            Self::Map(entries) => entries.iter().for_each(|(_, value)| visit(value)),
            Self::Projection { base, entries, .. } => {
                visit(base);
                entries.iter().for_each(|(_, value)| visit(value));
            }
            Self::Compare { first, rest } => {
                visit(first);
                rest.iter().for_each(|(_, part)| visit(part));
            }
            other => other.each_part_of_construct(visit),
        }
    }

    fn each_part_of_construct<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        match self {
            Self::Case { operand, arms, otherwise } => {
                operand.iter().for_each(|operand| visit(operand));
                for (tests, then) in arms {
                    tests.iter().for_each(&mut *visit);
                    visit(then);
                }
                visit(otherwise);
            }
            Self::ListComprehension { list, filter, map, .. } => {
                visit(list);
                filter.iter().for_each(|filter| visit(filter));
                visit(map);
            }
            Self::Quantified { list, test, .. } => {
                visit(list);
                visit(test);
            }
            Self::Reduce { start, list, next, .. } => {
                [start, list, next].into_iter().for_each(|part| visit(part));
            }
            Self::Exists(pattern) => each_of_match(pattern, visit),
            Self::PatternComprehension { pattern, map } => {
                each_of_match(pattern, visit);
                visit(map);
            }
            Self::Subquery(_, query) => each_of_query(query, visit),
            Self::Aggregate(call) => {
                call.argument.iter().chain(&call.parameter).for_each(visit);
            }
            _ => {}
        }
    }

    /// Its position in the text, if known.
    pub(crate) fn place(&self) -> Option<Place> {
        match self {
            Self::Parameter(_, place)
            | Self::Property { place, .. }
            | Self::Index(_, place)
            | Self::Slice { place, .. }
            | Self::Negate(_, place)
            | Self::Arithmetic(_, _, place)
            | Self::Text(_, _, place)
            | Self::In(_, place)
            | Self::HasLabels { place, .. }
            | Self::ListComprehension { place, .. }
            | Self::Quantified { place, .. }
            | Self::Reduce { place, .. }
            | Self::Call(_, _, place) => Some(*place),
            // The subexpressions of the others have positions, or their clause has one.
            _ => None,
        }
    }

    /// The slots that it reads and those that nested patterns use, sorted.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let mut found = Vec::new();
        self.collect_slots(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn collect_slots(&self, found: &mut Vec<Slot>) {
        match self {
            Self::Slot(slot) => found.push(*slot),
            Self::Exists(pattern) | Self::PatternComprehension { pattern, .. } => {
                slots_of_match(pattern, found);
            }
            Self::Subquery(_, query) => slots_of_query(query, found),
            _ => {}
        }
        self.each_part(&mut |part| part.collect_slots(found));
    }
}

fn each_of_match<'e>(pattern: &'e Match, visit: &mut dyn FnMut(&'e Expr)) {
    for step in &pattern.steps {
        match step {
            Step::Filter(condition) => visit(condition),
            Step::Scan { source: Source::Index { value, .. }, .. } => visit(value),
            Step::Scan { source: Source::IndexIn { list, .. }, .. } => visit(list),
            Step::Walk(walk) => walk.properties.iter().for_each(|(_, value)| visit(value)),
            Step::Shortest(walk) => walk.properties.iter().for_each(|(_, value)| visit(value)),
            _ => {}
        }
    }
}

fn each_of_query<'e>(query: &'e Query, visit: &mut dyn FnMut(&'e Expr)) {
    for stage in query.parts.iter().flat_map(|part| &part.stages) {
        match stage {
            Stage::Match(pattern) => each_of_match(pattern, visit),
            Stage::Unwind { list, .. } => visit(list),
            Stage::Project(project) => project.each_expression(visit),
        }
    }
}

impl Project {
    /// The slots of its columns and those that its expressions use.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let mut found = self.outputs.clone();
        self.each_expression(&mut |expr| expr.collect_slots(&mut found));
        found
    }

    fn each_expression<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        self.items.iter().for_each(|(_, item)| visit(item));
        if let Some(grouping) = &self.grouping {
            let calls = grouping.aggregates.iter().map(|(_, call)| call);
            calls
                .flat_map(|call| call.argument.iter().chain(&call.parameter))
                .for_each(&mut *visit);
            grouping.results.iter().for_each(|(_, result)| visit(result));
        }
        self.order.iter().for_each(|sort| visit(&sort.key));
        let rest = [&self.skip, &self.limit, &self.filter];
        rest.into_iter().flatten().for_each(visit);
    }
}

fn slots_of_match(pattern: &Match, found: &mut Vec<Slot>) {
    let mut hop = |hop: &Expand| found.extend([hop.from, hop.to, hop.relationship]);
    for step in &pattern.steps {
        match step {
            Step::Expand(expand) => hop(expand),
            Step::Walk(walk) => hop(&walk.hop),
            Step::Shortest(walk) => hop(&walk.hop),
            _ => {}
        }
    }
    for step in &pattern.steps {
        if let Step::Scan { slot, .. } | Step::Check { slot, .. } | Step::Path { slot, .. } = step {
            found.push(*slot);
        }
    }
}

fn slots_of_query(query: &Query, found: &mut Vec<Slot>) {
    for stage in query.parts.iter().flat_map(|part| &part.stages) {
        if let Stage::Match(pattern) = stage {
            slots_of_match(pattern, found);
        }
    }
}
