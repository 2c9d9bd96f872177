//! The two eras of the protocol, which a request tells by its headers: with sessions, and without.

/// The first protocol version without sessions. Versions are dates, so they compare as text.
pub const STATELESS_SINCE: &str = "2026-07-28";

/// True if a request is of the stateless era, by its header. The library rejects bodies that contradict the header.
pub fn is_stateless(headers: &http::HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= STATELESS_SINCE)
}

/// Returns the session that a request names. The header is ignored in the stateless era.
pub fn session_id(headers: &http::HeaderMap) -> Option<&str> {
    let id = headers.get("mcp-session-id")?.to_str().ok()?;
    (!is_stateless(headers)).then_some(id)
}
