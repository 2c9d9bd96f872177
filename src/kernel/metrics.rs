//! All metrics, named by the semantic conventions of OpenTelemetry where they exist, and with the prefix `fumi.`
//! elsewhere.
//!
//! Label values are bounded: names of the catalogue, of pools, of routes; never a client's string. One set of metrics
//! belongs to one process (in tests: to one server). The meter decides where they are exported to.

use std::{sync::Arc, time::Duration};

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram, Meter, UpDownCounter},
};

use super::result_form::ResultForm;

/// Buckets of durations, in seconds, as advised by the conventions for MCP and HTTP; finer at the lower end, where
/// cached answers are.
const SECONDS: [f64; 16] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Buckets of the duration of a provider's answer, in seconds, as advised by the conventions for generative models.
const ANSWERS: [f64; 14] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/// Buckets of the tokens of a provider's answer, as advised by the same conventions.
const TOKENS: [f64; 12] =
    [1.0, 4.0, 16.0, 64.0, 256.0, 1_024.0, 4_096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0, 4_194_304.0];
/// Buckets of the lifetime of a session and of a writing stage, which people may answer, in seconds: up to a day.
const LIVES: [f64; 10] = [1.0, 10.0, 60.0, 300.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 21_600.0, 86_400.0];

/// The metrics of a process.
#[derive(Debug)]
pub struct ServerMetrics {
    meter: Meter,
    operations: Histogram<f64>,
    rest_calls: Histogram<f64>,
    sessions: Histogram<f64>,
    restored: Counter<u64>,
    requests: Histogram<f64>,
    running: UpDownCounter<i64>,
    pool_waits: Histogram<f64>,
    lookups: Counter<u64>,
    tokens: Counter<u64>,
    tokens_saved: Counter<u64>,
    provider_answers: Histogram<f64>,
    provider_tokens: Histogram<u64>,
    refused: Counter<u64>,
    batches: Histogram<f64>,
    batch_steps: Counter<u64>,
    batch_calls_saved: Counter<u64>,
    batch_tokens_saved: Counter<u64>,
    novel_stages: Histogram<f64>,
    novel_chains: Counter<u64>,
}

/// The result of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchOutcome {
    /// True if every step succeeded.
    pub success: bool,
    /// The executed steps: the tool, true if it succeeded, and their number.
    pub steps: Vec<(&'static str, bool, u64)>,
    /// The number of steps that did not run.
    pub not_run: u64,
    /// The number of round trips saved by the batch.
    pub calls_saved: u64,
    /// The estimated tokens of values passed from step to step, which a model would otherwise have to read and write.
    pub tokens_saved: u64,
    /// The total time of all steps.
    pub time: Duration,
}

/// The reason why a request was refused before any tool was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, fumi_base::Named)]
pub enum RefusalReason {
    /// A missing or invalid token, or a missing scope.
    Auth,
    /// More calls than the rate limit allows.
    Rate,
    /// Too many requests, connections or sessions at once.
    Busy,
    /// The body is too large.
    Body,
    /// A host name or origin that is not allowed.
    Host,
}

