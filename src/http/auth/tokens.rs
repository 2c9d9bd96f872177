//! Static tokens: the configuration contains their hashes, never the tokens.
//!
//! A token's SHA-256 is compared with every entry, in constant time and without stopping at a match, so that the
//! duration reveals nothing. Tokens are 32 random bytes; a hash of so much randomness needs no salt and no slow
//! function.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use fumi_config::ConfigError;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{AuthError, LimitContext, Principal, PrincipalLimits};

/// The prefix of tokens, by which people and secret scanners recognise one.
const PREFIX: &str = "fumi_";
/// Random bytes of a token.
const RANDOM: usize = 32;

/// The configured tokens with their principals.
#[derive(Debug)]
pub struct StaticTokens(Vec<TokenEntry>);

/// One token and its principal.
#[derive(Debug)]
pub(super) struct TokenEntry {
    /// The configured token, with the rate limit that applies if it sets none.
    token: (fumi_config::ConfiguredToken, u32),
    hash: [u8; 32],
    principal: Arc<Principal>,
}

impl StaticTokens {
    /// Builds the tokens. Unchanged entries keep their principals.
    pub(super) fn open(
        tokens: &[fumi_config::ConfiguredToken],
        allowed: LimitContext<'_>,
        before: &[TokenEntry],
    ) -> Result<Self, ConfigError> {
        let open = |token: &fumi_config::ConfiguredToken| {
            let own = (token.clone(), allowed.rate_per_minute);
            let entry = format!("auth.tokens {:?}", token.name);
            let hash = hash_of(&token.sha256)
                .ok_or_else(|| ConfigError(format!("{entry}: sha256 is not 64 hexadecimal digits")))?;
            let known = before.iter().find(|entry| entry.token == own);
            let bounds = PrincipalLimits {
                entry: &entry,
                toolsets: &token.toolsets,
                roots: &token.roots,
                readonly: token.readonly,
                rate_per_minute: token.rate_per_minute,
            };
            let principal = match known {
                Some(entry) => Arc::clone(&entry.principal),
                None => Arc::new(allowed.principal(&token.name, bounds)?),
            };
            Ok(TokenEntry { token: own, hash, principal })
        };
        tokens.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn entries(&self) -> &[TokenEntry] {
        &self.0
    }

    /// Ends the streams of all principals that are not in `now`.
    pub(super) fn end_streams(&self, now: &[TokenEntry]) {
        for TokenEntry { principal, .. } in &self.0 {
            if !now.iter().any(|entry| Arc::ptr_eq(&entry.principal, principal)) {
                principal.revoked.cancel();
            }
        }
    }

    pub fn principal(&self, token: &str) -> Result<Arc<Principal>, AuthError> {
        let hash: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for entry in &self.0 {
            if bool::from(entry.hash.ct_eq(&hash)) {
                found = Some(&entry.principal);
            }
        }
        found.map(Arc::clone).ok_or(AuthError::Invalid("the token is not known", "トークンが登録されていません"))
    }
}

fn hash_of(hex: &str) -> Option<[u8; 32]> {
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    let mut hash = [0; 32];
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(hash)
}

/// Generates a token and its hash in hexadecimal digits. Fails if the system provides no randomness.
pub fn generate() -> Result<(String, String), getrandom::Error> {
    let mut random = [0; RANDOM];
    getrandom::fill(&mut random)?;
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
    let hash = sha256_of(&token);
    Ok((token, hash))
}

/// Returns the hash of a token as the configuration contains it.
pub fn sha256_of(token: &str) -> String {
    let digits = |mut hex: String, byte: &u8| {
        hex.push_str(&format!("{byte:02x}"));
        hex
    };
    Sha256::digest(token).iter().fold(String::with_capacity(64), digits)
}

#[cfg(test)]
mod tests {
    use super::{generate, hash_of, sha256_of};

    #[test]
    fn a_new_token_is_long_and_its_hash_fits() {
        let (one, hash) = generate().expect("randomness");
        let (other, _) = generate().expect("randomness");
        assert_ne!(one, other);
        assert!(one.starts_with("fumi_") && one.len() > 40, "{one}");
        assert_eq!(hash, sha256_of(&one));
        assert!(hash_of(&hash).is_some());
        for bad in ["", "zz", &"g".repeat(64), &"é".repeat(32)] {
            assert!(hash_of(bad).is_none(), "{bad}");
        }
    }
}
