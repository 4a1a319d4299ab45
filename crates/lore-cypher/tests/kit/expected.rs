//! A normal form of values, for values in the kit's notation and for results.

use lore_cypher::{Graph, NodeId, RelId, Value};

/// Whether the order of list elements matters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    Ordered,
    Unordered,
}

/// The normal form of a value in the kit's notation.
pub(crate) fn canonical(text: &str, elements: Elements) -> Result<String, String> {
    // Tables escape backslashes once more.
    let text = text.replace("\\\\", "\\");
    let mut reader = Reader { rest: text.trim(), elements };
    let value = reader.value()?;
    match reader.rest.trim() {
        "" => Ok(value),
        rest => Err(format!("{rest:?} is left of {text:?}")),
    }
}

/// The normal form of a result.
pub(crate) fn rendered(graph: &Graph, value: &Value, elements: Elements) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::String(text) => format!("{text:?}"),
        Value::List(list) => {
            let items = list.items().iter().map(|item| rendered(graph, item, elements));
            listed(items.collect(), elements)
        }
        Value::Map(map) => {
            let entries = map.entries().iter();
            mapped(entries.map(|(key, value)| (key.to_string(), rendered(graph, value, elements))))
        }
        Value::Node(node) => node_text(graph, *node, elements),
        Value::Relationship(relationship) => relationship_text(graph, *relationship, elements),
        Value::Path(path) => {
            let mut text = String::from("<");
            for (number, node) in path.nodes.iter().enumerate() {
                text += &node_text(graph, *node, elements);
                let Some(id) = path.relationships.get(number) else { continue };
                let inside = relationship_text(graph, *id, elements);
                let forwards = graph.relationship(*id).is_some_and(|found| found.start == *node);
                text += &if forwards { format!("-{inside}->") } else { format!("<-{inside}-") };
            }
            text + ">"
        }
        Value::Temporal(temporal) => format!("{:?}", temporal.to_string()),
    }
}

fn node_text(graph: &Graph, node: NodeId, elements: Elements) -> String {
    let labels = graph.labels(node).map(ToString::to_string).collect();
    let properties = graph.node_properties(node);
    let properties =
        properties.map(|(key, value)| (key.to_string(), rendered(graph, value, elements)));
    element("(", labels, mapped(properties), ")")
}

fn relationship_text(graph: &Graph, id: RelId, elements: Elements) -> String {
    let kind = graph.type_name(id).map(ToString::to_string).into_iter().collect();
    let properties = graph.relationship_properties(id);
    let properties =
        properties.map(|(key, value)| (key.to_string(), rendered(graph, &value, elements)));
    element("[", kind, mapped(properties), "]")
}

fn element(open: &str, mut labels: Vec<String>, properties: String, close: &str) -> String {
    labels.sort();
    let labels: String = labels.iter().map(|label| format!(":{label}")).collect();
    format!("{open}{labels}{properties}{close}")
}

fn listed(mut items: Vec<String>, elements: Elements) -> String {
    if elements == Elements::Unordered {
        items.sort();
    }
    format!("[{}]", items.join(", "))
}

fn mapped(entries: impl Iterator<Item = (String, String)>) -> String {
    let mut entries: Vec<_> = entries.map(|(key, value)| format!("{key}: {value}")).collect();
    entries.sort();
    format!("{{{}}}", entries.join(", "))
}

fn float(number: f64) -> String {
    // Both zeros are equal.
    let number = if number == 0.0 { 0.0 } else { number };
    if number.is_nan() { "NaN".to_owned() } else { format!("{number:?}") }
}

/// Parses values in the kit's notation.
struct Reader<'t> {
    rest: &'t str,
    elements: Elements,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<String, String> {
        self.skip();
        match self.rest.chars().next() {
            Some('\'') => self.string(),
            Some('[') if self.rest.starts_with("[:") => self.element('[', ']'),
            Some('[') => {
                let items = self.items('[', ']', Self::value)?;
                Ok(listed(items, self.elements))
            }
            Some('{') => self.map(),
            Some('(') => self.element('(', ')'),
            Some('<') => self.path(),
            Some(_) => self.word(),
            None => Err("a value is missing".to_owned()),
        }
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, wanted: char) -> Result<(), String> {
        self.skip();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(format!("{wanted:?} is missing before {:?}", self.rest)),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.take('\'')?;
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\'' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(format!("{text:?}"));
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 'b')) => text.push('\u{8}'),
                    Some((_, 'f')) => text.push('\u{c}'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err("a string does not end".to_owned())
    }

    fn items(
        &mut self,
        open: char,
        close: char,
        item: fn(&mut Self) -> Result<String, String>,
    ) -> Result<Vec<String>, String> {
        self.take(open)?;
        let mut items = Vec::new();
        loop {
            self.skip();
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Ok(items);
            }
            if !items.is_empty() {
                self.take(',')?;
            }
            items.push(item(self)?);
        }
    }

    fn map(&mut self) -> Result<String, String> {
        let mut entries = self.items('{', '}', |reader| {
            let key = reader.name();
            reader.take(':')?;
            Ok(format!("{key}: {}", reader.value()?))
        })?;
        entries.sort();
        Ok(format!("{{{}}}", entries.join(", ")))
    }

    fn element(&mut self, open: char, close: char) -> Result<String, String> {
        self.take(open)?;
        let mut labels = Vec::new();
        self.skip();
        while let Some(rest) = self.rest.strip_prefix(':') {
            self.rest = rest;
            labels.push(self.name());
            self.skip();
        }
        let properties = if self.rest.starts_with('{') { self.map()? } else { "{}".to_owned() };
        self.take(close)?;
        Ok(element(&open.to_string(), labels, properties, &close.to_string()))
    }

    fn path(&mut self) -> Result<String, String> {
        self.take('<')?;
        let mut text = String::from("<");
        loop {
            text += &self.element('(', ')')?;
            self.skip();
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                return Ok(text + ">");
            }
            if let Some(rest) = self.rest.strip_prefix("<-") {
                self.rest = rest;
                text += &format!("<-{}-", self.element('[', ']')?);
                self.take('-')?;
            } else {
                self.take('-')?;
                text += &format!("-{}->", self.element('[', ']')?);
                self.take('-')?;
                self.take('>')?;
            }
        }
    }

    fn name(&mut self) -> String {
        self.skip();
        let end = self.rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_owned()
    }

    fn word(&mut self) -> Result<String, String> {
        let end = self.rest.find([',', ']', '}', ' ', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" | "true" | "false" | "NaN" => Ok(word.to_owned()),
            _ => match (word.parse::<i64>(), word.parse::<f64>()) {
                (Ok(number), _) => Ok(number.to_string()),
                (_, Ok(number)) => Ok(float(number)),
                _ => Err(format!("{word:?} is not a value")),
            },
        }
    }
}
