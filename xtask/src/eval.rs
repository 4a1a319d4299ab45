//! `cargo xtask eval NAME …`: evaluations, in release builds.

use anyhow::bail;

use crate::shell::{cargo, command, step, target};

/// Builds what is needed and runs one evaluation.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    // Retrieval runs the lorewell program; resolution only uses the resolver as a library.
    let packages: &[&str] = match name {
        "retrieval" => &["-p", "lorewell", "-p", "lore-eval"],
        "resolution" => &["-p", "lore-eval"],
        _ => bail!("there is no evaluation {name:?}: use retrieval or resolution"),
    };
    let build = [&["build", "--quiet", "--release"], packages].concat();
    step("build", &mut cargo(&build))?;
    let program = target().join("release").join("lore-eval");
    let arguments: Vec<&str> = std::iter::once(name).chain(options.iter().copied()).collect();
    step(&format!("eval {name}"), &mut command(program, &arguments))
}
