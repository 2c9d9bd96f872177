//! The last lines that a program wrote to standard error; they show why it ended.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Lines of standard error that are kept; the report of a crash needs fewer.
const LINES: usize = 20;

/// Characters of a line that are kept.
const LINE: usize = 400;

/// The last lines that a program wrote to standard error.
#[derive(Clone, Debug, Default)]
pub(super) struct StderrTail(
    // Locked only to move values, never across an await.
    Arc<Mutex<VecDeque<String>>>,
);

impl StderrTail {
    /// Reads standard error until the program closes it.
    pub(super) async fn listen(self, stderr: impl AsyncRead + Unpin) {
        let mut lines = BufReader::new(stderr).split(b'\n');
        while let Ok(Some(line)) = lines.next_segment().await {
            let line: String = String::from_utf8_lossy(&line).trim().chars().take(LINE).collect();
            if line.is_empty() {
                continue;
            }
            let mut said = self.0.lock();
            if said.len() == LINES {
                said.pop_front();
            }
            said.push_back(line);
        }
    }

    /// Returns the kept lines, the oldest first.
    pub(super) fn all(&self) -> Vec<String> {
        let said = self.0.lock();
        said.iter().cloned().collect()
    }
}

/// Formats the last line as the end of a sentence; empty if there is none.
pub(super) fn last(said: &[String]) -> String {
    said.last().map_or_else(String::new, |line| format!("; it said: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_cut() {
        let lines: Vec<_> = (0..30).map(|line| format!("{line}{}", "x".repeat(1_000))).collect();
        let said = lines.join("\r\n\n");
        let words = StderrTail::default();
        words.clone().listen(said.as_bytes()).await;
        let all = words.all();
        assert_eq!((all.len(), all[0].len()), (LINES, LINE));
        assert!(all[0].starts_with("10x") && last(&all).starts_with("; it said: 29x"));
        assert_eq!(last(&[]), "");
    }
}
