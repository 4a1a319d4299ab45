//! Re-exports, under other names and as namespaces; embedding in Go; nested classes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, TestGraph, WHERE};

#[test]
fn what_is_exported_under_another_name_is_found_by_its_importers() {
    let graph = TestGraph::of(&[
        (
            "e1.mjs",
            "function gim() {}\nclass Hid { go() {} }\nexport { gim as pub, Hid as Seen };\n",
        ),
        (
            "e2.mjs",
            "import { pub, Seen } from './e1.mjs';\nfunction usePub() { pub(); }\n\
             function useSeen() { const s = new Seen(); s.go(); }\n",
        ),
        ("d1.ts", "function local() {}\nexport { local as default };\n"),
        ("d2.ts", "import any from './d1';\nfunction useDefault() { any(); }\n"),
        (
            "x.js",
            "function gam() {}\nfunction kap() {}\nfunction lam() {}\n\
             module.exports = { ren: gam, kap };\nmodule.exports.more = lam;\n",
        ),
        (
            "y.js",
            "const { ren, kap } = require('./x');\nconst x = require('./x');\n\
             function useRen() { ren(); kap(); }\nfunction useRen2() { x.ren(); x.more(); }\n",
        ),
    ]);
    graph.rows(
        CALLS,
        &[
            "useDefault→local",
            "usePub→gim",
            "useRen2→gam",
            "useRen2→lam",
            "useRen→gam",
            "useRen→kap",
            "useSeen→go",
        ],
    );
}

#[test]
fn namespaces_are_reexported() {
    let graph = TestGraph::of(&[
        ("m.ts", "export function f() {}\nexport class K { go() {} }\n"),
        (
            "index.ts",
            "export * as ns from './m';\nimport * as o from './m';\nexport { o };\n\
             export function f() {}\nexport class K {}\n",
        ),
        ("all.ts", "export * from './index';\n"),
        (
            "use.ts",
            "import { ns, o } from './index';\nimport { ns as again } from './all';\n\
             export function a() { ns.f(); }\nexport function b() { o.f(); }\n\
             export function c() { again.f(); }\n\
             export function d() { const k = new o.K(); k.go(); }\n\
             export class X extends ns.K {}\nexport class Y extends o.K {}\n",
        ),
    ]);
    graph.rows(WHERE, &["a→m.ts", "b→m.ts", "c→m.ts", "d→m.ts"]);
    let above = "MATCH (a)-[:EXTENDS]->(b) RETURN a.name + '→' + b.file_path";
    graph.rows(above, &["X→m.ts", "Y→m.ts"]);
}

#[test]
fn private_methods_and_commands_with_dashes_are_called() {
    let graph = TestGraph::of(&[
        ("a.js", "class A { #one() {} two() { return this.#one(); } }\n"),
        ("a.ts", "class B { #three() {} four() { return this.#three(); } }\n"),
        ("lib.sh", "my-func() { :; }\nother() { :; }\n"),
        ("use.sh", ". \"$(dirname \"$0\")/lib.sh\"\nrun() { my-func; other; }\n"),
    ]);
    graph.rows(CALLS, &["four→#three", "run→my-func", "run→other", "two→#one"]);
}

#[test]
fn what_is_inside_of_a_class_calls_its_methods() {
    let graph = TestGraph::of(&[(
        "q/Outer.java",
        "public class Outer { static int helper() { return 1; } int inst() { return 2; }\n\
         static class Nested { int a() { return helper(); } int own() { return a(); } }\n\
         class Inner { int b() { return inst(); } int c() { return Outer.this.inst(); } }\n\
         enum E { X; int d() { return helper(); } }\n\
         interface I { default int e() { return helper(); } }\n\
         record R(int x) { int f() { return helper(); } } }\n",
    )]);
    graph.rows(
        CALLS,
        &["a→helper", "b→inst", "c→inst", "d→helper", "e→helper", "f→helper", "own→a"],
    );
}

#[test]
fn what_types_of_go_have_in_themselves_counts_for_interfaces() {
    let graph = TestGraph::of(&[(
        "a.go",
        "package a\ntype R interface { Read() }\ntype W interface { Write() }\n\
         type RW interface { R; W }\ntype RC interface { R; Close() }\n\
         type Far interface { io.Reader; Read() }\n\
         type File struct{}\nfunc (f *File) Read() {}\nfunc (f *File) Write() {}\n\
         func (f *File) Close() {}\ntype Base struct{}\nfunc (b Base) Read() {}\n\
         type Emb struct { Base }\ntype Emb2 struct { *File; n int }\n",
    )]);
    graph.rows(
        "MATCH (a)-[:IMPLEMENTS]->(b) RETURN a.name + '→' + b.name",
        &[
            "Base→R",
            "Emb2→R",
            "Emb2→RC",
            "Emb2→RW",
            "Emb2→W",
            "Emb→R",
            "File→R",
            "File→RC",
            "File→RW",
            "File→W",
        ],
    );
}

#[test]
fn what_has_a_prototype_is_no_class_of_its_name_elsewhere() {
    let prototype = "function Old() {}\nOld.prototype.speak = function () { return this.shout(); };\n\
                     Old.prototype.shout = function () {};\nfunction g() {}\n";
    for reexported in ["", "module.exports = { ren: g };\n", "module.exports = { g };\n"] {
        let graph = TestGraph::of(&[
            ("a/l.js", &format!("{prototype}{reexported}")),
            ("b/o.ts", "export class Old { render() {} shout() {} }\n"),
        ]);
        graph.rows(WHERE, &["speak→a/l.js"]);
    }
}