impl ServerMetrics {
    /// Creates the instruments.
    pub fn new(meter: Meter) -> Arc<Self> {
        let seconds = |name: &'static str, about: &'static str, bounds: &[f64]| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_description(about);
            histogram.with_boundaries(bounds.to_vec()).build()
        };
        Arc::new(Self {
            operations: seconds("mcp.server.operation.duration", "Time from an MCP request to its result", &SECONDS),
            rest_calls: seconds("fumi.rest.call.duration", "Time from a call over REST to its reply", &SECONDS),
            sessions: seconds("mcp.server.session.duration", "Lifetime of an MCP session", &LIVES),
            requests: seconds("http.server.request.duration", "Time to the head of an HTTP response", &SECONDS),
            pool_waits: seconds("fumi.pool.wait", "Time a call waited for a slot in a pool", &SECONDS),
            provider_answers: seconds(
                "gen_ai.client.operation.duration",
                "Time from a request to a provider's model to its answer, or to its failure",
                &ANSWERS,
            ),
            provider_tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_description("Tokens that a provider's model read and wrote for one answer")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            running: meter
                .i64_up_down_counter("fumi.calls.running")
                .with_description("Tool calls that are running or waiting")
                .build(),
            restored: meter
                .u64_counter("fumi.sessions.restored")
                .with_description("Sessions of an earlier process that were restored")
                .build(),
            lookups: meter.u64_counter("fumi.cache.lookups").with_description("Look-ups in the result cache").build(),
            tokens: meter
                .u64_counter("fumi.tokens.out")
                .with_description("Estimated tokens of replies, as a model counts them")
                .build(),
            tokens_saved: meter
                .u64_counter("fumi.tokens.saved")
                .with_description(
                    "Estimated tokens that replies in text form have less than the JSON of the same results",
                )
                .build(),
            batches: seconds("fumi.batch.duration", "Total time of the steps of a batch", &SECONDS),
            batch_steps: meter.u64_counter("fumi.batch.steps").with_description("Steps of batches, by result").build(),
            batch_calls_saved: meter
                .u64_counter("fumi.batch.calls.saved")
                .with_description("Round trips saved by batches")
                .build(),
            batch_tokens_saved: meter
                .u64_counter("fumi.batch.tokens.saved")
                .with_description("Estimated tokens of values passed from step to step without a model")
                .build(),
            novel_stages: seconds(
                "fumi.novel.stage.duration",
                "Time from the first question of a writing stage to its last answer, of all its turns",
                &LIVES,
            ),
            novel_chains: meter
                .u64_counter("fumi.novel.chains.completed")
                .with_description("Episodes that completed all their stages")
                .build(),
            refused: meter
                .u64_counter("fumi.refused")
                .with_description("Requests refused before any tool was called")
                .build(),
            meter,
        })
    }

    /// Records the end of an MCP request.
    pub fn operation(&self, method: &'static str, tool: Option<&'static str>, error: Option<&str>, elapsed: Duration) {
        let mut labels = vec![KeyValue::new("mcp.method.name", method)];
        labels.extend(tool.map(|tool| KeyValue::new("gen_ai.tool.name", tool)));
        labels.extend(error.map(|error| KeyValue::new("error.type", error.to_owned())));
        self.operations.record(elapsed.as_secs_f64(), &labels);
    }

    /// Records the end of a call that was not an MCP message: one by the REST API or by the form of the web page.
    pub fn rest_call(&self, tool: &'static str, is_error: bool, elapsed: Duration) {
        let mut labels = vec![KeyValue::new("gen_ai.tool.name", tool)];
        labels.extend(is_error.then(|| KeyValue::new("error.type", "tool_error")));
        self.rest_calls.record(elapsed.as_secs_f64(), &labels);
    }

    /// Records the end of a session.
    pub fn session(&self, lived: Duration) {
        self.sessions.record(lived.as_secs_f64(), &[]);
    }

    /// Counts a session of another process that was restored in this one.
    pub fn session_restored(&self) {
        self.restored.add(1, &[]);
    }

    /// Records an answered HTTP request. `route` is a template.
    pub fn request(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let labels = [
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route.to_owned()),
            KeyValue::new("http.response.status_code", i64::from(status)),
        ];
        self.requests.record(took.as_secs_f64(), &labels);
    }

    /// Records the waiting time of a call that got its slot in a pool.
    pub fn pool_wait(&self, pool: &'static str, waited: Duration) {
        self.pool_waits.record(waited.as_secs_f64(), &[KeyValue::new("pool", pool)]);
    }

    /// Counts a look-up in the result cache.
    pub fn lookup(&self, hit: bool) {
        let result = if hit { "hit" } else { "miss" };
        self.lookups.add(1, &[KeyValue::new("result", result)]);
    }

    /// Counts the tokens of a tool's answer. For a reply in both forms, `tokens` is that of the larger one.
    pub fn tokens(&self, tool: &'static str, form: ResultForm, tokens: u64) {
        let labels = [KeyValue::new("gen_ai.tool.name", tool), KeyValue::new("format", form.name())];
        self.tokens.add(tokens, &labels);
    }

    /// Counts the tokens that a reply in text form has less than the JSON of the same result.
    pub fn tokens_saved(&self, tool: &'static str, tokens: u64) {
        self.tokens_saved.add(tokens, &[KeyValue::new("gen_ai.tool.name", tool)]);
    }

    /// Records one request to a provider's model. `error` is the kind of the error; the model is the configured one.
    pub fn provider_asked(&self, provider: &'static str, model: &str, error: Option<&'static str>, took: Duration) {
        let mut labels = model_labels(provider, model);
        labels.extend(error.map(|error| KeyValue::new("error.type", error)));
        self.provider_answers.record(took.as_secs_f64(), &labels);
    }

    /// Records the tokens of a provider's answer.
    pub fn provider_tokens(&self, provider: &'static str, model: &str, input: u64, output: u64) {
        for (kind, tokens) in [("input", input), ("output", output)] {
            let mut labels = model_labels(provider, model);
            labels.push(KeyValue::new("gen_ai.token.type", kind));
            self.provider_tokens.record(tokens, &labels);
        }
    }

    /// Records the result of a batch.
    pub fn batch(&self, outcome: &BatchOutcome) {
        let word = |success| if success { "succeeded" } else { "failed" };
        self.batches.record(outcome.time.as_secs_f64(), &[KeyValue::new("result", word(outcome.success))]);
        for (tool, success, count) in &outcome.steps {
            let labels = [KeyValue::new("gen_ai.tool.name", *tool), KeyValue::new("result", word(*success))];
            self.batch_steps.add(*count, &labels);
        }
        self.batch_steps.add(outcome.not_run, &[KeyValue::new("result", "not_run")]);
        self.batch_calls_saved.add(outcome.calls_saved, &[]);
        self.batch_tokens_saved.add(outcome.tokens_saved, &[]);
    }

    /// Records a completed writing stage. `stage` is its name.
    pub fn novel_stage(&self, stage: &'static str, took: Duration) {
        self.novel_stages.record(took.as_secs_f64(), &[KeyValue::new("stage", stage)]);
    }

    /// Counts an episode that completed all its stages.
    pub fn novel_chain(&self) {
        self.novel_chains.add(1, &[]);
    }

    /// Counts a refused request.
    pub fn refused(&self, by: RefusalReason) {
        self.refused.add(1, &[KeyValue::new("reason", by.name())]);
    }

    /// Counts a call as running until the returned guard is dropped.
    pub fn running(self: &Arc<Self>) -> RunningCallGuard {
        self.running.add(1, &[]);
        RunningCallGuard(Arc::clone(self))
    }

    /// Registers a counter that is read whenever the metrics are collected.
    pub fn register_counter(
        &self,
        (name, unit): (&'static str, &'static str),
        about: &'static str,
        read: impl Fn() -> u64 + Send + Sync + 'static,
    ) {
        let counter = self.meter.u64_observable_counter(name).with_unit(unit).with_description(about);
        let _ = counter.with_callback(move |told| told.observe(read(), &[])).build();
    }

    /// Registers a gauge that is read whenever the metrics are collected. `read` returns the values with one label
    /// each, or with none.
    pub fn register_gauge(
        &self,
        (name, unit): (&'static str, &'static str),
        about: &'static str,
        read: impl Fn(&mut dyn FnMut(u64, &[KeyValue])) + Send + Sync + 'static,
    ) {
        let gauge = self.meter.u64_observable_gauge(name).with_unit(unit).with_description(about);
        // The meter provider keeps the callback; the instrument itself is not needed.
        let _ = gauge.with_callback(move |observer| read(&mut |value, labels| observer.observe(value, labels))).build();
    }
}

/// Returns the labels that the conventions require for a model.
fn model_labels(provider: &'static str, model: &str) -> Vec<KeyValue> {
    vec![
        KeyValue::new("gen_ai.operation.name", "chat"),
        KeyValue::new("gen_ai.provider.name", provider),
        KeyValue::new("gen_ai.request.model", model.to_owned()),
    ]
}

/// A guard that counts a call as running until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct RunningCallGuard(Arc<ServerMetrics>);

impl Drop for RunningCallGuard {
    fn drop(&mut self) {
        self.0.running.add(-1, &[]);
    }
}
