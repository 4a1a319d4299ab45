//! Which tools are switched on, by flag, environment, header or path.
//!
//! The server's own selection is an upper bound for what a request may ask for. Exclusions take
//! precedence over everything else, then read-only mode, then the choice of toolsets and tools.

use std::collections::BTreeSet;

use crate::registry::Registry;
use crate::tool::Tool;
use crate::toolset::Toolset;

/// Determines which tools are switched on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The choice in effect.
    choice: Choice,
    /// The server's choice, as an upper bound, if a request made a choice of its own.
    bound: Option<Choice>,
    /// Names of tools that are always off.
    excluded: BTreeSet<String>,
    /// Whether all writing tools are off.
    read_only: bool,
}

/// A choice of toolsets and single tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Choice {
    /// The chosen toolsets; `None` if nobody chose any.
    toolsets: Option<BTreeSet<Toolset>>,
    /// The chosen single tools, in addition to `toolsets`; `None` if nobody chose any.
    tools: Option<BTreeSet<String>>,
    /// Toolsets that are on by default in addition to [`Toolset::DEFAULT`].
    also: BTreeSet<Toolset>,
}

impl Choice {
    fn is_made(&self) -> bool {
        self.toolsets.is_some() || self.tools.is_some()
    }

    fn allows(&self, tool: &Tool) -> bool {
        let by_name = self.tools.as_ref().is_some_and(|tools| names(tools, tool));
        by_name || self.allows_toolset(tool.toolset)
    }

    fn allows_toolset(&self, toolset: Toolset) -> bool {
        match &self.toolsets {
            Some(toolsets) => toolsets.contains(&toolset),
            None => {
                let usual = Toolset::DEFAULT.contains(&toolset) || self.also.contains(&toolset);
                self.tools.is_none() && usual
            }
        }
    }
}

/// An unknown name in a selection of toolsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown toolset {name:?}: use {known}, `default` or `all`")]
pub struct SelectionError {
    /// The unknown name.
    pub name: String,
    /// The names of all toolsets, separated by commas.
    pub known: String,
}

impl Selection {
    /// Returns a selection without a choice: the default toolsets are on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses toolsets by name. `default` and `all` are also accepted.
    pub fn with_toolsets<'a>(
        mut self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, SelectionError> {
        let mut chosen = BTreeSet::new();
        for name in names.into_iter().map(str::trim).filter(|name| !name.is_empty()) {
            match name.to_ascii_lowercase().as_str() {
                "all" => chosen.extend(Toolset::ALL),
                "default" => chosen.extend(Toolset::DEFAULT),
                other => {
                    chosen.insert(other.parse().map_err(|()| unknown(name))?);
                }
            }
        }
        if !chosen.is_empty() {
            self.choice.toolsets = Some(chosen);
        }
        Ok(self)
    }

    /// Adds a toolset to those that are on when nobody makes a choice.
    #[must_use]
    pub fn with_usual(mut self, toolset: Toolset) -> Self {
        self.choice.also.insert(toolset);
        self
    }

    /// Chooses single tools. If no toolsets are chosen, only these tools are on.
    #[must_use]
    pub fn with_tools<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let chosen = words(names);
        if !chosen.is_empty() {
            self.choice.tools = Some(chosen);
        }
        self
    }

    /// Switches single tools off.
    #[must_use]
    pub fn without_tools<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.excluded.extend(words(names));
        self
    }

    /// Switches all writing tools off.
    #[must_use]
    pub fn reading_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Returns the chosen or excluded names that no tool has.
    pub fn unknown_tools<'a>(&'a self, registry: &'a Registry) -> impl Iterator<Item = &'a str> {
        let chosen = self.choice.tools.iter().flatten();
        let named = chosen.chain(&self.excluded).map(String::as_str);
        named.filter(|name| registry.tool(name).is_none())
    }

    /// Whether all writing tools are off.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Returns what remains when a request asks for `asked` on a server that allows `self`. A
    /// request without a choice gets what the server offers. If the server made no choice, a
    /// request may ask for anything.
    #[must_use]
    pub fn narrowed_by(&self, asked: &Self) -> Self {
        let (choice, bound) = if asked.choice.is_made() {
            (asked.choice.clone(), self.choice.is_made().then(|| self.choice.clone()))
        } else {
            (self.choice.clone(), None)
        };
        Self {
            choice,
            bound,
            excluded: self.excluded.union(&asked.excluded).cloned().collect(),
            read_only: self.read_only || asked.read_only,
        }
    }

    /// Whether `tool` is switched on.
    pub fn allows(&self, tool: &Tool) -> bool {
        if names(&self.excluded, tool) || (self.read_only && !tool.annotations.read_only) {
            return false;
        }
        self.choice.allows(tool) && self.bound.as_ref().is_none_or(|bound| bound.allows(tool))
    }

    /// Whether `toolset` is on, or would be if it were asked for. World Anvil's compatible API
    /// checks this: a client asks for the toolset by using the API.
    pub fn may_offer(&self, toolset: Toolset) -> bool {
        let open = |choice: &Choice| !choice.is_made() || choice.allows_toolset(toolset);
        open(&self.choice) && self.bound.as_ref().is_none_or(open)
    }

    /// Whether `toolset` is on, which also decides about its resources and prompts.
    pub fn allows_toolset(&self, toolset: Toolset) -> bool {
        self.choice.allows_toolset(toolset)
            && self.bound.as_ref().is_none_or(|bound| bound.allows_toolset(toolset))
    }
}

