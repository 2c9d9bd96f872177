//! Redaction of secrets in all output: replies, logs, spans.
//!
//! There are two kinds. The server's own secrets (values it was started with) are removed from everything, results
//! included. Text that merely looks like a secret is removed from errors, echoes and logs only: the content of a file
//! is what the client asked for, and altering it would make every column and every extraction wrong.

use std::sync::LazyLock;

use regex::Regex;

/// The replacement of a removed secret.
pub const REDACTED: &str = "[redacted]";

/// The replacement of each character of a secret where columns must be preserved. ASCII.
const COVER: char = '*';

/// The minimum length of a line of Base64 inside a PEM key to count as a secret by itself, in bytes.
const MIN_KEY_LINE_BYTES: usize = 16;

/// The minimum length of a line of Base64 outside a PEM key to count as a secret by itself, in bytes. A secret of several
/// lines may be a configuration, most lines of which are ordinary text.
const MIN_LINE_BYTES: usize = 32;

/// The minimum length of a secret, in bytes: shorter values would match by accident (`1`, `true`, `dev`).
const MIN_SECRET_BYTES: usize = 8;

/// Patterns of secrets in messages: `password=...`, bearer tokens, well-known key prefixes, JSON web tokens, PEM
/// blocks.
static SHAPES: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
    let shape = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
    [
        (
            shape(
                r#"(?i)\b((?P<name>[\w-]*(?:passw|passphrase|secret|token|(?:api|private|access|encryption|signing)[_-]?key|credential|authorization|cookie)[\w-]*)["']?\s*[:=]\s*["']?)(?P<value>(?:bearer\s+)?[^\s"',;}{]+)"#,
            ),
            "${1}[redacted]",
        ),
        (shape(r"(?i)\bbearer\s+[\w.~+/=-]{8,}"), REDACTED),
        (
            shape(
                r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abp]|AKIA|ASIA)[-_]?[A-Za-z0-9_-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
            ),
            REDACTED,
        ),
        (shape(r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"), REDACTED),
    ]
});

/// Words of names that mark a value as secret, in the singular. A `token` in the plural is one only after a word of
/// [`ACCESS`]: programs count tokens and split text into them.
const SECRET_WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "authorization",
    "cookie",
    "apikey",
    "privatekey",
    "accesskey",
    "secretkey",
];

/// Words before `key` that mark it as secret.
const SECRET_KEYS: [&str; 5] = ["api", "private", "access", "encryption", "signing"];

/// Words before `tokens` that mark them as secret.
const ACCESS: [&str; 7] = ["access", "api", "auth", "bearer", "personal", "refresh", "session"];

/// Last words of names that describe a secret and do not contain it: `token_count`, `authorization_url`.
const DESCRIPTIONS: [&str; 20] = [
    "budget", "count", "counts", "endpoint", "estimate", "expires", "expiry", "file", "id", "length", "limit", "name",
    "path", "policy", "ttl", "type", "uri", "url", "usage", "used",
];

/// First words of a sentence about an argument or a quoted name: `- password: must be a string`,
/// `"file:///etc/passwd": the scheme ...`.
const SENTENCES: [&str; 7] = ["must", "required", "unknown", "exactly", "only", "it", "the"];

/// True if a name marks its value as secret: `apiKey`, `X-Api-Key`, `GITHUB_TOKEN`, but not `max_tokens` or `secretary`.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    if words.last().is_some_and(|last| DESCRIPTIONS.contains(&last.as_str())) {
        return false;
    }
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        match word.strip_suffix('s').unwrap_or(word) {
            "token" if word == "tokens" => ACCESS.contains(&before),
            "key" => SECRET_KEYS.contains(&before),
            single => SECRET_WORDS.contains(&single),
        }
    })
}

