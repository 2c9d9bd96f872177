//! Requests as clients of both eras send them, and one connection to send them over.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
};

use serde_json::{Value, json};

/// The stateless era's version.
pub(crate) const STATELESS: &str = "2026-07-28";
/// The newest version of the session era.
pub(crate) const SESSION: &str = "2025-11-25";

/// A request: its headers beyond those that all have, and its body.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Request {
    /// A call of the stateless era.
    pub(crate) fn call(tool: &str, arguments: &Value) -> Self {
        let body = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": tool,
                "arguments": arguments,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": STATELESS,
                    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        Self {
            headers: vec![
                ("MCP-Protocol-Version", STATELESS.to_owned()),
                ("Mcp-Method", "tools/call".to_owned()),
                ("Mcp-Name", tool.to_owned()),
            ],
            body: body.to_string(),
        }
    }

    /// The first message of a session.
    pub(crate) fn initialize() -> Self {
        let body = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": SESSION,
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
        });
        Self {
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    /// A message of a session.
    pub(crate) fn within(session: &str, message: &Value) -> Self {
        Self {
            headers: vec![
                ("MCP-Protocol-Version", SESSION.to_owned()),
                ("Mcp-Session-Id", session.to_owned()),
            ],
            body: message.to_string(),
        }
    }

    /// The headers that every message has, and its own.
    pub(crate) fn all_headers(&self) -> Vec<(&'static str, String)> {
        let mut all = vec![
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ];
        all.extend(self.headers.iter().cloned());
        all
    }

    /// Its bytes.
    fn bytes(&self, host: &str) -> Vec<u8> {
        let line = |all: String, (name, value): &(_, _)| all + &format!("{name}: {value}\r\n");
        let headers = self.all_headers().iter().fold(String::new(), line);
        let length = self.body.len();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n{}",
            self.body
        )
        .into_bytes()
    }
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// One connection, kept alive.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    pub(crate) fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a TCP socket");
        Self {
            stream: BufReader::new(stream),
            host: address.to_owned(),
        }
    }

    /// Sends a message and reads the whole answer.
    pub(crate) fn send(&mut self, request: &Request) -> Answer {
        let bytes = request.bytes(&self.host);
        self.write(&bytes);
        let head = self.head();
        let mut body = Vec::new();
        if head.is_chunked {
            loop {
                let size = usize::from_str_radix(&self.line(), 16).expect("the size of a chunk");
                self.take(size, &mut body);
                self.line();
                if size == 0 {
                    break;
                }
            }
        } else {
            self.take(head.length, &mut body);
        }
        Answer {
            status: head.status,
            session: head.session,
            body,
        }
    }

    /// Asks for a page; only its status counts.
    pub(crate) fn get(&mut self, path: &str) -> u16 {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host);
        self.write(request.as_bytes());
        let head = self.head();
        self.take(head.length, &mut Vec::new());
        head.status
    }

    /// Opens the stream of a session, and leaves it open.
    pub(crate) fn listen(&mut self, session: &str) -> u16 {
        let request = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
            self.host
        );
        self.write(request.as_bytes());
        self.head().status
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).expect("the connection is open");
    }

    fn head(&mut self) -> Head {
        let status = self.line();
        let mut head = Head {
            status: status
                .split(' ')
                .nth(1)
                .and_then(|code| code.parse().ok())
                .expect("a status"),
            ..Head::default()
        };
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else {
                return head;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => head.length = value.parse().expect("a length"),
                "transfer-encoding" => head.is_chunked = value == "chunked",
                "mcp-session-id" => head.session = Some(value.to_owned()),
                _ => {}
            }
        }
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

#[derive(Default)]
struct Head {
    status: u16,
    length: usize,
    is_chunked: bool,
    session: Option<String>,
}
