//! Types that follow from fields, Go variables and base classes, and calls outside of functions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, OWNERS, TestGraph};

#[test]
fn what_a_class_is_made_with_calls_its_methods() {
    let graph = TestGraph::of(&[(
        "A.java",
        "class A { static { st(); } int f = fi(); { in(); } Runnable r = () -> lam();\n\
         static void st() {} int fi() { return 1; } void in() {} void lam() {} }\n\
         enum En { X(mk()); En(int i) {} static int mk() { return 1; } }\n",
    )]);
    let called = ["A.java→fi", "A.java→in", "A.java→lam", "A.java→mk", "A.java→st"];
    graph.rows(CALLS, &called);
}

#[test]
fn fields_are_of_what_they_were_made_of_or_given_as() {
    let graph = TestGraph::of(&[
        (
            "a.js",
            "class Aaa { go() {} }\nclass Bbb { go() {} }\n\
             class H { constructor() { this.b = new Bbb(); } w1() { this.b.go(); } }\n",
        ),
        (
            "a.py",
            "class A1:\n    def go(self): pass\nclass B1:\n    def go(self): pass\n\
             class P:\n    def __init__(self):\n        self.b = B1()\n\
             class C1(P):\n    def w2(self):\n        self.b.go()\n",
        ),
        (
            "a.ts",
            "interface Opt { run(): void }\nclass Impl { run() {} }\n\
             class G<T extends Opt> { constructor(private t: T) {} w3() { this.t.run(); }\n\
             w4(x: T) { x.run(); } }\n",
        ),
        (
            "A.java",
            "class S1 { void put() {} }\nclass S2 { void put() {} }\n\
             class Up { protected S2 inh; }\nclass Low extends Up { void w5() { inh.put(); } }\n",
        ),
    ]);
    let called = ["w1→Bbb.go", "w2→B1.go", "w3→Opt.run", "w4→Opt.run", "w5→S2.put"];
    graph.rows(OWNERS, &called);
}

#[test]
fn variables_of_go_are_of_their_types() {
    let graph = TestGraph::of(&[
        (
            "a/a.go",
            "package a\ntype S struct{}\nfunc (s *S) Put() {}\ntype Z struct{}\n\
             func (z *Z) Put() {}\nvar glob Z\n\
             func k1() { glob.Put() }\nfunc k2() (z Z) { z.Put(); return }\n\
             func k3() { y := new(Z); y.Put() }\n\
             func k4(x any) { if v, ok := x.(*Z); ok { v.Put() } }\n",
        ),
        (
            "gen/gen.go",
            "package gen\ntype Stack[T any] struct{}\nfunc NewStack[T any]() *Stack[T] { return nil }\n",
        ),
        ("b/b.go", "package b\nimport \"ex.com/m/gen\"\nfunc k5() { gen.NewStack[int]() }\n"),
    ]);
    let called = ["k1→Z.Put", "k2→Z.Put", "k3→Z.Put", "k4→Z.Put", "k5→-.NewStack"];
    graph.rows(OWNERS, &called);
}

#[test]
fn values_of_rust_are_of_the_types_that_are_written() {
    let graph = TestGraph::of(&[(
        "src/lib.rs",
        "struct Foo;\nimpl Foo { fn run(&self) {} }\nstruct Bar;\nimpl Bar { fn run(&self) {} }\n\
         trait Mk { fn make(); }\nstruct N(Bar);\nimpl N { fn k1(&self) { self.0.run(); } }\n\
         fn k2() { let f = |b: &Bar| b.run(); }\nfn k3() { let b = Bar; b.run(); }\n\
         fn k4<T: Mk>() { T::make(); }\nfn k5<T: Mk>() { <T as Mk>::make(); }\n\
         struct W<T>(T);\nimpl<T: Mk> W<T> { fn k6() { T::make(); } }\n",
    )]);
    let called =
        ["k1→Bar.run", "k2→Bar.run", "k3→Bar.run", "k4→Mk.make", "k5→Mk.make", "k6→Mk.make"];
    graph.rows(OWNERS, &called);
    let graph = TestGraph::of(&[
        ("src/bar.rs", "pub struct Bar;\npub fn find() {}\n"),
        ("src/lib.rs", "mod bar;\nuse bar::Bar;\nfn k7(bar: &Bar) { bar::find(); }\n"),
    ]);
    graph.rows(OWNERS, &["k7→-.find"]);
}

