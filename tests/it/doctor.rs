//! `fumi doctor`: each fault is found, with a step that mends it.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    process::{Command, Output},
    thread,
};

use crate::{
    command_line::{fumi, says},
    harness::Server,
    sample::Sample,
};

/// Returns the command with a usable state folder, a home folder of its own, and a program in place of Chromium.
fn doctor(sample: &Sample) -> Command {
    let mut command = fumi();
    command
        .current_dir(sample.root())
        .env("HOME", sample.outside())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("XDG_CONFIG_HOME");
    command.env("FUMI__BROWSER__EXECUTABLE", "/bin/sh").env("FUMI__STORE__DIR", sample.outside().join("state"));
    command.env("FUMI__SERVER__STATE_KEY", "0123456789abcdef0123456789abcdef").arg("doctor");
    command
}

/// Asserts that there is one fault, whose line and next step have these parts.
#[track_caller]
fn has_one_fault(output: &Output, fault: &str, next: &str) {
    let (out, err) = says(output);
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    let faults: Vec<_> = out.lines().filter(|line| line.starts_with('✗')).collect();
    assert!(faults.len() == 1 && faults[0].contains(fault), "{out}{err}");
    let step = out.lines().skip_while(|line| !line.starts_with('✗')).nth(1).unwrap();
    assert!(step.starts_with("  → ") && step.contains(next), "{out}");
}

#[test]
fn nothing_is_wrong_with_a_usable_configuration() {
    let sample = Sample::new();
    let output = doctor(&sample).args(["--listen", "127.0.0.1:0"]).output().unwrap();
    let (out, err) = says(&output);
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{out}");
    for part in ["Configuration: no file", "none runs at 127.0.0.1:0", "Project root: ", "State: ", "Chromium: found"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let japanese = fumi().args(["doctor", "--root", "/", "--store", "memory"]).env("LC_ALL", "ja_JP.UTF-8").output();
    assert!(says(&japanese.unwrap()).0.contains("状態: 設定によりメモリー上にあります。"));
}

#[test]
fn each_fault_names_the_step_that_mends_it() {
    let sample = Sample::new();
    sample.file("not-a-folder", "").file("bad.toml", "[server]\nlisten = 5\n");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in other.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    for (arguments, fault, next) in [
        (&["--config", "bad.toml"][..], "listen", "then run fumi doctor again"),
        (&["--root", "missing"], "missing", "then run fumi doctor again"),
        (&["--listen", &taken], "another program has", "--listen"),
        (&["--listen", "192.0.2.1:80", "--insecure"], "cannot listen on 192.0.2.1:80", "--listen"),
        (&["--state", "not-a-folder/state"], "not-a-folder/state", "--state"),
        (&["--store", "redis://127.0.0.1:1"], "Redis", "store.url"),
    ] {
        let mut command = doctor(&sample);
        command.args(arguments);
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        has_one_fault(&command.output().unwrap(), fault, next);
    }
    let mut command = doctor(&sample);
    command.env("FUMI__BROWSER__EXECUTABLE", sample.root().join("not-a-folder")).args(["--listen", "127.0.0.1:0"]);
    has_one_fault(&command.output().unwrap(), "Chromium", "");
    // A file that cannot be read as one, and one that names another server, which may be intended.
    let home = sample.outside();
    fs::create_dir_all(home.join(".cursor")).unwrap();
    fs::create_dir_all(home.join(".gemini")).unwrap();
    assert!(Command::new("mkfifo").arg(home.join(".cursor/mcp.json")).status().unwrap().success());
    fs::write(home.join(".gemini/settings.json"), "{\"mcpServers\":{\"fumi\":{\"httpUrl\":\"http://b/mcp\"}}}")
        .unwrap();
    let output = doctor(&sample).args(["--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(says(&output).0.contains("names fumi by another URL"), "{output:?}");
    has_one_fault(&output, "is not a regular file", "fumi connect cursor --url http://127.0.0.1:0/mcp");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_runs_is_found() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let address = server.base.trim_start_matches("http://").to_owned();
    let output = tokio::task::spawn_blocking(move || {
        fumi().args(["doctor", "--store", "memory", "--root", "/", "--listen", &address]).output().unwrap()
    });
    let (out, err) = says(&output.await.unwrap());
    assert!(out.contains(&format!("fumi answers at {}/mcp and is ready.", server.base)), "{out}{err}");
}
