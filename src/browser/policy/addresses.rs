//! Names and addresses that are private: they belong to this machine, to its network, or are not publicly routable.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Names of this machine and of cloud metadata services. They are private whatever they resolve to.
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

/// Domains that are reserved for private networks.
const PRIVATE_DOMAINS: [&str; 6] = ["localhost", "local", "internal", "home.arpa", "localdomain", "lan"];

/// True if a name is private whatever it resolves to. The name must be spelt as [`super::pattern::name_of`] does.
pub(super) fn is_private_name(name: &str) -> bool {
    let is_below = |domain: &&str| name.strip_suffix(*domain).is_some_and(|above| above.ends_with('.'));
    PRIVATE_NAMES.contains(&name) || PRIVATE_DOMAINS.iter().any(is_below)
}

/// True if an address belongs to this machine or its network, or is not publicly routable.
pub(super) fn is_private(address: IpAddr) -> bool {
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
        // Azure's metadata service, which uses a public address.
        || address == Ipv4Addr::new(168, 63, 129, 16)
        // Carrier-grade NAT, RFC 6598.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        // Benchmark networks, RFC 2544.
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
        // Unspecified, loopback, and IPv4-compatible addresses.
        (0, 0) if is_zero_between => true,
        // NAT64 with the well-known prefix, RFC 6052; the prefix for local use, RFC 8215, is always private.
        (0x64, 0xff9b) => !is_zero_between || embedded(segments[6], segments[7]),
        // 6to4 embeds an IPv4 address.
        (0x2002, high) => embedded(high, segments[2]),
        // Teredo, which obscures an IPv4 address; documentation; discard-only.
        (0x2001, 0 | 0xdb8) | (0x100, 0) => true,
        _ => first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80 || first & 0xffc0 == 0xfec0 || address.is_multicast(),
    }
}

/// Returns the addresses of this machine as Linux lists them. A list that cannot be read counts as empty.
pub(super) fn own() -> Vec<IpAddr> {
    let read = |file| std::fs::read_to_string(file).unwrap_or_default();
    let (four, six) = (read("/proc/net/fib_trie"), read("/proc/net/if_inet6"));
    local_4(&four).map(IpAddr::V4).chain(local_6(&six).map(IpAddr::V6)).collect()
}

/// Parses IPv4 addresses: each is on the line before the one that marks it as local.
fn local_4(fib_trie: &str) -> impl Iterator<Item = Ipv4Addr> {
    let lines = fib_trie.lines().zip(fib_trie.lines().skip(1));
    lines.filter_map(|(line, next)| {
        let address = line.trim().strip_prefix("|-- ")?;
        next.ends_with("host LOCAL").then(|| address.parse().ok()).flatten()
    })
}

/// Parses IPv6 addresses: each is the first word of its line, as 32 hexadecimal digits.
fn local_6(if_inet6: &str) -> impl Iterator<Item = Ipv6Addr> {
    let words = if_inet6.lines().filter_map(|line| line.split(' ').next());
    words.filter_map(|digits| Some(Ipv6Addr::from_bits(u128::from_str_radix(digits, 16).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::super::{UrlPolicy, tests::policy};

    #[test]
    fn the_machine_s_own_addresses_are_private() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 203.0.112.9\n        /32 host LOCAL\n     |-- 203.0.112.0\n        /24 link UNICAST";
        assert_eq!(
            super::local_4(trie).collect::<Vec<_>>(),
            ["203.0.112.9".parse::<std::net::Ipv4Addr>().expect("an address")]
        );
        let six = "26064700000000000000000000001111 02 40 00 80 eth0";
        let own = super::local_6(six).next().expect("an address");
        let closed = UrlPolicy { own: vec![own.into()], ..policy(&[], &[], true) };
        assert!(closed.check_url("http://[2606:4700::1111]/").is_err());
        assert_eq!(closed.check_url("http://[2606:4700::1112]/"), Ok(()));
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
            "168.63.129.16",
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
            assert!(closed.check_url(&format!("http://{host}:8080/")).is_err(), "{host}");
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
            assert_eq!(closed.check_url(&format!("http://{host}/")), Ok(()), "{host}");
        }
    }
}
