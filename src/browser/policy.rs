//! The policy that decides which URLs may be opened, by scheme, host and address.
//!
//! Denial takes precedence over permission. A host is checked as it is written, and again by every address that it
//! resolves to ([`crate::proxy`]), so neither a redirect nor a domain of an attacker can lead into the private network.

mod addresses;
mod pattern;

use std::net::IpAddr;

use fumi_base::text::BilingualText;
use url::{Host, Url};

use pattern::{HostPattern, canonical_host};

pub use pattern::BadPattern;

/// The lists of allowed and denied hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlPolicy {
    allow: Vec<HostPattern>,
    deny: Vec<HostPattern>,
    deny_private: bool,
    /// Public addresses that belong to this machine.
    own: Vec<IpAddr>,
}

/// The reason why a URL is denied, in both languages, phrased as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial(pub BilingualText);

impl UrlPolicy {
    /// Creates a policy from the configured lists. An empty `allow` allows all hosts.
    pub fn new(allow: &[String], deny: &[String], deny_private: bool) -> Result<Self, BadPattern> {
        let read = |patterns: &[String]| {
            let patterns = patterns.iter().map(|pattern| HostPattern::parse(pattern));
            patterns.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            allow: read(allow)?,
            deny: read(deny)?,
            deny_private,
            own: if deny_private { addresses::own() } else { Vec::new() },
        })
    }

    /// True if any host is denied. If not, no proxy is needed.
    pub fn denies_hosts(&self) -> bool {
        self.deny_private || !self.allow.is_empty() || !self.deny.is_empty()
    }

    /// Checks a URL that a caller wants to open, before its host is resolved.
    pub fn check_url(&self, url: &str) -> Result<(), Denial> {
        let parsed = Url::parse(url.trim()).map_err(|error| {
            Denial::new(
                format!("it is not a URL with a scheme ({error})"),
                format!("スキーム付きの URL として解釈できません（{error}）"),
            )
        })?;
        match parsed.scheme() {
            "http" | "https" => {
                let host = parsed.host().ok_or_else(|| Denial::new("it has no host", "ホスト名がありません"))?;
                self.check_host(&host.to_owned(), parsed.port_or_known_default().unwrap_or(80))
            }
            "data" | "blob" => Ok(()),
            "about" if parsed.path().eq_ignore_ascii_case("blank") => Ok(()),
            scheme => Err(denied_scheme(scheme)),
        }
    }

    /// Checks a host as it is written.
    pub fn check_host(&self, host: &Host<String>, port: u16) -> Result<(), Denial> {
        let name = canonical_host(host);
        if self.deny.iter().any(|pattern| pattern.covers(&name, port)) {
            return Err(Denial::new(
                format!("the host {name} is denied"),
                format!("ホスト {name} は拒否リストにあります"),
            ));
        }
        if !self.allow.is_empty() && !self.allow.iter().any(|pattern| pattern.covers(&name, port)) {
            return Err(Denial::new(
                format!("the host {name} is not on the list of allowed hosts"),
                format!("ホスト {name} は許可リストにありません"),
            ));
        }
        let is_private = match host {
            Host::Domain(_) => addresses::is_private_name(&name),
            Host::Ipv4(address) => self.is_private(IpAddr::V4(*address)),
            Host::Ipv6(address) => self.is_private(IpAddr::V6(*address)),
        };
        self.check_private(&name, port, is_private)
    }

    /// Checks an address that a host resolved to. Call [`UrlPolicy::check_host`] first.
    pub fn check_address(&self, host: &Host<String>, port: u16, address: IpAddr) -> Result<(), Denial> {
        // A denied address is denied under any host name.
        let written = match address.to_canonical() {
            IpAddr::V4(address) => canonical_host(&Host::Ipv4(address)),
            IpAddr::V6(address) => canonical_host(&Host::Ipv6(address)),
        };
        if self.deny.iter().any(|pattern| pattern.names_literally(&written, port)) {
            return Err(Denial::new(
                format!("the host {} has a denied address", canonical_host(host)),
                format!("ホスト {} のアドレスは拒否リストにあります", canonical_host(host)),
            ));
        }
        self.check_private(&canonical_host(host), port, self.is_private(address))
    }

    fn is_private(&self, address: IpAddr) -> bool {
        addresses::is_private(address) || self.own.contains(&address.to_canonical())
    }

    fn check_private(&self, name: &str, port: u16, is_private: bool) -> Result<(), Denial> {
        // A private host that the operator lists literally is allowed.
        if !is_private || !self.deny_private || self.allow.iter().any(|pattern| pattern.names_literally(name, port)) {
            return Ok(());
        }
        Err(Denial::new(
            format!("{name} is a private or local address"),
            format!("{name} はプライベートまたはローカルのアドレスです"),
        ))
    }
}

/// Returns the reason why the document that a tab shows must not be read. A tab may show a document that no caller asked for:
/// Chromium opens a dropped file, for example. `None` for the schemes that callers may open, and for Chromium's own page of a
/// failed load. Hosts are judged by the proxy.
pub(crate) fn denial_of_shown(url: &str) -> Option<Denial> {
    const READABLE: [&str; 6] = ["http", "https", "data", "blob", "about", "chrome-error"];
    let scheme = url.split_once(':')?.0;
    (!READABLE.contains(&scheme)).then(|| denied_scheme(scheme))
}

fn denied_scheme(scheme: &str) -> Denial {
    Denial::new(
        format!("the scheme {scheme}: is not allowed, only http:, https:, data:, blob: and about:blank"),
        format!("{scheme}: は開けません。使えるのは http:・https:・data:・blob:・about:blank だけです"),
    )
}

impl Denial {
    fn new(en: impl Into<String>, ja: impl Into<String>) -> Self {
        Self(BilingualText::new(en.into(), ja.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn policy(allow: &[&str], deny: &[&str], deny_private: bool) -> UrlPolicy {
        let own = |list: &[&str]| list.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        UrlPolicy::new(&own(allow), &own(deny), deny_private).expect("patterns")
    }

    pub(super) fn judged(policy: &UrlPolicy, urls: &[&str]) -> Vec<bool> {
        urls.iter().map(|url| policy.check_url(url).is_ok()).collect()
    }

    #[test]
    fn schemes_that_are_opened_whatever_the_hosts() {
        let open = policy(&[], &[], false);
        assert!(!open.denies_hosts());
        for url in ["http://a.example", "HTTPS://a.example/x", "about:blank", "data:text/html,x", "blob:http://a/1"] {
            assert_eq!(open.check_url(url), Ok(()), "{url}");
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
            let denial = open.check_url(url).expect_err(url);
            assert!(!denial.0.en.is_empty() && denial.0.en != denial.0.ja, "{url}");
        }
    }

    #[test]
    fn literally_listed_private_host_is_allowed() {
        let urls = ["http://localhost:3000", "http://localhost:4000", "http://127.0.0.1:3000", "http://10.0.0.1"];
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
        assert!(closed.check_address(&host("rebound.test"), 80, inside).is_err());
        assert_eq!(closed.check_address(&host("app.test"), 80, inside), Ok(()));
        assert!(closed.check_address(&host("dns.test"), 80, IpAddr::from([8, 8, 8, 8])).is_err());
        assert_eq!(closed.check_address(&host("a.test"), 80, IpAddr::from([1, 1, 1, 1])), Ok(()));
    }
}
