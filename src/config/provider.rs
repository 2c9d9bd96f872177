//! Settings of the writer of texts that a tool asks for, and of the provider of models that may be asked.
//!
//! Invariant: the key is in an environment variable, which is read once, at the start; a configuration file contains
//! the variable's name only, and `Debug` shows neither. The protocol of a provider is implemented in `src/provider/`.

use serde::Deserialize;
use url::Url;

use super::{ConfigError, Secret, auth::is_loopback_url};

/// The writer that answers the questions of tools that need a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorChoice {
    /// The provider if one is configured, else the client's model if it can be asked, else the host.
    Auto,
    /// The host: the question is the result of the call.
    Host,
    /// The client's model if it can be asked, else the host.
    Sampling,
    /// The configured provider only.
    Provider,
}

impl AuthorChoice {
    /// True if a client's model may be asked.
    pub const fn asks_clients(self) -> bool {
        matches!(self, Self::Auto | Self::Sampling)
    }

    /// True if a provider may be asked.
    pub const fn asks_providers(self) -> bool {
        matches!(self, Self::Auto | Self::Provider)
    }
}

/// The protocol of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Chat completions as defined by `OpenAI` and supported by most model servers: `POST {base_url}/chat/completions`.
    #[serde(rename = "openai")]
    OpenAi,
    /// Messages as defined by Anthropic: `POST {base_url}/v1/messages`.
    Anthropic,
}

/// The settings of a provider of models.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The protocol of the provider.
    pub kind: ProviderKind,
    /// The base URL of the provider. Empty: no provider is configured.
    pub base_url: String,
    /// The name of the model at the provider.
    pub model: String,
    /// The name of the environment variable that contains the key. Only a provider on this machine may need none.
    pub api_key_env: String,
    /// The maximum length of an answer, in tokens.
    pub max_tokens: u32,
    /// The maximum time for one answer, in seconds.
    pub timeout_seconds: u64,
    /// The number of times that a temporarily rejected request is repeated.
    pub retries: u32,
    /// Milliseconds before the first repetition; each further one waits twice as long.
    pub retry_ms: u64,
    /// The key itself, which is never in a file.
    #[serde(skip)]
    pub key: Secret,
}

impl ProviderConfig {
    /// True if a provider is configured.
    pub fn is_configured(&self) -> bool {
        !self.base_url.is_empty()
    }

