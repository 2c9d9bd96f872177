//! Which URLs are opened: by scheme, by host, by address.
//!
//! What is denied wins over what is allowed. Names are judged as they are written and again by the addresses that they
//! resolve to ([`crate::gate`]), so that neither a redirect nor a name of the attacker's own leads inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use fumi_base::text::Text;
use url::{Host, Url};

/// Names that lead to the machine itself or to what clouds tell their machines, whatever they resolve to.
const PRIVATE_NAMES: [&str; 9] = [
    "localhost",
    "localhost.localdomain",
    "ip6-localhost",
    "ip6-loopback",
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "instance-data",
];

/// Names of networks that are nobody else's.
const PRIVATE_DOMAINS: [&str; 6] = ["localhost", "local", "internal", "home.arpa", "localdomain", "lan"];

/// Which URLs are opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    allow: Vec<Pattern>,
    deny: Vec<Pattern>,
    deny_private: bool,
}

/// Why a URL is not opened, in both languages, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial(pub Text);

/// A pattern of hosts that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no host such as example.com, *.example.com, 192.0.2.1 or [2001:db8::1]:8080")]
pub struct BadPattern(pub String);

/// `example.com`, `*.example.com` (its subdomains, not itself), `*`; each with `:port` or for all ports.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    All,
    /// With the dot in front.
    Below(String),
    One(String),
}

impl Policy {
    /// From the lists of the configuration. An empty `allow` allows all hosts.
    pub fn new(allow: &[String], deny: &[String], deny_private: bool) -> Result<Self, BadPattern> {
        let read = |patterns: &[String]| {
            let patterns = patterns.iter().map(|pattern| Pattern::read(pattern));
            patterns.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            allow: read(allow)?,
            deny: read(deny)?,
            deny_private,
        })
    }

    /// Whether any host is denied. If none is, nothing has to be watched.
    #[must_use]
    pub fn denies_hosts(&self) -> bool {
        self.deny_private || !self.allow.is_empty() || !self.deny.is_empty()
    }

    /// Whether private addresses are denied.
    #[must_use]
    pub fn denies_private(&self) -> bool {
        self.deny_private
    }

    /// Judges a URL that a caller wants to open, before anything is resolved.
    pub fn judge(&self, url: &str) -> Result<(), Denial> {
        let parsed = Url::parse(url.trim()).map_err(|error| {
            Denial::new(
                format!("it is no URL with a scheme ({error})"),
                format!("スキーム付きの URL として解釈できません（{error}）"),
            )
        })?;
        match parsed.scheme() {
            "http" | "https" => {
                let host = parsed
                    .host()
                    .ok_or_else(|| Denial::new("it names no host", "ホスト名がありません"))?;
                self.judge_host(&host.to_owned(), parsed.port_or_known_default().unwrap_or(80))
            }
            "data" | "blob" => Ok(()),
            "about" if parsed.path().eq_ignore_ascii_case("blank") => Ok(()),
            scheme => Err(Denial::new(
                format!("the scheme {scheme}: is not opened, only http:, https:, data:, blob: and about:blank"),
                format!("{scheme}: は開けません。使えるのは http:・https:・data:・blob:・about:blank だけです"),
            )),
        }
    }

    /// Judges a host as it is written.
    pub fn judge_host(&self, host: &Host<String>, port: u16) -> Result<(), Denial> {
        let name = name_of(host);
        if self.deny.iter().any(|pattern| pattern.covers(&name, port)) {
            return Err(Denial::new(
                format!("the host {name} is denied"),
                format!("ホスト {name} は拒否リストにあります"),
            ));
        }
        if !self.allow.is_empty() && !self.allow.iter().any(|pattern| pattern.covers(&name, port)) {
            return Err(Denial::new(
                format!("the host {name} is not among the allowed ones"),
                format!("ホスト {name} は許可リストにありません"),
            ));
        }
        let is_private = match host {
            Host::Domain(_) => {
                PRIVATE_NAMES.contains(&name.as_str())
                    || PRIVATE_DOMAINS
                        .iter()
                        .any(|domain| name.strip_suffix(domain).is_some_and(|above| above.ends_with('.')))
            }
            Host::Ipv4(address) => is_private(IpAddr::V4(*address)),
            Host::Ipv6(address) => is_private(IpAddr::V6(*address)),
        };
        self.judge_private(&name, port, is_private)
    }

    /// Judges an address that a host resolved to, after [`Policy::judge_host`].
    pub fn judge_address(&self, host: &Host<String>, port: u16, address: IpAddr) -> Result<(), Denial> {
        // A list that names an address means it under whatever name.
        let written = match address.to_canonical() {
            IpAddr::V4(address) => name_of(&Host::Ipv4(address)),
            IpAddr::V6(address) => name_of(&Host::Ipv6(address)),
        };
        if self.deny.iter().any(|pattern| pattern.is_of(&written, port)) {
            return Err(Denial::new(
                format!("the host {} has a denied address", name_of(host)),
                format!("ホスト {} のアドレスは拒否リストにあります", name_of(host)),
            ));
        }
        self.judge_private(&name_of(host), port, is_private(address))
    }

    fn judge_private(&self, name: &str, port: u16, is_private: bool) -> Result<(), Denial> {
        // A host that the operator names literally is meant, wherever it is.
        if !is_private || !self.deny_private || self.allow.iter().any(|pattern| pattern.is_of(name, port)) {
            return Ok(());
        }
        Err(Denial::new(
            format!("{name} is a private or local address"),
            format!("{name} はプライベートまたはローカルのアドレスです"),
        ))
    }
}

