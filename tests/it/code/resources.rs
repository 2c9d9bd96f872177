//! Resources over HTTP in both eras: files, ranges, statistics, lists in pages, completion, and the boundary.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
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
    assert_eq!(content["text"], "def f(x):\n    if x:\n        return 1\n    return 2\n");
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
async fn a_large_binary_file_is_read_in_parts() {
    const PART: usize = 1 << 20;
    let sample = project();
    let bytes: Vec<u8> = (0_u32..3 * (1 << 20)).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    sample.file("packed.bin", &bytes);
    let server = Server::start(sample.app_with(&[], |config| config.limits.file_bytes = 2 * PART as u64)).await;
    let client = Stateless::new(&server);
    for (range, expected, is_cut) in [
        ("", 0..PART, true),
        ("?bytes=0-9999999", 0..PART, true),
        ("?bytes=1048576-", PART..2 * PART, true),
        ("?bytes=2097152-", 2 * PART..3 * PART, false),
        ("?bytes=5-9", 5..10, false),
        ("?bytes=3145727", 3 * PART - 1..3 * PART, false),
    ] {
        let read = read(&client, &format!("code://file/packed.bin{range}")).await;
        let content = &read["result"]["contents"][0];
        let blob = STANDARD.decode(content["blob"].as_str().unwrap()).unwrap();
        assert!(blob == bytes[expected.clone()], "{range}: {} bytes", blob.len());
        let meta = &content["_meta"];
        assert_eq!(meta["size_bytes"], 3 * PART, "{range}");
        assert_eq!(meta["truncated"] == true, is_cut, "{range}: {meta}");
        assert_eq!(meta["next"].is_string(), is_cut, "{range}: {meta}");
    }
    let beyond = read(&client, "code://file/packed.bin?bytes=3145728-").await;
    assert_eq!(beyond["error"]["data"]["code"], "INVALID_ARGUMENTS", "{beyond}");
    // A range of bytes of a text file is in bytes.
    let of_text = read(&client, "code://file/src/a%20b.py?bytes=0-2").await;
    assert_eq!(of_text["result"]["contents"][0]["blob"], "ZGVm");
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
        assert!(!answer.to_string().contains("top secret") && !answer.to_string().contains("root:"), "{uri}");
    }
}