    /// True if requests must bypass any proxy: a proxy cannot reach this machine, and could read plain HTTP.
    pub fn is_direct(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| url.scheme() == "http" || is_loopback_url(&url))
    }

    pub(super) fn read_key(&mut self, environment: impl Fn(&str) -> Option<String>) {
        if !self.api_key_env.is_empty() {
            self.key = environment(&self.api_key_env).unwrap_or_default().trim().to_owned().into();
        }
    }

    /// Checks the rules that types cannot express, if a provider may be asked at all.
    pub fn check(&self, author: AuthorChoice) -> Result<(), ConfigError> {
        if !author.asks_providers() {
            return Ok(());
        }
        let refuse = |what: &str| Err(ConfigError(format!("novel.provider.{what}")));
        if !self.is_configured() {
            return match author {
                AuthorChoice::Provider => refuse(
                    "base_url is empty, and novel.author is \"provider\"; name the endpoint, such as \"https://api.openai.com/v1\", or set novel.author to \"host\"",
                ),
                _ => Ok(()),
            };
        }
        let url = match Url::parse(&self.base_url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            _ => return refuse("base_url is not an http or https URL"),
        };
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            return refuse(
                "base_url must contain neither credentials nor a query; api_key_env names the variable with the key",
            );
        }
        if self.model.is_empty() {
            return refuse("model is empty; set it to the provider's name of the model");
        }
        let is_plain = url.scheme() == "http";
        if is_plain && !self.api_key_env.is_empty() && !is_loopback_url(&url) {
            let (_, rest) = self.base_url.split_once("://").unwrap_or_default();
            return refuse(&format!(
                "base_url is {:?}: over http the key and every text of the novel could be read on the way; write \"https://{rest}\", or put a proxy that speaks TLS before the provider (http with a key is for this machine only; without a key, also for a provider in a trusted network)",
                self.base_url,
            ));
        }
        if !is_plain && self.api_key_env.is_empty() && !is_loopback_url(&url) {
            return refuse(
                "api_key_env is empty; name the environment variable that contains the key (only a provider on this machine, or one over http in a trusted network, may need none)",
            );
        }
        if !self.api_key_env.is_empty() && self.key.expose().is_empty() {
            return refuse(&format!(
                "api_key_env names {}, but this environment variable is missing or empty; set it before fumi starts",
                self.api_key_env
            ));
        }
        // A key that an HTTP header cannot carry would fail with every request.
        if !self.key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse(
                "api_key_env names a variable whose value is not a key: it has characters that HTTP headers do not allow",
            );
        }
        for (name, value, largest) in [
            ("max_tokens", u64::from(self.max_tokens), 1_000_000),
            ("timeout_seconds", self.timeout_seconds, 3_600),
            ("retry_ms", self.retry_ms, 60_000),
        ] {
            if !(1..=largest).contains(&value) {
                return refuse(&format!("{name} must be from 1 to {largest}"));
            }
        }
        if self.retries > 10 {
            return refuse("retries must be at most 10");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{AuthorChoice, ProviderConfig};
    use crate::Config;

    fn provider(change: impl FnOnce(&mut ProviderConfig)) -> ProviderConfig {
        let mut provider = ProviderConfig {
            base_url: "https://models.example/v1".to_owned(),
            model: "a-model".to_owned(),
            api_key_env: "MODELS_KEY".to_owned(),
            ..Config::default().novel.provider
        };
        change(&mut provider);
        provider.read_key(|name| (name == "MODELS_KEY").then(|| "a key that is long".replace(' ', "-")));
        provider
    }

    #[test]
    fn a_provider_that_cannot_be_asked_is_refused_at_the_start() {
        type Change = fn(&mut ProviderConfig);
        let cases: [(Change, &str); 10] = [
            (|it| it.base_url.clear(), "base_url is empty"),
            (|it| it.base_url = "models.example".to_owned(), "not an http or https URL"),
            (|it| it.base_url = "https://me:pw@models.example".to_owned(), "neither credentials"),
            (|it| it.base_url = "http://remote/v1".to_owned(), "write \"https://remote/v1\""),
            (|it| it.model.clear(), "model is empty"),
            (|it| it.api_key_env.clear(), "api_key_env is empty"),
            (|it| it.api_key_env = "NOT_SET".to_owned(), "names NOT_SET, but this environment variable is missing"),
            (|it| it.max_tokens = 0, "max_tokens must be from 1"),
            (|it| it.timeout_seconds = 4_000, "timeout_seconds must be from 1 to 3600"),
            (|it| it.retries = 11, "retries must be at most 10"),
        ];
        for (change, expected) in cases {
            let provider = provider(change);
            let error = provider.check(AuthorChoice::Provider).expect_err(expected).to_string();
            assert!(error.contains(expected) && error.starts_with("novel.provider."), "{error}");
            // An author that never asks a provider needs none.
            assert!(provider.check(AuthorChoice::Host).is_ok() && provider.check(AuthorChoice::Sampling).is_ok());
        }
        assert!(provider(|_| {}).check(AuthorChoice::Auto).is_ok());
        assert!(Config::default().novel.provider.check(AuthorChoice::Auto).is_ok());
    }

    #[test]
    fn a_provider_on_this_machine_or_over_http_needs_no_key() {
        for (url, is_good) in [
            ("http://localhost:11434/v1", true),
            ("http://LOCALHOST:11434/v1", true),
            ("http://127.1:11434/v1", true),
            ("http://ollama:11434/v1", true),
            ("http://host.docker.internal:11434/v1", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://192.168.1.7/v1", true),
            ("https://localhost.example", false),
        ] {
            let provider = provider(|it| {
                it.base_url = url.to_owned();
                it.api_key_env.clear();
            });
            assert_eq!(provider.check(AuthorChoice::Auto).is_ok(), is_good, "{url}");
            assert_eq!(provider.is_direct(), is_good, "{url}");
        }
    }

    #[test]
    fn a_key_goes_over_tls_or_stays_on_this_machine() {
        for (url, is_good) in [
            ("http://LOCALHOST:11434/v1", true),
            ("https://模型.example/v1", true),
            ("HTTPS://models.example/v1", true),
            ("http://ollama:11434/v1", false),
            ("http://localhost.example/v1", false),
        ] {
            let provider = provider(|it| it.base_url = url.to_owned());
            assert_eq!(provider.check(AuthorChoice::Auto).is_ok(), is_good, "{url}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let shown = format!("{:?}", provider(|_| {}));
        assert!(shown.contains("hidden") && !shown.contains("a-key"), "{shown}");
    }
}
