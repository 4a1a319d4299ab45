//! Constructor calls, and values whose types decide which method is meant.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use query::{CALLS, OWNERS, TestGraph, WHERE};

#[test]
fn a_class_without_a_constructor_is_not_another_one_of_its_name() {
    let graph = TestGraph::of(&[
        ("a/one.py", "class Foo:\n    def __init__(self):\n        pass\n"),
        ("a/two.py", "class Foo:\n    pass\n\ndef own():\n    Foo()\n"),
        ("a/three.py", "from a.two import Foo\n\ndef imported():\n    Foo()\n"),
        ("a/four.py", "from elsewhere import Foo\n\ndef foreign():\n    Foo()\n"),
        ("a/five.py", "from a.one import Foo as Bar\n\ndef renamed():\n    Bar()\n"),
        ("a/six.py", "class Bar:\n    def __init__(self):\n        pass\n"),
        (
            "a/seven.py",
            "from a.one import Foo\n\nclass Kid(Foo):\n    pass\n\ndef kid():\n    Kid()\n",
        ),
        ("b/one.ts", "export class Shop { constructor() {} }\n"),
        ("b/two.ts", "export class Shop {}\nfunction own2() { new Shop(); }\n"),
        ("b/three.ts", "import Shop from './four';\nfunction byDefault() { new Shop(); }\n"),
        ("b/four.ts", "class Shop { constructor() {} }\nexport default Shop;\n"),
        ("c/One.java", "class One { One() {} }\n"),
        ("d/One.java", "class One { }\nclass Two { void own3() { new One(); } }\n"),
    ]);
    graph.rows(WHERE, &["byDefault→b/four.ts", "kid→a/one.py", "renamed→a/one.py"]);
}

#[test]
fn what_a_class_does_not_have_another_one_of_its_name_does_not_give_it() {
    let graph = TestGraph::of(&[
        ("far.py", "from elsewhere import Foo\n\ndef far(f: Foo):\n    f.save()\n    Foo.save()\n"),
        ("one.py", "class Foo:\n    def save(self):\n        pass\n"),
        (
            "two.py",
            "class Foo:\n    def own(self):\n        self.save()\n\ndef two():\n    Foo.save()\n",
        ),
        ("a/store.go", "package a\ntype Store struct{}\nfunc (s *Store) Save() {}\n"),
        ("b/store.go", "package b\ntype Store struct{}\nfunc (s *Store) Keep() { s.Save() }\n"),
    ]);
    graph.rows(CALLS, &[]);
}

#[test]
fn concrete_values_call_their_own_methods_and_not_those_of_interfaces() {
    let graph = TestGraph::of(&[
        (
            "go/store.go",
            "package store\ntype Saver interface { Save() }\ntype Disk struct{}\nfunc (d *Disk) Save() {}\n\
             func byInterface(s Saver) { s.Save() }\nfunc byType(d *Disk) { d.Save() }\n\
             func byLiteral() { d := &Disk{}; d.Save() }\nfunc byVar() { var d Disk; d.Save() }\n\
             func unknown() { d := open(); d.Save() }\n",
        ),
        (
            "ts/store.ts",
            "interface Keeper { keep(): void }\nclass Box implements Keeper { keep() {} }\n\
             class Jar { keep() {} }\n\
             function asInterface(k: Keeper | null) { k.keep(); }\nfunction asClass(b: Box) { b.keep(); }\n\
             function made() { const j = new Jar(); j.keep(); }\nfunction text(s: string) { s.keep(); }\n",
        ),
        (
            "Store.java",
            "interface Loader { void load(); }\nclass File implements Loader { public void load() {} }\n\
             class Use {\n  private Loader field;\n  void withInterface(Loader l) { l.load(); }\n\
             \x20 void withClass(File f) { f.load(); }\n  void withVar() { var f = new File(); f.load(); }\n\
             \x20 void withField() { field.load(); }\n  void withThis() { this.field.load(); }\n\
             \x20 void load2(File load) { load(); }\n}\n",
        ),
    ]);
    graph.rows(
        OWNERS,
        &[
            "asClass→Box.keep",
            "asInterface→Keeper.keep",
            "byInterface→Saver.Save",
            "byLiteral→Disk.Save",
            "byType→Disk.Save",
            "byVar→Disk.Save",
            "made→Jar.keep",
            "unknown→Disk.Save",
            "withClass→File.load",
            "withField→Loader.load",
            "withInterface→Loader.load",
            "withThis→Loader.load",
            "withVar→File.load",
        ],
    );
}

