//! The page for people at `/`.

use fumi::http::auth::tokens::sha256_of;
use fumi_config::{AuthMode, ConfiguredToken};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    harness::{SESSION, Server, Session},
    novel::{
        checking::{QUOTE, judgements},
        novel,
    },
    sample::Sample,
};

async fn text(answer: Response) -> String {
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    answer.text().await.unwrap()
}

async fn page(server: &Server, query: &str) -> String {
    text(reqwest::get(format!("{}/{query}", server.base)).await.unwrap()).await
}

/// Returns a request that sends the form of the page.
fn form(client: &Client, server: &Server, tool: &str, arguments: &str) -> RequestBuilder {
    let mut fields = form_urlencoded::Serializer::new(String::new());
    fields.append_pair("tool", tool).append_pair("arguments", arguments);
    let request = client.post(format!("{}/?lang=en", server.base)).body(fields.finish());
    request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
}

#[tokio::test(flavor = "multi_thread")]
async fn page_names_its_url_and_every_tool_in_both_languages() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (query, language, said) in [("?lang=en", "en", "Connect a client"), ("?lang=ja", "ja", "クライアントをつなぐ")]
    {
        let page = page(&server, query).await;
        assert!(page.contains(&format!("<html lang=\"{language}\">")) && page.contains(said), "{page}");
        assert!(page.contains(&format!("claude mcp add --transport http fumi {}/mcp", server.base)), "{page}");
        for entry in server.app.catalogue.entries().iter().filter(|entry| entry.spec.listed) {
            assert!(page.contains(&format!("tool={}#try", entry.spec.name)), "{} is missing", entry.spec.name);
        }
        assert!(page.len() < 100_000, "{} bytes", page.len());
        // Nothing is loaded from elsewhere.
        assert!(!page.contains("src=") && !page.contains("url("), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_calls_a_tool_and_shows_its_reply() {
    let sample = Sample::empty();
    sample.file("a.md", "<b>needle</b>\n");
    let server = Server::start(sample.app()).await;
    let client = Client::new();
    let call = |tool: &str, arguments: &str| form(&client, &server, tool, arguments).send();
    let found = text(call("search_content", r#"{"query": "needle", "roots": ["."]}"#).await.unwrap()).await;
    assert!(found.contains("Succeeded.") && found.contains("&#60;b&#62;needle"), "{found}");
    assert!(!found.contains("<b>needle"), "a file's text is markup");
    let failed = text(call("search_content", r#"{"query": "x", "roots": ["../.."]}"#).await.unwrap()).await;
    assert!(failed.contains("Failed.") && failed.contains("../.."), "{failed}");
    let not_json = text(call("write", "</textarea><script>").await.unwrap()).await;
    assert!(not_json.contains("the tool was not called") && !not_json.contains("</textarea><script>"), "{not_json}");
    assert_eq!(call("no_such_tool", "{}").await.unwrap().status(), StatusCode::NOT_FOUND);
    // Another site cannot send the form.
    let foreign = form(&client, &server, "list_files", "{}").header(header::ORIGIN, "http://evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_counts_the_calls_of_each_tool() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    assert!(page(&server, "?lang=en").await.contains("No tool has been called"));
    let session = Session::open(&server).await;
    for roots in ["src", "no such folder", "src"] {
        session.call("list_files", json!({"roots": [roots]})).await;
    }
    let counted = page(&server, "?lang=en").await;
    let row = counted.split("<tr>").find(|row| row.contains(">list_files</a></th>")).unwrap();
    let numbers: Vec<_> = row.split("class=\"number\">").skip(1).map(|cell| cell.split('<').next().unwrap()).collect();
    assert_eq!(numbers[..2], ["3", "1"], "{row}");
    // A call over REST counts too.
    let rest =
        reqwest::Client::new().post(format!("{}/v1/tools/list_files", server.base)).body(r#"{"roots": ["src"]}"#);
    assert_eq!(rest.header(header::CONTENT_TYPE, "application/json").send().await.unwrap().status(), StatusCode::OK);
    let again = page(&server, "?lang=en").await;
    assert!(again.contains(">list_files</a></th><td class=\"number\">4</td>"), "{again}");
    assert!(again.contains("<dt>Of these, by form</dt>"), "{again}");
    assert!(counted.contains("<dt>Open sessions</dt><dd>1</dd>"), "{counted}");
}

#[tokio::test(flavor = "multi_thread")]
async fn view_of_the_project_counts_it_and_leads_to_each_element() {
    let sample = Sample::empty();
    sample.file("a.py", "def f(x):\n    if x:\n        return 1\n    return 2\n").file("<b>.md", "text\n");
    let server = Server::start(sample.app()).await;
    let main = page(&server, "?lang=en").await;
    assert!(main.contains("<a href=\"/?view=project&amp;lang=en\">The project in numbers</a>"), "{main}");
    let view = page(&server, "?view=project&lang=en").await;
    for part in [
        "<th scope=\"row\">python</th><td class=\"number\">1</td><td class=\"number\">4</td>",
        ">low (1–10)</th><td class=\"number\">1</td>",
        ">f</a></th><td>a.py:1</td><td class=\"number\">2</td>",
        "&#60;b&#62;.md</a>",
    ] {
        assert!(view.contains(part), "{part}: {view}");
    }
    assert!(page(&server, "?view=project&lang=ja").await.contains("プロジェクトの統計"));
    // The link fills the form in.
    let link = view.split("href=\"/").find(|link| link.contains("extract_code_section")).unwrap();
    let link = link.split("#try").next().unwrap().replace("&#38;", "&");
    let filled = page(&server, &link).await;
    for argument in ["&#34;element&#34;:&#34;f&#34;", "&#34;file_path&#34;:&#34;a.py&#34;"] {
        assert!(filled.contains(argument), "{argument}: {filled}");
    }
    let failed = reqwest::get(format!("{}/?view=nothing", server.base)).await.unwrap();
    assert_eq!(failed.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn view_of_a_novel_shows_its_episodes_and_reviews_one_without_writing() {
    let sample = novel();
    let server = Server::start(sample.app()).await;
    let main = page(&server, "?lang=en").await;
    assert!(main.contains("<a href=\"/?view=novel&amp;lang=en\">The novel</a>"), "{main}");
    let last = page(&server, "?view=novel&lang=en").await;
    for part in [
        "3 episodes: 0 completed",
        ">ほまち</a></th><td>manuscript</td>",
        "Review of episode 3",
        "No foreshadowing is open",
    ] {
        assert!(last.contains(part), "{part}: {last}");
    }
    let first = page(&server, "?view=novel&episode=1&lang=ja").await;
    for part in [
        "チェックした話: 1",
        "<title>地の文の長さ</title>",
        "<title>緊張度の推移</title>",
        "<bdi>F001 台帳にない盥</bdi></th><td class=\"number\">1</td><td class=\"number\">2</td>",
        "episode=1&amp;lang=ja#review\" aria-current=\"true\">こぶとえくぼ</a>",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains("<title>六つの分類</title>"), "categories without a judgement");
    assert!(first.len() < 100_000, "{} bytes", first.len());
    assert!(!sample.root().join(".noveler").exists(), "the view wrote to the project");
    assert!(page(&server, "?lang=en").await.contains("No tool has been called"));
    // A score appears once there is a judged review.
    let session = Session::open_at(&format!("{}/novel", server.url()), SESSION).await;
    let asked = session.call("noveler_check", json!({"episode": 1})).await.result()["structuredContent"].clone();
    let mut arguments = asked["submit"]["arguments"].clone();
    arguments["judgements"] = judgements(&asked, QUOTE, 0.8);
    session.call("noveler_check", arguments).await;
    let scored = page(&server, "?view=novel&lang=en").await;
    assert!(scored.contains("<title>Scores of whole reviews</title>"), "{scored}");
    let first = page(&server, "?view=novel&episode=1&lang=en").await;
    assert!(first.contains("<title>Six categories</title>") && !first.contains("Score: –"), "{first}");
    let missing = page(&server, "?view=novel&episode=9&lang=en").await;
    assert!(missing.contains("class=\"state bad\"") && missing.contains("episode 9"), "{missing}");
    let not_a_number = reqwest::get(format!("{}/?view=novel&episode=x", server.base)).await.unwrap();
    assert_eq!(not_a_number.status(), StatusCode::BAD_REQUEST);
    let told: Value = not_a_number.json().await.unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains("episode"), "{told}");
    assert!(!missing.contains("foreshadowing is open"), "{missing}");
    // An episode with thousands of findings, and a file that cannot be read.
    sample.file("40_原稿/第004話_長い.md", "彼は走った。彼女は悲しいと思った。できる事と出来ること。\n".repeat(1_500));
    sample.file("50_管理資料/伏線管理.yaml", "foreshadowing: [\n");
    let long = page(&server, "?view=novel&lang=en").await;
    assert!(long.contains("Review of episode 4") && long.contains("<title>Tension</title>"), "{long}");
    assert!(long.contains("<li class=\"bad\"><bdi>") && long.contains("伏線管理.yaml"), "{long}");
    // Other projects have no link to it.
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    assert!(!page(&server, "?lang=en").await.contains("view=novel"));
    assert!(page(&server, "?view=novel&lang=en").await.contains("There are no episodes yet"));
}

/// Browsers send these headers; `Origin` is missing for images and frames.
#[tokio::test(flavor = "multi_thread")]
async fn page_of_another_site_can_link_to_the_server_but_not_load_it() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    for (site, mode, dest, status) in [
        ("cross-site", "no-cors", "image", 403),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "navigate", "document", 200),
        ("same-origin", "no-cors", "image", 200),
        ("none", "navigate", "document", 200),
    ] {
        let request = Client::new().get(format!("{}/?lang=en", server.base)).header("sec-fetch-site", site);
        let answer = request.header("sec-fetch-mode", mode).header("sec-fetch-dest", dest).send().await.unwrap();
        assert_eq!(answer.status(), status, "{site} {mode} {dest}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_shows_the_tokens_that_replies_in_text_form_saved() {
    let sample = Sample::new();
    let server = Server::start(sample.app()).await;
    let mut saved = Vec::new();
    for form in ["both", "text"] {
        let session = Session::open_at(&format!("{}?result={form}", server.url()), SESSION).await;
        session.call("search_content", json!({"query": "the", "roots": ["."]})).await;
        let page = page(&server, "?lang=en").await;
        let value = |name: &str| {
            let value = page.split(&format!("<dt>{name}</dt><dd>")).nth(1).unwrap();
            value.split('<').next().unwrap().parse::<u64>().unwrap()
        };
        assert_eq!(value("Tokens saved"), value("Tokens saved by text instead of JSON"));
        saved.push(value("Tokens saved"));
        assert!(page.contains("Calls, in steps of 15 minutes (most: "), "{page}");
    }
    assert!(saved[0] == 0 && saved[1] > 0, "{saved:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_gives_the_token_as_a_password() {
    let sample = Sample::new();
    let app = sample.app_with(&[], |config| {
        config.auth.mode = AuthMode::Tokens;
        config.auth.tokens = vec![ConfiguredToken {
            name: "ann".to_owned(),
            sha256: sha256_of("the-token"),
            toolsets: Vec::new(),
            roots: Vec::new(),
            readonly: true,
            rate_per_minute: None,
        }];
    });
    let server = Server::start(app).await;
    let client = Client::new();
    for (path, challenge) in [("/", "Basic realm=\"fumi\""), ("/v1/tools", "Bearer realm=\"fumi\"")] {
        let refused = client.get(format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        let told = refused.headers()[header::WWW_AUTHENTICATE].to_str().unwrap().to_owned();
        assert!(told.starts_with(challenge), "{told}");
        let refused = client.get(format!("{}{path}", server.base)).basic_auth("any", Some("wrong"));
        assert_eq!(refused.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    }
    let shown = client.get(format!("{}/?lang=en", server.base)).basic_auth("any", Some("the-token"));
    let shown = text(shown.send().await.unwrap()).await;
    assert!(shown.contains("tool=search_content#try") && !shown.contains("tool=write#try"), "{shown}");
    assert!(shown.contains("Bearer ${env:FUMI_TOKEN}") && shown.contains("--token-variable FUMI_TOKEN"), "{shown}");
    let written = form(&client, &server, "write", r#"{"file_path": "a.md", "content": "x"}"#);
    let written = text(written.basic_auth("", Some("the-token")).send().await.unwrap()).await;
    assert!(written.contains("READ_ONLY"), "{written}");
    // Only the page takes a password.
    let elsewhere = client.get(format!("{}/v1/tools", server.base)).basic_auth("any", Some("the-token"));
    assert_eq!(elsewhere.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}
