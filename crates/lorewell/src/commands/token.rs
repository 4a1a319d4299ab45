//! `lorewell token`: manages access to the HTTP server.

use lore_app::access::{self, Identity};
use lore_app::{App, worlds};
use lore_core::{Error, Principal, Role, TokenId, Viewer};
use lore_store::TokenInfo;

use crate::cli::Token;
use crate::config::Settings;
use crate::output::advised;
use crate::{output, setup};

/// Runs a `token` command. New tokens are for the current world; those of all worlds of the local
/// user can be listed and revoked, because each of them locks the whole server.
pub(crate) async fn run(settings: &Settings, command: Token) -> anyhow::Result<()> {
    let app = setup::open_without_services(settings).await?;
    match command {
        Token::Create { role, name } => create(&app, settings, &role, &name).await,
        Token::List => list(&app).await.map_err(advised),
        Token::Revoke { id } => revoke(&app, id).await.map_err(advised),
    }
}

async fn create(app: &App, settings: &Settings, role: &str, name: &str) -> anyhow::Result<()> {
    let viewer = setup::local_viewer(app, settings).await?;
    let role: Role = role.parse().map_err(advised)?;
    let is_first = !app.store.has_tokens().await?;
    let token = access::create_token(app, &viewer, name, role).await.map_err(advised)?;
    eprintln!("token {} lets {name} act as {role}; it is shown only now:", token.info.id);
    output::line(token.secret);
    if is_first {
        output::aside(
            "The HTTP server now answers nobody without a token, not even you. Create one for \
             yourself: lorewell token create --role owner --name YOU",
        );
    }
    Ok(())
}

async fn list(app: &App) -> lore_core::Result<()> {
    let titles = ["id", "token", "world", "name", "role", "made", "revoked"].map(str::to_owned);
    let mut rows = vec![titles.to_vec()];
    for Issued { token, world, .. } in issued(app).await? {
        rows.push(vec![
            token.id.to_string(),
            format!("lw_{}_…", token.public_id),
            world,
            token.principal,
            token.role.to_string(),
            format!("{:.0}", token.created_at),
            token.revoked_at.map_or_else(String::new, |at| format!("{at:.0}")),
        ]);
    }
    output::table(&rows);
    Ok(())
}

async fn revoke(app: &App, id: i64) -> lore_core::Result<()> {
    let all = issued(app).await?;
    let found = all.into_iter().find(|issued| issued.token.id == TokenId(id));
    let Issued { viewer, .. } = found.ok_or_else(|| {
        Error::not_found(format!("token {id}"), "`lorewell token list` shows the numbers")
    })?;
    access::revoke_token(app, &viewer, TokenId(id)).await?;
    output::line(format!("token {id} is revoked"));
    Ok(())
}

/// A token with the world that it leads into.
struct Issued {
    token: TokenInfo,
    world: String,
    viewer: Viewer,
}

/// The tokens of all worlds that the local user owns.
async fn issued(app: &App) -> lore_core::Result<Vec<Issued>> {
    let mut all = Vec::new();
    for world in worlds::list(app, Principal::LOCAL).await? {
        let viewer = access::enter(app, Identity::LOCAL, Some(&world.uid.to_string())).await?;
        if viewer.role < Role::Owner {
            continue;
        }
        let tokens = access::tokens(app, &viewer).await?.into_iter();
        all.extend(tokens.map(|token| Issued { token, world: world.name.clone(), viewer }));
    }
    all.sort_by_key(|issued| issued.token.id);
    Ok(all)
}
