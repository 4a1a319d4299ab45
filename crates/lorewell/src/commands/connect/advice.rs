//! The explanations printed around a client's configuration.

use std::path::Path;

use super::clients::Spec;
use super::server::Server;
use super::ways::Ask;
use crate::config::as_file;

/// The line printed before a configuration.
pub(super) fn before(spec: &Spec, file: &Path) -> String {
    format!(
        "For {}, in {} (use --write to save it there; a backup is kept):",
        spec.title,
        file.display()
    )
}

/// Other ways to connect the client.
pub(super) fn ways(spec: &Spec, ask: &Ask<'_>) -> Vec<String> {
    spec.ways.iter().map(|way| format!("{}:\n  {}", way.label, (way.make)(ask))).collect()
}

/// The lines printed after the configuration was printed or written. `config` is the configuration
/// file that the server will read.
pub(super) fn after(spec: &Spec, server: &Server, config: &str, ignored: bool) -> Vec<String> {
    let mut lines = Vec::new();
    match server {
        Server::Stdio { .. } => {
            lines.extend(spec.stdio_note.map(str::to_owned));
            lines.extend(as_file().map(|settings| unheard(spec, config, &settings)));
        }
        Server::Http { .. } => {
            lines.extend(spec.http_note.map(str::to_owned));
            lines.push(token(spec));
        }
    }
    if ignored {
        lines.push(
            "With --http, options such as --world and --data are not passed on: give them to \
             `lorewell serve`."
                .to_owned(),
        );
    }
    lines.push(spec.apply.to_owned());
    lines
}

/// The hint that settings from this shell's environment may not reach the client, which has an
/// environment of its own.
fn unheard(spec: &Spec, config: &str, settings: &str) -> String {
    let settings = settings.replace('\n', "\n  ");
    format!(
        "Other settings from your environment are not in the entry, and {} may not have them. To \
         be sure, put them into {config}, with the secret itself in place of …:\n  {settings}",
        spec.title
    )
}

/// The hint about tokens. It is always shown, because it is unknown here whether the server
/// requires one.
fn token(spec: &Spec) -> String {
    format!(
        "If the server asks for a token (`lorewell token create`), leave it out of the file: start \
         {} with {} in its environment, and add to the entry\n  {}",
        spec.title, spec.token.variable, spec.token.field
    )
}
