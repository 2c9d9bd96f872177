//! Properties of every text, tested on random ones: sections join to the file, elements nest, columns cut out what they
//! name.
//!
//! Runs with the same seed test the same cases; `FUMI_PROPERTY_SEED` overrides the seed, `FUMI_PROPERTY_TIMES`
//! multiplies the number of cases. The tests compute their expectations from the text alone: they never use the code
//! under test to count lines or columns.

mod columns;
mod nesting;
mod sections;
mod texts;

use fumi_code::elements::SourceSpan;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Returns a test runner for this number of cases.
fn runner(cases: u32) -> TestRunner {
    let asked = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(value.parse::<u32>().unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let seed = asked("FUMI_PROPERTY_SEED").map(u64::from);
    TestRunner::new(Config {
        cases: cases * asked("FUMI_PROPERTY_TIMES").unwrap_or(1),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed.unwrap_or(9)),
        ..Config::default()
    })
}

/// Returns the byte offset of a 1-based line and a 0-based column in characters. A line includes the line feed that
/// ends it.
fn byte_of(text: &str, line: usize, column: usize) -> Option<usize> {
    let rest = match line.checked_sub(1)? {
        0 => text,
        before => {
            let (at, _) = text.match_indices('\n').nth(before - 1)?;
            &text[at + 1..]
        }
    };
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let start = text.len() - rest.len();
    let mut places = rest[..length].char_indices().map(|(at, _)| at).chain([length]);
    places.nth(column).map(|at| start + at)
}

/// Returns the error in a span, if its lines and columns disagree with its bytes; the last line feed may be left out of
/// them.
fn fault_of(span: SourceSpan, text: &str) -> Option<String> {
    let bytes = byte_of(text, span.start_line, span.start_column).zip(byte_of(text, span.end_line, span.end_column));
    let Some((start, end)) = bytes else {
        return Some(format!("{span:?} leads out of the text"));
    };
    let Some(own) = text.get(span.start_byte..span.end_byte) else {
        return Some(format!("{span:?} is cut within a character, or leads out"));
    };
    let is_same = text.get(start..end) == Some(own) || text.get(start..=end) == Some(own) && own.ends_with('\n');
    (start != span.start_byte || !is_same).then(|| format!("{span:?} says {:?}, is {own:?}", text.get(start..end)))
}
