//! A project root that is deleted and created again while the server runs, as by a fresh clone or a volume that is
//! mounted again.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    program::{Served, undisturbed},
    sample::Sample,
};

async fn ready(server: &Served) -> u16 {
    let url = server.url.replace("/mcp", "/readyz");
    reqwest::get(url).await.unwrap().status().as_u16()
}

async fn matches(server: &Served, query: &str) -> Value {
    let url = server.url.replace("/mcp", "/v1/tools/search_content");
    let arguments = json!({"roots": ["."], "query": query, "total_only": true});
    let answer = reqwest::Client::new().post(url).json(&arguments).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer["total_matches"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_is_made_anew_is_served_again() {
    let sample = Sample::empty();
    sample.file("a.txt", "old\n");
    let server = Served::start(&mut Served::command(&sample));
    assert_eq!((matches(&server, "old").await, ready(&server).await), (json!(1), 200));
    fs::remove_dir_all(sample.root()).unwrap();
    assert_eq!(ready(&server).await, 503);
    fs::create_dir(sample.root()).unwrap();
    sample.file("b.txt", "new\n");
    assert_eq!((matches(&server, "new").await, matches(&server, "old").await), (json!(1), json!(0)));
    assert_eq!(ready(&server).await, 200);
}

/// A folder above the root is moved away and replaced by a link. The target of the link has the root's name, but is
/// another folder, which is not allowed.
#[tokio::test(flavor = "multi_thread")]
async fn a_root_is_not_opened_again_through_a_link() {
    let sample = Sample::empty();
    sample.file("above/root/a.txt", "inside\n");
    let outside = sample.outside();
    fs::create_dir_all(outside.join("root")).unwrap();
    fs::write(outside.join("root/a.txt"), "outside\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
    undisturbed(&mut command);
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--root"]);
    command.arg(sample.root().join("above/root"));
    let server = Served::start(&mut command);
    assert_eq!((matches(&server, "inside").await, ready(&server).await), (json!(1), 200));
    fs::rename(sample.root().join("above"), sample.root().join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, sample.root().join("above")).unwrap();
    assert_eq!(ready(&server).await, 503);
    assert_ne!(matches(&server, "outside").await, json!(1));
    // The original folder is moved back.
    fs::remove_file(sample.root().join("above")).unwrap();
    fs::rename(sample.root().join("moved"), sample.root().join("above")).unwrap();
    assert_eq!((matches(&server, "inside").await, ready(&server).await), (json!(1), 200));
}

/// Returns the numbers of open file descriptors of a process: all, and those of inotify.
fn open_files(server: &Served) -> (usize, usize) {
    let folder = format!("/proc/{}/fd", server.child.id());
    let links = fs::read_dir(folder).unwrap().filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    let links: Vec<_> = links.collect();
    let watches = links.iter().filter(|link| link.to_string_lossy().contains("inotify")).count();
    (links.len(), watches)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_projects_do_not_use_up_descriptors_and_watches() {
    const PROJECTS: usize = 150;
    let sample = Sample::empty();
    let server = Served::start(&mut Served::command(&sample));
    let http = reqwest::Client::new();
    let call = |tool: &str, arguments: Value| {
        let url = server.url.replace("/mcp", &format!("/v1/tools/{tool}"));
        let sent = http.post(url).json(&arguments).send();
        async move { assert!(sent.await.unwrap().status().is_success(), "{arguments}") }
    };
    for number in 0..PROJECTS {
        let path = format!("p{number}/a.md");
        let root = sample.file(&path, "x\n").root().join(format!("p{number}"));
        call("search_content", json!({"project_root": root, "roots": ["."], "query": "x"})).await;
        call("write", json!({"project_root": root, "file_path": "b.md", "content": "x"})).await;
    }
    let (all, watches) = open_files(&server);
    assert!(watches <= 64 && all < 450, "{watches} {all}");
    // A root whose watch was closed meanwhile still gets fresh replies.
    let root = sample.root().join("p0");
    sample.file("p0/a.md", "y\n");
    let url = server.url.replace("/mcp", "/v1/tools/search_content");
    let arguments = json!({"project_root": root, "roots": ["."], "query": "x", "total_only": true});
    let answer: Value = http.post(url).json(&arguments).send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["total_matches"], 1, "b.md alone");
}

/// A shell with the usual soft limit starts the server, which raises it to the hard limit.
#[test]
fn the_soft_limit_of_open_files_is_raised() {
    let sample = Sample::empty();
    let mut command = Command::new("sh");
    let plain = Served::command(&sample);
    command.args(["-c", "ulimit -Sn 256; exec \"$0\" \"$@\""]).arg(plain.get_program());
    command.args(plain.get_args());
    let server = Served::start(&mut command);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.child.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let numbers: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers[0], numbers[1], "{line}");
}
