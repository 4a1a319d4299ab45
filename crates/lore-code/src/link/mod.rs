//! Links the facts of files into one graph.
//!
//! Calls are resolved from near to far: the same function, the same class, the same file, what is
//! imported, then a name that is unique in the repository and could be reached. The `confidence` of
//! an edge says how certain this is.

mod builtins;
mod confidence;
mod files;
mod go_interfaces;
mod graph;
mod overloads;
mod paths;
mod qualified;
mod resolve;
mod types;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{BaseKind, Body, Export, Field, FileFacts, Import, ImportedName, Label, Symbol};
use crate::language::Language;
use confidence::{CERTAIN, IMPORTED_FILE};
pub(crate) use graph::hashed;
use graph::identity;
pub use graph::{CodeEdge, CodeGraph, CodeNode, EdgeKind};
use paths::{folder, is_folders_own, last, packages_of_rust, stem};

/// Builds one graph of several repositories, each given as the facts of its files.
pub fn link<'f>(
    repositories: impl IntoIterator<Item = (&'f str, &'f BTreeMap<String, FileFacts>)>,
) -> CodeGraph {
    let mut graph = CodeGraph::default();
    for (repo, files) in repositories {
        let files: Vec<_> = files.values().collect();
        let mut linker = Linker::new(repo, &files, &mut graph);
        linker.add_files();
        linker.resolve_imports();
        linker.add_methods();
        linker.add_bases();
        linker.add_implementations();
        linker.add_imports();
        linker.add_calls();
    }
    graph
}

/// The indexes of a repository while it is linked. Files are identified by their index in `files`,
/// nodes by their index in the graph.
struct Linker<'l, 'f> {
    repo: &'f str,
    files: &'l [&'f FileFacts],
    graph: &'l mut CodeGraph,
    file_nodes: Vec<usize>,
    /// The node of each symbol of each file; `None` for declarations whose definition is elsewhere.
    symbols: Vec<Vec<Option<usize>>>,
    /// The module nodes of folders, by path.
    modules: FxHashMap<&'f str, usize>,
    /// Functions by name, except nested ones.
    functions: FxHashMap<&'f str, Vec<Found>>,
    /// Functions inside functions, by file and name: the index of the enclosing function, and the
    /// node.
    nested: FxHashMap<(usize, &'f str), Vec<(usize, usize)>>,
    /// Types by name.
    types: FxHashMap<&'f str, Vec<Found>>,
    /// Methods by owner and name.
    methods: FxHashMap<(&'f str, &'f str), Vec<Found>>,
    /// Types of fields, by class and name, each with the file that states it.
    fields: FxHashMap<(&'f str, &'f str), Vec<(usize, &'f str)>>,
    /// Functions in modules and namespaces inside files, by module and name.
    scoped: FxHashMap<(&'f str, &'f str), Vec<Found>>,
    /// Types in these, by module and name.
    scoped_types: FxHashMap<(&'f str, &'f str), Vec<Found>>,
    /// The module or namespace that each symbol node is in.
    scopes: FxHashMap<usize, &'f str>,
    /// C++ functions that are defined somewhere, by class and name.
    bodies: FxHashSet<(&'f str, &'f str)>,
    /// Rust crates by name, each with the path of its module tree.
    crates: FxHashMap<String, Vec<String>>,
    /// Files by path.
    paths: FxHashMap<&'f str, usize>,
    /// Files by the last part of their path, without extension.
    stems: FxHashMap<&'f str, Vec<usize>>,
    /// Files by the name of their folder.
    folders: FxHashMap<&'f str, Vec<usize>>,
    /// The functions that are default exports of files.
    defaults: FxHashMap<usize, Found>,
    /// The types that are default exports of files.
    default_types: FxHashMap<usize, Found>,
    /// Folders that are Python packages: the module names of their files begin with theirs.
    packages: FxHashSet<&'f str>,
    /// The resolved imports of each file.
    imported: Vec<Vec<Imported<'f>>>,
    /// How many nodes were added with each id.
    alike: FxHashMap<String, usize>,
    /// The edges that exist.
    joined: FxHashSet<(EdgeKind, usize, usize)>,
}

/// An imported name, and the files it leads to.
struct Imported<'f> {
    named: &'f ImportedName,
    files: Vec<usize>,
    /// The function the import is limited to.
    inside: Option<usize>,
}

/// The place where a name is used.
#[derive(Clone, Copy)]
struct At {
    file: usize,
    /// The index of the function; `None` at the top level of the file.
    function: Option<usize>,
}

/// A definition.
#[derive(Clone, Copy)]
struct Found {
    node: usize,
    file: usize,
    method: bool,
    /// Whether it is a method of an interface, or only declared, so that others implement it.
    of_interface: bool,
    /// Whether it is visible in its own file only.
    hidden: bool,
    /// Whether it can be called on a value. A Rust function without `self` cannot.
    on_value: bool,
}

