//! The program in a separate process that a test kills (SIGKILL) at a place of a write.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use serde_json::Value;

use crate::{program::undisturbed, sample::Sample};

/// The number of times, a minute apart, that a search is sent until the index is written: a server that cannot watch a
/// project, because a limit of the system is reached, tries again after a minute.
const SEARCHES: usize = 3;

/// The program, serving a sample, with the list of places that it reached.
pub(crate) struct Mortal {
    child: Child,
    address: String,
    reached: mpsc::Receiver<String>,
    /// All other lines that it logged.
    log: Arc<Mutex<Vec<String>>>,
}

impl Mortal {
    pub(crate) fn start(sample: &Sample, wish: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fumi"));
        undisturbed(&mut command);
        command.current_dir(sample.root()).args(["serve", "--listen", "127.0.0.1:0", "--store", "memory"]);
        Self::start_by(command, wish)
    }

    /// The same with a command that runs fumi.
    pub(crate) fn start_by(mut command: Command, wish: &str) -> Self {
        let mut child = command
            .env("FUMI_FAILPOINT", wish)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        let address = ready.strip_prefix("fumi listening on http://").and_then(|rest| rest.strip_suffix("/mcp\n"));
        let (tell, reached) = mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let log = Arc::<Mutex<Vec<String>>>::default();
        let logged = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                match line.strip_prefix("failpoint ") {
                    Some(place) => drop(tell.send(place.to_owned())),
                    None => logged.lock().unwrap().push(line),
                }
            }
        });
        let address = address.unwrap_or_else(|| panic!("it did not start: {ready:?}")).to_owned();
        Self { child, address, reached, log }
    }

    /// Sends a call and does not wait for its answer.
    fn send(&self, tool: &str, arguments: &Value) -> TcpStream {
        let body = arguments.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /v1/tools/{tool} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        stream
    }

    /// Sends a call, waits for its answer, and returns the places that the call reached.
    pub(crate) fn places(mut self, tool: &str, arguments: &Value) -> Vec<String> {
        self.answer(tool, arguments);
        // All places were written before the answer. The list ends with the program, whenever its output is read.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.reached.iter().collect()
    }

    /// Searches until the index was written to a place that ends with this text, and returns the number of the places
    /// until then.
    pub(crate) fn writes_index(&self, end: &str, search: &Value) -> usize {
        let (first, _connections) = self.next_place("search_content", search, SEARCHES);
        let rest = std::iter::from_fn(|| self.reached.recv_timeout(Duration::from_mins(1)).ok());
        let mut places = std::iter::once(first).chain(rest);
        places.position(|place| place.ends_with(end)).expect("the index is written") + 1
    }

    /// Sends a call, again after each minute in which no place was reached, and returns the place, with the connections of
    /// the calls: a call ends when its connection is closed.
    fn next_place(&self, tool: &str, arguments: &Value, calls: usize) -> (String, Vec<TcpStream>) {
        let mut connections = Vec::new();
        for _ in 0..calls {
            connections.push(self.send(tool, arguments));
            if let Ok(place) = self.reached.recv_timeout(Duration::from_mins(1)) {
                return (place, connections);
            }
        }
        panic!("{tool} reaches no place in {calls} calls: {:#?}", self.log.lock().unwrap());
    }

    /// Sends a call and waits for its answer.
    pub(crate) fn answer(&self, tool: &str, arguments: &Value) -> Value {
        let mut answer = String::new();
        self.send(tool, arguments).read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{tool}: {answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }

    /// Sends a call during which the program is killed at its place.
    pub(crate) fn dies(self, tool: &str, arguments: &Value) -> String {
        self.dies_within(tool, arguments, 1)
    }

    /// Searches until the program writes its index, and kills it at its place there.
    pub(crate) fn dies_writing_index(self, search: &Value) -> String {
        self.dies_within("search_content", search, SEARCHES)
    }

    fn dies_within(mut self, tool: &str, arguments: &Value, calls: usize) -> String {
        let (place, _connections) = self.next_place(tool, arguments, calls);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        place
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
