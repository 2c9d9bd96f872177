//! A pool of parser processes, so that no file can crash the server or exhaust its memory.
//!
//! A file that exceeds a limit of its process ([`crate::parser_process`]) causes an error for that file only; the next
//! file gets a new process. Cancelling a call kills its process in any state of the parser. A limit within the server
//! was measured and is not enough, because tree-sitter polls its progress callback too rarely: with `%b(` 24,000 times
//! in a C file, a limit of 256 MB was exceeded by 38 s and 9.4 GB between two polls.

use std::{
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::ExitStatusExt as _},
    },
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    errors::structure::{ParserLimit, QueryFault, StructureError},
    filter::Filter,
    languages::Language,
    outline::Outline,
    parse::{LineIndex, Source},
    parse_job::{Answer, Job, Runner, Task},
    parser_process::{READY, Reply, decode, encode, read_frame, write_frame},
    query::{Matches, QueryKind},
    user_queries::UserQueries,
    walkers::cores,
    work,
};

/// The time between two checks of the call's token while a process works.
const POLL: Duration = Duration::from_millis(20);

/// The program that parser processes run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The path of the executable.
    pub path: PathBuf,
    /// The arguments with which it calls [`crate::parser_process::serve`].
    pub arguments: Vec<String>,
}

/// A pool of parser processes, started on demand. One process serves one file at a time; the number of processes is
/// that of concurrent parsing threads, which the pools of calls and [`crate::walkers`] bound.
#[derive(Debug)]
pub struct ParserPool {
    program: Option<Program>,
    /// The idle processes, at most one for each core. Locked only to push and to pop.
    idle: Mutex<Vec<Process>>,
}

/// A query that compiles in a language.
#[derive(Clone, Debug)]
pub struct Question {
    language: &'static Language,
    kind: QueryKind,
    literal: Option<String>,
}

impl Question {
    /// Returns false if the text cannot contain a match: this check costs a thousandth of parsing.
    #[must_use]
    pub fn may_match(&self, text: &str) -> bool {
        let find = |literal: &String| memchr::memmem::find(text.as_bytes(), literal.as_bytes()).is_some();
        self.literal.as_ref().is_none_or(find)
    }
}

