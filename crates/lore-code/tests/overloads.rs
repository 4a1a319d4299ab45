//! Overloads, and construction of objects in C++.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, TestGraph};

/// Calls, with the parameters of the called function and the confidence.
const TAKING: &str = "MATCH (a)-[c:CALLS]->(b) RETURN a.name + '→' + b.name + \
                      coalesce(b.params, '') + ' ' + toString(c.confidence)";

#[test]
fn of_several_methods_the_one_is_called_that_takes_as_many() {
    let graph = TestGraph::of(&[(
        "A.java",
        "class One { One() {} One(int x) { this(); } void go(int a) {} void go(int a, int b) {} }\n\
         class Two extends One { Two(int a) { super(a); } }\nclass Three extends One { }\n\
         class Use {\n  void a() { new Three(); }\n  void b() { One o = new One(1); o.go(1); }\n  \
         void c() { One o = new One(); o.go(1, 2); }\n  void d() { h(1); h(); }\n  \
         void h(int a) {}\n  void h(String b) {}\n  void h() {}\n}\n",
    )]);
    graph.rows(
        TAKING,
        &[
            "One→One() 0.85",
            "Two→One(int x) 0.85",
            "b→One(int x) 0.85",
            "b→go(int a) 0.95",
            "c→One() 0.85",
            "c→go(int a, int b) 0.95",
            "d→h() 0.95",
            "d→h(int a) 0.6",
        ],
    );
}

#[test]
fn things_of_cpp_are_made_by_what_makes_them() {
    let graph = TestGraph::of(&[
        (
            "a.h",
            "class D { public: D(); explicit D(int x); void m(); };\n\
             class E : public D { public: E() : D(3) { } };\nstruct Plain { };\n",
        ),
        (
            "a.cpp",
            "#include \"a.h\"\nD::D() {}\nD::D(int x) : D() {}\nvoid D::m() {}\n\
             void plain() { D d; d.m(); }\nvoid given() { D d(1); }\nvoid braces() { D d{1}; }\n\
             void several() { D many[3]; }\nvoid none() { extern D d; D *p; Plain q; int i; }\n",
        ),
    ]);
    graph.rows(
        TAKING,
        &[
            "D→D() 0.95",
            "E→D(int x) 0.85",
            "braces→D(int x) 0.95",
            "given→D(int x) 0.95",
            "plain→D() 0.95",
            "plain→m() 0.95",
            "several→D() 0.95",
        ],
    );
}

#[test]
fn what_is_only_declared_in_cpp_is_there() {
    let graph = TestGraph::of(&[
        (
            "a.hpp",
            "class A { public: void a(), b(); virtual double area(int k) const = 0;\n\
             template <class U> void conv(U u); };\n\
             template <typename T> T make(T t);\n\
             template <typename T> class Box { public: T get(); void put(T t); };\n",
        ),
        (
            "a.cpp",
            "#include \"a.hpp\"\nvoid use(A *x) { x->a(); x->b(); x->conv(1); make(2); }\n\
             void boxes() { Box<int> box; box.put(1); }\n",
        ),
    ]);
    graph.rows(CALLS, &["boxes→put", "use→a", "use→b", "use→conv", "use→make"]);
    let shape = "MATCH (f {name: 'area'}) RETURN f.return_type + ' ' + f.name + f.params";
    graph.rows(shape, &["double area(int k)"]);
}

#[test]
fn what_is_made_of_names_in_cpp_is_no_function() {
    let graph = TestGraph::of(&[(
        "a.cpp",
        "struct Aa { void end() {} };\nstruct Bb { Bb(int a) {} Bb(int a, int b) {} void end() {} };\n\
         void w1(int x, int y) { Bb b(x, y); b.end(); }\n\
         void w2() { Bb local(Aa); local(Aa()); }\nBb local(Aa a) { return Bb(1); }\n",
    )]);
    graph.rows(
        "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.name + b.params",
        &["local→Bb(int a)", "w1→Bb(int a, int b)", "w1→end()", "w2→local(Aa a)"],
    );
}
