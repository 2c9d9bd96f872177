//! What single clients do with replies, where fumi has to reply otherwise. Each was seen in the client of the version that is named
//! (`tests/clients/vendors.py`).

use rmcp::{RoleServer, service::Peer};

/// `clientInfo.name` of clients whose models get no image of a result that has a structure too. Codex 0.169.0.
const DROP_IMAGES_BESIDE_STRUCTURE: [&str; 1] = ["codex-mcp-client"];

/// True if a result with an image must go without its structure, so that the client passes the image on.
pub(super) fn drops_images_beside_structure(peer: &Peer<RoleServer>) -> bool {
    let client = peer.peer_info();
    client.is_some_and(|client| DROP_IMAGES_BESIDE_STRUCTURE.contains(&client.client_info.name.as_str()))
}
