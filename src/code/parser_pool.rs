//! A pool of parser processes, so that no file can crash the server or exhaust its memory.
//!
//! A file that exceeds a limit of its process ([`crate::parser_process`]) causes an error for that file only; the next
//! file gets a new process. Cancelling a call kills its process in any state of the parser. A limit within the server
//! was measured and is not enough, because tree-sitter polls its progress callback too rarely: in a C file of
//! 24,000 times `%b(`, 38 s passed and 9.4 GB were allocated between two polls, beyond a limit of 256 MB.

use std::{
    io::{self, Read, Write},
    ops::Range,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::ExitStatusExt as _},
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{
    errors::{
        expressions::FAULTS,
        structure::{ParserLimit, StructureError},
    },
    filter::ElementFilter,
    hit_context::HitContext,
    languages::{
        Language,
        facts::{LanguageFamily, Selection},
    },
    outline::Outline,
    parse::{LineIndex, SourceFile},
    parser_answers::ParserAnswers,
    parser_job::{JobRunner, ParserAnswer, ParserJob, ParserTask},
    parser_process::{ParserReply, READY, decode, encode, read_frame, write_frame},
    query::{QueryKind, QueryMatches},
    thread_budget::cores,
    user_queries::UserQueries,
    work_counters,
};

/// The time between two checks of the call's token while a process works.
const POLL: Duration = Duration::from_millis(20);

/// The program that parser processes run.
#[derive(Clone, Debug)]
pub struct ParserProgram {
    /// The path of the executable.
    pub path: PathBuf,
    /// The arguments with which it calls [`crate::parser_process::serve`].
    pub arguments: Vec<String>,
}

/// A pool of parser processes, started on demand. One process serves one file at a time; the number of processes is
/// that of concurrent parsing threads, which the pools of calls and [`crate::thread_budget`] bound.
#[derive(Debug)]
pub struct ParserPool {
    program: Option<ParserProgram>,
    /// The idle processes, at most one for each core. Locked only to push and to pop.
    idle: Mutex<Vec<ParserProcess>>,
    /// The answers so far; `None` if every job is to be done.
    answers: Option<ParserAnswers>,
}

/// A query that compiles in a language.
#[derive(Clone, Debug)]
pub struct CompiledQuery {
    language: &'static Language,
    kind: QueryKind,
    literal: Option<String>,
}

impl CompiledQuery {
    /// True if the name of each match is a word of the text. Those of tags, headings and keys may differ from it; in a
    /// document or a tree of tags, definitions are those of embedded code.
    pub(crate) fn has_names_of_the_text(&self) -> bool {
        let facts = &self.language.facts;
        match facts.family {
            LanguageFamily::Code => true,
            LanguageFamily::Document | LanguageFamily::Markup => {
                self.selection().is_some_and(Selection::is_of_definitions)
            }
            LanguageFamily::Style | LanguageFamily::Data => false,
        }
    }

    /// Returns the elements that a key of the language selects. `None` for other queries.
    fn selection(&self) -> Option<&'static Selection> {
        match &self.kind {
            QueryKind::Key(key) => self.language.facts.queries.get(key),
            QueryKind::Query(_) | QueryKind::Pattern(_) => None,
        }
    }

    /// Returns false if the text cannot contain a match: this check costs a thousandth of parsing.
    pub fn may_match(&self, text: &str) -> bool {
        let find = |literal: &String| memchr::memmem::find(text.as_bytes(), literal.as_bytes()).is_some();
        self.literal.as_ref().is_none_or(find)
    }
}

impl ParserPool {
    /// Creates a pool whose processes run this program.
    pub fn new(program: ParserProgram) -> Self {
        Self { program: Some(program), idle: Mutex::default(), answers: None }
    }

    /// Keeps answers, so that the same job about the same text is done once; the elements of texts in a folder, if there is
    /// one, for the next process too.
    pub fn keeping_answers(self, folder: Option<&Path>) -> Self {
        Self { answers: Some(ParserAnswers::new(folder)), ..self }
    }

    /// Returns a pool with the answers of this one and processes of its own, which have the priority of the thread that
    /// starts them. `None` if there is no room for answers.
    pub fn for_work_ahead(&self) -> Option<Self> {
        let answers = self.answers.clone().filter(ParserAnswers::has_room_ahead)?;
        Some(Self { program: self.program.clone(), idle: Mutex::default(), answers: Some(answers) })
    }

    /// Creates a pool that parses in the calling thread, without any limit: for tests and benchmarks with trusted
    /// files.
    pub fn in_process() -> Self {
        Self { program: None, idle: Mutex::default(), answers: None }
    }

