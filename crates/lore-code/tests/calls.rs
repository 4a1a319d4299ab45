//! Names across files: aliases, modules, namespaces, base classes, and different languages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, TestGraph, WHERE};

#[test]
fn names_that_python_changes() {
    let graph = TestGraph::of(&[
        ("pkg/__init__.py", ""),
        (
            "pkg/store.py",
            "def save(x):\n    return x\n\nclass Store:\n    def save(self):\n        pass\n",
        ),
        (
            "pkg/app.py",
            "from pkg.store import save as persist\nfrom pkg import store\nfrom pkg import store as st\n\
             import pkg.store\nimport pkg.store as ps\nfrom .store import Store as Shop\n\n\
             def one():\n    return persist(1)\n\ndef two():\n    return store.save(2)\n\n\
             def three():\n    return st.save(3)\n\ndef four():\n    return pkg.store.save(4)\n\n\
             def five():\n    return ps.save(5)\n\ndef six(shop):\n    Shop.save(shop)\n",
        ),
    ]);
    let free = ["five", "four", "one", "three", "two"].map(|name| format!("{name}→save"));
    graph.rows(
        "MATCH (a)-[:CALLS]->(b) WHERE b.receiver_type IS NULL RETURN a.name + '→' + b.name",
        &free.each_ref().map(String::as_str),
    );
    graph.rows("MATCH (a)-[:CALLS]->({receiver_type: 'Store'}) RETURN a.name", &["six"]);
    graph.rows(FILES, &["pkg/app.py→pkg/store.py"]);
}

#[test]
fn relative_imports_mean_modules_before_packages() {
    let graph = TestGraph::of(&[
        ("a/__init__.py", "def shared():\n    pass\n"),
        ("a/tools.py", "def tool():\n    pass\n"),
        ("a/b/__init__.py", ""),
        (
            "a/main.py",
            "from . import tools, shared\n\ndef main():\n    tools.tool()\n    shared()\n",
        ),
        ("a/b/deep.py", "from ..tools import tool\n\ndef deep():\n    tool()\n"),
        ("other/tools.py", "def tool():\n    pass\n"),
    ]);
    graph.rows(
        FILES,
        &["a/b/deep.py→a/tools.py", "a/main.py→a/__init__.py", "a/main.py→a/tools.py"],
    );
    graph.rows(WHERE, &["deep→a/tools.py", "main→a/__init__.py", "main→a/tools.py"]);
}

#[test]
fn what_is_above_is_not_oneself() {
    let graph = TestGraph::of(&[
        (
            "base.py",
            "class Root:\n    def close(self):\n        pass\n\nclass Parent(Root):\n    def run(self):\n        pass\n",
        ),
        (
            "kid.py",
            "from base import Parent\n\nclass Kid(Parent):\n    def run(self):\n        super().run()\n\
             \x20       self.close()\n",
        ),
    ]);
    graph.rows(WHERE, &["run→base.py", "run→base.py"]);
}

#[test]
fn names_that_typescript_changes() {
    let graph = TestGraph::of(&[
        (
            "ts/util.ts",
            "export function add(a: number): number { return a; }\nexport default function main(): void {}\n",
        ),
        ("ts/util.test.ts", "export function add(): void {}\n"),
        (
            "ts/app.ts",
            "import { add as plus } from './util';\nimport whatever from './util';\nimport * as u from './util';\n\
             export function one() { return plus(1); }\nexport function two() { whatever(); }\n\
             export function three() { return u.add(1); }\n",
        ),
        (
            "ts/old.js",
            "const { add, add: sum } = require('./util');\nconst u = require('./util');\n\
             function four() { add(); }\nfunction five() { sum(); }\nfunction six() { u.add(); }\n",
        ),
    ]);
    let to_add = ["five", "four", "one", "six", "three"].map(|name| format!("{name}→add"));
    let mut all: Vec<&str> = to_add.iter().map(String::as_str).collect();
    all.push("two→main");
    graph.rows(CALLS, &all);
    graph.rows(FILES, &["ts/app.ts→ts/util.ts", "ts/old.js→ts/util.ts"]);
}

#[test]
fn packages_of_go_are_folders() {
    let graph = TestGraph::of(&[
        ("m/store/store.go", "package store\nfunc Save(x int) error { return nil }\n"),
        ("m/store/more.go", "package store\nfunc Twice() { Save(1) }\n"),
        (
            "m/main.go",
            "package main\nimport (\n\t\"example.com/m/store\"\n\tst \"example.com/m/store\"\n\t\"fmt\"\n)\n\
             func one() { store.Save(1) }\nfunc two() { st.Save(2) }\nfunc three() { fmt.Save(3) }\n",
        ),
        ("other/fmt.go", "package other\ntype T struct{}\nfunc (t *T) Save() {}\n"),
    ]);
    graph.rows(WHERE, &["Twice→m/store/store.go", "one→m/store/store.go", "two→m/store/store.go"]);
}

#[test]
fn java_calls_what_it_inherits_and_imports() {
    let graph = TestGraph::of(&[
        (
            "com/acme/Helper.java",
            "package com.acme;\nclass Root { void deep() {} }\npublic class Helper extends Root {\n\
             \x20 public static String help(int x) { return \"\"; }\n  void plain() {}\n}\n",
        ),
        (
            "com/acme/App.java",
            "package com.acme;\nimport static com.acme.Helper.help;\nimport java.util.List;\n\
             class App extends Helper {\n  void a() { help(1); }\n  void b() { Helper.help(2); }\n\
             \x20 void c() { plain(); }\n  void d() { super.plain(); deep(); }\n  void e() { List.of(1); }\n}\n",
        ),
        ("x/Of.java", "class Of { static void of() {} }\n"),
    ]);
    graph.rows(CALLS, &["a→help", "b→help", "c→plain", "d→deep", "d→plain"]);
}