#[test]
fn written_types_and_values_made_on_the_spot_tell_whose_method_is_called() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "trait Shape { fn area(&self); fn twice(&self) { self.area() } }\nstruct Disc;\n\
             impl Shape for Disc { fn area(&self) {} }\n\
             fn by_trait(s: &Arc<dyn Shape + Send>) { s.area(); }\nfn by_struct(d: &Disc) { d.area(); d.twice(); }\n\
             fn by_new() { let d = Disc::new(); d.area(); }\nfn generic<T: Shape>(t: T) { t.area(); }\n\
             fn of_std(v: Vec<u8>) { v.area(); }\n\
             async fn by_open() { let d = Disc::open(1).await?; d.area(); }\n",
        ),
        (
            "py/shop.py",
            "class Shop:\n    def sell(self):\n        pass\n\nclass Stall:\n    def sell(self):\n        pass\n\n\
             def annotated(s: 'Shop'):\n    s.sell()\n\ndef made_here():\n    s = Stall()\n    s.sell()\n\n\
             def both(x):\n    s = Stall()\n    s = Shop() if x else s\n    s.buy()\n",
        ),
        (
            "w.cpp",
            "class Wheel { public: void turn() {} };\nclass Gear { public: void turn() {} };\n\
             void by_pointer(Wheel *w) { w->turn(); }\nvoid by_auto() { auto g = new Gear(); g->turn(); }\n",
        ),
    ]);
    graph.rows(
        OWNERS,
        &[
            "annotated→Shop.sell",
            "by_auto→Gear.turn",
            "by_new→Disc.area",
            "by_open→Disc.area",
            "by_pointer→Wheel.turn",
            "by_struct→Disc.area",
            "by_struct→Shape.twice",
            "by_trait→Shape.area",
            "generic→Shape.area",
            "made_here→Stall.sell",
            "twice→Shape.area",
        ],
    );
}

#[test]
fn what_a_function_returns_tells_whose_method_is_called() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "mod desk;\nuse desk::{Desk, open_desk};\nstruct Lamp;\nimpl Lamp { fn put(&self) {} }\n\
             async fn by_path() { let d = Desk::take_up(1).await; d.put(); }\n\
             fn by_name() -> Result<()> { let d = open_desk()?; d.put(); }\n\
             fn in_chain() { open_desk().put(); }\n\
             fn by_method(d: &Desk) { let l = d.lamp(); l.put(); d.lamp().put(); }\n\
             fn of_elsewhere(d: &Desk) { d.name().put(); }\n",
        ),
        (
            "src/desk.rs",
            "use super::Lamp;\npub struct Desk;\nimpl Desk {\n pub async fn take_up(n: u8) -> Self { Desk }\n \
             pub fn put(&self) {}\n pub fn lamp(&self) -> &Arc<Lamp> { &self.0 }\n \
             pub fn name(&self) -> String { self.again().put(); String::new() }\n fn again(&self) -> &Self { self }\n}\n\
             pub fn open_desk() -> anyhow::Result<Desk> { Ok(Desk) }\n",
        ),
        (
            "go/a.go",
            "package a\ntype Disk struct{}\nfunc (d *Disk) Fill() {}\ntype Cup struct{}\nfunc (c *Cup) Fill() {}\n\
             func Open() (*Disk, error) { return nil, nil }\nfunc byOpen() { d, err := Open(); d.Fill() }\n",
        ),
        (
            "a.ts",
            "class Box { fold() {} }\nclass Jar { fold() {} }\nfunction make(): Promise<Jar> { return null; }\n\
             async function byMake() { const j = await make(); j.fold(); }\n",
        ),
        (
            "shop.py",
            "class Shop:\n    def sell(self):\n        pass\n\nclass Stall:\n    def sell(self):\n        pass\n\n\
             def find() -> Stall:\n    pass\n\ndef by_find():\n    s = find()\n    s.sell()\n",
        ),
    ]);
    graph.rows(
        "MATCH (a)-[:CALLS]->(b) WHERE b.name IN ['put', 'Fill', 'fold', 'sell'] \
         RETURN a.name + '→' + b.receiver_type + '.' + b.name",
        &[
            "byMake→Jar.fold",
            "byOpen→Disk.Fill",
            "by_find→Stall.sell",
            "by_method→Lamp.put",
            "by_name→Desk.put",
            "by_path→Desk.put",
            "in_chain→Desk.put",
            "name→Desk.put",
        ],
    );
}

