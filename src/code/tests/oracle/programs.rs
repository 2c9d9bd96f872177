//! The real programs: their location, and a way to run them isolated from this machine's settings.
//!
//! A missing program fails the test with the command that installs it; it is never skipped.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Returns the folder of the programs: `FUMI_TOOLS`, or the one into which the test script installs them.
fn folder() -> PathBuf {
    std::env::var_os("FUMI_TOOLS").map_or_else(
        || {
            let home = std::env::var_os("HOME").expect("a home, or FUMI_TOOLS");
            Path::new(&home).join(".cache/fumi/tools/bin")
        },
        PathBuf::from,
    )
}

/// Returns a program ready to run in `cwd`, with an empty home.
fn program(name: &str, version: &str, cwd: &Path, home: &Path) -> Command {
    let path = folder().join(name);
    assert!(
        path.is_file(),
        "{} is missing. Install it: cargo install --locked {version} --root \"$HOME/.cache/fumi/tools\" (or set FUMI_TOOLS)",
        path.display()
    );
    let mut command = Command::new(path);
    command.current_dir(cwd).env_clear().env("HOME", home).env("XDG_CONFIG_HOME", home).stdin(Stdio::null());
    command
}

/// The output of a program, and true if it rejected its arguments.
pub(crate) struct Printed {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

fn run(mut command: Command) -> Printed {
    let output = command.output().expect("the program starts");
    Printed {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().expect("not killed"),
    }
}

/// Runs fd 10 with these arguments.
pub(crate) fn fd(args: &[String], cwd: &Path, home: &Path) -> Printed {
    let mut command = program("fd", "fd-find@10.5.0", cwd, home);
    command.args(["--color=never", "-0"]).args(args);
    run(command)
}

/// Runs ripgrep 15. Memory maps are off: with them, binary files given by name are searched differently.
pub(crate) fn rg(args: &[String], cwd: &Path, home: &Path) -> Printed {
    let mut command = program("rg", "--features pcre2 ripgrep@15.2.0", cwd, home);
    command.args(["--no-config", "--color=never", "--no-mmap"]).args(args);
    run(command)
}
