//! Resources over HTTP in both eras: files, ranges, statistics, completion, and the boundary.

use serde_json::{Value, json};

use crate::{
    harness::{Server, Session, Stateless},
    sample::Sample,
};

fn project() -> Sample {
    let sample = Sample::empty();
    sample
        .file("src/a b.py", "def f(x):\n    if x:\n        return 1\n    return 2\n")
        .file("日本.txt", "一\n二\n")
        .file("pic.png", b"\x89PNG\r\n\x1a\n\0\0\0");
    sample
}

async fn read(client: &Stateless, uri: &str) -> Value {
    let answer = client.request("resources/read", json!({"uri": uri})).await;
    answer.response().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_read_whole_in_ranges_and_as_blobs() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let whole = read(&client, "code://file/src/a%20b.py").await;
    let content = &whole["result"]["contents"][0];
    assert_eq!(
        content["text"],
        "def f(x):\n    if x:\n        return 1\n    return 2\n"
    );
    assert_eq!(content["_meta"]["language"], "python");
    assert_eq!(content["_meta"]["line_count"], 4);
    let range = read(&client, "code://file/src/a%20b.py?lines=2-3").await;
    assert_eq!(range["result"]["contents"][0]["text"], "    if x:\n        return 1\n");
    let japanese = read(&client, "code://file/%E6%97%A5%E6%9C%AC.txt").await;
    assert_eq!(japanese["result"]["contents"][0]["text"], "一\n二\n");
    let blob = read(&client, "code://file/pic.png").await;
    assert_eq!(blob["result"]["contents"][0]["blob"], "iVBORw0KGgoAAAA=");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outside_is_read_and_nothing_missing_is_empty() {
    let sample = project();
    std::fs::write(sample.outside().join("secret"), "top secret").unwrap();
    std::os::unix::fs::symlink(sample.outside().join("secret"), sample.root().join("link")).unwrap();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    for uri in [
        "code://file//etc/passwd",
        "code://file/../outside/secret",
        "code://file/%2e%2e/outside/secret",
        "code://file/link",
        "code://file/nope.py",
        "code://file/src",
        "code://file/src/a%20b.py?lines=99-100",
        "code://file/src/a%20b.py?project_root=/etc",
        "code://stats/nope",
        "file:///etc/passwd",
    ] {
        let answer = read(&client, uri).await;
        assert!(answer["error"]["message"].is_string(), "{uri}: {answer}");
        assert!(
            !answer.to_string().contains("top secret") && !answer.to_string().contains("root:"),
            "{uri}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_those_of_the_project() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let stats = async |name: &str| {
        let answer = session
            .request("resources/read", json!({"uri": format!("code://stats/{name}")}))
            .await;
        let text = answer.result()["contents"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let overview = stats("overview").await;
    assert_eq!(
        (
            &overview["total_files"],
            &overview["total_lines"],
            &overview["total_bytes"]
        ),
        (&json!(3), &json!(6), &json!(69))
    );
    let languages = stats("languages").await;
    assert_eq!(
        languages["languages"][0],
        json!({"name": "python", "file_count": 1, "line_count": 4, "percentage": 66.7})
    );
    let complexity = stats("complexity").await;
    assert_eq!(
        complexity["top"],
        json!([{"path": "src/a b.py", "element": "f", "line": 1, "complexity": 2}])
    );
    assert_eq!(complexity["by_level"]["low"], 1);
    assert_eq!(stats("files").await["total"], 3);
    for name in ["overview", "files"] {
        let stats = stats(name).await;
        assert!(stats["generated_at"].is_string() && stats["project_path"].is_string() && stats["truncated"] == false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_comes_in_pages_and_paths_complete() {
    let sample = Sample::empty();
    for n in 0..250 {
        sample.file(&format!("src/f{n:03}.py"), "");
    }
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let (mut uris, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() {
            json!({})
        } else {
            json!({"cursor": cursor})
        };
        let answer = client.request("resources/list", params).await;
        let page = answer.result();
        uris.extend(
            page["resources"]
                .as_array()
                .unwrap()
                .iter()
                .map(|resource| resource["uri"].as_str().unwrap().to_owned()),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let files: Vec<_> = uris.iter().filter(|uri| uri.starts_with("code://file/")).collect();
    assert_eq!((files.len(), files[249].as_str()), (250, "code://file/src/f249.py"));
    let templates = client.request("resources/templates/list", json!({})).await;
    assert_eq!(templates.result()["resourceTemplates"].as_array().unwrap().len(), 2);
    let complete = json!({"ref": {"type": "ref/resource", "uri": "code://file/{+path}"}, "argument": {"name": "path", "value": "src/f12"}});
    let answer = client.request("completion/complete", complete).await;
    assert_eq!(answer.result()["completion"]["total"], 10);
    assert_eq!(answer.result()["completion"]["values"][0], "src/f120.py");
}
