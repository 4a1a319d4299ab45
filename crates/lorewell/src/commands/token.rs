//! `lorewell token`: manages access to the HTTP server.

use lore_app::access;
use lore_core::{Role, TokenId};

use crate::cli::Token;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Runs a `token` command in the current world.
pub(crate) async fn run(settings: &Settings, command: Token) -> anyhow::Result<()> {
    let app = setup::open_app(settings).await?;
    let viewer = setup::local_viewer(&app, settings).await?;
    match command {
        Token::Create { role, name } => {
            let role: Role = role.parse().map_err(advised)?;
            let token = access::create_token(&app, &viewer, &name, role).await.map_err(advised)?;
            eprintln!("token {} lets {} act as {role}; it is shown only now:", token.info.id, name);
            output::line(token.secret);
        }
        Token::List => {
            let titles = ["id", "token", "name", "role", "made", "revoked"].map(str::to_owned);
            let mut rows = vec![titles.to_vec()];
            for token in access::tokens(&app, &viewer).await.map_err(advised)? {
                rows.push(vec![
                    token.id.to_string(),
                    format!("lw_{}_…", token.public_id),
                    token.principal,
                    token.role.to_string(),
                    format!("{:.0}", token.created_at),
                    token.revoked_at.map_or_else(String::new, |at| format!("{at:.0}")),
                ]);
            }
            output::table(&rows);
        }
        Token::Revoke { id } => {
            access::revoke_token(&app, &viewer, TokenId(id)).await.map_err(advised)?;
            output::line(format!("token {id} is revoked"));
        }
    }
    Ok(())
}
