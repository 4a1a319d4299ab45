//! Types and functions named by a path: of two with the same name, the path decides which one is
//! meant.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, TestGraph, WHERE};

/// Types, with the file of their base type.
const BASES: &str = "MATCH (a)-[:EXTENDS|IMPLEMENTS]->(b) RETURN a.name + '→' + b.file_path";
/// Callers, with the file and the first line of the called function.
const LINES: &str =
    "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.file_path + ':' + toString(b.line_start)";

#[test]
fn packages_of_go_tell_types_apart() {
    let graph = TestGraph::of(&[
        ("go.mod", "module ex.com/g\n"),
        ("x/x.go", "package x\ntype T struct{}\nfunc (t *T) Do() {}\n"),
        ("y/y.go", "package y\ntype T struct{}\nfunc (t *T) Do() {}\n"),
        (
            "main.go",
            "package main\nimport (\n\t\"ex.com/g/x\"\n\t\"ex.com/g/y\"\n\t\"os\"\n)\n\
             func gx(t *x.T) { t.Do() }\nfunc gy(t *y.T) { t.Do() }\nfunc gz() { t := &y.T{}; t.Do() }\n\
             func gw() { var t y.T; t.Do() }\nfunc gv(t *os.T) { t.Do() }\n\
             type GX struct{ x.T }\ntype GY struct{ y.T }\nfunc gu(g GY) { g.Do() }\n",
        ),
    ]);
    graph.rows(WHERE, &["gu→y/y.go", "gw→y/y.go", "gx→x/x.go", "gy→y/y.go", "gz→y/y.go"]);
    graph.rows(BASES, &["GX→x/x.go", "GY→y/y.go"]);
}

#[test]
fn modules_of_python_tell_types_apart() {
    let class = "class T:\n    def __init__(self): pass\n    def do_it(self): pass\n    \
                 def make(): pass\n";
    let graph = TestGraph::of(&[
        ("a/__init__.py", ""),
        ("a/m.py", class),
        ("b/__init__.py", ""),
        ("b/m.py", class),
        (
            "use.py",
            "import a.m\nimport b.m as bm\nimport os as other\nfrom a.m import T\nfrom b import m as fm\n\
             def px(t: T): t.do_it()\ndef py(t: bm.T): t.do_it()\ndef pz():\n    t = bm.T()\n    t.do_it()\n\
             def pw(t: a.m.T): t.do_it()\ndef pv(t: other.T): t.do_it()\ndef pu(t: fm.T): t.do_it()\n\
             def pt(): bm.T.make()\nclass PX(a.m.T): pass\nclass PY(bm.T): pass\ndef ps(p: PY): p.do_it()\n",
        ),
    ]);
    graph.rows(
        LINES,
        &[
            "ps→b/m.py:3",
            "pt→b/m.py:4",
            "pu→b/m.py:3",
            "pw→a/m.py:3",
            "px→a/m.py:3",
            "py→b/m.py:3",
            "pz→b/m.py:2",
            "pz→b/m.py:3",
        ],
    );
    graph.rows(BASES, &["PX→a/m.py", "PY→b/m.py"]);
}

#[test]
fn a_module_of_python_without_another_name_is_its_whole_path() {
    let class = "class Future:\n    def done(self): pass\n";
    let graph = TestGraph::of(&[
        ("far/__init__.py", ""),
        ("far/futures.py", class),
        ("near/__init__.py", ""),
        ("near/futures.py", class),
        ("near/other.py", "def join(): pass\n"),
        (
            "near/use.py",
            "import far.futures\nimport os.path\nfrom . import futures\nclass Near(futures.Future): pass\n\
             class Far(far.futures.Future): pass\ndef one(n: Near): n.done()\ndef two(f: Far): f.done()\n\
             def three(): os.path.join()\n",
        ),
    ]);
    graph.rows(BASES, &["Far→far/futures.py", "Near→near/futures.py"]);
    graph.rows(WHERE, &["one→near/futures.py", "two→far/futures.py"]);
}

