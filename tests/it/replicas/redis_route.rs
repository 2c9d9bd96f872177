//! A proxy between a replica and its Redis server.

#![allow(clippy::disallowed_methods, reason = "threads of a test pass bytes on")]

use std::{
    io,
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    thread,
};

use crate::redis_server::RedisServer;

/// A way to a Redis server that can be cut, and that can lead to another server, as a name does after a failover.
pub(super) struct RedisRoute {
    pub(super) port: u16,
    behind: Arc<AtomicU16>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl RedisRoute {
    pub(super) fn to(server: &RedisServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let route = Self { port, behind: Arc::new(AtomicU16::new(server.port)), open: Arc::default() };
        let (behind, open) = (Arc::clone(&route.behind), Arc::clone(&route.open));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", behind.load(Ordering::SeqCst))) else { continue };
                open.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                let (mut requests, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || io::copy(&mut requests, &mut to_server));
                let (mut answers, mut to_client) = (server, client);
                thread::spawn(move || io::copy(&mut answers, &mut to_client));
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

    /// Breaks the open connections.
    pub(super) fn break_connections(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}
