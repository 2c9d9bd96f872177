//! Finds the user who owns the other end of a local connection.

use std::net::SocketAddr;

/// The file in which Linux lists TCP connections over IPv4.
const TABLE: &str = "/proc/net/tcp";

/// True if the process at the other end runs as the same user as this process. False if the owner cannot be determined.
pub(super) async fn is_same_user(peer: SocketAddr, own: SocketAddr) -> bool {
    let Ok(table) = tokio::fs::read_to_string(TABLE).await else {
        return false;
    };
    owner(&table, peer, own) == Some(rustix::process::geteuid().as_raw())
}

/// Returns the user id of the socket whose local address is `peer` and whose remote address is `own`.
fn owner(table: &str, peer: SocketAddr, own: SocketAddr) -> Option<u32> {
    let (peer, own) = (written(peer)?, written(own)?);
    table.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let is_it = fields.next()? == peer && fields.next()? == own;
        is_it.then(|| fields.nth(4)?.parse().ok()).flatten()
    })
}

/// Formats an address as in the table: the bytes of the address in the machine's order, in hexadecimal.
fn written(address: SocketAddr) -> Option<String> {
    let SocketAddr::V4(address) = address else {
        return None;
    };
    let number = u32::from_ne_bytes(address.ip().octets());
    Some(format!("{number:08X}:{:04X}", address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_far_end_of_our_own_connection_is_ours() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let own = listener.local_addr().expect("an address");
        let stream = tokio::net::TcpStream::connect(own).await.expect("a connection");
        let (_accepted, peer) = listener.accept().await.expect("accepted");
        assert!(is_same_user(peer, own).await);
        drop(stream);
        let other = SocketAddr::from(([127, 0, 0, 1], 1));
        assert!(!is_same_user(other, own).await);
    }

    #[test]
    fn owner_reads_uid_column() {
        let row = |user: u32| {
            format!(
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                 0: {} {} 01 00000000:00000000 00:00000000 00000000 {user:5}        0 29 1\n",
                written(SocketAddr::from(([127, 0, 0, 1], 40_000))).expect("version 4"),
                written(SocketAddr::from(([127, 0, 0, 1], 80))).expect("version 4"),
            )
        };
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(owner(&row(1000), at(40_000), at(80)), Some(1000));
        assert_eq!(owner(&row(1000), at(40_001), at(80)), None);
    }
}