impl Denial {
    fn new(en: impl Into<String>, ja: impl Into<String>) -> Self {
        Self(Text::new(en.into(), ja.into()))
    }
}

impl Pattern {
    fn read(written: &str) -> Result<Self, BadPattern> {
        let bad = || BadPattern(written.to_owned());
        let trimmed = written.trim();
        // The colons of an address of version 6 stand in brackets.
        let (host, port) = match trimmed.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().map_err(|_| bad())?)),
            _ => (trimmed, None),
        };
        let parse = |name: &str| Host::parse(name).map(|host| name_of(&host)).map_err(|_| bad());
        let hosts = match host.strip_prefix("*.") {
            Some(domain) => Hosts::Below(format!(".{}", parse(domain)?)),
            None if host == "*" => Hosts::All,
            None => Hosts::One(parse(host)?),
        };
        Ok(Self { hosts, port })
    }

    fn covers(&self, name: &str, port: u16) -> bool {
        self.port.is_none_or(|wanted| wanted == port)
            && match &self.hosts {
                Hosts::All => true,
                Hosts::Below(domain) => name.ends_with(domain.as_str()),
                Hosts::One(one) => name == one,
            }
    }

    /// Whether it names this host literally.
    fn is_of(&self, name: &str, port: u16) -> bool {
        matches!(self.hosts, Hosts::One(_)) && self.covers(name, port)
    }
}

/// The one spelling of a host: lower case, without the dot at the end, addresses of version 4 never as version 6.
fn name_of(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address
            .to_ipv4_mapped()
            .map_or_else(|| format!("[{address}]"), |address| address.to_string()),
    }
}

/// Whether an address belongs to this machine, to its network, or to nobody.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_private_4(address),
        IpAddr::V6(address) => is_private_6(address),
    }
}

fn is_private_4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Shared by a provider's customers, RFC 6598.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        // Benchmarks, RFC 2544.
        || (a == 198 && (b == 18 || b == 19))
}

