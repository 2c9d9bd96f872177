//! A provider of models, called over HTTP for the texts that tools need: a [`TextModel`].
//!
//! Invariant: the key is sent in one header of requests to the configured endpoint and nowhere else: redirects are not
//! followed, and neither logs nor errors contain the key. An answer is complete or an error: one that was cut off or
//! filtered is an error that says so. The content of questions and the use of answers are not decided here.

pub mod error;
mod wire;

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use fumi_base::tokens;
use fumi_config::{ConfigError, ProviderKind};
use fumi_kernel::{
    Answerer,
    conversation::{ModelAnswer, ModelText, NoAnswer, Prompt, TextModel},
    metrics::ServerMetrics,
    reply::TokenUsage,
};
use reqwest::{
    Client, StatusCode,
    header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};

use error::ProviderError;
use wire::{EndReason, ProviderReply};

/// The timeout of connecting. An answer may take minutes, but a connection succeeds or fails at once.
const CONNECT: Duration = Duration::from_secs(10);
/// The maximum size of an answer, in bytes; a model writes at most some hundred thousand at once.
const LARGEST: usize = 4 << 20;
/// The maximum size of an error's body, in bytes: its message is short.
const LARGEST_ERROR: usize = 64 << 10;
/// The maximum wait before a retry. A provider that asks for a longer wait is treated as unavailable for now.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// A provider of models, with its connections.
#[derive(Debug)]
pub struct ProviderClient {
    config: fumi_config::ProviderConfig,
    http: Client,
    url: String,
    headers: HeaderMap,
    metrics: Arc<ServerMetrics>,
}

