//! Generates random queries, about half of them damaged.
//!
//! A seed always gives the same query, so that failures can be reproduced.

/// Generates queries from random numbers.
pub(crate) struct QueryGenerator(u64);

impl QueryGenerator {
    /// Creates a generator from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Generates a query, possibly damaged.
    pub(crate) fn query(&mut self) -> String {
        let mut text = self.whole(0);
        for _ in 0..self.below(4).saturating_sub(1) {
            text = self.damaged(&text);
        }
        text
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        let at = self.below(words.len());
        words.get(at).copied().unwrap_or_default()
    }

    fn whole(&mut self, depth: usize) -> String {
        let mut text = self.single(depth);
        while self.one_in(12) {
            let union = self.pick(&[" UNION ", " UNION ALL "]);
            text = format!("{text}{union}{}", self.single(depth));
        }
        text
    }

    fn single(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(4) {
            let clause = self.clause(depth);
            text.push_str(&clause);
            text.push(' ');
        }
        let returned = self.projection(depth);
        format!("{text}RETURN {returned}")
    }

    fn clause(&mut self, depth: usize) -> String {
        match self.below(6) {
            0 => format!("UNWIND {} AS {}", self.value(depth + 1), self.name()),
            1 => {
                let projected = self.projection(depth);
                let condition = self.condition(depth);
                format!("WITH {projected}{condition}")
            }
            2 => {
                let pattern = self.pattern(depth);
                format!("OPTIONAL MATCH {pattern}{}", self.condition(depth))
            }
            _ => {
                let pattern = self.pattern(depth);
                format!("MATCH {pattern}{}", self.condition(depth))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if self.one_in(2) { format!(" WHERE {}", self.value(depth + 1)) } else { String::new() }
    }

    fn projection(&mut self, depth: usize) -> String {
        let mut text = if self.one_in(5) { "DISTINCT ".to_owned() } else { String::new() };
        if self.one_in(8) {
            text.push('*');
        } else {
            for number in 0..=self.below(3) {
                let comma = if number > 0 { ", " } else { "" };
                text = format!("{text}{comma}{} AS {}", self.value(depth), self.name());
            }
        }
        if self.one_in(3) {
            let order = self.pick(&["", " DESC", " ASC"]);
            text = format!("{text} ORDER BY {}{order}", self.value(depth + 1));
        }
        if self.one_in(4) {
            text = format!("{text} SKIP {}", self.below(5));
        }
        if self.one_in(3) {
            let limits = ["0", "1", "5", "100", "1000000000", "$p", "-1"];
            text = format!("{text} LIMIT {}", self.pick(&limits));
        }
        text
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["a", "b", "c", "d", "x", "y", "r", "p", "`odd name`", "count", "end"])
    }

    fn pattern(&mut self, depth: usize) -> String {
        let mut parts = Vec::new();
        for _ in 0..=self.below(6).saturating_sub(4) {
            let mut path = self.node(depth);
            for _ in 0..self.below(4) {
                path = format!("{path}{}{}", self.relationship(depth), self.node(depth));
            }
            if self.one_in(6) {
                let ends = (self.node(depth), self.relationship(depth), self.node(depth));
                let wanted = self.pick(&["shortestPath", "allShortestPaths"]);
                path = format!("{wanted}({}{}{})", ends.0, ends.1, ends.2);
            }
            if self.one_in(4) {
                path = format!("{} = {path}", self.name());
            }
            parts.push(path);
        }
        parts.join(", ")
    }

    fn node(&mut self, depth: usize) -> String {
        let name = if self.one_in(3) { "" } else { self.name() };
        let labels = self.pick(&["", "", "", ":A", ":B", ":A|B", ":!A", ":A:B", ":Nobody"]);
        format!("({name}{labels}{})", self.properties(depth))
    }

    fn properties(&mut self, depth: usize) -> String {
        if self.one_in(6) { format!(" {{name: {}}}", self.value(depth + 2)) } else { String::new() }
    }

    fn relationship(&mut self, depth: usize) -> String {
        let name = if self.one_in(3) { self.name() } else { "" };
        let types = self.pick(&["", ":R", ":S", ":R|S", ":Nobody"]);
        let lengths = ["", "", "", "*", "*2", "*0..", "*1..3", "*..4", "*0..0", "*3..1", "*2.."];
        let length = self.pick(&lengths);
        let properties = self.properties(depth);
        let (left, right) = match self.below(4) {
            0 => ("<-", "-"),
            1 => ("-", "-"),
            _ => ("-", "->"),
        };
        format!("{left}[{name}{types}{length}{properties}]{right}")
    }

    fn value(&mut self, depth: usize) -> String {
        const DEEPEST: usize = 4;
        if depth >= DEEPEST || self.one_in(4) {
            return self.leaf();
        }
        let depth = depth + 1;
        match self.below(14) {
            0..=3 => {
                let operator = self.pick(OPERATORS);
                format!("{} {operator} {}", self.value(depth), self.value(depth))
            }
            4..=6 => self.call(depth),
            7 => format!("[{}, {}]", self.value(depth), self.value(depth)),
            8 => format!("{{k: {}, `l m`: {}}}", self.value(depth), self.value(depth)),
            9 => self.list_expression(depth),
            10 => self.case(depth),
            11 => {
                let test =
                    self.pick(&[" IS NULL", " IS NOT NULL", "[0]", "[1..]", "[-1]", ".name", ".k"]);
                format!("({}){test}", self.value(depth))
            }
            12 => self.pattern_expression(depth),
            _ => format!("{}({})", self.pick(&["NOT ", "-", "+", ""]), self.value(depth)),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let name = self.pick(FUNCTIONS);
        let arguments: Vec<_> = (0..self.below(4)).map(|_| self.value(depth)).collect();
        let distinct = if self.one_in(9) { "DISTINCT " } else { "" };
        format!("{name}({distinct}{})", arguments.join(", "))
    }

    fn list_expression(&mut self, depth: usize) -> String {
        let (list, inside) = (self.value(depth), self.value(depth));
        match self.below(6) {
            0 => format!("[x IN {list} WHERE {inside} | {}]", self.value(depth)),
            1 => format!("reduce(s = {}, x IN {list} | s + {inside})", self.leaf()),
            2 => format!("reduce(s = 'ab', x IN range(1, {}) | s + s)", self.below(40)),
            kind => {
                let quantifiers = ["all", "any", "none", "single"];
                let quantifier = quantifiers.get(kind % quantifiers.len()).copied();
                format!("{}(x IN {list} WHERE {inside})", quantifier.unwrap_or("any"))
            }
        }
    }

    fn case(&mut self, depth: usize) -> String {
        let operand = if self.one_in(2) { self.leaf() } else { String::new() };
        let (when, then) = (self.value(depth), self.value(depth));
        format!("CASE {operand} WHEN {when} THEN {then} ELSE {} END", self.leaf())
    }

    fn pattern_expression(&mut self, depth: usize) -> String {
        let pattern = self.pattern(depth);
        match self.below(6) {
            0 => format!("[{pattern} | {}]", self.value(depth)),
            1 => format!("EXISTS {{ {pattern} }}"),
            2 => format!("COUNT {{ {pattern} }}"),
            3 => format!("COLLECT {{ {} }}", self.single(depth)),
            4 => format!("exists({pattern})"),
            _ => format!("({pattern})"),
        }
    }

    fn leaf(&mut self) -> String {
        if self.one_in(3) { self.name().to_owned() } else { self.pick(LEAVES).to_owned() }
    }

    /// Damages a query: removes, duplicates, swaps or inserts words or characters.
    fn damaged(&mut self, text: &str) -> String {
        let mut words: Vec<&str> = text.split(' ').collect();
        let at = self.below(words.len());
        let to = (at + self.below(5)).min(words.len());
        match self.below(5) {
            0 => drop(words.drain(at..to)),
            1 => {
                let doubled: Vec<_> = words.get(at..to).unwrap_or_default().to_vec();
                words.splice(at..at, doubled);
            }
            2 => {
                let other = self.below(words.len());
                words.swap(at, other);
            }
            3 => words.insert(at, self.pick(OPERATORS)),
            _ => words.insert(at, self.pick(LEAVES)),
        }
        let mut text = words.join(" ");
        if self.one_in(4) {
            let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            let at = places.get(self.below(places.len())).copied().unwrap_or_default();
            let odd =
                ["(", ")", "[", "]", "{", "}", "'", "\"", "`", "\\", "\u{0}", "é", "/*", "//", ";"];
            text.insert_str(at, self.pick(&odd));
        }
        text
    }
}

const OPERATORS: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "AND",
    "OR",
    "XOR",
    "IN",
    "STARTS WITH",
    "ENDS WITH",
    "CONTAINS",
    "=~",
];

const LEAVES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2.5",
    "1e308",
    "9223372036854775807",
    "-9223372036854775808",
    "0x1F",
    "''",
    "'abc'",
    "'ß日本'",
    "'(a|b|ab)*(a|b)*c'",
    "'a{1,500}'",
    r"'\\bä\\w*'",
    "'[\\\\w&&[^a]]*'",
    "'P1Y2M3DT4H'",
    "'2020-02-30T25:61'",
    "'2024-02-29T12:00+01:00'",
    "'week'",
    "[]",
    "[1, null, 'a']",
    "[[1], [2, [3]]]",
    "{}",
    "{k: 1}",
    "range(1, 50)",
    "range(1, 100000)",
    "$p",
    "$missing",
    "a.name",
    "b.rank",
    "r.weight",
    "p",
    "count(*)",
    "date('2024-02-29')",
    "datetime('2024-02-29T12:00:00Z')",
    "duration('P1M2DT3H')",
    "duration({years: 1e9})",
    "localtime('23:59')",
    "{year: 2024, week: 53}",
    "{years: 999999999999}",
];

const FUNCTIONS: &[&str] = &[
    "abs",
    "acos",
    "atan2",
    "ceil",
    "coalesce",
    "e",
    "elementId",
    "endNode",
    "exists",
    "exp",
    "head",
    "id",
    "isEmpty",
    "keys",
    "labels",
    "last",
    "left",
    "length",
    "log",
    "nodes",
    "nullIf",
    "properties",
    "rand",
    "range",
    "relationships",
    "replace",
    "reverse",
    "right",
    "round",
    "sign",
    "size",
    "split",
    "sqrt",
    "startNode",
    "substring",
    "tail",
    "toBoolean",
    "toFloat",
    "toInteger",
    "toLower",
    "toString",
    "toUpper",
    "trim",
    "type",
    "valueType",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "collect",
    "percentileCont",
    "percentileDisc",
    "stDev",
    "date",
    "time",
    "localtime",
    "datetime",
    "localdatetime",
    "duration",
    "date.truncate",
    "datetime.truncate",
    "duration.between",
    "duration.inDays",
    "duration.inSeconds",
    "datetime.fromEpoch",
    "shortestPath",
    "nothing",
];
