//! Export of traces, metrics and logs to an OpenTelemetry collector (OTLP).
//!
//! It is on if the configuration or `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector. The exporters read further
//! settings from the standard `OTEL_*` variables (headers, timeouts, sampling, resource attributes). If the collector
//! is unreachable, data is dropped: calls never wait for it.

use fumi_config::TelemetryConfig;
use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig as _,
};
use opentelemetry_sdk::{
    Resource, logs::SdkLoggerProvider, metrics::PeriodicReader, metrics::exporter::PushMetricExporter,
    trace::SdkTracerProvider,
};

/// The exporters of spans and messages. Flush them with [`Exporters::shutdown`].
#[derive(Debug)]
pub struct Exporters {
    /// The exporter of spans.
    pub traces: Option<SdkTracerProvider>,
    /// The exporter of log messages.
    pub logs: Option<SdkLoggerProvider>,
}

/// Returns the attributes that identify this server.
pub fn resource(config: &TelemetryConfig) -> Resource {
    Resource::builder()
        .with_service_name(config.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build()
}

impl Exporters {
    /// Creates the exporters if a collector is configured.
    pub fn open(config: &TelemetryConfig) -> Result<Option<Self>, ExporterBuildError> {
        if config.otlp_endpoint.is_empty() {
            return Ok(None);
        }
        let spans = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(http(config, "traces"))
            .build()?;
        let messages = LogExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(http(config, "logs"))
            .build()?;
        let traces = SdkTracerProvider::builder().with_resource(resource(config)).with_batch_exporter(spans);
        let logs = SdkLoggerProvider::builder().with_resource(resource(config)).with_batch_exporter(messages);
        Ok(Some(Self { traces: Some(traces.build()), logs: Some(logs.build()) }))
    }

    /// Sends the remaining data. Blocks until it is sent or given up.
    pub fn shutdown(&self) {
        if let Some(traces) = &self.traces {
            let _ = traces.shutdown();
        }
        if let Some(logs) = &self.logs {
            let _ = logs.shutdown();
        }
    }
}

/// Creates the periodic exporter of metrics if a collector is configured.
pub fn metrics(
    config: &TelemetryConfig,
) -> Result<Option<PeriodicReader<impl PushMetricExporter + use<>>>, ExporterBuildError> {
    if config.otlp_endpoint.is_empty() {
        return Ok(None);
    }
    let exporter = MetricExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(http(config, "metrics"))
        .build()?;
    Ok(Some(PeriodicReader::builder(exporter).build()))
}

/// Returns the URL of one signal. Over HTTP every signal has its own path.
fn http(config: &TelemetryConfig, signal: &str) -> String {
    format!("{}/v1/{signal}", config.otlp_endpoint.trim_end_matches('/'))
}
