//! Patterns: what to match, before its order is decided.

use std::sync::Arc;

use open_cypher::Span;
use open_cypher::ast::{
    Expr as Ast, ExprKind, LabelExpression, LabelExpressionKind, MapEntry, Name, NodePattern,
    PathFactor, PathFactorKind, PathPattern, Pattern as Written, Quantifier, QuantifierKind,
    RelationshipDirection, RelationshipPattern,
};

use super::Lower;
use crate::error::{Problem, Result};
use crate::plan::{
    Binding, Comparison, Direction, Expr, LabelTest, PathPart, Place, Slot, Types, Wanted,
};
use crate::types::Type;

/// Whether a pattern may introduce variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    New,
    Known,
}

/// Everything that a clause matches.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    pub(super) nodes: Vec<NodeSpec>,
    pub(super) relationships: Vec<RelationshipSpec>,
    pub(super) paths: Vec<(Slot, Vec<PathPart>)>,
    pub(super) conditions: Vec<Expr>,
}

/// A node to find, or to check if it is bound.
#[derive(Debug)]
pub(super) struct NodeSpec {
    pub(super) slot: Slot,
    pub(super) labels: LabelTest,
    pub(super) binding: Binding,
}

/// A relationship to find between two nodes of the pattern.
#[derive(Debug)]
pub(super) struct RelationshipSpec {
    pub(super) slot: Slot,
    pub(super) from: Slot,
    pub(super) to: Slot,
    pub(super) direction: Direction,
    pub(super) types: Types,
    pub(super) binding: Binding,
    pub(super) length: Length,
    /// Required properties of every relationship of a walk. Those of a single relationship become
    /// conditions.
    pub(super) properties: Vec<(Arc<str>, Expr)>,
}

impl RelationshipSpec {
    pub(super) fn is_shortest(&self) -> bool {
        matches!(self.length, Length::Shortest(..))
    }
}

/// The number of relationships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    One,
    Between(u32, u32),
    Shortest(u32, u32, Wanted),
}

impl Pattern {
    /// The slots that this pattern introduced.
    pub(super) fn introduced(&self, first_new: Slot) -> Vec<Slot> {
        let nodes = self.nodes.iter().map(|node| node.slot);
        let relationships = self.relationships.iter().map(|relationship| relationship.slot);
        let paths = self.paths.iter().map(|(slot, _)| *slot);
        nodes.chain(relationships).chain(paths).filter(|slot| *slot >= first_new).collect()
    }

    /// The slots whose values it reads: those from earlier clauses, and those in conditions and
    /// paths.
    pub(super) fn read(&self) -> Vec<Slot> {
        let bound = self.nodes.iter().filter(|node| node.binding == Binding::Bound);
        let parts = self.paths.iter().flat_map(|(_, parts)| parts).map(|part| match part {
            PathPart::Node(slot) | PathPart::Relationships(slot) => *slot,
        });
        let of_walks = self.relationships.iter().flat_map(|walk| &walk.properties);
        let values = of_walks.map(|(_, value)| value).chain(&self.conditions);
        bound.map(|node| node.slot).chain(parts).chain(values.flat_map(Expr::slots)).collect()
    }
}