    /// Parses a file and extracts its elements.
    ///
    /// # Errors
    /// Returns [`StructureError::ParserStopped`] if the file exceeds a limit, [`StructureError::ParserUnavailable`] if
    /// no process can be started, and [`StructureError::Cancelled`] once the token is cancelled.
    pub fn outline(&self, source: SourceFile, cancel: &CancellationToken) -> Result<Outline, StructureError> {
        match self.run_task(&source.path, source.language, ParserTask::Outline, &source.text, cancel)? {
            ParserAnswer::Outline { elements, errors, error_count } => {
                Ok(Outline { lines: LineIndex::new(&source.text), source, elements, errors, error_count })
            }
            _ => Err(unexpected_answer()),
        }
    }

    /// Extracts the elements of a file, if they are not kept, so that a later call need not wait for them. Returns false if
    /// there is no room for more of them.
    ///
    /// # Errors
    /// As [`ParserPool::outline`].
    pub(crate) fn outline_ahead(&self, source: &SourceFile) -> Result<bool, StructureError> {
        let Some(answers) = self.answers.as_ref().filter(|answers| answers.has_room_ahead()) else {
            return Ok(false);
        };
        let job = ParserJob { language: source.language.name.to_owned(), task: ParserTask::Outline };
        let job = encode(&job).map_err(|error| unavailable(&error))?;
        if !answers.has(&ParserAnswers::key(&job, &source.text)) {
            self.run_task(&source.path, source.language, ParserTask::Outline, &source.text, &CancellationToken::new())?;
        }
        Ok(true)
    }

