//! Writes settings from environment variables in the form of the configuration file.
//!
//! Clients that are started from a desktop do not have the environment of a shell, so such settings
//! have to be written down.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use super::file::variable;

/// An environment variable that is a setting without a command-line flag.
struct Variable {
    name: &'static str,
    /// The table of the setting; `None` for the top level of the file.
    table: Option<&'static str>,
    key: &'static str,
    form: Form,
}

/// How a value is written.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Number,
    List,
    /// A path, written as absolute.
    Path,
    /// A secret, never shown.
    Secret,
}

const VARIABLES: [Variable; 18] = [
    top("VAULT_PATH", "vault", Form::Path),
    top("KOI_API_ENDPOINT", "koi_endpoint", Form::Text),
    top("KOI_API_TOKEN", "koi_token", Form::Secret),
    of("kanka", "KANKA_TOKEN", "token", Form::Secret),
    of("kanka", "KANKA_CAMPAIGN_ID", "campaign", Form::Number),
    of("kanka", "KANKA_API_BASE", "url", Form::Text),
    of("kanka", "KANKA_REFRESH", "refresh", Form::Number),
    of("kanka", "KANKA_TIMEOUT", "timeout", Form::Number),
    of("world_anvil", "WORLD_ANVIL_APP_KEY", "app_key", Form::Secret),
    of("world_anvil", "WORLD_ANVIL_TOKEN", "token", Form::Secret),
    of("world_anvil", "WORLD_ANVIL_URL", "url", Form::Text),
    of("embeddings", "LOREWELL_EMBEDDINGS_URL", "url", Form::Text),
    of("embeddings", "LOREWELL_EMBEDDINGS_MODEL", "model", Form::Text),
    of("embeddings", "LOREWELL_EMBEDDINGS_KEY", "key", Form::Secret),
    of("llm", "LOREWELL_LLM_URL", "url", Form::Text),
    of("llm", "LOREWELL_LLM_MODEL", "model", Form::Text),
    of("llm", "LOREWELL_LLM_KEY", "key", Form::Secret),
    of("web", "LOREWELL_WEB_REACHABLE", "reachable", Form::List),
];

/// The settings in the environment as lines for lorewell.toml, or `None` if there are none. Secrets
/// are replaced with an ellipsis.
pub(crate) fn as_file() -> Option<String> {
    let mut file = DocumentMut::new();
    for known in &VARIABLES {
        let Some(said) = variable(known.name) else { continue };
        let at = match known.table {
            None => file.as_table_mut(),
            Some(name) => {
                let table = file.entry(name).or_insert_with(|| Item::Table(Table::new()));
                let Some(table) = table.as_table_mut() else { continue };
                table
            }
        };
        at.insert(known.key, value(known.form.written(&said)));
    }
    (!file.is_empty()).then(|| file.to_string().trim_end().to_owned())
}

impl Form {
    fn written(self, said: &str) -> Value {
        let text = || Value::from(said);
        match self {
            Self::Text => text(),
            Self::Number => said.trim().parse::<i64>().map_or_else(|_| text(), Value::from),
            Self::List => said.split(',').map(str::trim).collect::<Array>().into(),
            Self::Path => absolute(said).to_str().map_or_else(text, Value::from),
            Self::Secret => Value::from("…"),
        }
    }
}

fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(path).to_owned())
}

const fn top(name: &'static str, key: &'static str, form: Form) -> Variable {
    Variable { name, table: None, key, form }
}

const fn of(table: &'static str, name: &'static str, key: &'static str, form: Form) -> Variable {
    Variable { name, table: Some(table), key, form }
}
