//! Names inside functions, built-in names, and re-exported names.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, TestGraph, WHERE};

#[test]
fn what_the_language_has_is_not_looked_for_elsewhere() {
    let graph = TestGraph::of(&[
        (
            "tools.py",
            "def filter(x):\n    pass\n\ndef compile(x):\n    pass\n\ndef stray():\n    pass\n",
        ),
        ("app.py", "def app(x):\n    filter(x)\n    compile(x)\n    str(x)\n    stray()\n"),
        ("own.py", "def filter(x):\n    pass\n\ndef own(x):\n    filter(x)\n"),
        ("tools.js", "export function parseInt(x) {}\nexport function stray() {}\n"),
        ("app.js", "import './tools';\nfunction run(x) { parseInt(x); stray(); }\n"),
        ("a/len.go", "package a\nfunc len(x int) int { return x }\nfunc Stray() {}\n"),
        ("b/use.go", "package b\nfunc use(x []int) { len(x); Stray() }\n"),
    ]);
    graph.rows(WHERE, &["own→own.py"]);
}

#[test]
fn names_alone_lead_only_to_what_could_be_reached() {
    let graph = TestGraph::of(&[
        ("far.py", "def far():\n    pass\n"),
        ("star.py", "from somewhere import *\n\ndef star():\n    far()\n"),
        ("far.c", "void distant(void) {}\n"),
        ("use.c", "void use(void) { distant(); }\n"),
    ]);
    graph.rows(
        "MATCH (a)-[r:CALLS]->(b) RETURN a.name + '→' + b.name + ' ' + toString(r.confidence)",
        &["star→far 0.3", "use→distant 0.6"],
    );
}

#[test]
fn names_of_a_function_win_in_python() {
    let graph = TestGraph::of(&[
        ("other.py", "def save():\n    pass\n"),
        (
            "a.py",
            "import store\n\ndef save():\n    pass\n\n\
             def by_parameter(save):\n    save()\n\n\
             def by_assignment():\n    save = make()\n    save()\n\n\
             def by_loop(all):\n    for save in all:\n        save()\n\n\
             def by_with():\n    with make() as save:\n        save()\n\n\
             def by_import():\n    from other import save\n    save()\n\n\
             def by_foreign_import():\n    from elsewhere import save\n    save()\n\n\
             def by_definition():\n    def save():\n        pass\n    save()\n\n\
             def by_global():\n    global save\n    save = 1\n    save()\n\n\
             def inner(save):\n    def deeper():\n        save()\n    return deeper\n\n\
             def on_parameter(store):\n    store.load()\n\n\
             def plain():\n    save()\n    store.load()\n",
        ),
        ("store.py", "def load():\n    pass\n"),
    ]);
    let lines = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.file_path + ':' + \
                 toString(b.line_start)";
    graph.rows(
        lines,
        &[
            "by_definition→a.py:30",
            "by_global→a.py:3",
            "by_import→other.py:1",
            "plain→a.py:3",
            "plain→store.py:1",
        ],
    );
}

#[test]
fn names_of_a_function_win_in_scripts() {
    let graph = TestGraph::of(&[
        (
            "a.ts",
            "import { load } from './b';\nfunction save() {}\n\
         function byParameter(save: Save) { save(); }\n\
         function byPattern({ save, load: [load] }) { save(); load(); }\n\
         function byVariable() { save(); const save = make(); }\n\
         function byArrow() { return list.map(save => save()); }\n\
         function byCatch() { try { save(); } catch (load) { load(); } }\n\
         function byDefinition() { const save = () => 1; save(); }\n\
         function plain() { save(); load(); }\n",
        ),
        ("b.ts", "export function load() {}\n"),
    ]);
    let lines = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.name + ':' + \
                 toString(b.line_start)";
    graph.rows(lines, &["byCatch→save:2", "byDefinition→save:8", "plain→load:1", "plain→save:2"]);
}

#[test]
fn names_of_cases_win_in_python() {
    let graph = TestGraph::of(&[(
        "a.py",
        "def save():\n    pass\n\n\
         def name(x):\n    match x:\n        case save:\n            save()\n\n\
         def parts(x):\n    match x:\n        case [first, *save]:\n            save()\n\n\
         def fields(x):\n    match x:\n        case Point(x=save):\n            save()\n\n\
         def keys(x):\n    match x:\n        case {'k': save, **rest}:\n            save()\n\n\
         def renamed(x):\n    match x:\n        case Point() as save:\n            save()\n\n\
         def inner(x):\n    match x:\n        case (1, save) as both:\n            save()\n\n\
         def values(x):\n    match x:\n        case mod.save:\n            save()\n\n\
         def classes(x):\n    match x:\n        case save():\n            save()\n",
    )]);
    graph.rows(CALLS, &["classes→save", "values→save"]);
}

