//! Who writes what a tool asks for, and the provider of models that may be asked.
//!
//! Invariant: the key stands in an environment variable, which is read once, at the start; a configuration file holds its name
//! only, and `Debug` shows neither. How a provider is spoken to is decided in `src/provider/`.

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{ConfigError, Secret, auth::is_here};

/// Who answers the questions of tools that need a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The provider if one is configured, else the client's model if it can be asked, else the host.
    #[default]
    Auto,
    /// The host: the question is the result of the call.
    Host,
    /// The client's model if it can be asked, else the host.
    Sampling,
    /// The provider.
    Provider,
}

impl Author {
    /// Whether a client's model may be asked.
    #[must_use]
    pub const fn asks_clients(self) -> bool {
        matches!(self, Self::Auto | Self::Sampling)
    }

    /// Whether a provider may be asked.
    #[must_use]
    pub const fn asks_providers(self) -> bool {
        matches!(self, Self::Auto | Self::Provider)
    }
}

/// What a provider speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Chat completions as `OpenAI` has them, and most servers of models too: `POST {base_url}/chat/completions`.
    #[default]
    #[serde(rename = "openai")]
    OpenAi,
    /// Messages as Anthropic has them: `POST {base_url}/v1/messages`.
    Anthropic,
}

/// A provider of models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// What it speaks.
    pub kind: ProviderKind,
    /// Where it is. Empty: there is none.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The name of the environment variable that holds the key. Only a provider on this machine may need none.
    pub api_key_env: String,
    /// Longest answer, in tokens.
    pub max_tokens: u32,
    /// Seconds that one answer may take.
    pub timeout_seconds: u64,
    /// How often a request is repeated that was turned away for the moment.
    pub retries: u32,
    /// Milliseconds before the first repetition; each further one waits twice as long.
    pub retry_ms: u64,
    /// The key itself. Never in a file.
    #[serde(skip)]
    pub key: Secret,
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            kind: ProviderKind::default(),
            base_url: String::new(),
            model: String::new(),
            api_key_env: String::new(),
            max_tokens: 16_384,
            timeout_seconds: 300,
            retries: 3,
            retry_ms: 1_000,
            key: Secret::default(),
        }
    }
}

impl Provider {
    /// Whether there is one.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        !self.base_url.is_empty()
    }

    /// True if no proxy may come between: this machine is not reached through one, and it would read what goes over http.
    pub(crate) fn is_direct(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| url.scheme() == "http" || is_here(&url))
    }

    /// Takes the key from the environment.
    pub(super) fn read(&mut self, environment: impl Fn(&str) -> Option<String>) {
        if !self.api_key_env.is_empty() {
            self.key = environment(&self.api_key_env)
                .unwrap_or_default()
                .trim()
                .to_owned()
                .into();
        }
    }

    /// Checks what types cannot say, where a provider may be asked at all.
    pub(crate) fn check(&self, author: Author) -> Result<(), ConfigError> {
        if !author.asks_providers() {
            return Ok(());
        }
        let refuse = |what: &str| Err(ConfigError(format!("novel.provider.{what}")));
        if !self.is_configured() {
            return match author {
                Author::Provider => refuse(
                    "base_url is empty, and novel.author is \"provider\"; name the endpoint, such as \"https://api.openai.com/v1\", or set novel.author to \"host\"",
                ),
                _ => Ok(()),
            };
        }
        let url = match Url::parse(&self.base_url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            _ => return refuse("base_url is no http or https URL"),
        };
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            return refuse(
                "base_url must hold neither credentials nor a query; the key comes from the variable that api_key_env names",
            );
        }
        if self.model.is_empty() {
            return refuse("model is empty; name the model that shall write, as the provider calls it");
        }
        let is_plain = url.scheme() == "http";
        if is_plain && !self.api_key_env.is_empty() && !is_here(&url) {
            let (_, rest) = self.base_url.split_once("://").unwrap_or_default();
            return refuse(&format!(
                "base_url is {:?}: over http the key and every text of the novel could be read on the way; write \"https://{rest}\", or put a proxy that speaks TLS before the provider (http with a key is for this machine only; without a key, also for a provider in a network that you trust)",
                self.base_url,
            ));
        }
        if !is_plain && self.api_key_env.is_empty() && !is_here(&url) {
            return refuse(
                "api_key_env is empty; name the environment variable that holds the key (only a provider on this machine, or one over http in a network that you trust, may need none)",
            );
        }
        if !self.api_key_env.is_empty() && self.key.expose().is_empty() {
            return refuse(&format!(
                "api_key_env names {}, and there is no such environment variable, or it is empty; set it before fumi starts",
                self.api_key_env
            ));
        }
        // A header that HTTP cannot carry would fail with every request.
        if !self.key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse(
                "api_key_env names a variable whose value is no key: it has spaces or signs that no header carries",
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
    use super::{Author, Provider};

    fn provider(change: impl FnOnce(&mut Provider)) -> Provider {
        let mut provider = Provider {
            base_url: "https://models.example/v1".to_owned(),
            model: "a-model".to_owned(),
            api_key_env: "MODELS_KEY".to_owned(),
            ..Provider::default()
        };
        change(&mut provider);
        provider.read(|name| (name == "MODELS_KEY").then(|| "a key that is long".replace(' ', "-")));
        provider
    }

    #[test]
    fn a_provider_that_cannot_be_asked_is_refused_at_the_start() {
        type Change = fn(&mut Provider);
        let cases: [(Change, &str); 10] = [
            (|it| it.base_url.clear(), "base_url is empty"),
            (|it| it.base_url = "models.example".to_owned(), "no http or https URL"),
            (
                |it| it.base_url = "https://me:pw@models.example".to_owned(),
                "neither credentials",
            ),
            (
                |it| it.base_url = "http://remote/v1".to_owned(),
                "write \"https://remote/v1\"",
            ),
            (|it| it.model.clear(), "model is empty"),
            (|it| it.api_key_env.clear(), "api_key_env is empty"),
            (
                |it| it.api_key_env = "NOT_SET".to_owned(),
                "names NOT_SET, and there is no such",
            ),
            (|it| it.max_tokens = 0, "max_tokens must be from 1"),
            (
                |it| it.timeout_seconds = 4_000,
                "timeout_seconds must be from 1 to 3600",
            ),
            (|it| it.retries = 11, "retries must be at most 10"),
        ];
        for (change, expected) in cases {
            let provider = provider(change);
            let error = provider.check(Author::Provider).expect_err(expected).to_string();
            assert!(
                error.contains(expected) && error.starts_with("novel.provider."),
                "{error}"
            );
            // Who asks no provider needs none.
            assert!(provider.check(Author::Host).is_ok() && provider.check(Author::Sampling).is_ok());
        }
        assert!(provider(|_| {}).check(Author::Auto).is_ok());
        assert!(Provider::default().check(Author::Auto).is_ok());
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
            assert_eq!(provider.check(Author::Auto).is_ok(), is_good, "{url}");
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
            assert_eq!(provider.check(Author::Auto).is_ok(), is_good, "{url}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let shown = format!("{:?}", provider(|_| {}));
        assert!(shown.contains("hidden") && !shown.contains("a-key"), "{shown}");
        assert!(
            !toml::to_string(&provider(|_| {}))
                .expect("serialises")
                .contains("a-key")
        );
    }
}