/// Whether `named` contains a tool's name or one of its aliases.
fn names(named: &BTreeSet<String>, tool: &Tool) -> bool {
    std::iter::once(&tool.name).chain(tool.aliases).any(|name| named.contains(*name))
}

fn words<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let trimmed = names.into_iter().map(str::trim);
    trimmed.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn unknown(name: &str) -> SelectionError {
    let known = Toolset::ALL.map(Toolset::as_str).join(", ");
    SelectionError { name: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    fn offered(selection: &Selection) -> Vec<&'static str> {
        let registry = Registry::standard();
        registry.all_tools().filter(|tool| selection.allows(tool)).map(|tool| tool.name).collect()
    }

    #[test]
    fn a_request_can_only_narrow_what_the_server_allows() {
        let server = Selection::new().with_toolsets(["memory"]).unwrap();
        let asked = Selection::new().with_toolsets(["play", "memory"]).unwrap();
        let both = server.narrowed_by(&asked);
        assert!(both.allows_toolset(Toolset::Memory));
        assert!(!both.allows_toolset(Toolset::Play));
    }

    #[test]
    fn single_tools_and_toolsets_bound_each_other() {
        let one = Selection::new().with_tools(["roll_dice"]);
        let play = Selection::new().with_toolsets(["play"]).unwrap();
        assert_eq!(offered(&one.narrowed_by(&play)), ["roll_dice"]);
        let atlas = Selection::new().with_toolsets(["atlas"]).unwrap();
        assert!(offered(&atlas.narrowed_by(&one)).is_empty());
        assert_eq!(offered(&one.narrowed_by(&Selection::new())), ["roll_dice"]);
    }

    #[test]
    fn a_request_can_ask_an_unrestricted_server_for_more_than_the_default() {
        let asked = Selection::new().with_toolsets(["atlas"]).unwrap();
        assert!(Selection::new().narrowed_by(&asked).allows_toolset(Toolset::Atlas));
        assert!(!Selection::new().allows_toolset(Toolset::Atlas));
        assert!(Selection::new().may_offer(Toolset::Atlas));
        assert!(!Selection::new().with_toolsets(["play"]).unwrap().may_offer(Toolset::Atlas));
    }

    #[test]
    fn what_is_usual_is_on_until_somebody_chooses() {
        let usual = Selection::new().with_usual(Toolset::Atlas);
        assert!(usual.allows_toolset(Toolset::Atlas) && usual.allows_toolset(Toolset::Play));
        let chosen = usual.clone().with_toolsets(["play"]).unwrap();
        assert!(!chosen.allows_toolset(Toolset::Atlas));
        let asked = Selection::new().with_toolsets(["atlas-write"]).unwrap();
        assert!(usual.narrowed_by(&asked).allows_toolset(Toolset::AtlasWrite));
    }

    #[test]
    fn single_tools_stand_alone_or_add_to_toolsets() {
        assert_eq!(offered(&Selection::new().with_tools(["roll_dice"])), ["roll_dice"]);
        let more = Selection::new().with_toolsets(["memory"]).unwrap().with_tools(["roll_dice"]);
        assert!(offered(&more).contains(&"roll_dice"));
        assert!(!offered(&more).contains(&"duality_outcome"));
    }

    #[test]
    fn exclusion_wins() {
        let selection = Selection::new().with_tools(["roll_dice"]).without_tools(["roll_dice"]);
        assert!(offered(&selection).is_empty());
    }

    #[test]
    fn a_former_name_means_the_tool() {
        let memory = Selection::new().with_toolsets(["memory"]).unwrap();
        assert!(offered(&memory).contains(&"kn_intel"));
        assert!(!offered(&memory.without_tools(["kn_learn"])).contains(&"kn_intel"));
        assert_eq!(offered(&Selection::new().with_tools(["kn_recall"])), ["kn_intel"]);
    }

    #[test]
    fn unknown_toolsets_are_named() {
        let error = Selection::new().with_toolsets(["plya"]).unwrap_err();
        assert!(error.to_string().contains("plya") && error.to_string().contains("memory"));
    }
}