#[test]
fn names_of_a_block_end_with_it_in_scripts() {
    let graph = TestGraph::of(&[(
        "a.js",
        "function save() {}\n\
         function afterBlock(x) { { const save = x; save(); } save(); }\n\
         function inBlock(x) { if (x) { let save = x; save(); } }\n\
         function afterLoop(x) { for (const save of x) { save(); } save(); }\n\
         function afterCount(x) { for (let save = x; ;) { save(); } save(); }\n\
         function afterCatch() { try { } catch (save) { save(); } save(); }\n\
         function inSwitch(x) { switch (x) { case 1: const save = x; save(); } }\n\
         function withVar(x) { if (x) { var save = x; } save(); }\n\
         function withLoopVar(x) { for (var save of x) {} save(); }\n\
         function beforeIt(x) { { save(); const save = x; } }\n\
         function innerFunction() { { function save() {} save(); } }\n",
    )]);
    let lines = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + toString(b.line_start)";
    graph.rows(
        lines,
        &["afterBlock→1", "afterCatch→1", "afterCount→1", "afterLoop→1", "innerFunction→11"],
    );
}

#[test]
fn what_a_function_of_rust_uses_for_itself_hides_what_the_file_has() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "mod other;\nfn save() {}\nmod inner { pub fn save() {} pub fn deep() {} }\n\
             fn by_file() { use crate::other::save; save(); }\n\
             fn by_module() { use inner::save; save(); }\n\
             fn by_std() { use std::mem::save; save(); }\n\
             fn by_name() { use crate::other::load as save; save(); }\n\
             fn plain() { save(); }\n",
        ),
        ("src/other.rs", "pub fn save() {}\npub fn load() {}\n"),
    ]);
    graph.rows(
        "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.file_path + ':' + toString(b.line_start)",
        &[
            "by_file→src/other.rs:1",
            "by_module→src/lib.rs:3",
            "by_name→src/other.rs:2",
            "plain→src/lib.rs:2",
        ],
    );
}

#[test]
fn what_is_static_in_c_is_seen_by_its_file_alone() {
    let graph = TestGraph::of(&[
        ("a.c", "static int twice(int x) { return x; }\nint own(void) { return twice(1); }\n"),
        ("b.c", "#include \"a.h\"\nint far(void) { return twice(1) + other(2); }\n"),
        ("a.h", "static inline int shared(int x) { return x; }\n"),
        (
            "c.c",
            "#include \"a.h\"\nint use(void) { return shared(1); }\nint other(int x) { return x; }\n",
        ),
    ]);
    graph.rows(WHERE, &["far→c.c", "own→a.c", "use→a.h"]);
}

#[test]
fn names_begin_after_their_declaration_in_rust_go_and_c() {
    let graph = TestGraph::of(&[
        (
            "a.rs",
            "fn save(x: u8) -> u8 { x }\nfn by_parameter(save: fn()) { save(); }\n\
             fn by_let() { let save = || 1; save(); }\n\
             fn before() { let save = save(1); drop(save); }\n\
             fn after_block() { { let save = || 1; save(); } save(1); }\n\
             fn by_arm(x: Option<fn()>) { match x { Some(save) => save(), None => {} } }\n\
             fn by_condition(x: Option<fn()>) { if let Some(save) = x { save(); } }\n\
             fn by_loop(all: Vec<fn()>) { for save in all { save(); } }\n\
             fn by_closure() { run(|save| save()); }\n",
        ),
        (
            "b.go",
            "package b\nfunc load() int { return 1 }\nfunc byParameter(load func()) { load() }\n\
             func byVariable() { load := func() {}; load() }\n\
             func beforeIt() { load := load(); _ = load }\n\
             func byRange(all []func()) { for _, load := range all { load() } }\n",
        ),
        (
            "c.c",
            "int find(int x) { return x; }\nint by_pointer(int (*find)(int)) { return find(1); }\n\
             int by_local(void) { int (*find)(int) = 0; return find(1); }\n\
             int by_prototype(void) { int find(int); return find(1); }\n",
        ),
    ]);
    graph.rows(CALLS, &["after_block→save", "beforeIt→load", "before→save", "by_prototype→find"]);
}

