//! Each language: what is defined, who calls whom, what builds on what.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use lore_code::{FileFacts, extract, link};
use lore_cypher::{Options, Parameters, Value, answer};

#[test]
fn rust() {
    let graph = Asked::of(&[
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
fn python() {
    let graph = Asked::of(&[
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
    let graph = Asked::of(&[
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
    graph.rows(METHODS, &["Store.flush", "Store.save"]);
    graph.rows(BASES, &["Store IMPLEMENTS Saves"]);
}

#[test]
fn go() {
    let graph = Asked::of(&[(
        "cmd/main.go",
        "package main\nimport \"fmt\"\ntype Server struct{}\ntype Runner interface { Run() }\n\
         func (s *Server) Run() { s.listen() }\nfunc (s *Server) listen() { fmt.Println() }\n\
         func main() { helper() }\nfunc helper() {}\n",
    )]);
    graph.rows(CALLS, &["Run→listen", "main→helper"]);
    graph.rows(METHODS, &["Server.Run", "Server.listen"]);
    graph.rows("MATCH (i:Interface) RETURN i.name", &["Runner"]);
}

#[test]
fn java() {
    let graph = Asked::of(&[(
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
    let graph = Asked::of(&[
        ("lib/util.h", "int add(int a, int b);\n"),
        (
            "lib/util.c",
            "#include \"util.h\"\nstruct point { int x; };\nint add(int a, int b) { return a; }\n",
        ),
        (
            "lib/main.cpp",
            "#include \"util.h\"\nclass Base {};\nclass Main : public Base { public: void run(); };\n\
             void Main::run() { add(1, 2); }\n",
        ),
    ]);
    graph.rows(CALLS, &["run→add"]);
    graph.rows(METHODS, &["Main.run"]);
    graph.rows(BASES, &["Main EXTENDS Base"]);
}

#[test]
fn sql_and_shell() {
    let graph = Asked::of(&[
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
fn broken_text_is_still_listed() {
    for path in ["a.rs", "a.py", "a.ts", "a.go", "a.java", "a.c", "a.cpp", "a.sql", "a.sh"] {
        for text in ["", "((((((", "fn class def {{{", "\u{0}\u{fffd}é", &"(".repeat(20_000)] {
            assert_eq!(extract(path, text).path, path);
        }
    }
}

const CALLS: &str = "MATCH (a)-[:CALLS]->(b) RETURN a.name + '→' + b.name";
const METHODS: &str = "MATCH (c)-[:HAS_METHOD]->(m) RETURN c.name + '.' + m.name";
const BASES: &str =
    "MATCH (a)-[r:EXTENDS|IMPLEMENTS]->(b) RETURN a.name + ' ' + type(r) + ' ' + b.name";

struct Asked(lore_cypher::Graph);

impl Asked {
    fn of(files: &[(&str, &str)]) -> Self {
        let facts: BTreeMap<String, FileFacts> =
            files.iter().map(|(path, text)| ((*path).to_owned(), extract(path, text))).collect();
        Self(link([("example/repo", &facts)]).snapshot().unwrap())
    }

    fn rows(&self, query: &str, expected: &[&str]) {
        let table = answer(&self.0, query, &Parameters::new(), &Options::default()).unwrap();
        let mut rows: Vec<_> = table
            .rows
            .iter()
            .map(|row| match row.as_slice() {
                [Value::String(text)] => text.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        rows.sort();
        assert_eq!(rows, expected, "{query}");
    }
}
