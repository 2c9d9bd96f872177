//! OAuth 2.1: a local issuer with real keys, good tokens, rotated keys, and every kind of forged token.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use axum::{Json, Router, routing::get};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use fumi_config::{AuthMode, Config, SubjectBounds};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp, jwk::Jwk};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{app, bearing, listed};
use crate::{
    harness::{Answer, Server, Session, Stateless},
    sample::Sample,
};

const AUDIENCE: &str = "https://fumi.example.com/mcp";

/// A key of the issuer.
#[derive(Clone)]
struct Key {
    id: String,
    signing: EncodingKey,
    public: Value,
}

impl Key {
    fn new(id: &str) -> Self {
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
        let signing = EncodingKey::from_ec_der(der.as_ref());
        let mut public = Jwk::from_encoding_key(&signing, Algorithm::ES256).unwrap();
        public.common.key_id = Some(id.to_owned());
        Self { id: id.to_owned(), signing, public: serde_json::to_value(public).unwrap() }
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.id.clone());
        encode(&header, claims, &self.signing).unwrap()
    }
}

/// An authorization server that publishes its keys and counts the requests for them. While `held` it does not answer.
struct Issuer {
    url: String,
    keys: Arc<Mutex<Vec<Value>>>,
    asked: Arc<Mutex<usize>>,
    held: watch::Sender<bool>,
    /// The number of requests that were closed without an answer.
    left: Arc<AtomicUsize>,
}

