//! The site for tests fulfils what the tests of the tools assume: it is complete, needs nothing from other hosts, and
//! reports correctly what it received.

use std::{collections::BTreeMap, fs, time::Duration};

use reqwest::{Client, Response, StatusCode, header, redirect::Policy};
use tokio::time::timeout;

use super::site::Site;
use crate::sample::fixtures;

fn client() -> Client {
    Client::builder().redirect(Policy::none()).build().unwrap()
}

/// Returns all pages by their paths on the site.
fn pages() -> BTreeMap<String, String> {
    let root = fixtures().join("browser");
    let mut folders = vec![root.clone()];
    let mut pages = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let encoding = if path.ends_with("shift_jis.html") { encoding_rs::SHIFT_JIS } else { encoding_rs::UTF_8 };
            let bytes = fs::read(&path).unwrap();
            let (text, _, has_faults) = encoding.decode(&bytes);
            assert!(!has_faults, "{} is not written in {}", path.display(), encoding.name());
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            let name = name.strip_suffix("index.html").unwrap_or(name);
            pages.insert(format!("/{name}"), text.into_owned());
        }
    }
    pages
}

#[track_caller]
fn location(response: &Response) -> &str {
    response.headers()[header::LOCATION].to_str().unwrap()
}

#[tokio::test]
async fn every_page_is_listed_and_served() {
    let site = Site::start().await;
    let pages = pages();
    for path in pages.keys() {
        // One page is the template of a route.
        if path != "/" && path != "/login/dashboard.html" {
            let link = format!("href=\"{path}\"");
            assert!(pages["/"].contains(&link), "{path} is not listed in index.html");
        }
        let response = client().get(site.url(path)).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(site.count(path), 1, "{path}");
    }
    let linked = pages["/"].split("href=\"").skip(1);
    for path in linked.filter_map(|rest| rest.split('"').next()) {
        assert!(pages.contains_key(path), "index.html lists {path}, which is not there");
    }
}

#[test]
fn no_page_needs_anything_from_elsewhere() {
    let all = regex::Regex::new(r"https?://[^/'`\s]+").unwrap();
    for (path, page) in pages() {
        for found in all.find_iter(&page) {
            let host = found.as_str().split_once("://").unwrap().1;
            let is_here = host.starts_with("127.0.0.1") || host.starts_with("localhost");
            // One address is there to be refused, and one occurs in a text only.
            let is_meant =
                host == "169.254.169.254" || host == "bank.example" || host.starts_with("169.254.169.254%2F");
            assert!(is_here || is_meant, "{path} names {host}");
        }
    }
}

#[tokio::test]
async fn a_file_outside_the_pages_is_not_served() {
    let site = Site::start().await;
    for path in ["/%2e%2e/project/README.md", "/login/..%2f..%2fmod.rs", "/nothing.html"] {
        let response = client().get(site.url(path)).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn signing_in_takes_a_password_and_a_code() {
    let site = Site::start().await;
    let send = async |path: &str, cookies: &str, form: &'static str| {
        let request = client().post(site.url(path)).header(header::COOKIE, cookies).body(form);
        request.send().await.unwrap()
    };
    let wrong = send("/login/enter", "", "user=me&password=guess").await;
    assert_eq!(location(&wrong), "/login/?wrong=password");

    let right = send("/login/enter", "", "user=m%C3%A9&password=correct+horse&language=ja&remember=on").await;
    assert_eq!(location(&right), "/login/factor.html");
    let cookies: Vec<_> = right.headers().get_all(header::SET_COOKIE).iter().collect();
    assert_eq!(cookies[0], "user=m%C3%A9; Path=/; HttpOnly; Max-Age=3600");
    assert_eq!(cookies[1], "language=ja; Path=/");

    let wrong = send("/login/confirm", "user=m%C3%A9", "code=1").await;
    assert_eq!(location(&wrong), "/login/factor.html?wrong=code");
    let right = send("/login/confirm", "user=m%C3%A9", "code=246810").await;
    assert_eq!(location(&right), "/login/dashboard");

    let dashboard = async |cookies: &str| {
        let request = client().get(site.url("/login/dashboard")).header(header::COOKIE, cookies);
        request.send().await.unwrap()
    };
    assert_eq!(location(&dashboard("user=me").await), "/login/");
    let page = dashboard("user=m%C3%A9; language=ja; confirmed=yes").await.text().await.unwrap();
    assert!(page.contains("Welcome, <b id=\"who\">mé</b>"), "{page}");
    assert!(page.contains("<span id=\"speaks\">ja</span>"), "{page}");

    let codes = site.received_at("/login/confirm");
    assert_eq!(codes[1].text(), "code=246810");
    assert_eq!(codes[1].header("cookie"), "user=m%C3%A9");
}

#[tokio::test]
async fn a_chain_of_redirects_ends_and_a_loop_does_not() {
    let site = Site::start().await;
    let mut path = "/redirect/chain/3".to_owned();
    for _ in 0..3 {
        let response = client().get(site.url(&path)).send().await.unwrap();
        path = location(&response).to_owned();
    }
    assert_eq!(path, "/redirects/target.html");

    let response = client().get(site.url("/redirect/loop")).send().await.unwrap();
    assert_eq!(location(&response), "/redirect/loop");
    let asked = site.url("/redirect?status=307&to=http%3A%2F%2F169.254.169.254%2F");
    let response = client().get(asked).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(location(&response), "http://169.254.169.254/");
}

#[tokio::test]
async fn bodies_stop_break_or_come_in_pieces() {
    let site = Site::start().await;
    let mut never = client().get(site.url("/never/page")).send().await.unwrap();
    let start = never.chunk().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&start).contains("Still loading"));
    let more = timeout(Duration::from_millis(50), never.chunk()).await;
    assert!(more.is_err(), "the page continues: {more:?}");

    let broken = client().get(site.url("/broken")).send().await.unwrap();
    assert!(broken.bytes().await.is_err());

    let slow = client().get(site.url("/download/slow?pieces=3&ms=1")).send().await.unwrap();
    assert_eq!(slow.headers()[header::CONTENT_DISPOSITION], "attachment; filename=\"slow.bin\"");
    assert_eq!(slow.bytes().await.unwrap().len(), 3_072);
}

#[tokio::test]
async fn a_test_can_wait_for_a_request_and_read_it() {
    let site = Site::start().await;
    let address = site.url("/cookies/set?name=who&value=me&more=%3B%20HttpOnly");
    let (response, ()) =
        tokio::join!(async { client().get(address).send().await.unwrap() }, site.until("/cookies/set", 1));
    assert_eq!(response.headers()[header::SET_COOKIE], "who=me; Path=/; HttpOnly");
    assert_eq!(site.received_at("/cookies/set")[0].asked("more").unwrap(), "; HttpOnly");

    let asked = client().get(site.url("/cookies")).header(header::COOKIE, "who=me");
    let page = asked.send().await.unwrap().text().await.unwrap();
    assert!(page.contains("You are <b id=\"who\">me</b>"), "{page}");
    client().get(site.url("/favicon.ico")).send().await.unwrap();
    assert_eq!(site.received().len(), 2, "a picture that browsers ask for unbidden is counted");
    site.forget();
    assert!(site.received().is_empty());
}

#[tokio::test]
async fn two_sites_are_two_origins_and_do_not_share_what_they_received() {
    let (one, other) = (Site::start().await, Site::start().await);
    assert_ne!(one.origin(), other.origin());
    client().get(one.url_at("localhost", "/echo")).send().await.unwrap();
    assert_eq!((one.count("/echo"), other.count("/echo")), (1, 0));
}
