//! Each language: definitions, calls, and base types.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod query;

use lore_code::extract;
use query::{CALLS, TestGraph};

#[test]
fn rust() {
    let graph = TestGraph::of(&[
        (
            "src/shapes.rs",
            "//! Shapes.\npub trait Shape { fn area(&self) -> f64; }\n\
             /// A round one.\npub struct Circle { r: f64 }\n\
             impl Shape for Circle { fn area(&self) -> f64 { self.square() * pi() } }\n\
             impl Circle { fn square(&self) -> f64 { self.r * self.r } }\n\
             fn pi() -> f64 { 3.14 }\n",
        ),
        (
            "src/main.rs",
            "mod shapes;\nuse crate::shapes::Circle;\nfn main() { helper(); shapes::pi(); }\n\
             fn helper() { Circle::square(&c); }\n",
        ),
    ]);
    graph.rows(CALLS, &["area→pi", "area→square", "helper→square", "main→helper", "main→pi"]);
    graph.rows(METHODS, &["Circle.area", "Circle.square", "Shape.area"]);
    graph.rows(BASES, &["Circle IMPLEMENTS Shape"]);
    graph.rows("MATCH (c:Class) RETURN c.docstring", &["A round one."]);
    graph.rows(
        "MATCH (f:File {file_path: 'src/main.rs'})-[:IMPORTS]->(t:File) RETURN t.file_path",
        &["src/shapes.rs"],
    );
}

#[test]
fn endings_may_be_capitals_and_comments_of_sql_have_no_dashes() {
    let graph = TestGraph::of(&[
        ("UP.PY", "def up():\n    pass\n"),
        ("a.sql", "-- Who is here.\n-- And since when.\nCREATE TABLE guests (id INT);\n"),
    ]);
    graph.rows("MATCH (f:Function) RETURN f.name", &["up"]);
    graph.rows("MATCH (c:Class) RETURN c.docstring", &["Who is here. And since when."]);
}

#[test]
fn modules_of_folders_keep_their_whole_names() {
    let graph = TestGraph::of(&[("api/v1.2/a.py", "def f(): pass\n"), ("next.js/b.py", "x = 1\n")]);
    graph.rows("MATCH (m:Module) RETURN m.name", &["next.js", "v1.2"]);
    graph.rows("MATCH (f:Function) RETURN f.module_name", &["v1.2"]);
}

#[test]
fn functions_that_javascript_assigns() {
    let graph = TestGraph::of(&[
        (
            "lib.js",
            "/** Keeps it. */\nexports.save = function (x) { return x; };\n\
             module.exports.load = (x) => x;\nfunction Shop(name) {\n  this.open = function () {};\n}\n\
             Shop.prototype.sell = function (thing) { this.count(); };\n\
             Shop.prototype.count = async () => 1;\nShop.of = function () { return new Shop('x'); };\n\
             Shop.prototype.text = 'no function';\nfunction all() { exports.save(1); module.exports.load(2); }\n",
        ),
        (
            "proto.js",
            "function Jar() {}\nJar.prototype = { fill: function () { this.shut(); }, shut() {} };\n",
        ),
        (
            "app.js",
            "const lib = require('./lib');\nconst { load } = require('./lib');\nconst run = require('./run');\n\
             function main(shop) { lib.save(1); load(2); run(); shop.sell(); }\n",
        ),
        ("run.js", "function run() {}\nmodule.exports = run;\n"),
    ]);
    graph.rows(
        "MATCH (f:Function {file_path: 'lib.js'}) RETURN coalesce(f.receiver_type + '.', '') + f.name",
        &["Shop", "Shop.count", "Shop.of", "Shop.open", "Shop.sell", "all", "load", "save"],
    );
    graph.rows(
        CALLS,
        &[
            "all→load",
            "all→save",
            "fill→shut",
            "main→load",
            "main→run",
            "main→save",
            "main→sell",
            "of→Shop",
            "sell→count",
        ],
    );
    graph.rows(
        "MATCH (f:Function {name: 'save'}) RETURN f.params + ' ' + f.docstring + ' ' + f.signature",
        &["(x) Keeps it. exports.save = function (x)"],
    );
}

#[test]
fn python() {
    let graph = TestGraph::of(&[
        (
            "app/base.py",
            "class Base:\n    \"\"\"The base.\"\"\"\n    def run(self):\n        self.step()\n\
             \x20   def step(self):\n        pass\n\ndef tool(a, b=1):\n    return a\n",
        ),
        (
            "app/main.py",
            "from app.base import Base, tool\nimport app.base as base\n\nclass Job(Base):\n\
             \x20   def go(self):\n        self.run()\n        tool(1)\n\ndef main():\n    base.tool(2)\n\
             \x20   Job().go()\n\nmain()\n",
        ),
    ]);
    graph.rows(
        CALLS,
        &["app/main.py→main", "go→run", "go→tool", "main→go", "main→tool", "run→step"],
    );
    graph.rows(METHODS, &["Base.run", "Base.step", "Job.go"]);
    graph.rows(BASES, &["Job EXTENDS Base"]);
    graph.rows("MATCH (c:Class {name: 'Base'}) RETURN c.docstring", &["The base."]);
}

