//! The program of a parser process: reads jobs from a socket on standard input and answers each.
//!
//! Grammars and their scanners are C, and some inputs of a few kilobytes make tree-sitter recurse thousands of frames
//! deep or allocate gigabytes between two calls of its progress callback. The limits set here end this process instead
//! of the server. A process that reached a limit cannot answer; [`crate::parser_pool`] reads the reason from its exit
//! status.

use std::{
    io::{self, Read, Write},
    os::{fd::AsFd as _, unix::net::UnixStream},
};

use rustix::{
    process::{Resource, Rlimit, getrlimit, setrlimit},
    time::{ClockId, clock_gettime},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio_util::sync::CancellationToken;

use crate::{
    errors::structure::StructureError,
    parser_job::{JobRunner, ParserAnswer, ParserJob},
    work_counters,
};

/// The address space that one process may use beyond its program and its stack, in bytes. A file of 200,000 lines needs
/// about 350 MB.
pub const MEMORY_LIMIT: u64 = 512 << 20;

/// The stack of the parsing thread, in bytes; reserved, not touched. Tree-sitter needs about 110 bytes for each entry
/// of its parse stack, and an entry itself takes 230 bytes of [`MEMORY_LIMIT`].
const STACK: usize = 256 << 20;

/// The CPU time of one job, in seconds. A file of 38 MB takes about five.
pub const CPU_SECONDS: u64 = 10;

/// The byte that a process sends once it can accept jobs.
pub(crate) const READY: u8 = b'!';

/// The reply of a process: the number of texts parsed for the job, and the job's result.
pub(crate) type ParserReply = (u64, Result<ParserAnswer, StructureError>);

/// Serves jobs until the other end of standard input, a socket, is closed. Sends [`READY`] before it reads the first
/// job.
///
/// # Errors
/// Returns the error that prevented the process from starting, or from reading or writing the socket.
pub fn serve() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let parser = std::thread::Builder::new().name("parser".to_owned()).stack_size(STACK);
    let served = parser.spawn(move || run_jobs(socket))?.join();
    served.unwrap_or_else(|_| Err(io::Error::other("the parser panicked")))
}

fn run_jobs(mut socket: UnixStream) -> io::Result<()> {
    limit_process()?;
    socket.write_all(&[READY])?;
    let mut runner = JobRunner::default();
    let cancel = CancellationToken::new();
    loop {
        let job: ParserJob = match read_frame(&mut socket) {
            Ok(bytes) => decode(&bytes)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8(read_frame(&mut socket)?).map_err(io::Error::other)?;
        limit_cpu()?;
        let before = work_counters::parsed_texts();
        let answer = runner.run(job, text, &cancel);
        let reply: ParserReply = (work_counters::parsed_texts() - before, answer);
        write_frame(&mut socket, &encode(&reply)?)?;
    }
}

/// Limits the resources of this process. Called from the parsing thread, whose stack is mapped by then.
fn limit_process() -> io::Result<()> {
    if cfg!(target_os = "linux") {
        // If memory runs out on the machine, the kernel ends this process before the server.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        let pages = std::fs::read_to_string("/proc/self/statm")?;
        let pages: u64 = pages.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
        set_limit(Resource::As, pages * rustix::param::page_size() as u64 + MEMORY_LIMIT)?;
    }
    // No core dump, which would contain source code, and no file.
    set_limit(Resource::Core, 0)?;
    set_limit(Resource::Fsize, 0)
}

/// Limits the CPU time of the current job to [`CPU_SECONDS`]; beyond it the process ends (SIGXCPU). Waiting for the
/// processor does not count.
fn limit_cpu() -> io::Result<()> {
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    set_limit(Resource::Cpu, u64::try_from(used).unwrap_or(0) + 1 + CPU_SECONDS)
}

/// Lowers the soft limit, never above the hard one.
fn set_limit(resource: Resource, wanted: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(wanted, |maximum| wanted.min(maximum)));
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

/// Reads a length in four bytes, little-endian, then that number of bytes.
pub(crate) fn read_frame(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes bytes in the format of [`read_frame`].
pub(crate) fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)
}

pub(crate) fn encode<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(io::Error::other)
}
