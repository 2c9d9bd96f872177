//! The contract of the command line, tested on the real program: exit codes, one line on the right stream, SIGTERM.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{novel::unwritten, sample::Sample};

pub(crate) fn fumi() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
    // Environment variables configure fumi; those of the test must not.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FUMI") || name.ends_with("_ROOT")) {
        command.env_remove(name);
    }
    // Nor does the language of the person who runs the tests matter.
    for name in ["LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"] {
        command.env_remove(name);
    }
    // The user's own state is not touched.
    command.env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"));
    command.stdin(Stdio::null());
    command
}

pub(crate) fn run(sample: &Sample, arguments: &[&str]) -> Output {
    fumi().current_dir(sample.root()).args(arguments).output().unwrap()
}

#[track_caller]
pub(crate) fn says(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Asserts exit code 2, nothing on standard output, one line on standard error.
#[track_caller]
pub(crate) fn refuses(output: &Output, part: &str) {
    let (out, err) = says(output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert_eq!(out, "");
    assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    assert!(err.starts_with("fumi: ") && err.contains(part), "{err}");
}

#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    let sample = Sample::new();
    for arguments in [&["openapi"][..], &["completions", "bash"], &["token", "new"], &["call", "list_files"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = fumi().current_dir(sample.root()).args(arguments).stdout(full).output().unwrap();
        refuses(&output, "cannot write to standard output");
    }
}

/// The signal that the system sends then would end the process.
#[test]
fn a_write_beyond_the_limit_of_file_sizes_is_an_error() {
    let sample = Sample::new();
    sample.file("big.txt", "a hit in this line\n".repeat(20_000));
    let arguments = r#"{"query": "hit", "roots": ["."], "output_file": "hits.json"}"#;
    let program = env!("CARGO_BIN_EXE_fumi");
    let output = Command::new("bash")
        .current_dir(sample.root())
        .args(["-c", r#"ulimit -f 64; exec "$0" call search_content "$1""#, program, arguments])
        .output()
        .unwrap();
    let (out, err) = says(&output);
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("\"success\":false"), "{out}");
}

#[test]
fn invalid_arguments_exit_2_with_one_line() {
    let sample = Sample::new();
    sample.file("bad.toml", "[server]\nlisten = \"nowhere\"\n").file("unknown.toml", "[sever]\n");
    sample.file("broken.toml", "[server\n");
    sample
        .file("state.toml", "[store]\ndir = \"bad.toml/elsewhere\"\n")
        .file("redis.toml", "[store]\nkind = \"redis\"\n");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, part) in [
        (&["--no-such-flag"][..], "--no-such-flag"),
        (&["serve", "--listen", "nowhere"], "nowhere"),
        (&["--listen", "127.0.0.1:99999"], "99999"),
        (&["--listen", &taken], &taken),
        (&["--listen", "0.0.0.0:0"], "--insecure"),
        (&["--root", "no-such-folder", "--listen", "127.0.0.1:0"], "no-such-folder"),
        (&["--config", "no-such.toml"], "no-such.toml"),
        (&["--config", "bad.toml"], "listen"),
        (&["--toolsets", "code,nonsense", "--listen", "127.0.0.1:0"], "nonsense"),
        (&["--store", "redis://ann:secret@host:port"], "such as redis://127.0.0.1:6379/0"),
        (&["--store", "redis"], "store.url is empty"),
        (&["--store", "floppy", "--listen", "127.0.0.1:0"], "floppy"),
        (&["--state", "bad.toml/state", "--listen", "127.0.0.1:0"], "bad.toml/state"),
        (&["--config", "state.toml", "--listen", "127.0.0.1:0"], "bad.toml/elsewhere"),
        (&["--config", "redis.toml"], "store.url is empty"),
        (&["--log", "loud"], "loud"),
        (&["check-config", "no-such.toml"], "no-such.toml"),
        (&["check-config", "bad.toml"], "listen"),
        (&["check-config", "unknown.toml"], "sever"),
        (&["check-config", "broken.toml"], ""),
        (&["check-config"], ""),
        (&["call"], ""),
        (&["call", "list_file", "{}"], "list_files"),
        (&["call", "list_files", "{"], "JSON"),
        (&["call", "list_files", "[]"], "object"),
        (&["call", "zzzz", "{}"], "`fumi tools` lists all"),
        (&["no-such-command"], "no-such-command"),
    ] {
        refuses(&run(&sample, arguments), part);
    }
}

#[test]
fn a_configuration_that_would_fail_open_or_never_fit_is_refused_alike_by_check_and_server() {
    let sample = Sample::new();
    let hash = "0".repeat(64);
    let token = format!("[[auth.tokens]]\nname = \"a\"\nsha256 = \"{hash}\"\n");
    let oauth = |issuer: &str| {
        format!("[auth]\nmode = \"oauth\"\n[auth.oauth]\naudience = \"https://a.example\"\nissuer = \"{issuer}\"\n")
    };
    for (toml, part) in [
        (token.clone(), "auth.mode = \"tokens\""),
        (oauth("https://b.example").replace("mode = \"oauth\"", ""), "auth.mode = \"oauth\""),
        ("[tools]\ntoolsets = [\"code\", \"novell\"]".to_owned(), "novell"),
        (format!("[auth]\nmode = \"tokens\"\n{token}roots = [\"/etc\"]"), "/etc"),
        (format!("[auth]\nmode = \"tokens\"\n{token}toolsets = [\"cod\"]"), "cod"),
        ("[server]\nallowed_hosts = [\"https://fumi.example.com/\"]".to_owned(), "server.allowed_hosts"),
        ("[server]\nallowed_hosts = [\"*.example.com\"]".to_owned(), "server.allowed_hosts"),
        ("[server]\nallowed_origins = [\"app.example.com\"]".to_owned(), "server.allowed_origins"),
        ("[server]\nallowed_origins = [\"https://app.example.com/\"]".to_owned(), "server.allowed_origins"),
        (oauth("http://b.example"), "auth.oauth.issuer"),
        (format!("{}jwks_uri = \"http://b.example/keys\"", oauth("https://b.example")), "auth.oauth.jwks_uri"),
        ("\n[server]\nlisen = \"127.0.0.1:1\"".to_owned(), "line 3"),
        ("[server]\nmax_sessions = \"ten\"".to_owned(), "line 2, max_sessions"),
    ] {
        sample.file("refused.toml", &toml);
        let check = run(&sample, &["check-config", "refused.toml"]);
        refuses(&check, part);
        let serve = run(&sample, &["serve", "--config", "refused.toml", "--store", "memory"]);
        assert_eq!(says(&serve), says(&check), "{toml}");
    }
}

#[test]
fn call_prints_the_structure_and_tells_success_by_its_exit_code() {
    let sample = Sample::new();
    let good = run(&sample, &["call", "list_files", r#"{"roots": ["src"], "absolute": false}"#]);
    assert_eq!(good.status.code(), Some(0));
    let good: Value = serde_json::from_str(&says(&good).0).unwrap();
    assert_eq!(good["success"], true);
    let bad = run(&sample, &["call", "list_files", r#"{"roots": ["nowhere"]}"#]);
    assert_eq!(bad.status.code(), Some(1));
    let bad: Value = serde_json::from_str(&says(&bad).0).unwrap();
    assert_eq!(bad["error"]["code"], "FILE_NOT_FOUND");
    let elsewhere = Sample::empty();
    elsewhere.file("only.txt", "");
    let root = elsewhere.root();
    let other = run(
        &sample,
        &["call", "list_files", r#"{"roots": ["."], "count_only": true}"#, "--root", root.to_str().unwrap()],
    );
    assert!(says(&other).0.contains("\"total_count\":1"), "{other:?}");
}

/// Runs fumi in a terminal of 60 columns with an English person, and returns its exit code and what the terminal shows.
fn on_terminal(sample: &Sample, arguments: &str) -> (Option<i32>, String) {
    on_terminal_in(sample, "en_US.UTF-8", arguments)
}

/// The same with a person who reads this language.
fn on_terminal_in(sample: &Sample, language: &str, arguments: &str) -> (Option<i32>, String) {
    let language = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| (name, if name == "LANG" { language } else { "" }));
    let command = format!("stty rows 24 cols 60; exec {} {arguments}", env!("CARGO_BIN_EXE_fumi"));
    let output = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(language)
        .current_dir(sample.root())
        .output()
        .expect("script is installed (Debian: apt-get install bsdutils)");
    let shown = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    (output.status.code(), shown)
}

#[test]
fn on_a_terminal_tools_and_replies_are_laid_out_for_people() {
    let sample = Sample::new();
    let (code, shown) = on_terminal(&sample, "tools --toolsets code");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.starts_with("\u{1b}[1m\u{1b}[32mcode\u{1b}[0m\n"), "{shown:?}");
    let plain = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&shown, "").into_owned();
    assert!(plain.contains("\n  list_files                "), "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 60), "{plain}");

    let call = r#"call list_files '{"roots": ["src"], "absolute": false}'"#;
    let (code, shown) = on_terminal(&sample, call);
    // Without the log: beside many other programs the project may not be watched, which is a line of it.
    let as_json = on_terminal(&sample, &format!("{call} --json 2>/dev/null")).1;
    let as_json: Value = serde_json::from_str(&as_json).unwrap_or_else(|error| panic!("{error}: {as_json}"));
    assert_eq!((code, &as_json["success"]), (Some(0), &Value::Bool(true)));
    assert!(!shown.contains('{') && shown.contains("src/"), "{shown}");

    let wrong = r#"call list_files '{"roots": ["nowhere"]}'"#;
    for (language, is_ja) in [("en_US.UTF-8", false), ("ja_JP.UTF-8", true), ("C", false)] {
        let (code, shown) = on_terminal_in(&sample, language, wrong);
        assert_eq!(code, Some(1), "{shown}");
        assert_eq!(shown.contains("という"), is_ja, "{language}: {shown}");
        assert_eq!(shown.contains("not found"), !is_ja, "{language}: {shown}");
    }

    sample.file("hostile.txt", "\u{1b}]0;title\u{7}\u{9b}31mred\n");
    let (_, shown) = on_terminal(&sample, r#"call search_content '{"files": ["hostile.txt"], "query": "red"}'"#);
    assert!(shown.contains(r"\u{1b}]0;title\u{7}\u{9b}31mred"), "{shown:?}");

    let (code, shown) = on_terminal(&sample, r#"call list_files '{"roots": ["nowhere"]}'"#);
    assert_eq!(code, Some(1));
    assert!(shown.starts_with("\u{1b}[1m\u{1b}[31mFILE_NOT_FOUND"), "{shown:?}");
}

/// The provider accepts the question and answers after two seconds with the end of its connection.
#[test]
fn on_a_terminal_a_long_call_shows_its_step_and_a_pipe_gets_the_result_alone() {
    let sample = unwritten();
    let provider = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = provider.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in provider.incoming() {
            let _open = connection.unwrap();
            std::thread::sleep(Duration::from_secs(2));
        }
    });
    let settings = format!(
        "[novel]\nauthor = \"provider\"\n[novel.provider]\nbase_url = \"http://{address}/v1\"\nmodel = \"slow\"\nretries = 0\n"
    );
    sample.file("fumi.toml", settings);
    let call = r#"call --config fumi.toml noveler_write '{"episode": 1}'"#;
    let (code, shown) = on_terminal(&sample, call);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains(": a model is writing") && shown.contains("1s"), "{shown:?}");
    let piped = run(&sample, &["call", "--config", "fumi.toml", "noveler_write", r#"{"episode": 1}"#]);
    assert!(!String::from_utf8_lossy(&piped.stderr).contains('\r'), "{piped:?}");
}

#[test]
fn tools_and_check_config_answer() {
    let sample = Sample::new();
    let catalogue: Value = serde_json::from_str(&says(&run(&sample, &["tools"])).0).unwrap();
    assert_eq!(catalogue[0]["name"], "list_files");
    let same: Value = serde_json::from_str(&says(&run(&sample, &["tools", "--json"])).0).unwrap();
    assert_eq!(catalogue, same);
    let novel = says(&run(&sample, &["tools", "--toolsets", "novel"])).0;
    let novel: Value = serde_json::from_str(&novel).unwrap();
    assert!(!novel.as_array().unwrap().is_empty());
    assert!(!novel.to_string().contains("\"browser_click\""));
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/default.toml");
    let checked = run(&sample, &["check-config", config]);
    assert_eq!((checked.status.code(), says(&checked).0.as_str()), (Some(0), "ok\n"));
    for flag in ["--help", "--version"] {
        let output = run(&sample, &[flag]);
        assert_eq!(output.status.code(), Some(0));
        assert!(says(&output).0.contains("fumi"));
    }
}

#[test]
fn the_environment_configures_and_flags_win() {
    let sample = Sample::new();
    let command = |name: &str, value: &str, arguments: &[&str]| {
        fumi().current_dir(sample.root()).env(name, value).args(arguments).output().unwrap()
    };
    refuses(&command("FUMI__SERVER__LISTEN", "0.0.0.0:0", &["serve"]), "--insecure");
    refuses(&command("FUMI__SERVER__LISTTEN", "127.0.0.1:0", &["tools"]), "listten");
    let list = ["call", "list_files", r#"{"roots": ["."], "count_only": true}"#];
    let inner = sample.root().join("web");
    let output = command("PROJECT_ROOT", inner.to_str().unwrap(), &list);
    assert!(says(&output).0.contains("\"total_count\":2"), "{output:?}");
    refuses(&command("PROJECT_ROOT", "/", &list), "PROJECT_ROOT");
}

/// A child process that is killed when the test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn serving_prints_one_ready_line_and_sigterm_ends_it_with_0() {
    let sample = Sample::new();
    let mut command = fumi();
    command.current_dir(sample.root()).args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(command.spawn().unwrap());
    let mut out = BufReader::new(child.0.stdout.take().unwrap());
    let mut ready = String::new();
    out.read_line(&mut ready).unwrap();
    let url = ready
        .strip_prefix("fumi listening on ")
        .and_then(|rest| rest.strip_suffix("/mcp\n"))
        .unwrap_or_else(|| panic!("{ready}"));
    let address = url.strip_prefix("http://").unwrap();
    assert!(!address.ends_with(":0"), "{ready}");
    // The server answers at once: it prints the line after it has bound the port.
    let mut connection = std::net::TcpStream::connect(address).unwrap();
    write!(connection, "GET /livez HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("ok\n"), "{answer}");
    let id = child.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "standard output has the ready line alone");
    // Nothing was written into the project.
    assert!(!sample.root().join(".fumi").exists());
}

/// A default folder that cannot be used does not prevent serving; a configured one does (see above).
#[test]
fn without_a_place_for_state_it_serves_and_says_so() {
    let sample = Sample::new();
    let mut command = fumi();
    command
        .current_dir(sample.root())
        .args(["--listen", "127.0.0.1:0"])
        .env("XDG_STATE_HOME", "/proc/no-such-folder")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = Running(command.spawn().unwrap());
    let mut ready = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.starts_with("fumi listening on "), "{ready}");
    let id = child.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
    let mut err = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(err.contains("sessions end with this process") && err.contains("--state"), "{err}");
}

#[test]
fn stdio_speaks_the_protocol_and_ends_with_its_input() {
    let sample = Sample::new();
    let mut command = fumi();
    command.current_dir(sample.root()).arg("stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(command.spawn().unwrap());
    let mut input = child.0.stdin.take().unwrap();
    let mut output = BufReader::new(child.0.stdout.take().unwrap());
    let mut ask = |message: Value| {
        writeln!(input, "{message}").unwrap();
        if message.get("id").is_none() {
            return Value::Null;
        }
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "it hung up after {message}");
            let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if answer["id"] == message["id"] {
                return answer;
            }
        }
    };
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}});
    let hello = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    assert_eq!(hello["result"]["serverInfo"]["name"], "fumi");
    ask(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let list = ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert_eq!(list["result"]["tools"][0]["name"], "list_files");
    let inner = sample.root().join("web");
    for (id, name, arguments, part) in [
        (3, "list_files", json!({"roots": ["src"], "absolute": false}), "src/main.py"),
        (4, "set_project_path", json!({"project_path": inner}), "\"remembered\":true"),
        (5, "list_files", json!({"roots": ["."], "absolute": false}), "index.html"),
    ] {
        let called = ask(
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}),
        );
        assert!(called.to_string().contains(part), "{called}");
    }
    // The last message needs no line break.
    write!(input, "{}", json!({"jsonrpc": "2.0", "id": 6, "method": "ping"})).unwrap();
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"id\":6"), "{rest}");
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn help_says_for_which_server_a_token_is_and_that_it_is_stored_nowhere() {
    let sample = Sample::new();
    for (arguments, part) in [
        (&["--help"][..], "Create a token for the clients of a server with token authentication"),
        (&["token", "--help"], "Create a token for the clients of a server with token authentication"),
        (&["token", "new", "--help"], "It is printed once and stored nowhere"),
    ] {
        let output = run(&sample, arguments);
        let (out, err) = says(&output);
        assert!(output.status.success() && err.is_empty(), "{arguments:?}: {err}");
        assert!(out.contains(part), "{arguments:?}: {out}");
    }
}

