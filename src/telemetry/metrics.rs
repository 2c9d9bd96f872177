//! Where the metrics are exported to: served at `/metrics`, and sent to the collector if one is configured.

use fumi_config::{ConfigError, TelemetryConfig};
use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::{Encoder as _, Registry, TextEncoder, proto::MetricFamily};

use super::export;

/// The exporters of one process (in tests: of one server).
#[derive(Debug)]
pub struct MetricsExporter {
    provider: SdkMeterProvider,
    registry: Registry,
}

impl MetricsExporter {
    /// Creates the exporters.
    pub fn open(config: &TelemetryConfig) -> Result<Self, ConfigError> {
        let failed = |error: &dyn std::fmt::Display| ConfigError(format!("telemetry: {error}"));
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone());
        let mut builder = SdkMeterProvider::builder()
            .with_resource(export::resource(config))
            .with_reader(exporter.build().map_err(|error| failed(&error))?);
        if let Some(reader) = export::metrics(config).map_err(|error| failed(&error))? {
            builder = builder.with_reader(reader);
        }
        let provider = builder.build();
        Ok(Self { provider, registry })
    }

    /// Returns a meter, whose instruments are exported.
    pub fn meter(&self) -> Meter {
        self.provider.meter("fumi")
    }

    /// Returns all metrics with their values.
    pub fn families(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    /// Returns the value of a gauge without labels; 0 if it does not exist.
    pub fn gauge(&self, name: &str) -> f64 {
        let families = self.families();
        let family = families.iter().find(|family| family.name() == name);
        family.and_then(|family| family.get_metric().first()).map_or(0.0, |metric| metric.get_gauge().get_value())
    }

    /// Formats all metrics for Prometheus.
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        // Fails only for a malformed metric, which the types rule out.
        let _ = TextEncoder::new().encode(&self.families(), &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Sends the remaining data. Blocks until it is sent or given up.
    pub fn shutdown(&self) {
        let _ = self.provider.shutdown();
    }
}

/// Returns the resident memory of the process, in bytes; `None` if the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    resident_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the resident bytes that a text of `/proc/PID/status` reports. It counts in kibibytes; `statm` counts in
/// pages, whose size depends on the machine.
fn resident_in(status: &str) -> Option<u64> {
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = kibibytes.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::{resident_bytes, resident_in};

    #[test]
    fn resident_memory_does_not_depend_on_the_size_of_pages() {
        let status = "Name:\tfumi\nVmHWM:\t   9000 kB\nVmRSS:\t   2048 kB\nRssAnon:\t   1000 kB\n";
        assert_eq!(resident_in(status), Some(2 << 20));
        assert_eq!(resident_in("Name:\tfumi\n"), None);
        assert_eq!(resident_bytes().is_some(), cfg!(target_os = "linux"));
    }
}
