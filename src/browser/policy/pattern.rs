//! Host patterns of the configuration.

use url::Host;

/// A host pattern that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a host such as example.com, *.example.com, 192.0.2.1 or [2001:db8::1]:8080")]
pub struct BadPattern(pub String);

/// A host pattern: `example.com`, `*.example.com` (its subdomains, not the domain itself) or `*`; each with an optional
/// `:port`, without which it matches all ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPattern {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    All,
    /// All subdomains of a domain, which is stored with a leading dot.
    Below(String),
    One(String),
}

impl HostPattern {
    pub(super) fn parse(written: &str) -> Result<Self, BadPattern> {
        let bad = || BadPattern(written.to_owned());
        let trimmed = written.trim();
        // The colons of an IPv6 address are inside brackets.
        let (host, port) = match trimmed.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().map_err(|_| bad())?)),
            _ => (trimmed, None),
        };
        let parse = |name: &str| Host::parse(name).map(|host| canonical_host(&host)).map_err(|_| bad());
        let hosts = match host.strip_prefix("*.") {
            Some(domain) => Hosts::Below(format!(".{}", parse(domain)?)),
            None if host == "*" => Hosts::All,
            None => Hosts::One(parse(host)?),
        };
        Ok(Self { hosts, port })
    }

    pub(super) fn covers(&self, name: &str, port: u16) -> bool {
        self.port.is_none_or(|wanted| wanted == port)
            && match &self.hosts {
                Hosts::All => true,
                Hosts::Below(domain) => name.ends_with(domain.as_str()),
                Hosts::One(one) => name == one,
            }
    }

    /// True if the pattern names this host literally, without a wildcard.
    pub(super) fn names_literally(&self, name: &str, port: u16) -> bool {
        matches!(self.hosts, Hosts::One(_)) && self.covers(name, port)
    }
}

/// Returns the canonical spelling of a host: lower case, no trailing dot, and IPv4-mapped IPv6 addresses as IPv4.
pub(super) fn canonical_host(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => {
            address.to_ipv4_mapped().map_or_else(|| format!("[{address}]"), |address| address.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        UrlPolicy,
        tests::{judged, policy},
    };

    #[test]
    fn lists_of_hosts() {
        let urls = [
            "http://example.com/",
            "http://a.example.com/",
            "http://a.example.com:8080/",
            "http://badexample.com/",
            "https://user@example.com@evil.test/",
        ];
        for (allow, deny, expected) in [
            (&["example.com"][..], &[][..], [true, false, false, false, false]),
            (&["*.example.com"], &[], [false, true, true, false, false]),
            (&["*.example.com:8080"], &[], [false, false, true, false, false]),
            (&[], &["*.EXAMPLE.com."], [true, false, false, true, true]),
            (&["*"], &["evil.test", "example.com:80"], [false, true, true, true, false]),
        ] {
            assert_eq!(judged(&policy(allow, deny, false), &urls), expected, "{allow:?} {deny:?}");
        }
    }

    #[test]
    fn patterns_that_cannot_be_read() {
        for bad in ["", "a b", "http://example.com", "example.com:x", "*.", "a/b"] {
            assert!(UrlPolicy::new(&[bad.to_owned()], &[], false).is_err(), "{bad:?}");
        }
        assert!(UrlPolicy::new(&["[2001:db8::1]:80".to_owned(), "日本.example".to_owned()], &[], false).is_ok());
    }
}