impl ParserPool {
    /// Creates a pool whose processes run this program.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self {
            program: Some(program),
            idle: Mutex::default(),
        }
    }

    /// Creates a pool that parses in the calling thread, without any limit: for tests and benchmarks with trusted
    /// files.
    #[must_use]
    pub fn in_process() -> Self {
        Self {
            program: None,
            idle: Mutex::default(),
        }
    }

    /// Parses a file and extracts its elements.
    ///
    /// # Errors
    /// Returns [`StructureError::ParserStopped`] if the file exceeds a limit, [`StructureError::ParserUnavailable`] if
    /// no process can be started, and [`StructureError::Cancelled`] once the token is cancelled.
    pub fn outline(&self, source: Source, cancel: &CancellationToken) -> Result<Outline, StructureError> {
        match self.ask(&source.path, source.language, Task::Outline, &source.text, cancel)? {
            Answer::Outline {
                elements,
                errors,
                error_count,
            } => Ok(Outline {
                lines: LineIndex::new(&source.text),
                source,
                elements,
                errors,
                error_count,
            }),
            _ => Err(unexpected()),
        }
    }

    /// Compiles a query before any file is read.
    ///
    /// # Errors
    /// Returns the query's errors, and those of [`ParserPool::outline`].
    pub fn prepare(
        &self,
        kind: &QueryKind,
        language: &'static Language,
        user: &UserQueries,
        cancel: &CancellationToken,
    ) -> Result<Question, StructureError> {
        let kind = kind.resolve(language, user)?;
        let literal = if matches!(kind, QueryKind::Key(_)) {
            None
        } else {
            match self.ask("", language, Task::Prepare(kind.clone()), "", cancel) {
                Ok(Answer::Prepared { literal }) => literal,
                Ok(_) => return Err(unexpected()),
                Err(StructureError::ParserStopped { .. }) => return Err(too_complex(&kind)),
                Err(error) => return Err(error),
            }
        };
        Ok(Question {
            language,
            kind,
            literal,
        })
    }

    /// Returns at most `limit` matches of a query in a file; the total counts all.
    ///
    /// # Errors
    /// As [`ParserPool::outline`].
    pub fn query(
        &self,
        question: &Question,
        filter: &Filter,
        source: &Source,
        limit: usize,
        cancel: &CancellationToken,
    ) -> Result<Matches, StructureError> {
        let task = Task::Query {
            kind: question.kind.clone(),
            filter: filter.text().to_owned(),
            limit,
        };
        match self.ask(&source.path, question.language, task, &source.text, cancel)? {
            Answer::Matches(matches) => Ok(matches),
            _ => Err(unexpected()),
        }
    }

    fn ask(
        &self,
        path: &str,
        language: &Language,
        task: Task,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<Answer, StructureError> {
        let job = Job {
            language: language.name.to_owned(),
            task,
        };
        let Some(program) = &self.program else {
            return Runner::default().run(job, text.to_owned(), cancel);
        };
        if cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let unavailable = |error: io::Error| StructureError::ParserUnavailable {
            reason: error.to_string(),
        };
        let job = encode(&job).map_err(unavailable)?;
        if let Some(mut idle) = self.pop() {
            match idle.answer(&job, text, cancel) {
                // The process ended while it was idle, before it read this file.
                Err(Failure::NotSent) => {}
                answered => return self.finish(idle, path, answered),
            }
        }
        let mut process = Process::start(program, cancel).map_err(|error| {
            if cancel.is_cancelled() {
                StructureError::Cancelled
            } else {
                unavailable(error)
            }
        })?;
        let answered = process.answer(&job, text, cancel);
        self.finish(process, path, answered)
    }

    fn finish(
        &self,
        mut process: Process,
        path: &str,
        answered: Result<Reply, Failure>,
    ) -> Result<Answer, StructureError> {
        match answered {
            Ok((parsed, answer)) => {
                work::parsed_elsewhere(parsed);
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < cores() {
                    idle.push(process);
                }
                answer
            }
            Err(Failure::Cancelled) => Err(StructureError::Cancelled),
            Err(Failure::NotSent | Failure::Ended) => {
                work::parser_stopped();
                Err(StructureError::ParserStopped {
                    path: path.to_owned(),
                    limit: process.end().map_or(ParserLimit::Memory, ParserLimit::from_status),
                })
            }
        }
    }

    fn pop(&self) -> Option<Process> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl ParserLimit {
    /// Returns the limit that ended a process. Failed allocations and exhausted stacks abort the process, and the
    /// kernel kills it if the machine's memory runs out; all of these mean memory.
    fn from_status(status: ExitStatus) -> Self {
        if status.signal() == Some(rustix::process::Signal::XCPU.as_raw()) {
            Self::Time
        } else {
            Self::Memory
        }
    }
}

/// Returns the error for a query whose compilation reaches a limit.
fn too_complex(kind: &QueryKind) -> StructureError {
    let fault = Box::new(QueryFault {
        line: 1,
        column: 0,
        excerpt: String::new(),
        reason: (
            "it is too complex to compile".to_owned(),
            "複雑すぎて解釈できません".to_owned(),
        ),
        hint: (
            "Shorten it, or nest less deeply.".to_owned(),
            "短くするか、入れ子を浅くしてください。".to_owned(),
        ),
    });
    match kind {
        QueryKind::Pattern(_) => StructureError::BadPattern(fault),
        QueryKind::Key(_) | QueryKind::Query(_) => StructureError::BadQuery(fault),
    }
}

/// Returns the error for an answer to another kind of job: the process runs another program.
fn unexpected() -> StructureError {
    StructureError::ParserUnavailable {
        reason: "a parser process sent an unexpected answer".to_owned(),
    }
}

/// The reason why a process returned no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Cancelled,
    /// The process had ended before the job was sent.
    NotSent,
    /// The process ended while it worked.
    Ended,
}

/// A running parser process. Killed when dropped.
#[derive(Debug)]
struct Process {
    child: Child,
    socket: UnixStream,
}

impl Process {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts fumi's own program, without a shell and without arguments of a caller"
    )]
    fn start(program: &Program, cancel: &CancellationToken) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(POLL))?;
        socket.set_write_timeout(Some(POLL))?;
        let child = Command::new(&program.path)
            .args(&program.arguments)
            // Without the secrets of the server's environment, and outside the project folders.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let process = Self { child, socket };
        // A process that ends before this has read no file: the system gave it no thread or no memory.
        let mut ready = [0];
        let mut socket = Cancellable {
            socket: &process.socket,
            cancel,
        };
        socket.read_exact(&mut ready)?;
        if ready != [READY] {
            return Err(io::Error::other("not a parser process"));
        }
        Ok(process)
    }

    fn answer(&mut self, job: &[u8], text: &str, cancel: &CancellationToken) -> Result<Reply, Failure> {
        let mut socket = Cancellable {
            socket: &self.socket,
            cancel,
        };
        let failed = |otherwise| {
            if cancel.is_cancelled() {
                Failure::Cancelled
            } else {
                otherwise
            }
        };
        write_frame(&mut socket, job)
            .and_then(|()| write_frame(&mut socket, text.as_bytes()))
            .map_err(|_| failed(Failure::NotSent))?;
        let reply = read_frame(&mut socket).map_err(|_| failed(Failure::Ended))?;
        decode(&reply).map_err(|_| Failure::Ended)
    }

    /// Ends the process and returns its status.
    fn end(&mut self) -> Option<ExitStatus> {
        // A process that has already ended keeps its own status.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// A socket whose reads and writes fail once a call is cancelled.
struct Cancellable<'a> {
    socket: &'a UnixStream,
    cancel: &'a CancellationToken,
}

impl Cancellable<'_> {
    fn until_cancelled(&self, mut act: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        loop {
            match act() {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if self.cancel.is_cancelled() {
                        return Err(io::Error::other("cancelled"));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.until_cancelled(|| socket.read(buffer))
    }
}

impl Write for Cancellable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.until_cancelled(|| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