#[test]
fn modules_of_rust_tell_types_apart() {
    let module = "pub struct T;\nimpl T { pub fn act(&self) {} pub fn new() -> T { T } }\n\
                  pub trait R { fn r(&self); }\n";
    let graph = TestGraph::of(&[
        ("p/Cargo.toml", "[package]\nname = \"p\"\n"),
        ("p/src/lib.rs", "pub mod x;\npub mod y;\npub mod z;\n"),
        ("p/src/x.rs", module),
        ("p/src/y.rs", module),
        (
            "p/src/z.rs",
            "use crate::x;\nuse crate::y;\nfn rx(t: &x::T) { t.act() }\nfn ry(t: &y::T) { t.act() }\n\
             fn rz() { let t = y::T::new(); t.act(); }\nfn rw(t: &crate::y::T) { t.act() }\n\
             fn rv(t: &super::y::T) { t.act() }\nfn ru(t: &serde::T) { t.act() }\n\
             fn rt(t: &std::y::T) { t.act() }\nfn rs(a: &dyn y::R) { a.r() }\n\
             fn rr() { crate::y::T::new(); }\nstruct AX;\nstruct AY;\n\
             impl x::R for AX { fn r(&self) {} }\nimpl y::R for AY { fn r(&self) {} }\n\
             mod tests { fn rq(t: &super::y::T) { super::y::T::new(); } }\n",
        ),
    ]);
    graph.rows(
        LINES,
        &[
            "rq→p/src/y.rs:2",
            "rr→p/src/y.rs:2",
            "rs→p/src/y.rs:3",
            "rv→p/src/y.rs:2",
            "rw→p/src/y.rs:2",
            "rx→p/src/x.rs:2",
            "ry→p/src/y.rs:2",
            "rz→p/src/y.rs:2",
            "rz→p/src/y.rs:2",
        ],
    );
    graph.rows(BASES, &["AX→p/src/x.rs", "AY→p/src/y.rs"]);
}

#[test]
fn modules_of_typescript_tell_types_apart() {
    let class = "export class T { constructor() {}\n act() {} }\n";
    let graph = TestGraph::of(&[
        ("x.ts", class),
        ("y.ts", class),
        (
            "z.ts",
            "import * as x from './x';\nimport * as y from './y';\nimport * as far from 'far';\n\
             function tx(t: x.T) { t.act(); }\nfunction ty(t: y.T) { t.act(); }\n\
             function tz() { const t = new y.T(); t.act(); }\nfunction tw(t: far.T) { t.act(); }\n\
             class TX extends x.T {}\nclass TY extends y.T {}\n",
        ),
    ]);
    graph.rows(LINES, &["tx→x.ts:2", "ty→y.ts:2", "tz→y.ts:1", "tz→y.ts:2"]);
    graph.rows(BASES, &["TX→x.ts", "TY→y.ts"]);
}

#[test]
fn packages_of_java_tell_types_apart() {
    let graph = TestGraph::of(&[
        ("p/T.java", "package p; public class T { public T() {}\n public void act() {} }\n"),
        ("q/T.java", "package q; public class T { public T() {}\n public void act() {} }\n"),
        (
            "u/U.java",
            "package u; import p.T;\npublic class U { void jx(T t) { t.act(); }\n\
             void jy(q.T t) { t.act(); }\nvoid jz() { q.T t = new q.T(); t.act(); }\n\
             void jw(java.util.T t) { t.act(); } }\nclass V extends q.T {}\n",
        ),
    ]);
    graph.rows(LINES, &["jx→p/T.java:2", "jy→q/T.java:2", "jz→q/T.java:1", "jz→q/T.java:2"]);
    graph.rows(BASES, &["V→q/T.java"]);
}

