//! Settings of the log, and of telemetry for a collector.

use std::net::SocketAddr;

use serde::Deserialize;

use super::ConfigError;

/// The settings of the log, which is written to standard error.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// The format of log lines: `pretty` or `json`.
    pub format: LogFormat,
    /// The filter of messages: `info`, `debug`, or a filter such as `fumi=debug,rmcp=warn`.
    pub filter: String,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines of text for people.
    Pretty,
    /// One JSON object a line.
    Json,
}

/// The settings of telemetry for an OpenTelemetry collector, and of the address for Prometheus.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The URL of the collector, such as `http://localhost:4318`. Empty: `OTEL_EXPORTER_OTLP_ENDPOINT`, or none.
    pub otlp_endpoint: String,
    /// The name of this server at the collector. `OTEL_SERVICE_NAME` wins.
    pub service_name: String,
    /// A separate address for `/metrics`, without authentication, such as `127.0.0.1:9464`. Empty: `/metrics` is a
    /// route like the others.
    pub metrics_listen: String,
}

impl TelemetryConfig {
    /// Reads the standard variables of OpenTelemetry, which override files.
    pub(super) fn read_environment(&mut self, environment: impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        if let Some(endpoint) = variable("OTEL_EXPORTER_OTLP_ENDPOINT") {
            self.otlp_endpoint = endpoint;
        }
        if let Some(name) = variable("OTEL_SERVICE_NAME") {
            self.service_name = name;
        }
        if let Some(other) = variable("OTEL_EXPORTER_OTLP_PROTOCOL").filter(|protocol| protocol != "http/protobuf") {
            return Err(ConfigError(format!(
                "OTEL_EXPORTER_OTLP_PROTOCOL: {other:?} is not supported, only http/protobuf, mostly on port 4318 of the collector"
            )));
        }
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            self.otlp_endpoint.clear();
        }
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !self.metrics_listen.is_empty() && self.metrics_listen.parse::<SocketAddr>().is_err() {
            return Err(ConfigError(format!(
                "telemetry.metrics_listen: {:?} is not an address and port, such as 127.0.0.1:9464",
                self.metrics_listen
            )));
        }
        if !self.otlp_endpoint.is_empty() && !self.otlp_endpoint.starts_with("http") {
            return Err(ConfigError(format!(
                "telemetry.otlp_endpoint: {:?} is not a URL, such as http://localhost:4318",
                self.otlp_endpoint
            )));
        }
        Ok(())
    }
}

impl LogConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let filter = tracing_subscriber::EnvFilter::try_new(&self.filter);
        filter.map_err(|error| ConfigError(format!("log.filter: {error}")))?;
        Ok(())
    }
}