#[test]
fn what_a_class_holds_tells_whose_method_is_called() {
    let graph = TestGraph::of(&[
        (
            "src/lib.rs",
            "mod store;\nuse store::{Disk, Keep};\nuse std::sync::Arc;\nstruct Lamp;\nimpl Lamp { fn put(&self) {} }\n\
             struct App { disk: Disk, keep: Arc<dyn Keep>, lamps: Vec<Lamp> }\n\
             struct Desk<'a> { app: &'a App }\n\
             impl App { fn own(&self) { self.disk.put(); } fn by_trait(&self) { self.keep.put(); } \
             fn of_list(&self) { self.lamps.put(); } }\n\
             impl Desk<'_> { fn deep(&self) { self.app.disk.put(); } }\n\
             fn of_parameter(app: &App) { app.disk.put(); let d = &app.disk; d.put(); }\n",
        ),
        (
            "src/store.rs",
            "pub trait Keep { fn put(&self); }\npub struct Disk;\nimpl Disk { pub fn put(&self) {} }\n",
        ),
        (
            "a.go",
            "package a\ntype Disk struct{}\nfunc (d *Disk) Fill() {}\ntype Cup struct{}\nfunc (c *Cup) Fill() {}\n\
             type App struct { disk *Disk; Cup }\nfunc (a *App) goes() { a.disk.Fill() }\n",
        ),
        (
            "a.ts",
            "class Box { fold() {} }\nclass Jar { fold() {} }\nclass Shelf {\n  private jar: Jar;\n  box = new Box();\n\
             \x20 constructor(private readonly other: Box) {}\n  typed() { this.jar.fold(); }\n  made() { this.box.fold(); }\n  given() { this.other.fold(); }\n}\n",
        ),
        (
            "shop.py",
            "class Shop:\n    def sell(self):\n        pass\n\nclass Stall:\n    def sell(self):\n        pass\n\n\
             class Town:\n    hall: Shop\n\n    def __init__(self, stall: Stall):\n        self.stall = stall\n\
             \x20       self.shop = Shop()\n        self.loop = self.loop\n\n\
             \x20   def one(self):\n        self.stall.sell()\n\n    def two(self):\n        self.shop.sell()\n\n\
             \x20   def three(self):\n        self.hall.sell()\n\n    def four(self):\n        self.loop.away()\n",
        ),
        (
            "w.cpp",
            "class Wheel { public: void turn() {} };\nclass Gear { public: void turn() {} };\n\
             class Cart { Wheel *left; public: void roll() { this->left->turn(); } };\n",
        ),
    ]);
    graph.rows(
        OWNERS,
        &[
            "by_trait→Keep.put",
            "deep→Disk.put",
            "given→Box.fold",
            "goes→Disk.Fill",
            "made→Box.fold",
            "of_parameter→Disk.put",
            "one→Stall.sell",
            "own→Disk.put",
            "roll→Wheel.turn",
            "three→Shop.sell",
            "two→Shop.sell",
            "typed→Jar.fold",
        ],
    );
}