#[test]
fn typescript_and_javascript() {
    let graph = TestGraph::of(&[
        (
            "web/store.ts",
            "export interface Saves { save(): void }\nexport class Store implements Saves {\n\
             \x20 save() { this.flush(); }\n  flush() { log('x'); }\n}\n\
             export const log = (text: string) => text;\n",
        ),
        (
            "web/app.js",
            "import { log } from './store';\nfunction start() { log('a'); }\nstart();\n",
        ),
    ]);
    graph.rows(CALLS, &["flush→log", "save→flush", "start→log", "web/app.js→start"]);
    graph.rows(METHODS, &["Saves.save", "Store.flush", "Store.save"]);
    graph.rows(BASES, &["Store IMPLEMENTS Saves"]);
}

#[test]
fn members_of_classes_and_objects_are_functions() {
    let graph = TestGraph::of(&[
        (
            "a.js",
            "class A {\n  run = () => this.step();\n  step() {}\n}\n\
             const api = { save() {}, load: () => 1, size: 3, 'odd-name': function () {} };\n\
             function use() { api.save(); api.load(); }\n",
        ),
        (
            "b.ts",
            "abstract class B {\n  go = (): void => { this.work(); };\n  abstract work(): void;\n\
             \x20 over(a: number): void;\n  over(a: string): void;\n  over(a: any): void {}\n}\n\
             type Shape = { area(): number };\n",
        ),
    ]);
    let all = "MATCH (f:Function) RETURN coalesce(f.receiver_type + '.', '') + f.name";
    graph.rows(
        all,
        &[
            "A.run",
            "A.step",
            "B.go",
            "B.over",
            "B.work",
            "api.load",
            "api.odd-name",
            "api.save",
            "use",
        ],
    );
    graph.rows(CALLS, &["go→work", "run→step", "use→load", "use→save"]);
}

#[test]
fn go() {
    let graph = TestGraph::of(&[(
        "cmd/main.go",
        "package main\nimport \"fmt\"\ntype Server struct{}\ntype Runner interface { Run() }\n\
         func (s *Server) Run() { s.listen() }\nfunc (s *Server) listen() { fmt.Println() }\n\
         func main() { helper() }\nfunc helper() {}\n",
    )]);
    graph.rows(CALLS, &["Run→listen", "main→helper"]);
    graph.rows(METHODS, &["Runner.Run", "Server.Run", "Server.listen"]);
    graph.rows("MATCH (i:Interface) RETURN i.name", &["Runner"]);
}

#[test]
fn go_embeds_and_is_generic() {
    let graph = TestGraph::of(&[(
        "a.go",
        "package a\ntype Base struct{ name string }\ntype Log struct{}\n\
         type Server struct {\n\tBase\n\t*Log\n\tport int\n}\n\
         type Reader interface { Read() }\ntype Both interface {\n\tReader\n\tWrite()\n}\n\
         type Number interface { ~int | ~float64 }\n\
         func Map[T any](x T) T { return x }\nfunc Two[T any, U any](x T) {}\n\
         func use() { Map[int](1); Two[int, string](2) }\n",
    )]);
    graph.rows(BASES, &["Both EXTENDS Reader", "Server EXTENDS Base", "Server EXTENDS Log"]);
    graph.rows(CALLS, &["use→Map", "use→Two"]);
}

#[test]
fn java() {
    let graph = TestGraph::of(&[(
        "src/A.java",
        "import java.util.List;\ninterface Runs { void run(); }\nclass Base {}\n\
         class A extends Base implements Runs {\n  A() { init(); }\n  void init() {}\n\
         \x20 public void run() { this.init(); }\n}\n",
    )]);
    graph.rows(CALLS, &["A→init", "run→init"]);
    graph.rows(BASES, &["A EXTENDS Base", "A IMPLEMENTS Runs"]);
    graph.rows("MATCH (i:Import) RETURN i.name", &["java.util.List"]);
}