#[test]
fn functions_are_called_by_what_calls_them_and_by_what_is_above_others() {
    let graph = TestGraph::of(&[
        ("api.ts", "export function counter() {}\nexport function other() {}\n"),
        (
            "a.ts",
            "import x2 = require('./api');\nfunction a1() {}\n\
             function w1() { a1.call(this); }\nfunction w2() { x2.other.apply(this, []); }\n\
             async function w3() { const m = await import('./api'); m.counter(); }\n\
             async function w4() { const { counter } = await import('./api'); counter(); }\n",
        ),
        ("d.py", "def deco(f):\n    return f\n\n@deco\ndef w5():\n    pass\n"),
        ("y.cpp", "class Y { public: void end() {} };\nvoid w6() { auto y = Y{}; y.end(); }\n"),
    ]);
    graph.rows(CALLS, &["d.py→deco", "w1→a1", "w2→other", "w3→counter", "w4→counter", "w6→end"]);
}

#[test]
fn fields_of_cpp_are_of_their_types_without_this() {
    let graph = TestGraph::of(&[
        (
            "f.h",
            "#pragma once\nclass Aa { public: void end() {} };\nclass Bb { public: void end() {} };\n\
             class In { public: void w1() { b_.end(); } void w2() { p_->end(); } void w3();\n\
             void w4() { (*p_).end(); } Bb b_; Bb *p_ = nullptr; };\n\
             class Sub : public In { void w5() { b_.end(); } };\n\
             namespace n { class In3 { Bb b_; void w6() { b_.end(); } }; }\n\
             class In4 { std::unique_ptr<Bb> u_; std::shared_ptr<Bb> s_; const Bb& r_;\n\
             void w7() { u_->end(); s_->end(); r_.end(); } };\n",
        ),
        ("f.cpp", "#include \"f.h\"\nvoid In::w3() { b_.end(); }\n"),
    ]);
    let called: Vec<_> = (1..=7).map(|number| format!("w{number}→Bb.end")).collect();
    graph.rows(OWNERS, &called.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn what_a_function_of_cpp_has_wins_over_fields() {
    let graph = TestGraph::of(&[(
        "f.cpp",
        "class Aa { public: void end() {} };\nclass Bb { public: void end() {} };\n\
         class In { Bb b; void w1(Aa& b) { b.end(); } void w2() { Aa b; b.end(); }\n\
         void w3() { try {} catch (const Aa& b) { b.end(); } }\n\
         void w4() { auto f = [](Aa* b) { b->end(); }; }\n\
         void w5() { { Aa b; } b.end(); } void w6(int x) { Aa b(x); b.end(); }\n\
         void w7() { if (Aa *b = find()) { b->end(); } }\n\
         void w8() { for (Aa& b : all()) { b.end(); } } };\n",
    )]);
    let called = [
        "w1→Aa.end",
        "w2→Aa.end",
        "w3→Aa.end",
        "w4→Aa.end",
        "w5→Bb.end",
        "w6→Aa.end",
        "w7→Aa.end",
        "w8→Aa.end",
    ];
    graph.rows(OWNERS, &called);
    let graph = TestGraph::of(&[(
        "f.cpp",
        "class Bb { public: void end() {} };\nclass Aa { public: void end() {} };\n\
         class In { Aa b; void w1() { auto [b, c] = pair(); b.end(); } };\n",
    )]);
    graph.rows(
        "MATCH (a)-[r:CALLS]->(b) WHERE r.confidence > 0.5 RETURN a.name + '→' + b.name",
        &[],
    );
}

#[test]
fn fields_of_rust_are_at_least_what_an_impl_says() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "mod far;\npub trait Sh { fn area(&self); }\npub trait Oh { fn oh(&self); }\n\
             pub struct Ci;\nimpl Sh for Ci { fn area(&self) {} }\nimpl Oh for Ci { fn oh(&self) {} }\n\
             struct W1<T> { inner: T }\nimpl<T: Sh> W1<T> { fn k1(&self) { self.inner.area(); } }\n\
             impl<T: Oh> W1<T> { fn k2(&self) { self.inner.oh(); } }\n\
             struct W2<T> { inner: T }\n\
             impl<T> W2<T> where T: Sh { fn k3(&self) { self.inner.area(); } }\n\
             struct W3<'a, K, Inner> { key: &'a K, inner: Option<Inner>, all: Vec<Inner> }\n\
             impl<'a, K, I: Sh> W3<'a, K, I> { fn k4(&self) { self.inner.as_ref().unwrap().area(); }\n\
             fn k5(&self) { for one in &self.all { one.area(); } } }\n\
             struct W4<T>(T);\nimpl<T: Sh> W4<T> { fn k6(&self) { self.0.area(); } }\n\
             pub struct W5<T> { pub inner: T }\n\
             struct W6<T: Clone> { inner: T }\n\
             impl<T: Clone + Sh> W6<T> { fn k8(&self) { self.inner.area(); } }\n\
             fn k9<T: Clone + Sh>(one: &T) { one.area(); }\n",
        ),
        (
            "src/far.rs",
            "use crate::{Sh, W5};\nimpl<T: Sh> W5<T> { fn k7(&self) { self.inner.area(); } }\n",
        ),
    ]);
    let called = [
        "k1→Sh.area",
        "k2→Oh.oh",
        "k3→Sh.area",
        "k4→Sh.area",
        "k5→Sh.area",
        "k6→Sh.area",
        "k7→Sh.area",
        "k8→Sh.area",
        "k9→Sh.area",
    ];
    graph.rows(OWNERS, &called);
}

