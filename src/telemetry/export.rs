//! Sending traces, metrics and logs to an OpenTelemetry collector (OTLP).
//!
//! On when the configuration or `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector. What the configuration does not know is read by
//! the exporters from the standard `OTEL_*` variables (headers, timeouts, sampling, resource attributes). A collector that is
//! away costs nothing but what is dropped: calls never wait for it.

use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig as _,
};
use opentelemetry_sdk::{
    Resource, logs::SdkLoggerProvider, metrics::PeriodicReader, metrics::exporter::PushMetricExporter,
    trace::SdkTracerProvider,
};

use crate::config::{OtlpProtocol, Telemetry};

/// What sends spans and messages. Flush with [`Exporters::shutdown`].
#[derive(Debug)]
pub struct Exporters {
    /// Spans.
    pub traces: Option<SdkTracerProvider>,
    /// Messages of the log.
    pub logs: Option<SdkLoggerProvider>,
}

/// Who says it.
#[must_use]
pub fn resource(config: &Telemetry) -> Resource {
    Resource::builder()
        .with_service_name(config.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build()
}

impl Exporters {
    /// What sends, if there is a collector. Needs the context of a runtime for gRPC.
    pub fn open(config: &Telemetry) -> Result<Option<Self>, ExporterBuildError> {
        if config.otlp_endpoint.is_empty() {
            return Ok(None);
        }
        let spans = match config.otlp_protocol {
            OtlpProtocol::Http => SpanExporter::builder()
                .with_http()
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(http(config, "traces"))
                .build(),
            OtlpProtocol::Grpc => SpanExporter::builder()
                .with_tonic()
                .with_endpoint(&config.otlp_endpoint)
                .build(),
        }?;
        let messages = match config.otlp_protocol {
            OtlpProtocol::Http => LogExporter::builder()
                .with_http()
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(http(config, "logs"))
                .build(),
            OtlpProtocol::Grpc => LogExporter::builder()
                .with_tonic()
                .with_endpoint(&config.otlp_endpoint)
                .build(),
        }?;
        let traces = SdkTracerProvider::builder()
            .with_resource(resource(config))
            .with_batch_exporter(spans);
        let logs = SdkLoggerProvider::builder()
            .with_resource(resource(config))
            .with_batch_exporter(messages);
        Ok(Some(Self {
            traces: Some(traces.build()),
            logs: Some(logs.build()),
        }))
    }

    /// Sends what is left. Blocks until it is sent or given up.
    pub fn shutdown(&self) {
        if let Some(traces) = &self.traces {
            let _ = traces.shutdown();
        }
        if let Some(logs) = &self.logs {
            let _ = logs.shutdown();
        }
    }
}

/// What sends metrics now and then, if there is a collector.
pub fn metrics(
    config: &Telemetry,
) -> Result<Option<PeriodicReader<impl PushMetricExporter + use<>>>, ExporterBuildError> {
    if config.otlp_endpoint.is_empty() {
        return Ok(None);
    }
    let exporter = match config.otlp_protocol {
        OtlpProtocol::Http => MetricExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(http(config, "metrics"))
            .build(),
        OtlpProtocol::Grpc => MetricExporter::builder()
            .with_tonic()
            .with_endpoint(&config.otlp_endpoint)
            .build(),
    }?;
    Ok(Some(PeriodicReader::builder(exporter).build()))
}

/// Over HTTP every signal has a path of its own.
fn http(config: &Telemetry, signal: &str) -> String {
    format!("{}/v1/{signal}", config.otlp_endpoint.trim_end_matches('/'))
}