impl ProviderClient {
    /// Returns the provider of the configuration, if it may be asked. Nothing is sent before the first question.
    pub fn open(config: &fumi_config::NovelConfig, metrics: &Arc<ServerMetrics>) -> Result<Option<Self>, ConfigError> {
        let (author, config) = (config.author, config.provider.clone());
        config.check(author)?;
        if !author.asks_providers() || !config.is_configured() {
            return Ok(None);
        }
        let client = Client::builder();
        let client = if config.is_direct() { client.no_proxy() } else { client };
        let http = client
            .connect_timeout(CONNECT)
            .timeout(Duration::from_secs(config.timeout_seconds))
            .redirect(Policy::none())
            .user_agent(concat!("fumi/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| ConfigError(format!("novel.provider: TLS cannot be set up: {error}")))?;
        Ok(Some(Self {
            url: format!("{}{}", config.base_url.trim_end_matches('/'), wire::path(config.kind)),
            headers: headers(&config)?,
            http,
            config,
            metrics: Arc::clone(metrics),
        }))
    }

    /// Requests one answer, with as many retries as the configuration allows.
    async fn request_answer(&self, prompt: &Prompt) -> Result<ModelText, ProviderError> {
        let mut wait = Duration::from_millis(self.config.retry_ms);
        let mut field = wire::LimitField::Usual;
        let mut left = self.config.retries;
        loop {
            let body = wire::body(&self.config, prompt, field);
            let started = Instant::now();
            let tried = self.send(body).await;
            let outcome = tried.as_ref().err().map(ProviderError::kind);
            self.metrics.provider_asked(self.name(), &self.config.model, outcome, started.elapsed());
            let fault = match tried {
                Ok(said) => return self.read_reply(prompt, said),
                Err(fault) => fault,
            };
            // The newer models of one provider expect the limit under another name, and report that.
            if field == wire::LimitField::Usual && fault.lacks_field(wire::LimitField::NEWER) {
                field = wire::LimitField::Newer;
                continue;
            }
            let pause = fault.retry_after().unwrap_or_else(|| jittered(wait));
            if left == 0 || !fault.is_retryable() || pause > LONGEST_WAIT {
                return Err(fault);
            }
            left -= 1;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
            tracing::info!(
                kind = fault.kind(),
                wait_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
                "retrying the request to the provider"
            );
            tokio::time::sleep(pause).await;
        }
    }

    /// Sends one request and reads its reply.
    async fn send(&self, body: String) -> Result<ProviderReply, ProviderError> {
        let request = self.http.post(&self.url).headers(self.headers.clone()).body(body);
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status.is_success() {
            let body = self.read(response, LARGEST).await?;
            return wire::parse_reply(self.config.kind, &body).map_err(|reason| ProviderError::Malformed { reason });
        }
        let wait = retry_after(response.headers());
        // The status matters more than the body, so an unreadable body is ignored.
        let body = self.read(response, LARGEST_ERROR).await.unwrap_or_default();
        Err(ProviderError::from_status(status.as_u16(), wire::error_message_of(&body), wait))
    }

    /// Reads a body of at most `largest` bytes.
    async fn read(&self, mut response: reqwest::Response, largest: usize) -> Result<Vec<u8>, ProviderError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            if body.len() + chunk.len() > largest {
                return Err(ProviderError::TooLarge { limit: largest });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn unreachable(&self, error: &reqwest::Error) -> ProviderError {
        if error.is_timeout() && !error.is_connect() {
            return ProviderError::TimedOut { seconds: self.config.timeout_seconds };
        }
        ProviderError::Unreachable { reason: root_cause(error) }
    }

    /// Converts a reply to an answer, or to an error if it is not complete.
    fn read_reply(&self, prompt: &Prompt, said: ProviderReply) -> Result<ModelText, ProviderError> {
        let estimate = || prompt.turns().iter().map(|turn| tokens::estimate(&turn.text) as u64).sum();
        let usage = TokenUsage {
            model: self.config.model.clone(),
            answers: 1,
            input_tokens: said.input_tokens.unwrap_or_else(estimate),
            output_tokens: said.output_tokens.unwrap_or_else(|| tokens::estimate(&said.text) as u64),
            is_estimated: said.input_tokens.is_none() || said.output_tokens.is_none(),
        };
        // Counted in any case, since the tokens were paid for.
        self.metrics.provider_tokens(self.name(), &self.config.model, usage.input_tokens, usage.output_tokens);
        match said.end {
            EndReason::Cut => Err(ProviderError::Cut { max_tokens: self.config.max_tokens }),
            EndReason::Filtered => Err(ProviderError::Filtered),
            EndReason::Whole if said.text.trim().is_empty() => Err(ProviderError::Empty),
            EndReason::Whole => Ok(ModelText { text: said.text, usage: Some(usage) }),
        }
    }

    /// Returns the name of the provider in telemetry.
    const fn name(&self) -> &'static str {
        match self.config.kind {
            ProviderKind::OpenAi => "openai",
            ProviderKind::Anthropic => "anthropic",
        }
    }
}

impl TextModel for ProviderClient {
    fn answerer(&self) -> Answerer {
        Answerer::Provider
    }

    fn write<'a>(&'a self, prompt: &'a Prompt) -> ModelAnswer<'a> {
        Box::pin(async move {
            self.request_answer(prompt).await.map_err(|fault| {
                tracing::warn!(error = fault.cause(), "the provider returned no text");
                NoAnswer::Failed(fault.with_model(&self.config.model).into())
            })
        })
    }
}

/// Returns the headers of every request, including the key.
fn headers(config: &fumi_config::ProviderConfig) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    let plain = |value: &'static str| HeaderValue::from_static(value);
    headers.insert("content-type", plain("application/json"));
    let key = config.key.expose();
    let (name, value) = match config.kind {
        ProviderKind::OpenAi => ("authorization", format!("Bearer {key}")),
        ProviderKind::Anthropic => {
            headers.insert("anthropic-version", plain(wire::ANTHROPIC_VERSION));
            ("x-api-key", key.to_owned())
        }
    };
    if !key.is_empty() {
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| ConfigError("novel.provider: the key has characters that no header allows".to_owned()))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// Parses the header `Retry-After`, as seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?;
    let at = SystemTime::from(date.timestamp());
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Returns a random time between half of a wait and all of it, so that rejected clients do not all retry at once.
fn jittered(wait: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness the whole time is used.
    let share = if getrandom::fill(&mut byte).is_ok() { byte[0] } else { u8::MAX };
    wait / 2 + wait * u32::from(share) / (2 * u32::from(u8::MAX))
}

/// Returns the cause of an error without the URL: the operator knows it, and others need not.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}

/// True if a request with this status is worth a retry.
fn is_retryable_status(status: u16) -> bool {
    StatusCode::from_u16(status).is_ok_and(|status| {
        status.is_server_error() || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::{jittered, retry_after};

    #[test]
    fn waits_are_seconds_or_a_date() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(value).expect("a value"));
            retry_after(&headers)
        };
        assert_eq!(of("7"), Some(Duration::from_secs(7)));
        assert_eq!(of("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(of("Thu, 31 Dec 9998 23:59:59 GMT").is_some_and(|wait| wait > Duration::from_secs(1_000_000)));
        for nothing in ["", "soon", "-1"] {
            assert_eq!(of(nothing), None, "{nothing}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn a_jittered_wait_is_between_half_and_all() {
        let wait = Duration::from_secs(4);
        let waits: Vec<Duration> = (0..200).map(|_| jittered(wait)).collect();
        assert!(waits.iter().all(|one| (wait / 2..=wait).contains(one)), "{waits:?}");
        assert!(waits.iter().any(|one| one != &waits[0]));
    }
}