/// In the form of each era, and with the requested URI.
#[tokio::test(flavor = "multi_thread")]
async fn a_missing_resource_is_named() {
    let sample = project();
    let canary = "canary-5e11ed-by-the-operator";
    let server = Server::start(sample.app_with(&[canary], |_| {})).await;
    let (stateless, session) = (Stateless::new(&server), Session::open(&server).await);
    for uri in ["code://file/nope.py", "code://stats/nope", "file:///etc/passwd"] {
        let params = json!({"uri": uri});
        for (answer, code) in [
            (stateless.request("resources/read", params.clone()).await, -32602),
            (session.request("resources/read", params.clone()).await, -32002),
        ] {
            let error = answer.error();
            assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(code), &json!(uri)), "{}", answer.raw);
        }
    }
    let params = json!({"uri": format!("code://file/{canary}")});
    let answer = stateless.request("resources/read", params).await;
    assert_eq!(answer.error()["data"]["uri"], "code://file/[redacted]", "{}", answer.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_those_of_the_project() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let stats = async |name: &str| {
        let answer = session.request("resources/read", json!({"uri": format!("code://stats/{name}")})).await;
        let text = answer.result()["contents"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let overview = stats("overview").await;
    assert_eq!(
        (&overview["total_files"], &overview["total_lines"], &overview["total_bytes"]),
        (&json!(3), &json!(6), &json!(69))
    );
    let languages = stats("languages").await;
    assert_eq!(
        languages["languages"][0],
        json!({"name": "python", "file_count": 1, "line_count": 4, "percentage": 66.7})
    );
    let complexity = stats("complexity").await;
    assert_eq!(complexity["top"], json!([{"path": "src/a b.py", "element": "f", "line": 1, "complexity": 2}]));
    assert_eq!(complexity["by_level"]["low"], 1);
    assert_eq!(stats("files").await["total"], 3);
    for name in ["overview", "files"] {
        let stats = stats(name).await;
        assert!(stats["generated_at"].is_string() && stats["project_path"].is_string() && stats["truncated"] == false);
    }
}

/// Returns every page, from the first to the last.
async fn pages(client: &Stateless, mut between: impl FnMut(usize)) -> Vec<Vec<String>> {
    let (mut pages, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let answer = client.request("resources/list", params).await;
        let page = answer.result();
        let uris = page["resources"].as_array().unwrap().iter();
        pages.push(uris.map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return pages;
        }
        between(pages.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_the_list_are_the_whole_list() {
    let sample = Sample::empty();
    for n in 0..250 {
        sample.file(&format!("src/f{n:03}.py"), "");
    }
    sample.file("日 本%.txt", "").file(".hidden", "").file("ignored.txt", "").file(".ignore", "ignored.txt");
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let listed = pages(&client, |_| {}).await;
    assert_eq!(listed.iter().map(Vec::len).collect::<Vec<_>>(), [105, 100, 51]);
    let mut expected: Vec<_> = ["overview", "languages", "complexity", "files", "index"]
        .iter()
        .map(|name| format!("code://stats/{name}"))
        .chain((0..250).map(|n| format!("code://file/src/f{n:03}.py")))
        .collect();
    expected.push("code://file/%E6%97%A5%20%E6%9C%AC%25.txt".to_owned());
    assert_eq!(listed.concat(), expected);
    // A listed resource can be read.
    for uri in [&expected[4], &expected[255]] {
        assert!(read(&client, uri).await["result"].is_object(), "{uri}");
    }
    // Files that appear and disappear between two pages neither repeat nor hide others.
    let root = sample.root();
    let listed = pages(&client, |page| {
        if page == 1 {
            std::fs::remove_file(root.join("src/f000.py")).unwrap();
            std::fs::write(root.join("src/f001b.py"), "").unwrap();
        }
    })
    .await;
    assert_eq!(listed.concat(), expected);
    for cursor in ["100", "nonsense", ""] {
        let answer = client.request("resources/list", json!({"cursor": cursor})).await;
        assert_eq!(answer.error()["code"], -32602, "{}", answer.raw);
        assert!(answer.error()["message"].as_str().unwrap().contains("nextCursor"), "{}", answer.raw);
    }
    // Lists that have one page have no cursors.
    for method in ["tools/list", "resources/templates/list"] {
        assert_eq!(client.request(method, json!({"cursor": "MQ"})).await.error()["code"], -32602, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_and_statistics_complete() {
    let sample = Sample::empty();
    for n in 0..150 {
        sample.file(&format!("src/f{n:03}.py"), "");
    }
    sample.file("docs/F12.md", "");
    let server = Server::start(sample.app()).await;
    let session = Session::open(&server).await;
    let templates = session.request("resources/templates/list", json!({})).await;
    let templates: Vec<_> = templates.result()["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|template| template["uriTemplate"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(templates, ["code://file/{+path}", "code://stats/{type}"]);
    let complete = async |uri: &str, name: &str, value: &str| {
        let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": name, "value": value}});
        session.request("completion/complete", params).await.response().clone()
    };
    let found = complete(&templates[0], "path", "src/f12").await;
    assert_eq!(found["result"]["completion"]["total"], 10);
    assert_eq!(found["result"]["completion"]["values"][0], "src/f120.py");
    // Also by the name of the file, in any case.
    let found = complete(&templates[0], "path", "f12").await;
    assert_eq!(found["result"]["completion"]["total"], 11);
    assert_eq!(found["result"]["completion"]["values"][0], "docs/F12.md");
    let found = complete(&templates[0], "path", "").await;
    assert_eq!(found["result"]["completion"]["total"], 151);
    assert_eq!(found["result"]["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(found["result"]["completion"]["hasMore"], true);
    let found = complete(&templates[1], "type", "").await;
    assert_eq!(
        found["result"]["completion"]["values"],
        json!(["overview", "languages", "complexity", "files", "index"])
    );
    assert_eq!(complete(&templates[1], "type", "co").await["result"]["completion"]["values"], json!(["complexity"]));
    assert!(complete("file:///{path}", "path", "a").await["error"]["message"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_ranges_are_explained() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    for (range, said) in [
        ("x", "lines=10-50"),
        ("0-3", "lines begin at 1"),
        ("50-10", "before the start"),
        ("5-6", "4 lines"),
        ("2&lines=3", "twice"),
    ] {
        let answer = read(&client, &format!("code://file/src/a%20b.py?lines={range}")).await;
        let error = &answer["error"];
        assert!(error["message"].as_str().unwrap().contains(said), "{range}: {error}");
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("INVALID_ARGUMENTS")), "{range}");
    }
    // An end beyond the file is the file's end; one line is a range.
    for (range, text) in [("3-99", "        return 1\n    return 2\n"), ("4-", "    return 2\n"), ("1", "def f(x):\n")]
    {
        let answer = read(&client, &format!("code://file/src/a%20b.py?lines={range}")).await;
        assert_eq!(answer["result"]["contents"][0]["text"], text, "{range}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_cut_text_can_be_read_or_is_not_offered() {
    let sample = project();
    let long = "x".repeat(60_000);
    sample.file("one.js", &long);
    sample.file("five.txt", format!("1\n2\n3\n4\n{long}\n6\n"));
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    for (asked, next) in [
        ("code://file/one.js", None),
        ("code://file/five.txt?lines=5-5", None),
        ("code://file/five.txt?lines=5-6", Some("code://file/five.txt?lines=6-6")),
        ("code://file/five.txt", Some("code://file/five.txt?lines=5-")),
    ] {
        let answer = read(&client, asked).await;
        let contents = &answer["result"]["contents"];
        let uri = contents[1]["uri"].as_str().unwrap();
        assert_eq!(uri, next.unwrap_or(asked), "{contents}");
        let said = contents[1]["text"].as_str().unwrap();
        assert_eq!(said.contains("lines="), next.is_some(), "{said}");
        if next.is_some() {
            assert!(read(&client, uri).await["result"].is_object(), "{uri}");
        }
    }
}

/// Compares the statistics with the tools' results for each file, and with the disk.
#[tokio::test(flavor = "multi_thread")]
async fn statistics_agree_with_the_tools_and_the_disk() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    let stats = async |name: &str| {
        let answer = read(&client, &format!("code://stats/{name}")).await;
        let text = answer["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let listed = client.call("list_files", json!({"roots": ["."], "types": ["f"], "absolute": false})).await;
    let paths: Vec<_> = listed.called().0["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["path"].as_str().unwrap().to_owned())
        .collect();
    let (mut bytes, mut lines, mut callables) = (0, 0, BTreeMap::new());
    for path in &paths {
        let content = std::fs::read(sample.root().join(path)).unwrap();
        bytes += content.len();
        lines += String::from_utf8_lossy(&content).lines().count();
        let structure = client.call("check_code_scale", json!({"file_path": path, "include_details": true})).await;
        let cyclomatic = &structure.called().0["complexity_metrics"]["cyclomatic"];
        if let Some(max) = cyclomatic["max"].as_u64().filter(|max| *max > 0) {
            callables.insert(path.clone(), (max, cyclomatic["total"].as_u64().unwrap()));
        }
    }
    let overview = stats("overview").await;
    assert_eq!(overview["total_files"], paths.len());
    assert_eq!((&overview["total_bytes"], &overview["total_lines"]), (&json!(bytes), &json!(lines)));
    let languages = stats("languages").await;
    let counted: u64 =
        languages["languages"].as_array().unwrap().iter().map(|row| row["file_count"].as_u64().unwrap()).sum();
    assert_eq!(counted, paths.len() as u64);
    let complexity = stats("complexity").await;
    assert_eq!(complexity["max"], *callables.values().map(|(max, _)| max).max().unwrap());
    let total: u64 = callables.values().map(|(_, total)| total).sum();
    let count: u64 = ["low", "moderate", "high", "very_high"]
        .iter()
        .map(|level| complexity["by_level"][level].as_u64().unwrap())
        .sum();
    let average = (total as f64 * 100.0 / count as f64).round() / 100.0;
    assert_eq!(complexity["average"], average, "{complexity}");
    for row in complexity["top"].as_array().unwrap() {
        let (max, _) = callables[row["path"].as_str().unwrap()];
        assert!(row["complexity"].as_u64().unwrap() <= max, "{row}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_are_cached_until_a_file_changes() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let client = Stateless::new(&server);
    for name in ["overview", "languages", "complexity", "files"] {
        let uri = format!("code://stats/{name}");
        let first = read(&client, &uri).await;
        assert_eq!(first, read_again(&client, &uri, &first).await, "{name} is counted again");
        // A write right after a read is noticed too.
        sample.file("src/a b.py", format!("def f(x):\n    return x\n# {name}\n"));
        let text = |answer: &Value| answer["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
        assert_ne!(text(&first), text(&read(&client, &uri).await), "{name} is stale");
    }
}

/// The same as `read`, with the id of the previous answer.
async fn read_again(client: &Stateless, uri: &str, before: &Value) -> Value {
    let mut again = read(client, uri).await;
    again["id"] = before["id"].clone();
    again
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_another_form_is_taught() {
    let sample = project();
    let server = Server::start(sample.app()).await;
    let (client, session) = (Stateless::new(&server), Session::open(&server).await);
    for (arguments, said) in [
        (json!(["."]), "arguments is a list"),
        (json!("."), "arguments is a string"),
        (json!(7), "arguments is a number"),
    ] {
        let params = json!({"name": "list_files", "arguments": arguments});
        for answer in [client.request("tools/call", params.clone()).await, session.request("tools/call", params).await]
        {
            assert!(answer.status.is_success(), "{} {}", answer.status, answer.raw);
            let error = answer.error();
            let message = error["message"].as_str().unwrap();
            assert_eq!(error["code"], -32602, "{error}");
            assert!(message.contains(said) && message.contains(r#""arguments": {"roots": ["."]}"#), "{message}");
        }
    }
    for (method, params) in [
        ("resources/read", json!({"uri": 7})),
        ("completion/complete", json!({"ref": {}})),
        ("resources/subscribe", json!({})),
    ] {
        assert_eq!(session.request(method, params).await.error()["code"], -32602, "{method}");
    }
    assert_eq!(client.request("subscriptions/listen", json!({"notifications": 7})).await.error()["code"], -32602);
    assert_eq!(session.request("no/such/method", json!({})).await.error()["code"], -32601);
    assert_eq!(client.request("no/such/method", json!({})).await.error()["code"], -32601);
}