fn is_private_6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [first, second, ..] = segments;
    let is_zero_between = segments[2..6] == [0; 4];
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_private_4(Ipv4Addr::new(a, b, c, d))
    };
    match (first, second) {
        // Unspecified, loopback, and version 4 in its old form.
        (0, 0) if is_zero_between => true,
        // Translation to version 4, RFC 6052; a network's own, RFC 8215, is its own affair.
        (0x64, 0xff9b) => !is_zero_between || embedded(segments[6], segments[7]),
        // 6to4 carries an address of version 4.
        (0x2002, high) => embedded(high, segments[2]),
        // Teredo hides one; documentation; what is to be dropped.
        (0x2001, 0 | 0xdb8) | (0x100, 0) => true,
        _ => first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80 || first & 0xffc0 == 0xfec0 || address.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(allow: &[&str], deny: &[&str], deny_private: bool) -> Policy {
        let own = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        Policy::new(&own(allow), &own(deny), deny_private).expect("patterns")
    }

    fn judged(policy: &Policy, urls: &[&str]) -> Vec<bool> {
        urls.iter().map(|url| policy.judge(url).is_ok()).collect()
    }

    #[test]
    fn schemes_that_are_opened_whatever_the_hosts() {
        let open = policy(&[], &[], false);
        assert!(!open.denies_hosts());
        for url in [
            "http://a.example",
            "HTTPS://a.example/x",
            "about:blank",
            "data:text/html,x",
            "blob:http://a/1",
        ] {
            assert_eq!(open.judge(url), Ok(()), "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "chrome://version",
            "javascript:alert(1)",
            "view-source:http://a.example",
            "devtools://devtools/x",
            "ftp://a.example/x",
            "about:config",
            "ws://a.example",
            "a.example",
            "",
        ] {
            let denial = open.judge(url).expect_err(url);
            assert!(!denial.0.en.is_empty() && denial.0.en != denial.0.ja, "{url}");
        }
    }

    #[test]
    fn private_addresses_in_all_spellings() {
        let closed = policy(&[], &[], true);
        for host in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:a00:1]",
            "[::7f00:1]",
            "[fd00::1]",
            "[fe80::1]",
            "[ff02::1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[fec0::1]",
            "metadata.google.internal",
            "printer.local",
            "１２７.0.0.1",
        ] {
            assert!(closed.judge(&format!("http://{host}:8080/")).is_err(), "{host}");
        }
        for host in [
            "example.com",
            "localhost.example.com",
            "notlocal",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "[2606:4700::1111]",
            "[64:ff9b::808:808]",
            "[2002:808:808::]",
        ] {
            assert_eq!(closed.judge(&format!("http://{host}/")), Ok(()), "{host}");
        }
    }

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
            (
                &["*"],
                &["evil.test", "example.com:80"],
                [false, true, true, true, false],
            ),
        ] {
            assert_eq!(
                judged(&policy(allow, deny, false), &urls),
                expected,
                "{allow:?} {deny:?}"
            );
        }
    }

    #[test]
    fn a_private_host_that_is_named_literally_is_meant() {
        let urls = [
            "http://localhost:3000",
            "http://localhost:4000",
            "http://127.0.0.1:3000",
            "http://10.0.0.1",
        ];
        let named = policy(&["localhost:3000", "*", "10.0.0.1"], &[], true);
        assert_eq!(judged(&named, &urls), [true, false, false, true]);
        let denied = policy(&["localhost:3000"], &["localhost"], true);
        assert_eq!(judged(&denied, &urls), [false; 4]);
    }

    #[test]
    fn addresses_are_judged_under_the_name_that_led_to_them() {
        let host = |name: &str| Host::Domain(name.to_owned());
        let inside = IpAddr::from([127, 0, 0, 1]);
        let closed = policy(&["app.test", "*"], &["8.8.8.8"], true);
        assert!(closed.judge_address(&host("rebound.test"), 80, inside).is_err());
        assert_eq!(closed.judge_address(&host("app.test"), 80, inside), Ok(()));
        assert!(
            closed
                .judge_address(&host("dns.test"), 80, IpAddr::from([8, 8, 8, 8]))
                .is_err()
        );
        assert_eq!(
            closed.judge_address(&host("a.test"), 80, IpAddr::from([1, 1, 1, 1])),
            Ok(())
        );
    }

    #[test]
    fn patterns_that_cannot_be_read() {
        for bad in ["", "a b", "http://example.com", "example.com:x", "*.", "a/b"] {
            assert!(Policy::new(&[bad.to_owned()], &[], false).is_err(), "{bad:?}");
        }
        assert!(Policy::new(&["[2001:db8::1]:80".to_owned(), "日本.example".to_owned()], &[], false).is_ok());
    }
}