#[test]
fn namespaces_and_modules_are_scopes() {
    let graph = TestGraph::of(&[
        ("w.hpp", "#pragma once\nnamespace util { int twice(int x); }\n"),
        ("w.cpp", "#include \"w.hpp\"\nnamespace util { int twice(int x) { return 2 * x; } }\n"),
        ("v.cpp", "namespace other { int twice(int x) { return x; } }\n"),
        ("main.cpp", "#include \"w.hpp\"\nint main() { return util::twice(1); }\n"),
        (
            "src/lib.rs",
            "mod store;\nuse store::{save as persist, load::{self, all as every}};\n\
             pub fn one() { persist(1); every(); }\nmod inner { pub fn up() { super::one() } }\n",
        ),
        ("src/store.rs", "pub fn save(_x: u32) {}\n"),
        ("src/store/load.rs", "pub fn all() { super::save(1) }\n"),
        ("src/all.rs", "pub fn all() {}\npub fn save() {}\n"),
    ]);
    graph.rows(
        WHERE,
        &[
            "all→src/store.rs",
            "main→w.cpp",
            "one→src/store.rs",
            "one→src/store/load.rs",
            "up→src/lib.rs",
        ],
    );
    graph.rows(
        "MATCH (a:File)-[:IMPORTS]->(b:File) WHERE a.language = 'cpp' \
         RETURN a.file_path + '→' + b.file_path",
        &["main.cpp→w.hpp", "w.cpp→w.hpp"],
    );
}

#[test]
fn paths_of_rust_lead_where_they_say() {
    let graph = TestGraph::of(&[
        (
            "app/src/lib.rs",
            "mod memory;\nmod keeper;\npub use my_store::Store;\nfn ten() { memory::around(); }\n\
             fn eleven() { my_store::open(); }\n",
        ),
        ("app/src/memory/decoy.rs", "pub fn around() {}\n"),
        ("my-store/src/aside.rs", "pub fn open() {}\n"),
        ("app/src/keeper.rs", "pub fn keeper() {}\n"),
        ("app/src/memory/mod.rs", "pub mod envelope;\nmod use_it;\npub fn around() {}\n"),
        ("app/src/memory/envelope.rs", "pub fn keeper() {}\n"),
        (
            "app/src/memory/use_it.rs",
            "use super::envelope::keeper;\nuse my_store::{Store, open};\nuse super::around as near;\n\
             fn one() { keeper(); }\nfn two(s: &Store) { s.save(); }\nfn three() { open(); }\nfn four() { near(); }\n\
             fn five(s: &crate::Store) { s.save(); }\n\
             use tokio::time::timeout;\nuse the_my_store::open as again;\nfn eight() { timeout(); }\nfn nine() { again(); }\n\
             mod tests { use super::one; use super::super::around; fn six() { one(); } fn seven() { around(); } }\n",
        ),
        ("my-store/src/lib.rs", "mod inner;\npub use inner::{Store, open};\n"),
        (
            "my-store/src/inner.rs",
            "pub struct Store;\nimpl Store { pub fn save(&self) {} }\npub fn open() {}\n",
        ),
        ("other/src/time.rs", "pub fn timeout() {}\n"),
        (
            "other/src/lib.rs",
            "pub struct Store;\nimpl Store { pub fn save(&self) {} }\npub fn open() {}\n",
        ),
    ]);
    graph.rows(
        WHERE,
        &[
            "eleven→my-store/src/inner.rs",
            "five→my-store/src/inner.rs",
            "four→app/src/memory/mod.rs",
            "nine→my-store/src/inner.rs",
            "one→app/src/memory/envelope.rs",
            "seven→app/src/memory/mod.rs",
            "six→app/src/memory/use_it.rs",
            "ten→app/src/memory/mod.rs",
            "three→my-store/src/inner.rs",
            "two→my-store/src/inner.rs",
        ],
    );
    graph.rows(
        "MATCH (a:File)-[:IMPORTS]->(b:File {file_path: 'other/src/time.rs'}) RETURN a.name",
        &[],
    );
}

#[test]
fn languages_do_not_mix() {
    let graph = TestGraph::of(&[
        ("web/store.js", "export function save() {}\nexport class Store { save() {} }\n"),
        (
            "app/main.py",
            "import store\nfrom web import store as s\n\ndef main():\n    store.save()\n    s.save()\n",
        ),
        ("src/store.go", "package src\nfunc save() {}\n"),
        ("src/run.rs", "use crate::store;\nfn run() { store::save(); save(); }\n"),
        ("run.sh", ". ./store.sh\nrun() { save; }\n"),
        ("store.sh", "save() { echo; }\n"),
    ]);
    graph.rows(WHERE, &["run→store.sh"]);
    graph.rows(FILES, &["run.sh→store.sh"]);
}

#[test]
fn names_from_elsewhere_are_not_taken_for_ones_own() {
    let graph = TestGraph::of(&[
        (
            "a.py",
            "import numpy as np\nfrom json import dumps\n\ndef a():\n    np.save(1)\n    dumps(2)\n",
        ),
        ("app/__init__.py", ""),
        ("app/json.py", "def dumps(x):\n    pass\n"),
        ("c.ts", "import { render } from 'react';\nfunction c() { render(); }\n"),
        ("lib/react.ts", "export function render() {}\n"),
        ("b.py", "class Shop:\n    def save(self):\n        pass\n"),
    ]);
    graph.rows(CALLS, &[]);
}

const FILES: &str =
    "MATCH (a:File)-[:IMPORTS]->(b:File) RETURN DISTINCT a.file_path + '→' + b.file_path";