#[test]
fn what_a_class_of_cpp_is_made_with_calls_what_makes_it() {
    let graph = TestGraph::of(&[
        (
            "f.h",
            "class Res { public: Res(int a) {} Res(int a, int b) {} Res(int a, int b, int c) {}\n\
             int n_ = mk(); int f_ = fre(); static int mk() { return 1; } };\n\
             class In : public Res { public: In() : Res(1), r_(2, 3), p_(2, 3) {} In(int a);\n\
             Res r_; Other *p_; };\n\
             struct Other { Other(int a, int b) {} };\n\
             struct Held { Other o_{1, 2}; };\nint mk() { return 2; }\nint fre() { return 1; }\n",
        ),
        ("f.cpp", "#include \"f.h\"\nIn::In(int a) : r_{1, 2, 3} {}\n"),
    ]);
    graph.rows(
        "MATCH (a)-[:CALLS]->(b) RETURN coalesce(a.params, a.name) + '→' + \
         coalesce(b.receiver_type, '-') + '.' + b.name + b.params",
        &[
            "()→Res.Res(int a)",
            "()→Res.Res(int a, int b)",
            "(int a)→Res.Res(int a, int b, int c)",
            "f.h→-.fre()",
            "f.h→Other.Other(int a, int b)",
            "f.h→Res.mk()",
        ],
    );
}

#[test]
fn other_names_of_types_of_cpp_are_those_types() {
    let graph = TestGraph::of(&[
        (
            "f.h",
            "class Aa { public: void end() {} };\nclass Bb { public: void end() {} };\n\
             using BbPtr = std::unique_ptr<Bb>;\ntypedef Bb *BbRaw;\nusing Again = BbPtr;\n\
             using All = std::vector<Bb>;\n\
             class In { BbPtr p_; BbRaw r_; Again a_; All l_; void w1() { p_->end(); }\n\
             void w2() { r_->end(); } void w3() { a_->end(); } void none() { l_.end(); } };\n",
        ),
        ("f.cpp", "#include \"f.h\"\nvoid w4(BbPtr &p) { p->end(); }\n"),
    ]);
    graph.rows(OWNERS, &["w1→Bb.end", "w2→Bb.end", "w3→Bb.end", "w4→Bb.end"]);
}