/// Returns the words of a name in lower case: they end at a sign, and where upper case begins or a word follows capitals
/// (`APIKey`).
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let is_upper =
            |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_uppercase());
        let is_lower =
            |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_lowercase());
        let before = at.checked_sub(1);
        let begins = letter.is_uppercase() && (is_lower(before) || (is_upper(before) && is_lower(Some(at + 1))));
        if !letter.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Removes the server's own secrets from text and bytes.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The secrets, longest first, so that a secret inside another never leaves a tail.
    secrets: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// Creates a redactor for these values.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().filter(|secret| secret.len() >= MIN_SECRET_BYTES).collect();
        // Results contain single lines. In JSON, the lines of a key form one string.
        let lines: Vec<String> = secrets
            .iter()
            .map(|secret| secret.replace("\\n", "\n"))
            .filter(|secret| secret.contains('\n'))
            .flat_map(|secret| key_lines(&secret))
            .collect();
        secrets.extend(lines);
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self { secrets }
    }

    /// Returns the values of environment variables whose names mark them as secret.
    pub fn secrets_of(environment: impl Iterator<Item = (String, String)>) -> impl Iterator<Item = String> {
        environment.filter(|(name, _)| is_secret(name)).map(|(_, value)| value)
    }

    /// True if there are no own secrets to remove.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Removes the server's own secrets from text; returns `None` if it contains none.
    pub fn redact_own(&self, text: &str) -> Option<String> {
        let mut out: Option<String> = None;
        for secret in &self.secrets {
            let current = out.as_deref().unwrap_or(text);
            if current.contains(secret.as_str()) {
                out = Some(current.replace(secret.as_str(), REDACTED));
            }
        }
        out
    }

    /// Covers each character of the server's own secrets, so that positions are preserved, for text of which only a
    /// part is returned. Returns `None` if the text contains none.
    pub fn mask(&self, text: &str) -> Option<String> {
        let mut out: Option<String> = None;
        for secret in &self.secrets {
            let current = out.as_deref().unwrap_or(text);
            if current.contains(secret.as_str()) {
                let cover: String = secret.chars().map(|c| if c == '\n' { c } else { COVER }).collect();
                out = Some(current.replace(secret.as_str(), &cover));
            }
        }
        out
    }

    /// Covers the server's own secrets in bytes, encoded as UTF-8 or UTF-16. Compressed or encrypted secrets are not
    /// found.
    pub fn mask_bytes(&self, bytes: &mut [u8]) {
        for secret in &self.secrets {
            let wide = || secret.encode_utf16();
            for form in [
                secret.clone().into_bytes(),
                wide().flat_map(u16::to_le_bytes).collect(),
                wide().flat_map(u16::to_be_bytes).collect(),
            ] {
                let found: Vec<usize> = memchr::memmem::find_iter(bytes, &form).collect();
                for at in found {
                    bytes[at..at + form.len()].fill(COVER as u8);
                }
            }
        }
    }

    /// Returns the number of bytes before and after a part of a file that may belong to a secret which
    /// [`Redactor::mask_bytes`] must see.
    pub fn margin(&self) -> u64 {
        let longest = self.secrets.iter().map(|secret| secret.len() * 2).max();
        longest.unwrap_or_default() as u64
    }

    /// Removes the server's own secrets and everything that looks like one, for errors, echoes and logs.
    pub fn redact_message(&self, text: &str) -> String {
        let mut out = self.redact_own(text).unwrap_or_else(|| text.to_owned());
        for (shape, replacement) in SHAPES.iter() {
            if shape.is_match(&out) {
                let replaced = |found: &regex::Captures<'_>| {
                    let part = |name| found.name(name).map_or("", |part| part.as_str());
                    let is_named = found.name("name").is_some();
                    if is_named && (!is_secret(part("name")) || SENTENCES.contains(&part("value"))) {
                        return found[0].to_owned();
                    }
                    let mut instead = String::new();
                    found.expand(replacement, &mut instead);
                    instead
                };
                out = shape.replace_all(&out, replaced).into_owned();
            }
        }
        out
    }
}

