//! What people are told around the configuration.

use std::path::Path;

use super::clients::Spec;
use super::server::Server;
use super::ways::Ask;

/// What is said before a printed configuration.
pub(super) fn before(spec: &Spec, file: &Path) -> String {
    format!(
        "For {}, in {} (add --write and it is put there, with a backup):",
        spec.title,
        file.display()
    )
}

/// What is said after the configuration was printed or written.
pub(super) fn after(spec: &Spec, ask: &Ask<'_>, ignored: bool) -> Vec<String> {
    let ways = spec.ways.iter().map(|way| format!("{}:\n  {}", way.label, (way.make)(ask)));
    let mut lines: Vec<String> = ways.collect();
    match ask.server {
        Server::Stdio { .. } => lines.extend(spec.stdio_note.map(str::to_owned)),
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

/// Whether the server wants a token is not known here, so it is always said.
fn token(spec: &Spec) -> String {
    format!(
        "If the server asks for a token (`lorewell token create`), keep it in the environment as \
         LOREWELL_TOKEN and add to the entry:\n  {}",
        spec.token
    )
}
