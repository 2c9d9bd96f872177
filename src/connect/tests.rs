//! Tests of the whole crate: texts and files go in through the public functions.

mod clients;
mod files;
mod generated;
mod json;
mod toml_text;

use crate::{Client, Server};

const SERVER: Server = Server {
    url: "http://127.0.0.1:8640/mcp",
    token_variable: None,
    program: "/usr/local/bin/fumi",
    root: "/srv/project",
};

fn client(id: &str) -> &'static Client {
    Client::find(id).expect(id)
}

/// Adds the entry, and checks that adding is idempotent and that removing restores the text.
fn check_round_trip(client: &Client, text: &str) -> String {
    let added = client.add(text, &SERVER).expect(text);
    assert_ne!(added, text);
    assert_eq!(client.add(&added, &SERVER).expect("still valid"), added, "added twice to {text:?}");
    assert_eq!(client.remove(&added).expect("still valid"), text, "not restored from {added:?}");
    added
}