/// Returns the lines that consist of key material only: runs of Base64.
fn key_lines(secret: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in secret.lines().map(str::trim) {
        if line.contains("-----BEGIN ") {
            is_inside = true;
        } else if line.contains("-----END ") {
            is_inside = false;
        }
        let least = if is_inside { MIN_KEY_LINE_BYTES } else { MIN_LINE_BYTES };
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
        if line.len() >= least && !line.starts_with("-----") && line.bytes().all(is_base64) {
            found.push(line.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Redactor, is_secret};

    #[test]
    fn messages_lose_what_looks_secret_and_keep_the_rest() {
        let redactor = Redactor::default();
        for (message, expected) in [
            ("password=hunter2 and more", "password=[redacted] and more"),
            (r#"{"api_key": "abc123"}"#, r#"{"api_key": "[redacted]"}"#),
            ("Authorization: Bearer abcdefghijkl", "Authorization: [redacted]"),
            ("use sk-abcdefghijklmnop1234 now", "use [redacted] now"),
            ("the token table is empty", "the token table is empty"),
            ("max_count must be 1..=10000", "max_count must be 1..=10000"),
            ("maxTokens: must be an integer", "maxTokens: must be an integer"),
            (r#"{"maxTokens": "5"}"#, r#"{"maxTokens": "5"}"#),
            ("- password: must be a string", "- password: must be a string"),
            (r#"does not open "file:///etc/passwd": the scheme"#, r#"does not open "file:///etc/passwd": the scheme"#),
            ("token: 5", "token: [redacted]"),
        ] {
            assert_eq!(redactor.redact_message(message), expected);
        }
    }

    #[test]
    fn a_name_is_judged_by_its_words() {
        let secret = "password PASSWD dbPassword apiKey APIKey X-Api-Key OPENAI_APIKEY privateKey aws_secret_access_key \
            token GITHUB_TOKEN TOKEN_FOR_CI access_tokens client-secret secrets passphrase Set-Cookie credentials \
            Authorization";
        let plain = "tokens tokenizer max_tokens maxTokens prompt_tokens token_count tokenUsage token_type secretary key \
            keys keyboard monkey authorization_url credential_id author passage";
        for name in secret.split_whitespace() {
            assert!(is_secret(name), "{name}");
        }
        for name in plain.split_whitespace() {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn own_secrets_leave_results_too() {
        let redactor = Redactor::new(["canary-0123456789".to_owned(), "short".to_owned()]);
        assert_eq!(redactor.redact_own("x canary-0123456789 y").as_deref(), Some("x [redacted] y"));
        assert_eq!(redactor.redact_own("password=hunter2 short"), None);
    }

    #[test]
    fn each_line_of_a_key_is_a_secret() {
        let key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\nAgEGCCqGSM49AwEHBG0w\n-----END PRIVATE KEY-----";
        let redactor = Redactor::new([key.to_owned()]);
        assert_eq!(redactor.redact_own("  AgEGCCqGSM49AwEHBG0w,").as_deref(), Some("  [redacted],"));
        assert_eq!(redactor.redact_own("-----BEGIN PRIVATE KEY-----"), None);
    }

    #[test]
    fn only_the_key_in_a_file_of_credentials_is_secret_line_by_line() {
        let file = r#"{
  "type": "service_account",
  "private_key": "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----\n",
  "token_uri": "https://oauth2.example/token"
}"#;
        let redactor = Redactor::new([file.to_owned()]);
        assert_eq!(redactor.redact_own("  \"type\": \"service_account\","), None);
        assert_eq!(redactor.redact_own("  \"token_uri\": \"https://oauth2.example/token\""), None);
        let line = file.lines().nth(2).unwrap_or_default();
        assert!(!redactor.redact_own(line).unwrap_or_default().contains("MIGHAg"));
        assert_eq!(redactor.redact_own("MIGHAgEAMBMGByqGSM49").as_deref(), Some("[redacted]"));
    }

    #[test]
    fn mask_preserves_positions() {
        let redactor = Redactor::new(["秘密の鍵 0123".to_owned()]);
        assert_eq!(redactor.mask("x 秘密の鍵 0123 y").as_deref(), Some("x ********* y"));
        let wide: Vec<u8> = "x秘密の鍵 0123y".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut covered = wide.clone();
        redactor.mask_bytes(&mut covered);
        assert_eq!((covered.len(), &covered[..3]), (wide.len(), &b"x\0*"[..]));
    }
}