/// Returns the subcommands that a page of help lists.
pub(crate) fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the help of these commands and of all commands below them, with the name of each, such as `fumi token new`.
pub(crate) fn help_pages(of: &[&[&str]]) -> Vec<(String, String)> {
    let sample = Sample::empty();
    let mut pages = Vec::new();
    let mut left: Vec<Vec<String>> =
        of.iter().map(|words| words.iter().map(|&word| word.to_owned()).collect()).collect();
    while let Some(words) = left.pop() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let output = run(&sample, &arguments);
        let help = says(&output).0;
        assert!(output.status.success() && !help.is_empty(), "{arguments:?}");
        left.extend(subcommands(&help).into_iter().map(|name| [words.clone(), vec![name]].concat()));
        pages.push(([vec!["fumi".to_owned()], words].concat().join(" "), help));
    }
    pages
}

#[test]
fn every_command_has_a_manual_page_with_all_its_options() {
    let sample = Sample::empty();
    let output = run(&sample, &["man", "pages/below"]);
    assert!(output.status.success(), "{output:?}");
    let read = |command: &str| {
        let name = command.replace(' ', "-");
        std::fs::read_to_string(sample.root().join(format!("pages/below/{name}.1"))).unwrap()
    };
    let option = regex::Regex::new("--[a-z-]+").unwrap();
    let pages = help_pages(&[&[]]);
    for (command, help) in &pages {
        let page = read(command).replace(r"\-", "-");
        for found in option.find_iter(help) {
            assert!(page.contains(found.as_str()), "{command}: {}", found.as_str());
        }
    }
    let written = std::fs::read_dir(sample.root().join("pages/below")).unwrap().count();
    assert_eq!(written, pages.len(), "the hidden command has no page");
    assert_eq!(says(&run(&sample, &["man"])).0, read("fumi"));
    sample.file("taken", "");
    refuses(&run(&sample, &["man", "taken"]), "taken");
}

#[test]
fn completions_are_for_every_command_but_the_hidden_one() {
    let sample = Sample::empty();
    let help = says(&run(&sample, &["--help"])).0;
    for shell in ["bash", "fish", "zsh"] {
        let output = run(&sample, &["completions", shell]);
        assert!(output.status.success(), "{output:?}");
        let script = says(&output).0;
        for name in subcommands(&help) {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(!script.contains("parser-process"), "{shell}");
        sample.file(shell, &script);
    }
    // Completes as bash does after the Tab key.
    let typed =
        r#"source ./bash; COMP_WORDS=(fumi serve --li); COMP_CWORD=2; _fumi fumi --li serve; echo "${COMPREPLY[*]}""#;
    let completed = Command::new("bash").args(["-c", typed]).current_dir(sample.root()).output().unwrap();
    assert_eq!(says(&completed), ("--listen\n".to_owned(), String::new()));
}
