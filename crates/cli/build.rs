//! Builds the agent, a shared library of its own that JVMs load, for the command to have it in itself.
//!
//! By a second cargo with a target folder of its own, because a package cannot depend on a shared library of another.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whose sources the agent is made of.
const SOURCES: [&str; 5] = ["agent", "weave", "tap", "jvm", "trace"];

fn main() {
    let crates = folder("CARGO_MANIFEST_DIR").join("..");
    for name in SOURCES {
        for part in ["src", "probe", "build.rs", "Cargo.toml"] {
            let path = crates.join(name).join(part);
            if path.exists() {
                println!("cargo:rerun-if-changed={}", path.display());
            }
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    let library = build(&crates.join("../Cargo.toml"), &folder("OUT_DIR").join("agent"));
    println!("cargo:rustc-env=INTERLOPER_AGENT={}", library.display());
}

fn folder(variable: &str) -> PathBuf {
    PathBuf::from(env::var_os(variable).expect("cargo tells build scripts their folders"))
}

/// Builds the library with the same profile, more or less, and tells where it is.
fn build(workspace: &Path, target: &Path) -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo tells build scripts where it is");
    let triple = env::var("TARGET").expect("cargo tells build scripts the target");
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let profile = if release { "release" } else { "dev" };
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--quiet", "--package", "interloper-agent"]);
    command.args(["--profile", profile, "--target", &triple]);
    command.arg("--manifest-path").arg(workspace).arg("--target-dir").arg(target);
    // Lints and coverage are not for what is embedded; a panic must not take the JVM with it.
    for variable in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "CARGO_BUILD_TARGET"] {
        command.env_remove(variable);
    }
    let setting = |name: &str| format!("CARGO_PROFILE_{}_{name}", profile.to_uppercase());
    command.env(setting("PANIC"), "unwind").env(setting("STRIP"), "debuginfo");
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "the agent could not be built: {status}");
    let kind = if release { "release" } else { "debug" };
    target.join(triple).join(kind).join("libinterloper_agent.so")
}