#[test]
fn namespaces_of_cpp_tell_types_apart() {
    let graph = TestGraph::of(&[
        (
            "t.hpp",
            "namespace x { class T { public:\n void act() {} }; }\n\
             namespace y { class T { public:\n void act() {}\n void far(); }; inline void in(T& t) { t.act(); } }\n",
        ),
        ("t.cpp", "#include \"t.hpp\"\nvoid y::T::far() { act(); }\n"),
        (
            "z.cpp",
            "#include \"t.hpp\"\nvoid cx(x::T& t) { t.act(); }\nvoid cy(y::T& t) { t.act(); t.far(); }\n\
             void cz() { y::T t; t.act(); }\nvoid cw(std::T& t) { t.act(); }\n\
             class CX : public x::T {}; class CY : public y::T {};\n",
        ),
    ]);
    graph.rows(
        LINES,
        &["cx→t.hpp:2", "cy→t.cpp:2", "cy→t.hpp:4", "cz→t.hpp:4", "far→t.hpp:4", "in→t.hpp:4"],
    );
    graph.rows(
        "MATCH (a)-[:EXTENDS]->(b) RETURN a.name + '→' + toString(b.line_start)",
        &["CX→1", "CY→3"],
    );
    graph.rows(
        "MATCH (c)-[:HAS_METHOD]->(m) RETURN toString(c.line_start) + '→' + m.name + ' ' + m.file_path",
        &["1→act t.hpp", "3→act t.hpp", "3→far t.cpp"],
    );
}

#[test]
fn a_path_whose_beginning_nobody_knows_is_a_guess() {
    let graph = TestGraph::of(&[
        ("t.hpp", "namespace y { class T { public: void act() {} }; }\n"),
        ("z.cpp", "#include \"t.hpp\"\nvoid cz(alias::T& t) { t.act(); }\n"),
    ]);
    graph.rows(
        "MATCH (a)-[r:CALLS]->(b) RETURN a.name + '→' + b.name + ' ' + toString(r.confidence)",
        &["cz→act 0.3"],
    );
}

#[test]
fn what_a_module_of_rust_reexports_is_its_own() {
    let graph = TestGraph::of(&[
        ("app/Cargo.toml", "[package]\nname = \"my-app\"\n"),
        ("app/src/lib.rs", "pub mod fed;\n"),
        (
            "app/src/fed/mod.rs",
            "mod service;\nmod status;\npub use status::report;\npub use service::run;\n",
        ),
        ("app/src/fed/service.rs", "pub fn run() { report(1) }\nfn report(x: u8) {}\n"),
        ("app/src/fed/status.rs", "pub fn report(a: &str) {}\n"),
        ("tools/Cargo.toml", "[package]\nname = \"my-tools\"\n"),
        (
            "tools/src/lib.rs",
            "use my_app::fed::report as rep;\nuse my_app::fed;\nfn whole() { my_app::fed::report(\"x\") }\n\
             fn renamed() { rep(\"x\") }\nfn short() { fed::report(\"x\") }\nfn far() { tokio::fed::report() }\n",
        ),
    ]);
    graph.rows(
        WHERE,
        &[
            "renamed→app/src/fed/status.rs",
            "run→app/src/fed/service.rs",
            "short→app/src/fed/status.rs",
            "whole→app/src/fed/status.rs",
        ],
    );
}

#[test]
fn what_makes_things_is_called_where_they_are_made() {
    let graph = TestGraph::of(&[
        (
            "B.java",
            "class A { A(int x) {} }\nclass B extends A { B() { this(3); }\n B(int a) { super(a); }\n\
             void m() { new B(); } }\n",
        ),
        (
            "s.js",
            "class A { constructor(x) {} }\nclass B extends A { constructor() { super(1); } }\n",
        ),
        (
            "v.cpp",
            "class Vec { public: Vec(int n) { } int len() { return 1; } };\nclass Far { public: Far(int n); };\n\
             void f4() { Vec* w = new Vec(1); w->len(); }\nvoid f5() { Vec w(1); }\nvoid f6() { auto w = Vec(1); }\n\
             void f7() { Vec w{1}; }\nvoid f8() { Far w(1); }\nvoid f9() { Vec* w; }\n",
        ),
    ]);
    graph.rows(
        LINES,
        &[
            "B→B.java:1",
            "B→B.java:3",
            "constructor→s.js:1",
            "f4→v.cpp:1",
            "f4→v.cpp:1",
            "f5→v.cpp:1",
            "f6→v.cpp:1",
            "f7→v.cpp:1",
            "f8→v.cpp:2",
            "m→B.java:2",
        ],
    );
}