    /// Returns the role and the element of each match at these bytes of a file.
    ///
    /// # Errors
    /// As [`ParserPool::outline`].
    pub fn contexts(
        &self,
        source: &SourceFile,
        hits: Vec<Range<usize>>,
        cancel: &CancellationToken,
    ) -> Result<Vec<HitContext>, StructureError> {
        let task = ParserTask::Contexts(hits);
        match self.run_task(&source.path, source.language, task, &source.text, cancel)? {
            ParserAnswer::Contexts(contexts) => Ok(contexts),
            _ => Err(unexpected_answer()),
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
    ) -> Result<CompiledQuery, StructureError> {
        let kind = kind.resolve(language, user)?;
        let literal = if matches!(kind, QueryKind::Key(_)) {
            None
        } else {
            match self.run_task("", language, ParserTask::Prepare(kind.clone()), "", cancel) {
                Ok(ParserAnswer::Prepared { literal }) => literal,
                Ok(_) => return Err(unexpected_answer()),
                Err(StructureError::ParserStopped { .. }) => return Err(too_complex(&kind)),
                Err(error) => return Err(error),
            }
        };
        Ok(CompiledQuery { language, kind, literal })
    }

    /// Returns at most `limit` matches of a query in a file; the total counts all. A key selects among the elements of the
    /// file, which are the same for all keys and filters.
    ///
    /// # Errors
    /// As [`ParserPool::outline`].
    pub fn query(
        &self,
        question: &CompiledQuery,
        filter: &ElementFilter,
        source: SourceFile,
        limit: usize,
        cancel: &CancellationToken,
    ) -> Result<QueryMatches, StructureError> {
        if let Some(selection) = question.selection() {
            let file = self.outline(source, cancel)?;
            return Ok(QueryMatches::select(selection, filter, &file, limit));
        }
        let task = ParserTask::Query { kind: question.kind.clone(), filter: filter.text().to_owned(), limit };
        match self.run_task(&source.path, question.language, task, &source.text, cancel)? {
            ParserAnswer::Matches(matches) => Ok(matches),
            _ => Err(unexpected_answer()),
        }
    }

    fn run_task(
        &self,
        path: &str,
        language: &Language,
        task: ParserTask,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<ParserAnswer, StructureError> {
        let job = ParserJob { language: language.name.to_owned(), task };
        let Some(program) = &self.program else {
            return JobRunner::default().run(job, text.to_owned(), cancel);
        };
        if cancel.is_cancelled() {
            return Err(StructureError::Cancelled);
        }
        let job = encode(&job).map_err(|error| unavailable(&error))?;
        let Some(answers) = &self.answers else {
            return self.run_by_process(program, &job, path, text, cancel);
        };
        let key = ParserAnswers::key(&job, text);
        if let Some(kept) = answers.get(&key) {
            return Ok(kept);
        }
        let answer = self.run_by_process(program, &job, path, text, cancel)?;
        answers.keep(key, &answer);
        Ok(answer)
    }

    /// Lets a parser process do an encoded job.
    fn run_by_process(
        &self,
        program: &ParserProgram,
        job: &[u8],
        path: &str,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<ParserAnswer, StructureError> {
        if let Some(mut idle) = self.pop() {
            match idle.run_job(job, text, cancel) {
                // The process ended while it was idle, before it read this file.
                Err(ParserFailure::NotSent) => {}
                answered => return self.take_answer(idle, path, answered),
            }
        }
        let mut process = ParserProcess::start(program, cancel)
            .map_err(|error| if cancel.is_cancelled() { StructureError::Cancelled } else { unavailable(&error) })?;
        let answered = process.run_job(job, text, cancel);
        self.take_answer(process, path, answered)
    }

    fn take_answer(
        &self,
        mut process: ParserProcess,
        path: &str,
        answered: Result<ParserReply, ParserFailure>,
    ) -> Result<ParserAnswer, StructureError> {
        match answered {
            Ok((parsed, answer)) => {
                work_counters::count_parsed_remotely(parsed);
                let mut idle = self.idle.lock();
                if idle.len() < cores() {
                    idle.push(process);
                }
                answer
            }
            Err(ParserFailure::Cancelled) => Err(StructureError::Cancelled),
            Err(ParserFailure::NotSent | ParserFailure::Ended) => {
                work_counters::count_stopped_parser();
                Err(StructureError::ParserStopped {
                    path: path.to_owned(),
                    limit: process.end().map_or(ParserLimit::Memory, ParserLimit::from_status),
                })
            }
        }
    }

    fn pop(&self) -> Option<ParserProcess> {
        self.idle.lock().pop()
    }
}

impl ParserLimit {
    /// Returns the limit that ended a process. Failed allocations and exhausted stacks abort the process, and the
    /// kernel kills it if the machine's memory runs out; all of these mean memory.
    fn from_status(status: ExitStatus) -> Self {
        if status.signal() == Some(rustix::process::Signal::XCPU.as_raw()) { Self::Time } else { Self::Memory }
    }
}

/// Returns the error for a query whose compilation reaches a limit.
fn too_complex(kind: &QueryKind) -> StructureError {
    let fault = FAULTS.too_complex.at((1, 0), String::new(), &[]);
    match kind {
        QueryKind::Pattern(_) => StructureError::InvalidPattern { fault },
        QueryKind::Key(_) | QueryKind::Query(_) => StructureError::InvalidQuery { fault },
    }
}

fn unavailable(error: &io::Error) -> StructureError {
    StructureError::ParserUnavailable { reason: error.to_string() }
}

/// Returns the error for an answer to another kind of job: the process runs another program.
fn unexpected_answer() -> StructureError {
    StructureError::ParserUnavailable { reason: "a parser process sent an unexpected answer".to_owned() }
}

/// The reason why a process returned no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParserFailure {
    Cancelled,
    /// The process had ended before the job was sent.
    NotSent,
    /// The process ended while it worked.
    Ended,
}

/// A running parser process. Killed when dropped.
#[derive(Debug)]
struct ParserProcess {
    child: Child,
    socket: UnixStream,
}

impl ParserProcess {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts fumi's own program, without a shell and without arguments of a caller"
    )]
    fn start(program: &ParserProgram, cancel: &CancellationToken) -> io::Result<Self> {
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
        let mut socket = CancellableSocket { socket: &process.socket, cancel };
        socket.read_exact(&mut ready)?;
        if ready != [READY] {
            return Err(io::Error::other("not a parser process"));
        }
        Ok(process)
    }

    fn run_job(&mut self, job: &[u8], text: &str, cancel: &CancellationToken) -> Result<ParserReply, ParserFailure> {
        let mut socket = CancellableSocket { socket: &self.socket, cancel };
        let failed = |otherwise| {
            if cancel.is_cancelled() { ParserFailure::Cancelled } else { otherwise }
        };
        write_frame(&mut socket, job)
            .and_then(|()| write_frame(&mut socket, text.as_bytes()))
            .map_err(|_| failed(ParserFailure::NotSent))?;
        let reply = read_frame(&mut socket).map_err(|_| failed(ParserFailure::Ended))?;
        decode(&reply).map_err(|_| ParserFailure::Ended)
    }

    /// Ends the process and returns its status.
    fn end(&mut self) -> Option<ExitStatus> {
        // A process that has already ended keeps its own status.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for ParserProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// A socket whose reads and writes fail once a call is cancelled.
struct CancellableSocket<'a> {
    socket: &'a UnixStream,
    cancel: &'a CancellationToken,
}

impl CancellableSocket<'_> {
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

impl Read for CancellableSocket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.until_cancelled(|| socket.read(buffer))
    }
}

impl Write for CancellableSocket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.until_cancelled(|| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
