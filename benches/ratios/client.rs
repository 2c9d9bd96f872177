//! A running fumi, and a minimal client for its tools: one connection, kept alive.
//!
//! It uses the stateless era, in which a call is one request.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const VERSION: &str = "2026-07-28";

/// A fumi process. Ended when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// The time from start to the line with its address.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Starts fumi with some roots and without a state folder; `settings` are environment variables, which may name one.
    pub(crate) fn start(roots: &[&Path], settings: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        for root in roots {
            command.arg("--root").arg(root);
        }
        let began = Instant::now();
        let mut child = command
            .env("FUMI__STORE__KIND", "memory")
            .envs(settings.iter().copied())
            .env("FUMI__LOG__FILTER", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("fumi was built");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        let started_in = began.elapsed();
        let address = line
            .trim()
            .strip_prefix("fumi listening on http://")
            .and_then(|url| url.strip_suffix("/mcp"))
            .unwrap_or_else(|| panic!("fumi did not start: {line:?}"));
        Self {
            address: address.to_owned(),
            started_in,
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.address)
    }

    /// Returns the resident memory now and its peak, in megabytes.
    pub(crate) fn memory(&self) -> (f64, f64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("it runs");
        let of = |name: &str| {
            let line = status
                .lines()
                .find(|line| line.starts_with(name))
                .expect("the field is there");
            let kib: f64 = line
                .split_whitespace()
                .nth(1)
                .expect("a value")
                .parse()
                .expect("a number");
            kib * 1_024.0 / 1e6
        };
        (of("VmRSS:"), of("VmHWM:"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Client {
    pub(crate) fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a TCP socket");
        Self {
            stream: BufReader::new(stream),
            host: address.to_owned(),
        }
    }

    /// Calls a tool and returns its structured result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let body = self.send(&self.request(tool, arguments));
        structured(&body)
    }

    /// Returns the bytes of a call, to send many times.
    pub(crate) fn request(&self, tool: &str, arguments: &Value) -> Vec<u8> {
        self.message("tools/call", tool, json!({"name": tool, "arguments": arguments}))
    }

    /// Returns the bytes of a request for a resource.
    pub(crate) fn resource(&self, uri: &str) -> Vec<u8> {
        self.message("resources/read", uri, json!({"uri": uri}))
    }

    fn message(&self, method: &str, name: &str, mut params: Value) -> Vec<u8> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = format!("MCP-Protocol-Version: {VERSION}\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n");
        self.post("/mcp", &headers, &body.to_string())
    }

    /// Returns the bytes of a request.
    pub(crate) fn post(&self, path: &str, headers: &str, body: &str) -> Vec<u8> {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )
        .into_bytes()
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn send(&mut self, request: &[u8]) -> Vec<u8> {
        self.stream
            .get_mut()
            .write_all(request)
            .expect("the connection is open");
        let (mut length, mut is_chunked) = (None, false);
        let status = self.line();
        loop {
            let line = self.line().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse::<usize>().ok();
            }
            is_chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let mut body = Vec::new();
        if is_chunked {
            loop {
                let size = usize::from_str_radix(&self.line(), 16).expect("the size of a chunk");
                self.take(size, &mut body);
                self.line();
                if size == 0 {
                    break;
                }
            }
        } else {
            self.take(length.unwrap_or(0), &mut body);
        }
        assert!(status.contains(" 200 "), "{status}: {}", String::from_utf8_lossy(&body));
        body
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("the connection is open");
        line.truncate(line.trim_end().len());
        line
    }

    fn take(&mut self, bytes: usize, body: &mut Vec<u8>) {
        let start = body.len();
        body.resize(start + bytes, 0);
        self.stream.read_exact(&mut body[start..]).expect("the whole body");
    }
}

/// Returns the structured result in a body.
pub(crate) fn structured(body: &[u8]) -> Value {
    result(body)["structuredContent"].take()
}

/// Returns the result in a body, which is JSON or an event stream. It must not be an error.
pub(crate) fn result(body: &[u8]) -> Value {
    let text = String::from_utf8_lossy(body);
    let mut message: Value = serde_json::from_str(&text)
        .ok()
        .or_else(|| {
            text.lines()
                .filter_map(|line| line.strip_prefix("data:"))
                .find_map(|data| serde_json::from_str(data.trim()).ok())
        })
        .unwrap_or_else(|| panic!("no message in {text}"));
    let result = &message["result"];
    assert!(
        result["isError"] != true && result.is_object(),
        "the call failed: {message}"
    );
    message["result"].take()
}
