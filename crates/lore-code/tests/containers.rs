//! Content of Rust values: lists, options, results, and type parameters.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, OWNERS, TestGraph};

/// Two types that have a method of the same name.
const SHAPES: &str = "pub trait Sh { fn area(&self) -> f64; }\npub struct Ci;\npub struct Sq;\n\
    impl Sh for Ci { fn area(&self) -> f64 { 1.0 } }\n\
    impl Sh for Sq { fn area(&self) -> f64 { 2.0 } }\n";

fn check(source: &str, expected: &[&str]) {
    TestGraph::of(&[("src/lib.rs", &format!("{SHAPES}{source}"))]).rows(OWNERS, expected);
}

#[test]
fn elements_of_lists_are_of_their_type() {
    check(
        "fn a(l: &[Sq]) { l.iter().for_each(|s| { s.area(); }); }\n\
         fn b(l: Vec<Sq>) { for s in &l { s.area(); } }\n\
         fn c(l: &mut Vec<Sq>) { l.iter_mut().filter(|s| s.area() > 1.0).count(); }\n\
         fn d(l: &[Sq; 3]) { l[0].area(); }\n\
         fn e(l: &[Sq]) { l.iter().rev().skip(1).fold(0.0, |sum, s| sum + s.area()); }\n\
         fn f(l: &[Sq]) { l.first().unwrap().area(); }\n\
         fn g<T: Sh>(l: &[T]) { for s in l { s.area(); } }\n\
         fn h(l: &[Box<Sq>]) { l.iter().map(|&s| s.area()).sum::<f64>(); }\n\
         struct Bag { all: Vec<Sq> }\n\
         impl Bag { fn i(&self) { for s in self.all.iter() { s.area(); } }\n\
         fn j(&self) { self.all.iter().any(|s| s.area() > 1.0); } }\n\
         fn many() -> Vec<Sq> { Vec::new() }\nfn k() { for s in many() { s.area(); } }\n",
        &[
            "a→Sq.area",
            "b→Sq.area",
            "c→Sq.area",
            "d→Sq.area",
            "e→Sq.area",
            "f→Sq.area",
            "g→Sh.area",
            "h→Sq.area",
            "i→Sq.area",
            "j→Sq.area",
            "k→-.many",
            "k→Sq.area",
        ],
    );
}

#[test]
fn what_may_be_there_is_of_its_type() {
    check(
        "fn mk() -> Option<Sq> { None }\n\
         fn a() { mk().unwrap().area(); }\n\
         fn b() { let c = mk().unwrap(); c.area(); }\n\
         fn c(o: Option<Sq>) { match o { Some(c) => { c.area(); } None => {} } }\n\
         fn d(o: Option<Sq>) { let Some(c) = o else { return }; c.area(); }\n\
         fn e(o: &Option<Sq>) { if let Some(c) = o { c.area(); } }\n\
         fn f(o: Option<Sq>) { o.map(|c| c.area()); }\n\
         fn g(o: Option<Sq>) -> Option<f64> { Some(o?.area()) }\n\
         fn h(o: Result<Sq, u8>) { o.clone().expect(\"it\").area(); }\n\
         struct May { o: Option<Sq> }\n\
         impl May { fn i(&self) { if let Some(c) = &self.o { c.area(); } }\n\
         fn j(&self) { self.o.as_ref().unwrap().area(); } }\n\
         fn k(mut l: Vec<Sq>) { while let Some(c) = l.pop() { c.area(); } }\n",
        &[
            "a→-.mk",
            "a→Sq.area",
            "b→-.mk",
            "b→Sq.area",
            "c→Sq.area",
            "d→Sq.area",
            "e→Sq.area",
            "f→Sq.area",
            "g→Sq.area",
            "h→Sq.area",
            "i→Sq.area",
            "j→Sq.area",
            "k→Sq.area",
        ],
    );
}

#[test]
fn types_are_told_by_their_bounds_and_by_what_they_are_taken_as() {
    check(
        "fn a(c: &Sq) { <Sq as Sh>::area(c); }\n\
         struct W<T: Sh> { inner: T }\nimpl<T: Sh> W<T> { fn b(&self) { self.inner.area(); } }\n\
         struct V<T> where T: Sh { inner: Vec<T> }\n\
         impl<T> V<T> where T: Sh { fn c(&self) { self.inner[0].area(); } }\n",
        &["a→Sq.area", "b→Sh.area", "c→Sh.area"],
    );
}

#[test]
fn a_function_for_one_system_each_is_called_once() {
    let graph = TestGraph::of(&[(
        "src/lib.rs",
        "#[cfg(unix)]\npub fn twin() {}\n#[cfg(not(unix))]\npub fn twin() {}\n\
         pub fn caller() { twin(); twin(); }\n",
    )]);
    graph.rows(CALLS, &["caller→twin"]);
    let ids = "MATCH (f:Function {name: 'twin'}) RETURN toString(count(DISTINCT f.entity_id))";
    graph.rows(ids, &["2"]);
}