impl<'l, 'f> Linker<'l, 'f> {
    fn new(repo: &'f str, files: &'l [&'f FileFacts], graph: &'l mut CodeGraph) -> Self {
        let mut stems: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        let mut folders: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (number, file) in files.iter().enumerate() {
            folders.entry(last(folder(&file.path))).or_default().push(number);
            stems.entry(stem(&file.path)).or_default().push(number);
            if is_folders_own(&file.path) {
                stems.entry(stem(folder(&file.path))).or_default().push(number);
            }
        }
        let inits = files.iter().filter(|file| file.path.ends_with("__init__.py"));
        Self {
            repo,
            files,
            graph,
            file_nodes: Vec::new(),
            symbols: Vec::new(),
            modules: FxHashMap::default(),
            functions: FxHashMap::default(),
            nested: FxHashMap::default(),
            types: FxHashMap::default(),
            methods: FxHashMap::default(),
            fields: FxHashMap::default(),
            scoped: FxHashMap::default(),
            scoped_types: FxHashMap::default(),
            scopes: FxHashMap::default(),
            bodies: bodies(files),
            crates: packages_of_rust(files.iter().map(|file| file.path.as_str())),
            paths: files.iter().enumerate().map(|(at, file)| (file.path.as_str(), at)).collect(),
            stems,
            folders,
            defaults: FxHashMap::default(),
            default_types: FxHashMap::default(),
            packages: inits.map(|file| folder(&file.path)).collect(),
            imported: Vec::new(),
            alike: FxHashMap::default(),
            joined: FxHashSet::default(),
        }
    }

    fn add_files(&mut self) {
        for (number, file) in self.files.iter().copied().enumerate() {
            let module = self.module(folder(&file.path));
            let mut node = self.node(Label::File, &file.path, &file.path, "");
            node.language = file.language;
            node.run.clone_from(&file.run);
            node.lines = Some((1, file.lines.max(1)));
            let node = self.push(node);
            self.file_nodes.push(node);
            self.read_by(module, file);
            self.edge(EdgeKind::BelongsTo, node, module, None, CERTAIN);
            let interfaces = interfaces(file);
            let symbols = file.symbols.iter().map(|symbol| {
                let owner = symbol.owner.as_deref();
                let is_declared = symbol.body == Body::Elsewhere;
                if is_declared && self.bodies.contains(&(owner.unwrap_or_default(), &symbol.name)) {
                    return None;
                }
                let of_interface =
                    is_declared || owner.is_some_and(|owner| interfaces.contains(owner));
                let place = self.symbol(file, symbol);
                self.know(number, symbol, place, of_interface);
                Some(place)
            });
            let symbols: Vec<_> = symbols.collect();
            for (symbol, place) in file.symbols.iter().zip(&symbols) {
                let Some(place) = *place else { continue };
                self.edge(EdgeKind::Contains, node, place, Some(symbol.line_start), CERTAIN);
            }
            self.symbols.push(symbols);
            for Field { class, name, kind } in &file.fields {
                self.fields.entry((class, name)).or_default().push((number, kind));
            }
        }
    }

    /// Joins methods to their types, which may be in another file.
    fn add_methods(&mut self) {
        for (number, file) in self.files.iter().copied().enumerate() {
            for (at, symbol) in file.symbols.iter().enumerate() {
                let Some(owner) = symbol.owner.as_deref() else { continue };
                let Some(method) = self.symbol_node(number, at) else { continue };
                let known = self.methods.get(&(owner, symbol.name.as_str()));
                let known = known.and_then(|known| known.iter().find(|found| found.node == method));
                let class = match known {
                    Some(known) => self.owner_of(*known, owner),
                    None => self.named_type(number, owner),
                };
                if let Some((class, confidence)) = class {
                    let line = Some(symbol.line_start);
                    self.edge(EdgeKind::HasMethod, class, method, line, confidence);
                }
            }
        }
    }

    fn add_bases(&mut self) {
        for (number, file) in self.files.iter().copied().enumerate() {
            for base in &file.bases {
                let class = self.named_type(number, &base.class);
                let above = self.named_type(number, &base.name);
                let (Some((class, sure)), Some((above, surer))) = (class, above) else { continue };
                let kind = match base.kind {
                    BaseKind::Implements => EdgeKind::Implements,
                    BaseKind::Extends => EdgeKind::Extends,
                };
                if class != above {
                    self.edge(kind, class, above, None, sure.min(surer));
                }
            }
        }
    }

    /// Resolves all imports; types and calls are looked up through them.
    fn resolve_imports(&mut self) {
        let resolved = self.files.iter().copied().enumerate().map(|(number, file)| {
            let names = file
                .imports
                .iter()
                .flat_map(|import| import.names.iter().map(move |named| (named, import.inside)));
            let resolve = |(named, inside): (&'f ImportedName, _)| Imported {
                named,
                files: match named.path.as_str() {
                    ImportedName::OWN => vec![number],
                    path => self.files_of(number, path),
                },
                inside,
            };
            names.map(resolve).collect()
        });
        self.imported = resolved.collect();
    }

    fn add_imports(&mut self) {
        for (number, file) in self.files.iter().copied().enumerate() {
            let Some(from) = self.file_nodes.get(number).copied() else { continue };
            let mut written = FxHashSet::default();
            let imports = file.imports.iter().filter(|import| import.module != ImportedName::OWN);
            for import in imports {
                for to in self.files_meant(number, import) {
                    self.edge(EdgeKind::Imports, from, to, Some(import.line), IMPORTED_FILE);
                }
                if !written.insert(import.module.as_str()) {
                    continue;
                }
                let mut node = self.node(Label::Import, &import.module, &file.path, &import.module);
                node.language = file.language;
                node.run.clone_from(&file.run);
                node.lines = Some((import.line, import.line));
                node.module_name = Some(import.module.clone());
                let node = self.push(node);
                self.edge(EdgeKind::Imports, from, node, Some(import.line), CERTAIN);
            }
        }
    }

    /// Returns the nodes of the files that an import refers to, without duplicates.
    fn files_meant(&self, file: usize, import: &Import) -> Vec<usize> {
        let paths: FxHashSet<&str> = match import.names.as_slice() {
            [] => FxHashSet::from_iter([import.module.as_str()]),
            names => names.iter().map(|name| name.path.as_str()).collect(),
        };
        let files = paths.into_iter().flat_map(|path| self.files_of(file, path));
        let mut files: Vec<_> = files.filter(|found| self.is_written(*found, import)).collect();
        files.sort_unstable();
        files.dedup();
        files.into_iter().filter_map(|found| self.file_nodes.get(found).copied()).collect()
    }

    /// Whether an import names a file. An `#include` names it with its extension; calls are also
    /// looked up in other files with the same stem.
    fn is_written(&self, file: usize, import: &Import) -> bool {
        let Some(facts) = self.files.get(file) else { return false };
        match facts.language {
            Some(Language::C | Language::Cpp) => last(&facts.path) == last(&import.module),
            _ => true,
        }
    }

    fn add_calls(&mut self) {
        for (number, file) in self.files.iter().copied().enumerate() {
            for call in &file.calls {
                let caller = match call.caller {
                    Some(at) => self.symbol_node(number, at),
                    None => self.file_nodes.get(number).copied(),
                };
                let owner = self.owner_around(number, call.caller);
                let at = At { file: number, function: call.caller };
                let (Some(caller), Some((callee, confidence))) =
                    (caller, self.callee(at, owner.as_deref(), call))
                else {
                    continue;
                };
                self.edge(EdgeKind::Calls, caller, callee, Some(call.line), confidence);
            }
        }
    }

    /// Adds the node of a symbol.
    fn symbol(&mut self, file: &'f FileFacts, symbol: &'f Symbol) -> usize {
        let owned = symbol.owner.as_deref().map_or(String::new(), |owner| format!("{owner}."));
        let key = format!("{owned}{}", symbol.signature);
        let mut node = self.node(symbol.label, &symbol.name, &file.path, &key);
        node.language = file.language;
        node.run.clone_from(&file.run);
        node.lines = Some((symbol.line_start, symbol.line_end));
        node.signature = Some(symbol.signature.clone());
        node.params.clone_from(&symbol.params);
        node.return_type.clone_from(&symbol.return_type);
        node.docstring.clone_from(&symbol.docstring);
        node.receiver_type.clone_from(&symbol.owner);
        self.push(node)
    }

    /// Adds a symbol to the indexes.
    fn know(&mut self, number: usize, symbol: &'f Symbol, place: usize, of_interface: bool) {
        let found = Found {
            node: place,
            file: number,
            method: symbol.owner.is_some(),
            of_interface,
            hidden: symbol.export == Export::Hidden,
            on_value: self.is_called_on_values(number, symbol),
        };
        self.scopes.extend(symbol.module.as_deref().map(|module| (place, module)));
        match symbol.label {
            Label::Function => {
                if symbol.export == Export::Default {
                    self.defaults.insert(number, found);
                }
                match (symbol.inside, &symbol.owner) {
                    (Some(inside), None) => {
                        let nested = self.nested.entry((number, &symbol.name)).or_default();
                        nested.push((inside, place));
                    }
                    _ => self.functions.entry(&symbol.name).or_default().push(found),
                }
                if let Some(owner) = &symbol.owner {
                    self.methods.entry((owner, &symbol.name)).or_default().push(found);
                }
                if let (Some(module), None) = (&symbol.module, symbol.inside) {
                    self.scoped.entry((module, &symbol.name)).or_default().push(found);
                }
            }
            Label::Class | Label::Interface => {
                if symbol.export == Export::Default {
                    self.default_types.insert(number, found);
                }
                self.types.entry(&symbol.name).or_default().push(found);
                if let Some(module) = &symbol.module {
                    self.scoped_types.entry((module, &symbol.name)).or_default().push(found);
                }
            }
            _ => {}
        }
    }

    fn module(&mut self, path: &'f str) -> usize {
        if let Some(known) = self.modules.get(path) {
            return *known;
        }
        let name = if path.is_empty() { self.repo } else { last(path) };
        let node = self.node(Label::Module, name, path, "module");
        let place = self.push(node);
        self.modules.insert(path, place);
        place
    }

    fn node(&self, label: Label, name: &str, path: &str, signature: &str) -> CodeNode {
        CodeNode {
            entity_id: identity(&[self.repo, path, name, signature]),
            label,
            name: name.to_owned(),
            repo: self.repo.to_owned(),
            file_path: path.to_owned(),
            language: None,
            lines: None,
            signature: None,
            params: None,
            return_type: None,
            docstring: None,
            receiver_type: None,
            module_name: Some(last(folder(path)).to_owned()).filter(|name| !name.is_empty()),
            run: None,
        }
    }

    /// Adds a node. Of several with the same id, such as variants for different platforms, later
    /// ones get an id with a number.
    fn push(&mut self, mut node: CodeNode) -> usize {
        let alike = self.alike.entry(node.entity_id.clone()).or_default();
        *alike += 1;
        if *alike > 1 {
            node.entity_id = identity(&[&node.entity_id, &alike.to_string()]);
        }
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    /// Updates the run of a folder: the latest scan that read a file in it. Run ids are ordered.
    fn read_by(&mut self, module: usize, file: &FileFacts) {
        if let Some(module) = self.graph.nodes.get_mut(module)
            && module.run < file.run
        {
            module.run.clone_from(&file.run);
        }
    }

    /// Adds an edge, unless it exists.
    fn edge(&mut self, kind: EdgeKind, from: usize, to: usize, line: Option<u32>, confidence: f64) {
        if !self.joined.insert((kind, from, to)) {
            return;
        }
        // Remove the rounding errors of sums.
        let confidence = (confidence * 100.0).round() / 100.0;
        self.graph.edges.push(CodeEdge { kind, from, to, line, confidence });
    }

    /// Returns the class of the method that a function is or is nested in, prefixed with the module
    /// if there are types of that name in the module.
    fn owner_around(&self, file: usize, function: Option<usize>) -> Option<Cow<'f, str>> {
        let symbols = &self.files.get(file)?.symbols;
        let mut around = functions_around(symbols, function);
        let method =
            around.find_map(|at| symbols.get(at).filter(|symbol| symbol.owner.is_some()))?;
        let owner = method.owner.as_deref()?;
        match method.module.as_deref() {
            Some(module) if self.scoped_types.contains_key(&(module, owner)) => {
                Some(Cow::Owned(format!("{module}::{owner}")))
            }
            _ => Some(Cow::Borrowed(owner)),
        }
    }

    fn symbol_node(&self, file: usize, at: usize) -> Option<usize> {
        self.symbols.get(file)?.get(at).copied()?
    }
}

/// Returns the C++ functions that are defined somewhere, as opposed to declared.
fn bodies<'f>(files: &[&'f FileFacts]) -> FxHashSet<(&'f str, &'f str)> {
    let files = files.iter().filter(|file| file.language == Some(Language::Cpp));
    let symbols = files.flat_map(|file| &file.symbols);
    let written = symbols.filter(|symbol| symbol.body == Body::Here);
    let named = |symbol: &'f Symbol| (symbol.owner.as_deref().unwrap_or_default(), &*symbol.name);
    written.map(named).collect()
}

/// Returns the names of the interfaces of a file.
fn interfaces(file: &FileFacts) -> FxHashSet<&str> {
    let interfaces = file.symbols.iter().filter(|symbol| symbol.label == Label::Interface);
    interfaces.map(|symbol| symbol.name.as_str()).collect()
}

/// Returns a function and those around it, innermost first.
fn functions_around(symbols: &[Symbol], function: Option<usize>) -> impl Iterator<Item = usize> {
    // An enclosing function comes before the nested one, so this terminates.
    let around = |at: &usize| symbols.get(*at)?.inside.filter(|outer| outer < at);
    std::iter::successors(function, around)
}