impl Lower<'_> {
    /// Lowers a pattern and adds its variables to the scope.
    pub(super) fn pattern(&mut self, written: &Written, names: Names) -> Result<Pattern> {
        let mut building = Building::new(names);
        for part in &written.parts {
            if let Some(selector) = &part.kind.selector {
                return self.refused(selector.span, "path selectors are not supported");
            }
            let parts = self.path(&part.kind.path, &mut building)?;
            if let Some(name) = &part.kind.binding {
                self.bind_path(name, parts, &mut building.pattern)?;
            }
        }
        self.finish(building)
    }

    /// Lowers the pattern of a pattern comprehension, whose path may have a name.
    pub(super) fn pattern_named(
        &mut self,
        binding: Option<&Name>,
        written: &Written,
    ) -> Result<Pattern> {
        let mut building = Building::new(Names::New);
        for part in &written.parts {
            let parts = self.path(&part.kind.path, &mut building)?;
            if let Some(name) = binding.or(part.kind.binding.as_ref()) {
                self.bind_path(name, parts, &mut building.pattern)?;
            }
        }
        self.finish(building)
    }

    /// Lowers a shortest path used as a value, whose two nodes must be known, and returns the slot
    /// of the path.
    pub(super) fn pattern_between(
        &mut self,
        written: &Written,
        wanted: Wanted,
    ) -> Result<(Pattern, Slot)> {
        let mut building = Building::new(Names::Known);
        for part in &written.parts {
            let parts = self.shortest(written.span, &part.kind.path, wanted, &mut building)?;
            let slot = self.slot();
            building.pattern.paths.push((slot, parts));
        }
        let are_bound = building.pattern.nodes.iter().all(|node| node.binding == Binding::Bound);
        match building.pattern.paths.as_slice() {
            [(slot, _)] if are_bound => {
                let slot = *slot;
                Ok((self.finish(building)?, slot))
            }
            _ => {
                let message = "a shortest path as a value needs two nodes that are known";
                let hint = "match both ends before, or the path itself: \
                            MATCH p = shortestPath((a)-[*]->(b))";
                self.invalid_with(Problem::Syntax, written.span, message, Some(hint.to_owned()))
            }
        }
    }

    /// Lowers properties last, because they may refer to any variable of the pattern.
    fn finish(&mut self, building: Building<'_>) -> Result<Pattern> {
        let Building { mut pattern, properties, .. } = building;
        for (owner, entries) in properties {
            for entry in entries {
                let (value, _) = self.expr(&entry.value)?;
                match owner {
                    Owner::Slot(slot) => {
                        let place = Place(entry.key.span.start);
                        let property = self.property_of(Expr::Slot(slot), &entry.key, place);
                        let rest = vec![(Comparison::Equal, value)];
                        let first = Box::new(property);
                        pattern.conditions.push(Expr::Compare { first, rest });
                    }
                    Owner::Walk(number) => {
                        let name = entry.key.kind.text.as_str().into();
                        if let Some(walk) = pattern.relationships.get_mut(number) {
                            walk.properties.push((name, value));
                        }
                    }
                }
            }
        }
        Ok(pattern)
    }

    fn bind_path(
        &mut self,
        name: &Name,
        parts: Vec<PathPart>,
        pattern: &mut Pattern,
    ) -> Result<()> {
        if self.scope.get(&name.kind.text).is_some() {
            return self.already(name);
        }
        let slot = self.slot();
        self.scope.add(&name.kind.text, slot, Type::Path);
        pattern.paths.push((slot, parts));
        Ok(())
    }

    fn path<'w>(
        &mut self,
        path: &'w PathPattern,
        building: &mut Building<'w>,
    ) -> Result<Vec<PathPart>> {
        if let [factor] = path.kind.factors.as_slice() {
            match &factor.kind {
                PathFactorKind::LegacyShortest { all, pattern } => {
                    let wanted = if *all { Wanted::All } else { Wanted::One };
                    return self.shortest(factor.span, pattern, wanted, building);
                }
                PathFactorKind::Parenthesized { pattern, where_clause: None, quantifier: None } => {
                    return self.path(pattern, building);
                }
                _ => {}
            }
        }
        self.chain_of(&path.kind.factors, building)
    }

    fn shortest<'w>(
        &mut self,
        span: Span,
        path: &'w PathPattern,
        wanted: Wanted,
        building: &mut Building<'w>,
    ) -> Result<Vec<PathPart>> {
        let before = building.pattern.relationships.len();
        let parts = self.chain_of(&path.kind.factors, building)?;
        let mut added = building.pattern.relationships.iter_mut().skip(before);
        let (Some(walk), None) = (added.next(), added.next()) else {
            let message = "a shortest path has one relationship pattern between two nodes";
            return self.invalid(Problem::Syntax, span, message);
        };
        walk.length = match walk.length {
            Length::Between(min, max) => Length::Shortest(min, max, wanted),
            _ => Length::Shortest(1, 1, wanted),
        };
        Ok(parts)
    }

    fn chain_of<'w>(
        &mut self,
        factors: &'w [PathFactor],
        building: &mut Building<'w>,
    ) -> Result<Vec<PathPart>> {
        let mut parts = Vec::new();
        let mut last_node = None;
        let mut pending: Option<(&RelationshipPattern, Span)> = None;
        for factor in factors {
            match &factor.kind {
                PathFactorKind::Node(node) => {
                    let slot = self.node(node, building)?;
                    if let (Some(from), Some((written, span))) = (last_node, pending.take()) {
                        let relationship =
                            self.relationship(written, span, (from, slot), building)?;
                        parts.push(PathPart::Relationships(relationship));
                    }
                    parts.push(PathPart::Node(slot));
                    last_node = Some(slot);
                }
                PathFactorKind::Relationship(relationship) => {
                    pending = Some((relationship, factor.span));
                }
                _ => {
                    return self.refused(factor.span, "quantified path patterns are not supported");
                }
            }
        }
        Ok(parts)
    }

    fn node<'w>(&mut self, node: &'w NodePattern, building: &mut Building<'w>) -> Result<Slot> {
        if let Some(condition) = &node.where_clause {
            return self.refused(condition.span, "WHERE inside a pattern is not supported");
        }
        let labels =
            node.labels.as_ref().map_or(Ok(LabelTest::Any), |labels| self.labels(labels))?;
        let (slot, binding) = match &node.variable {
            Some(name) => self.bind(name, Type::Node, building.names)?,
            None => (self.slot(), Binding::New),
        };
        self.properties(node.properties.as_deref(), Owner::Slot(slot), building)?;
        let nodes = &mut building.pattern.nodes;
        match nodes.iter_mut().find(|node| node.slot == slot) {
            Some(known) if labels != LabelTest::Any => {
                let before = std::mem::replace(&mut known.labels, LabelTest::Any);
                known.labels = LabelTest::All(vec![before, labels]);
            }
            Some(_) => {}
            None => nodes.push(NodeSpec { slot, labels, binding }),
        }
        Ok(slot)
    }

    fn relationship<'w>(
        &mut self,
        written: &'w RelationshipPattern,
        span: Span,
        (from, to): (Slot, Slot),
        building: &mut Building<'w>,
    ) -> Result<Slot> {
        if let Some(quantifier) = &written.graph_quantifier {
            return self.refused(quantifier.span, "quantified path patterns are not supported");
        }
        if let Some(condition) = &written.where_clause {
            return self.refused(condition.span, "WHERE inside a pattern is not supported");
        }
        let length = match &written.legacy_quantifier {
            Some(quantifier) => self.length(quantifier)?,
            None => Length::One,
        };
        let kind = match length {
            Length::One => Type::Relationship,
            _ => Type::List(Box::new(Type::Relationship)),
        };
        let (slot, binding) = match &written.variable {
            Some(name) => self.bind(name, kind, building.names)?,
            None => (self.slot(), Binding::New),
        };
        let relationships = &building.pattern.relationships;
        if relationships.iter().any(|relationship| relationship.slot == slot) {
            let message = "a relationship cannot be matched twice in one pattern";
            return self.invalid(Problem::VariableClash, span, message);
        }
        let owner = match length {
            Length::One => Owner::Slot(slot),
            _ => Owner::Walk(relationships.len()),
        };
        self.properties(written.properties.as_deref(), owner, building)?;
        let types = written.labels.as_ref().map_or(Ok(Types::Any), |types| self.types(types))?;
        let direction = direction_of(written.direction.kind);
        let properties = Vec::new();
        let relationship =
            RelationshipSpec { slot, from, to, direction, types, binding, length, properties };
        building.pattern.relationships.push(relationship);
        Ok(slot)
    }

    /// The slot of a variable in a pattern, and whether it is already bound.
    fn bind(&mut self, name: &Name, kind: Type, names: Names) -> Result<(Slot, Binding)> {
        if let Some(variable) = self.scope.get(&name.kind.text) {
            let (slot, known) = (variable.slot, variable.kind.clone());
            self.same_kind(name, &known, &kind)?;
            return Ok((slot, Binding::Bound));
        }
        if names == Names::Known {
            return self.undefined(name);
        }
        let slot = self.slot();
        self.scope.add(&name.kind.text, slot, kind);
        Ok((slot, Binding::New))
    }

    fn properties<'w>(
        &self,
        written: Option<&'w Ast>,
        owner: Owner,
        building: &mut Building<'w>,
    ) -> Result<()> {
        match written.map(|written| (&written.kind, written.span)) {
            None => Ok(()),
            Some((ExprKind::Map(entries), _)) => {
                building.properties.push((owner, entries));
                Ok(())
            }
            Some((_, span)) => {
                let message = "properties in a pattern have to be written out, as in {name: $name}";
                self.invalid(Problem::Syntax, span, message)
            }
        }
    }

    fn types(&self, found: &LabelExpression) -> Result<Types> {
        let mut names = Vec::new();
        self.type_names(found, &mut names)?;
        let known = names.iter().filter_map(|name| self.graph.type_id(name));
        let mut types: Vec<_> = known.collect();
        types.sort_unstable();
        types.dedup();
        Ok(Types::OneOf(types))
    }

    fn type_names<'w>(&self, found: &'w LabelExpression, names: &mut Vec<&'w str>) -> Result<()> {
        match &found.kind {
            LabelExpressionKind::Name(name) => names.push(&name.kind.text),
            LabelExpressionKind::Or(parts) => {
                for part in parts {
                    self.type_names(part, names)?;
                }
            }
            LabelExpressionKind::Parenthesized(inner) => self.type_names(inner, names)?,
            _ => return self.refused(found.span, "types can only be joined with `|`"),
        }
        Ok(())
    }

    fn length(&self, quantifier: &Quantifier) -> Result<Length> {
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) => Ok(number),
            Err(_) => {
                let message = "the length of a path is a whole number";
                self.invalid(Problem::Number, quantifier.span, message)
            }
        };
        Ok(match &quantifier.kind {
            QuantifierKind::Fixed(text) => {
                let length = number(text)?;
                Length::Between(length, length)
            }
            QuantifierKind::Range { lower, upper } => {
                let lower = lower.as_deref().map_or(Ok(1), number)?;
                Length::Between(lower, upper.as_deref().map_or(Ok(u32::MAX), number)?)
            }
            _ => Length::Between(1, u32::MAX),
        })
    }
}

/// A pattern in progress, with properties that are not lowered yet.
struct Building<'w> {
    pattern: Pattern,
    names: Names,
    properties: Vec<(Owner, &'w [MapEntry])>,
}

impl Building<'_> {
    fn new(names: Names) -> Self {
        Self { pattern: Pattern::default(), names, properties: Vec::new() }
    }
}

/// What properties belong to.
#[derive(Clone, Copy)]
enum Owner {
    Slot(Slot),
    Walk(usize),
}

fn direction_of(written: RelationshipDirection) -> Direction {
    match written {
        RelationshipDirection::Left => Direction::In,
        RelationshipDirection::Right => Direction::Out,
        _ => Direction::Both,
    }
}
