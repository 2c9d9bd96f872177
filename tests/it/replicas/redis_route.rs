//! A proxy between a replica and its Redis server.

#![allow(clippy::disallowed_methods, reason = "threads of a test pass bytes on")]

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::redis_server::RedisServer;

/// A way to a Redis server that can be cut, and that can lead to another server, as a name does after a failover.
pub(super) struct RedisRoute {
    pub(super) port: u16,
    behind: Arc<AtomicU16>,
    /// The delay of each answer, in milliseconds.
    delay: Arc<AtomicU64>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl RedisRoute {
    pub(super) fn to(server: &RedisServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let behind = Arc::new(AtomicU16::new(server.port));
        let route = Self { port, behind, delay: Arc::default(), open: Arc::default() };
        let (behind, delay, open) = (Arc::clone(&route.behind), Arc::clone(&route.delay), Arc::clone(&route.open));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", behind.load(Ordering::SeqCst))) else { continue };
                open.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                let (mut requests, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || io::copy(&mut requests, &mut to_server));
                let delay = Arc::clone(&delay);
                thread::spawn(move || pass_late(&server, &client, &delay));
            }
        });
        route
    }

    /// Leads to another server from now on. Open connections break.
    pub(super) fn lead_to(&self, server: &RedisServer) {
        self.behind.store(server.port, Ordering::SeqCst);
        self.break_connections();
    }

    /// Leads nowhere from now on.
    pub(super) fn cut(&self) {
        self.behind.store(0, Ordering::SeqCst);
        self.break_connections();
    }

    /// Delays each answer from now on.
    pub(super) fn delay(&self, by: Duration) {
        self.delay.store(by.as_millis().try_into().unwrap(), Ordering::SeqCst);
    }

    /// Breaks the open connections.
    pub(super) fn break_connections(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Passes bytes on, each piece after a delay in milliseconds, until a side closes.
fn pass_late(mut from: &TcpStream, mut to: &TcpStream, delay: &AtomicU64) -> io::Result<()> {
    let mut piece = [0; 16 * 1024];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return to.shutdown(std::net::Shutdown::Write);
        }
        thread::sleep(Duration::from_millis(delay.load(Ordering::SeqCst)));
        to.write_all(&piece[..read])?;
    }
}