#[test]
fn c_and_cpp() {
    let graph = TestGraph::of(&[
        ("lib/util.h", "int add(int a, int b);\n"),
        (
            "lib/util.c",
            "#include \"util.h\"\nstruct point { int x; };\nint add(int a, int b) { return a; }\n\
             typedef struct { int x; } Pair;\ntypedef enum { RED } Colour;\ntypedef int Number;\n",
        ),
        (
            "lib/main.cpp",
            "#include \"util.h\"\nclass Base {};\nclass Main : public Base { public: void run(); };\n\
             void Main::run() { add(1, 2); }\n",
        ),
    ]);
    graph.rows(CALLS, &["run→add"]);
    graph
        .rows("MATCH (c:Class) WHERE c.language = 'c' RETURN c.name", &["Colour", "Pair", "point"]);
    graph.rows(METHODS, &["Main.run"]);
    graph.rows(BASES, &["Main EXTENDS Base"]);
}

#[test]
fn sql_and_shell() {
    let graph = TestGraph::of(&[
        (
            "db/schema.sql",
            "CREATE TABLE person (id INT);\nCREATE VIEW adult AS SELECT id FROM person;\n",
        ),
        ("run.sh", "build() { echo x; }\nall() { build; }\nall\n"),
    ]);
    graph.rows("MATCH (c:Class) RETURN c.name", &["adult", "person"]);
    graph.rows(CALLS, &["all→build", "run.sh→all"]);
}

#[test]
fn functions_tell_what_they_take_and_return() {
    let graph = TestGraph::of(&[
        ("a.rs", "fn f(a: u8) -> String { g() }\n"),
        ("a.py", "def f(a, b: int = 1) -> str:\n    pass\n"),
        (
            "a.ts",
            "function f(a: number): string { return ''; }\nconst g = async (b: T): Promise<void> => {};\n",
        ),
        ("a.go", "package a\nfunc f(a int) (string, error) { return \"\", nil }\n"),
        ("A.java", "class A {\n  A(int a) {}\n  List<String> f(int a) { return null; }\n}\n"),
        ("a.c", "static char *f(int a, char **b) { return 0; }\nvoid g(void) {}\n"),
        (
            "a.cpp",
            "const int& A::f(int a) const { return a; }\nauto g(int b) -> long { return b; }\n",
        ),
    ]);
    let shapes = "MATCH (f:Function) RETURN f.file_path + ' ' + f.name + f.params + ' ' + \
                  coalesce(f.return_type, '-')";
    graph.rows(
        shapes,
        &[
            "A.java A(int a) -",
            "A.java f(int a) List<String>",
            "a.c f(int a, char **b) char *",
            "a.c g(void) void",
            "a.cpp f(int a) int &",
            "a.cpp g(int b) long",
            "a.go f(a int) (string, error)",
            "a.py f(a, b: int = 1) str",
            "a.rs f(a: u8) String",
            "a.ts f(a: number) string",
            "a.ts g(b: T) Promise<void>",
        ],
    );
}

#[test]
fn comments_belong_to_what_they_are_about() {
    let graph = TestGraph::of(&[
        (
            "a.py",
            "def plain():\n    return \"no docstring\"\n\ndef raw():\n    r\"\"\"Has \\d one.\"\"\"\n",
        ),
        (
            "a.rs",
            "//! About the file.\nfn first() {}\nconst X: u8 = 1; // about X\nfn second() {}\n/// Third.\n#[inline]\nfn third() {}\n",
        ),
        ("a.sh", "#!/bin/sh\nfirst() { :; }\n# Second.\nsecond() { :; }\n"),
        (
            "a.ts",
            "/** Adds. */\nexport function add() {}\nlet x = 1; // about x\nfunction sub() {}\n",
        ),
    ]);
    let docs =
        "MATCH (f:Function) WHERE f.docstring IS NOT NULL RETURN f.name + ': ' + f.docstring";
    graph.rows(docs, &["add: Adds.", "raw: Has \\d one.", "second: Second.", "third: Third."]);
}

#[test]
fn names_of_tables_have_no_quotes() {
    let graph = TestGraph::of(&[(
        "a.sql",
        "CREATE TABLE \"order items\" (id INT);\nCREATE TABLE public.\"Person\" (id INT);\n\
         CREATE TABLE `back` (id INT);\n",
    )]);
    graph.rows("MATCH (c:Class) RETURN c.name", &["Person", "back", "order items"]);
}

#[test]
fn broken_text_is_still_listed() {
    for path in ["a.rs", "a.py", "a.ts", "a.go", "a.java", "a.c", "a.cpp", "a.sql", "a.sh"] {
        for text in ["", "((((((", "fn class def {{{", "\u{0}\u{fffd}é", &"(".repeat(20_000)] {
            assert_eq!(extract(path, text).path, path);
        }
    }
}

const METHODS: &str = "MATCH (c)-[:HAS_METHOD]->(m) RETURN c.name + '.' + m.name";
const BASES: &str =
    "MATCH (a)-[r:EXTENDS|IMPLEMENTS]->(b) RETURN a.name + ' ' + type(r) + ' ' + b.name";