/// Counts an exchange that ends before it is answered.
struct Leaving(Option<Arc<AtomicUsize>>);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(left) = &self.0 {
            left.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Issuer {
    async fn start(keys: &[&Key]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Self {
            url: url.clone(),
            keys: Arc::default(),
            asked: Arc::default(),
            held: watch::Sender::new(false),
            left: Arc::default(),
        };
        issuer.publish(keys);
        let (published, asked) = (Arc::clone(&issuer.keys), Arc::clone(&issuer.asked));
        let (held, left) = (issuer.held.subscribe(), Arc::clone(&issuer.left));
        let metadata = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
        // OpenID Connect discovery only: the other location answers 404 first.
        let routes =
            Router::new().route("/.well-known/openid-configuration", get(move || async move { Json(metadata) })).route(
                "/keys",
                get(move || async move {
                    *asked.lock().unwrap() += 1;
                    let mut leaving = Leaving(Some(left));
                    held.clone().wait_for(|held| !held).await.unwrap();
                    leaving.0 = None;
                    Json(json!({"keys": *published.lock().unwrap()}))
                }),
            );
        tokio::spawn(async move { axum::serve(listener, routes).await });
        issuer
    }

    fn publish(&self, keys: &[&Key]) {
        *self.keys.lock().unwrap() = keys.iter().map(|key| key.public.clone()).collect();
    }

    fn claims(&self, scope: &str) -> Value {
        let now = get_current_timestamp();
        json!({"iss": self.url, "aud": AUDIENCE, "sub": "alice", "iat": now, "exp": now + 600, "scope": scope})
    }
}

async fn server(sample: &Sample, issuer: &Issuer, change: impl FnOnce(&mut Config)) -> Server {
    let app = app(sample, |config| {
        config.auth.mode = AuthMode::OAuth;
        config.auth.oauth.issuer.clone_from(&issuer.url);
        AUDIENCE.clone_into(&mut config.auth.oauth.audience);
        change(config);
    });
    Server::start(app).await
}

async fn ask(server: &Server, token: &str, path: &str) -> Answer {
    let client = Stateless { http: bearing(token), url: format!("{}{path}", server.base) };
    client.request("tools/list", json!({})).await
}

fn challenge(answer: &Answer) -> &str {
    answer.headers["www-authenticate"].to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_become_toolsets_and_what_is_missing_is_named() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |config| {
        config.auth.oauth.scopes.insert("notes".to_owned(), "notes.use".to_owned());
    })
    .await;
    let client = |scope: &str| Stateless { http: bearing(&key.sign(&issuer.claims(scope))), url: server.url() };
    let code = ["list_files", "set_project_path"];
    assert_eq!(listed(&client("openid fumi:code")).await, code);
    assert_eq!(listed(&client("notes.use")).await, ["write_note"]);
    assert_eq!(listed(&client("fumi:code notes.use")).await.len(), 3);
    // Some issuers send `scp`, as a list.
    let mut claims = issuer.claims("");
    claims["scp"] = json!(["fumi:code"]);
    assert_eq!(ask(&server, &key.sign(&claims), "/mcp").await.status, StatusCode::OK);
    for (scope, path, needed) in [
        ("fumi:code", "/mcp/code,notes", "fumi:code notes.use"),
        ("fumi:notes", "/mcp/notes", "notes.use"),
        ("openid", "/mcp", "fumi:code notes.use"),
    ] {
        let answer = ask(&server, &key.sign(&issuer.claims(scope)), path).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{scope} {path}");
        let challenge = challenge(&answer);
        assert!(challenge.contains("error=\"insufficient_scope\""), "{challenge}");
        assert!(challenge.contains(&format!("scope=\"{needed}\"")), "{challenge}");
    }
    assert_eq!(*issuer.asked.lock().unwrap(), 1, "the keys are cached");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unauthenticated_request_learns_where_to_get_a_token() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |_| {}).await;
    let answer = Stateless::new(&server).request("tools/list", json!({})).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    let metadata = "https://fumi.example.com/.well-known/oauth-protected-resource/mcp";
    assert_eq!(
        challenge(&answer),
        format!("Bearer realm=\"fumi\", scope=\"fumi:code fumi:notes\", resource_metadata=\"{metadata}\"")
    );
    // A client asks its user for the scope in this challenge.
    for (path, scope) in
        [("/mcp/code", "fumi:code"), ("/mcp/readonly/notes", "fumi:notes"), ("/mcp/no-such", "fumi:code fumi:notes")]
    {
        let answer = Stateless { url: format!("{}{path}", server.base), ..Stateless::new(&server) };
        let answer = answer.request("tools/list", json!({})).await;
        let expected = format!("scope=\"{scope}\"");
        assert!(challenge(&answer).contains(&expected), "{path}: {}", challenge(&answer));
    }
    for path in ["", "/mcp"] {
        let url = format!("{}/.well-known/oauth-protected-resource{path}", server.base);
        let document: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
        assert_eq!(document["resource"], AUDIENCE);
        assert_eq!(document["authorization_servers"], json!([issuer.url]));
        assert_eq!(document["scopes_supported"], json!(["fumi:code", "fumi:notes"]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_names_the_scope_of_the_request() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    for (readonly, header, scope) in [
        (false, ("x-fumi-other", "1"), "fumi:code fumi:write"),
        (false, ("x-fumi-readonly", "true"), "fumi:code"),
        (true, ("x-fumi-other", "1"), "fumi:code"),
        (false, ("x-fumi-toolsets", "notes"), "fumi:notes fumi:write"),
    ] {
        let server = server(&sample, &issuer, |config| {
            config.auth.oauth.write_scope = "fumi:write".to_owned();
            config.tools.readonly = readonly;
            config.tools.toolsets.clear();
        })
        .await;
        let request = Stateless::new(&server).prepare(1, "tools/list", None, json!({}));
        let answer = request.header(header.0, header.1).send().await.unwrap();
        let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
        assert!(challenge.contains(&format!("scope=\"{scope}\"")), "{header:?}: {challenge}");
    }
}

/// On the routes for scripts, a listing needs the scope for reading, and a call that of its tool.
#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_to_a_script_names_the_scope_of_its_request() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |config| {
        config.auth.oauth.write_scope = "fumi:write".to_owned();
        config.tools.toolsets.clear();
    })
    .await;
    let http = reqwest::Client::new();
    let readonly = ("x-fumi-readonly", "true");
    for (method, path, header, scope) in [
        ("GET", "/v1/tools", ("x-other", "1"), "fumi:code"),
        ("GET", "/v1/tools", ("x-fumi-toolsets", "notes"), "fumi:notes"),
        ("GET", "/v1/tools/write_note", ("x-other", "1"), "fumi:notes"),
        ("POST", "/v1/tools/write_note", ("x-other", "1"), "fumi:notes fumi:write"),
        ("POST", "/v1/tools/write_note", readonly, "fumi:notes"),
        ("POST", "/v1/tools/list_files", ("x-other", "1"), "fumi:code"),
        ("POST", "/v1/tools/no_such", ("x-other", "1"), "fumi:code"),
        ("GET", "/metrics", ("x-other", "1"), "fumi:code"),
    ] {
        let request = http.request(method.parse().unwrap(), format!("{}{path}", server.base));
        let answer = request.header(header.0, header.1).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
        let expected = format!("scope=\"{scope}\"");
        assert!(challenge.contains(&expected), "{method} {path}: {challenge}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_and_stale_tokens_are_refused() {
    let sample = Sample::new();
    let (key, other) = (Key::new("k1"), Key::new("k1"));
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |_| {}).await;
    let good = issuer.claims("fumi:code");
    assert_eq!(ask(&server, &key.sign(&good), "/mcp").await.status, StatusCode::OK);
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value,
        }
        key.sign(&claims)
    };
    let now = get_current_timestamp();
    let b64 = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = format!("{}.{}.", b64(&json!({"alg": "none", "kid": "k1"})), b64(&good));
    // A public key must not be accepted as a shared secret.
    let mut hmac = Header::new(Algorithm::HS256);
    hmac.kid = Some("k1".to_owned());
    let public = key.public.to_string();
    let shared = encode(&hmac, &good, &EncodingKey::from_secret(public.as_bytes())).unwrap();
    let signed = key.sign(&good);
    let [head, body, signature] = signed.split('.').collect::<Vec<_>>()[..] else {
        panic!("three parts");
    };
    let mut more = good.clone();
    more["scope"] = json!("fumi:code fumi:notes");
    for (what, token) in [
        ("no signature algorithm", unsigned.clone()),
        ("no algorithm, a signature", format!("{unsigned}{signature}")),
        ("a shared secret", shared),
        ("another key of the same id", other.sign(&good)),
        ("an unknown key", Key::new("k9").sign(&good)),
        ("more scopes under the same signature", format!("{head}.{}.{signature}", b64(&more))),
        ("half a signature", format!("{head}.{body}.{}", &signature[..40])),
        ("another audience", with("aud", json!("https://other.example.com"))),
        ("no audience", with("aud", Value::Null)),
        ("another issuer", with("iss", json!("https://evil.example.com"))),
        ("no issuer", with("iss", Value::Null)),
        ("expired", with("exp", json!(now - 120))),
        ("no end", with("exp", Value::Null)),
        ("not valid yet", with("nbf", json!(now + 300))),
        ("no subject", with("sub", Value::Null)),
        ("an empty subject", with("sub", json!(""))),
        ("no token at all", "x.y.z".to_owned()),
        ("garbage", "\u{7f}".repeat(3)),
    ] {
        let request = Stateless::new(&server).prepare(1, "tools/list", None, json!({}));
        let request = request.header("Authorization", format!("Bearer {token}"));
        let Ok(answer) = request.send().await else {
            continue; // // The HTTP client refuses such a header itself.
        };
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{what}");
        let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
        assert!(challenge.contains("invalid_token") || what == "garbage", "{what}: {challenge}");
        assert!(!answer.text().await.unwrap().contains(&token), "{what}: the token is echoed");
    }
    for (name, value, reason) in [
        ("sub", Value::Null, "it names no subject (sub)"),
        ("sub", json!(7), "wrong type"),
        ("scope", json!({"fumi": "code"}), "wrong type"),
        ("exp", Value::Null, "it lacks one of exp"),
    ] {
        let answer = ask(&server, &with(name, value), "/mcp").await;
        assert!(challenge(&answer).contains(reason), "{name}: {}", challenge(&answer));
    }
    // Some issuers send a list where RFC 9068 has a string.
    let listed = with("scope", json!(["fumi:code"]));
    assert_eq!(ask(&server, &listed, "/mcp").await.status, StatusCode::OK);
    let several = with("aud", json!(["https://other.example.com", AUDIENCE]));
    assert_eq!(ask(&server, &several, "/mcp").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_key_is_fetched_and_unknown_keys_do_not_flood_the_issuer() {
    let sample = Sample::new();
    let (old, new) = (Key::new("old"), Key::new("new"));
    let issuer = Issuer::start(&[&old]).await;
    let server = server(&sample, &issuer, |_| {}).await;
    let claims = issuer.claims("fumi:code");
    let status = async |key: &Key| ask(&server, &key.sign(&claims), "/mcp").await.status;
    assert_eq!(status(&old).await, StatusCode::OK);
    assert_eq!(*issuer.asked.lock().unwrap(), 1);
    issuer.publish(&[&new]);
    assert_eq!(status(&old).await, StatusCode::OK, "the known keys are valid until they are read again");
    assert_eq!(status(&new).await, StatusCode::OK);
    assert_eq!(status(&old).await, StatusCode::UNAUTHORIZED, "the old key is gone");
    for at in 0..20 {
        assert_eq!(status(&Key::new(&format!("invented{at}"))).await, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(status(&new).await, StatusCode::OK);
    assert!(*issuer.asked.lock().unwrap() <= 4, "asked {} times", issuer.asked.lock().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_are_used_while_the_issuer_does_not_answer() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    // Known keys expire at once.
    let server = server(&sample, &issuer, |config| config.auth.oauth.jwks_seconds = 0).await;
    let token = key.sign(&issuer.claims("fumi:code"));
    assert_eq!(ask(&server, &token, "/mcp").await.status, StatusCode::OK);
    issuer.held.send_replace(true);
    for _ in 0..5 {
        assert_eq!(ask(&server, &token, "/mcp").await.status, StatusCode::OK);
    }
    while *issuer.asked.lock().unwrap() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(issuer.left.load(Ordering::SeqCst), 0, "callers waited until fumi gave up asking");
    assert_eq!(*issuer.asked.lock().unwrap(), 2, "one question at a time");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_with_a_new_key_wait_for_one_answer_of_the_issuer() {
    let sample = Sample::new();
    let (old, new) = (Key::new("old"), Key::new("new"));
    let issuer = Issuer::start(&[&old]).await;
    let server = Arc::new(server(&sample, &issuer, |_| {}).await);
    let claims = issuer.claims("fumi:code");
    assert_eq!(ask(&server, &old.sign(&claims), "/mcp").await.status, StatusCode::OK);
    issuer.held.send_replace(true);
    issuer.publish(&[&old, &new]);
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let (server, token) = (Arc::clone(&server), new.sign(&claims));
            tokio::spawn(async move { ask(&server, &token, "/mcp").await.status })
        })
        .collect();
    while *issuer.asked.lock().unwrap() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&server, &old.sign(&claims), "/mcp").await.status, StatusCode::OK);
    assert!(!waiting.iter().all(tokio::task::JoinHandle::is_finished));
    issuer.held.send_replace(false);
    for one in waiting {
        assert_eq!(one.await.unwrap(), StatusCode::OK);
    }
    assert_eq!(*issuer.asked.lock().unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listening_stream_ends_with_its_access_token() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |_| {}).await;
    let mut claims = issuer.claims("fumi:code");
    // Accepted for a minute more, of which two seconds are left.
    claims["exp"] = json!(get_current_timestamp() - 58);
    let session = Session::open_bearing(&server, bearing(&key.sign(&claims)), json!({})).await;
    let mut stream = session.listen().await;
    assert_eq!(stream.status(), StatusCode::OK);
    while stream.chunk().await.unwrap().is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_issuers_keys_every_token_is_refused() {
    let sample = Sample::new();
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |config| {
        // Nothing listens on this port.
        config.auth.oauth.jwks_uri = "http://127.0.0.1:9/keys".to_owned();
    })
    .await;
    let answer = ask(&server, &key.sign(&issuer.claims("fumi:code")), "/mcp").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers.contains_key("retry-after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn subjects_have_bounds_of_their_own() {
    let sample = Sample::empty();
    sample.file("one/a.py", "").file("two/b.py", "");
    let key = Key::new("k1");
    let issuer = Issuer::start(&[&key]).await;
    let server = server(&sample, &issuer, |config| {
        config.auth.oauth.write_scope = "fumi:write".to_owned();
        config.auth.oauth.subjects.push(SubjectBounds {
            subject: "bob".to_owned(),
            toolsets: vec!["code".to_owned()],
            roots: vec![sample.root().join("one")],
            readonly: false,
            rate_per_minute: Some(2),
        });
    })
    .await;
    let token = |subject: &str, scope: &str| {
        let mut claims = issuer.claims(scope);
        claims["sub"] = json!(subject);
        key.sign(&claims)
    };
    let client = |token: String| Stateless { http: bearing(&token), url: server.url() };
    // Without the scope for writing, a token is for reading only.
    assert!(!listed(&client(token("alice", "fumi:code fumi:notes"))).await.contains(&"write_note".to_owned()));
    assert!(listed(&client(token("alice", "fumi:notes fumi:write"))).await.contains(&"write_note".to_owned()));
    // Scopes beyond the subject's bounds have no effect.
    let bob = client(token("bob", "fumi:code fumi:notes fumi:write"));
    assert_eq!(listed(&bob).await, ["list_files", "set_project_path"]);
    let counted = bob.call("list_files", json!({"roots": ["."], "types": ["f"], "count_only": true})).await;
    assert_eq!(counted.called().0["total_count"], 1);
    // A new token does not reset the limit of calls a minute.
    let again = client(token("bob", "fumi:code"));
    assert_eq!(again.request("tools/list", json!({})).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(client(token("alice", "fumi:code")).request("tools/list", json!({})).await.status, StatusCode::OK);
}