#[test]
fn methods_that_are_only_declared_are_methods() {
    let graph = TestGraph::of(&[
        (
            "shape.hpp",
            "class Shape { public:\n virtual double area() = 0;\n void later();\n int *(*hook)(int);\n\
             const char *name() const; ~Shape(); };\nclass Round : public Shape { public:\n double area() override { return 1; } };\n",
        ),
        ("shape.cpp", "#include \"shape.hpp\"\nvoid Shape::later() { area(); }\n"),
        (
            "use.cpp",
            "#include \"shape.hpp\"\nvoid use(Shape& s) { s.area(); s.later(); s.name(); }\n",
        ),
    ]);
    graph.rows(
        "MATCH (c)-[:HAS_METHOD]->(m) RETURN c.name + '.' + m.name + ' ' + m.file_path",
        &[
            "Round.area shape.hpp",
            "Shape.area shape.hpp",
            "Shape.later shape.cpp",
            "Shape.name shape.hpp",
            "Shape.~Shape shape.hpp",
        ],
    );
    graph.rows(CALLS, &["later→area", "use→area", "use→later", "use→name"]);
}

#[test]
fn modules_are_reexported_under_other_names() {
    let graph = TestGraph::of(&[
        ("a/__init__.py", "from . import impl as engine\n"),
        ("a/impl.py", "def save(): pass\n"),
        ("zz/o.py", "def save(): pass\n"),
        ("use.py", "from a import engine\ndef u3(): engine.save()\n"),
        ("ts/two.ts", "export default class D { run() {} }\n"),
        ("ts/index.ts", "export { default as Def } from './two';\n"),
        (
            "ts/use.ts",
            "import { Def } from './index';\nfunction t3() { new Def().run(); }\nfunction t4(d: Def) { d.run(); }\n",
        ),
    ]);
    graph.rows(WHERE, &["t3→ts/two.ts", "t4→ts/two.ts", "u3→a/impl.py"]);
}

#[test]
fn types_that_stand_for_others_can_what_those_have_in_common() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "trait Tr { fn act(&self); }\ntrait Other { fn act(&self); }\nstruct Sink;\n\
             impl Tr for Sink { fn act(&self) {} }\nfn one<T: Tr + Send>(t: T) { t.act() }\n\
             fn two<T>(t: &T) where T: Tr { t.act() }\nfn three<T>(t: T) { t.other() }\n",
        ),
        (
            "a.ts",
            "interface Tr { act(): void }\nclass Sink { act() {} }\n\
             function four<T extends Tr>(t: T) { t.act(); }\n",
        ),
    ]);
    graph.rows(LINES, &["four→a.ts:1", "one→src/lib.rs:1", "two→src/lib.rs:1"]);
}

#[test]
fn types_of_go_implement_what_they_can() {
    let graph = TestGraph::of(&[
        (
            "a/a.go",
            "package a\ntype Saver interface { Save(); Load() }\ntype hidden interface { keep() }\n\
             type More interface { Saver; Close() }\n\
             type Disk struct{}\nfunc (d *Disk) Save() {}\nfunc (d *Disk) Load() {}\nfunc (d *Disk) keep() {}\n\
             type Half struct{}\nfunc (h Half) Save() {}\n",
        ),
        (
            "b/b.go",
            "package b\ntype Net struct{}\nfunc (n *Net) Save() {}\nfunc (n *Net) Load() {}\nfunc (n *Net) keep() {}\n",
        ),
    ]);
    graph.rows(
        "MATCH (a)-[r:IMPLEMENTS]->(b) RETURN a.name + '→' + b.name + ' ' + toString(r.confidence)",
        &["Disk→Saver 0.8", "Disk→hidden 0.8", "Net→Saver 0.6"],
    );
}
