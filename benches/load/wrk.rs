//! `wrk`, the program that makes the load: bounded in time and connections, loopback only.

use std::{fmt::Write as _, fs, process::Command};

use super::request::Request;

/// What one run of it saw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// Replies a second.
    pub(crate) per_second: f64,
    /// All replies.
    pub(crate) replies: u64,
    /// Replies with 200.
    pub(crate) served: u64,
    /// Replies with 429 or 503.
    pub(crate) refused: u64,
    /// Replies with any other status.
    pub(crate) other: u64,
    /// Connections that failed, and replies that did not come.
    pub(crate) errors: u64,
}

/// How much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Much {
    pub(crate) connections: u32,
    pub(crate) seconds: u32,
}

/// Counts replies by status: `wrk` itself tells only the successes from the rest.
const COUNT: &str = r#"
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() served = 0; refused = 0; other = 0; number = 0 end
function response(status)
  if status == 200 then served = served + 1
  elseif status == 429 or status == 503 then refused = refused + 1
  else other = other + 1 end
end
function done(summary)
  local all = {served = 0, refused = 0, other = 0}
  for _, thread in ipairs(threads) do
    for name in pairs(all) do all[name] = all[name] + thread:get(name) end
  end
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format("COUNTS %d %d %d %d %d %d", summary.requests, summary.duration, all.served, all.refused, all.other, failed))
end
"#;

/// Sends the same request again and again, without looking at statuses one by one: what looks costs as much as a reply.
pub(crate) fn repeat(address: &str, request: &Request, much: Much) -> Load {
    let script = format!(
        "{}\nfunction done(summary)\n  local e = summary.errors\n  print(string.format(\"COUNTS %d %d %d 0 %d %d\", \
         summary.requests, summary.duration, summary.requests - e.status, e.status, e.connect + e.read + e.write + \
         e.timeout))\nend\n",
        prepared(request)
    );
    run(address, &script, much)
}

/// Makes each body another one.
const VARY: &str = r#"
local pattern = wrk.body
function request()
  number = number + 1
  return wrk.format(nil, nil, nil, (pattern:gsub("NUMBER", tostring(number))))
end
"#;

/// Sends a request and counts what comes back; one whose body holds `NUMBER` is another one each time.
pub(crate) fn count(address: &str, request: &Request, much: Much) -> Load {
    let vary = if request.body.contains("NUMBER") { VARY } else { "" };
    run(address, &format!("{}{COUNT}{vary}", prepared(request)), much)
}

/// The request as `wrk` takes it.
fn prepared(request: &Request) -> String {
    let mut script = "wrk.method = \"POST\"\n".to_owned();
    for (name, value) in request.all_headers() {
        let _ = writeln!(script, "wrk.headers[{}] = {}", lua(name), lua(&value));
    }
    let _ = writeln!(script, "wrk.body = {}", lua(&request.body));
    script
}

fn lua(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn run(address: &str, script: &str, much: Much) -> Load {
    assert!(address.starts_with("127.0.0.1:"), "only this machine is loaded");
    let file = tempfile::Builder::new().suffix(".lua").tempfile().expect("a file");
    fs::write(file.path(), script).expect("written");
    let output = Command::new("wrk")
        .args([
            "-t1",
            &format!("-c{}", much.connections),
            &format!("-d{}s", much.seconds),
        ])
        .arg("-s")
        .arg(file.path())
        .arg(format!("http://{address}/mcp"))
        .output()
        .expect("wrk is installed (Debian: apt-get install wrk)");
    let text = String::from_utf8_lossy(&output.stdout);
    let counts: Vec<u64> = text
        .lines()
        .find_map(|line| line.strip_prefix("COUNTS "))
        .unwrap_or_else(|| panic!("wrk said: {text}{}", String::from_utf8_lossy(&output.stderr)))
        .split(' ')
        .map(|count| count.parse().expect("a number"))
        .collect();
    let [replies, micros, served, refused, other, errors] = counts[..] else {
        panic!("wrk said: {text}");
    };
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let per_second = replies as f64 / (micros as f64 / 1e6);
    Load {
        per_second,
        replies,
        served,
        refused,
        other,
        errors,
    }
}
