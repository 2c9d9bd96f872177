//! Workarounds for the way in which single clients handle replies.
//!
//! Each behaviour was observed in the named version of the client (`tests/clients/vendors.py`).

use rmcp::{RoleServer, service::Peer};

/// `clientInfo.name` of clients that do not show the model an image of a result that also has a structure. Codex
/// 0.169.0.
const DROP_IMAGES_BESIDE_STRUCTURE: [&str; 1] = ["codex-mcp-client"];

/// True if a result with an image must be sent without its structure, so that the client passes the image on.
pub(super) fn drops_images_beside_structure(peer: &Peer<RoleServer>) -> bool {
    let client = peer.peer_info();
    client.is_some_and(|client| DROP_IMAGES_BESIDE_STRUCTURE.contains(&client.client_info.name.as_str()))
}
