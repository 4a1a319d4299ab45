//! `cargo xtask eval NAME …`: how well things are found, always optimised.

use anyhow::bail;

use crate::shell::{cargo, command, step, target};

/// Builds the product and measures one ability of it.
pub(crate) fn run(name: &str, options: &[&str]) -> anyhow::Result<()> {
    // Names are compared in the evaluation itself; questions are asked the product.
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