#[test]
fn what_belongs_to_an_object_is_no_module() {
    let graph = TestGraph::of(&[
        ("store.py", "def save():\n    pass\n"),
        ("a.py", "import store\n\nclass A:\n    def a(self):\n        self.store.save()\n"),
        ("store.rs", "pub fn load() {}\n"),
        ("a.rs", "struct A;\nimpl A { fn a(&self) { self.store.load(); store.load(); } }\n"),
        (
            "a.go",
            "package a\ntype T struct{}\nfunc (t *T) One() { t.Two() }\nfunc (t *T) Two() {}\n\
             type U struct{}\nfunc (u *U) Two() {}\n",
        ),
    ]);
    graph.rows(
        "MATCH (a)-[r:CALLS]->(b) RETURN a.name + '→' + b.receiver_type + '.' + b.name",
        &["One→T.Two"],
    );
}

#[test]
fn methods_that_lists_have_are_theirs_unless_something_speaks_for_others() {
    let graph = TestGraph::of(&[
        (
            "cache.py",
            "class Cache:\n    def get(self):\n        pass\n    def refill(self):\n        pass\n",
        ),
        ("far.py", "def far(x):\n    x.get()\n    x.refill()\n"),
        ("near.py", "from cache import Cache\n\ndef near(x):\n    x.get()\n"),
        ("path.py", "import os\n\ndef path(x):\n    os.path.refill(x)\n"),
        (
            "src/lib.rs",
            "struct Cup;\nimpl Cup { fn get(&self) {} fn brew(x: u8) -> Cup { Cup } fn sip(self: Box<Self>) {} }\n\
             fn rust(x: impl Fn()) { x.get(); x.brew(1); x.sip(); }\nfn known(c: &Cup) { c.get(); Cup::brew(1); }\n",
        ),
    ]);
    graph.rows(
        "MATCH (a)-[r:CALLS]->(b) RETURN a.name + '→' + b.name + ' ' + toString(r.confidence)",
        &["far→refill 0.5", "known→brew 0.9", "known→get 0.95", "near→get 0.2", "rust→sip 0.5"],
    );
}

#[test]
fn macros_of_rust_call_what_they_are_given() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "mod shapes;\nfn one() -> u8 { 1 }\nfn two() -> u8 { 2 }\nfn three() {}\n\
             struct S;\nimpl S {\n fn own(&self) { println!(\"{}\", self.far(one())); }\n fn far(&self, x: u8) {}\n}\n\
             fn all() {\n assert_eq!(one(), shapes::area(two()));\n vec![crate::three()];\n \
             let three = 1; dbg!(three(1));\n}\n\
             #[cfg(any(one(), two()))]\nfn attributed() {}\n\
             macro_rules! rule { ($x:expr) => { three(); $x(1) }; }\n\
             fn closures() {\n check!(all.map(|one| one()), |a, mut two| two(), |(three, b)| three());\n \
             check!({ let one = 1; one(); for two in all { two(); } });\n check!(a | b | one(), three());\n}\n",
        ),
        ("src/shapes.rs", "pub fn area(x: u8) -> u8 { x }\n"),
    ]);
    graph.rows(
        CALLS,
        &[
            "all→area",
            "all→one",
            "all→three",
            "all→two",
            "closures→one",
            "closures→three",
            "own→far",
            "own→one",
        ],
    );
}

#[test]
fn names_are_reexported() {
    let graph = TestGraph::of(&[
        ("pkg/__init__.py", "from .deep import exported\nfrom .more import *\n"),
        ("pkg/deep.py", "from .deeper import exported\n"),
        ("pkg/deeper.py", "def exported():\n    pass\n"),
        ("pkg/more.py", "def another():\n    pass\n"),
        (
            "app.py",
            "import pkg\nfrom pkg import exported as e2, another\n\n\
             def one():\n    e2()\n    another()\n\ndef two():\n    pkg.exported()\n",
        ),
        ("web/index.ts", "export { save as keep } from './save';\nexport * from './load';\n"),
        ("web/save.ts", "export function save() {}\n"),
        ("web/load.ts", "export function load() {}\n"),
        (
            "web/app.ts",
            "import { keep, load } from './index';\nfunction three() { keep(); load(); }\n",
        ),
    ]);
    graph.rows(
        WHERE,
        &[
            "one→pkg/deeper.py",
            "one→pkg/more.py",
            "three→web/load.ts",
            "three→web/save.ts",
            "two→pkg/deeper.py",
        ],
    );
}

#[test]
fn an_import_that_is_written_twice_is_one() {
    let graph = TestGraph::of(&[
        ("a.py", "import b\nfrom b import f\nimport b\n"),
        ("b.py", "def f():\n    pass\n"),
    ]);
    graph.rows(
        "MATCH (:File)-[:IMPORTS]->(x) RETURN labels(x)[0] + ' ' + x.name",
        &["File b.py", "Import b"],
    );
}
