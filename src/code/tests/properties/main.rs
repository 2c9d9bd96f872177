//! What holds for every text, tried on random ones: cuts give the file back, elements nest, columns cut what they name.
//!
//! Equal runs try equal cases; `FUMI_PROPERTY_SEED` asks for others, `FUMI_PROPERTY_TIMES` for so many times as many.
//! Expectations are reckoned here, by hand, from the text alone: nothing of the code under test counts lines or columns for
//! them.

mod columns;
mod nesting;
mod sections;
mod texts;

use fumi_code::elements::Span;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// A runner of so many cases.
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

/// The byte of a 1-based line and a 0-based column in characters. A line ends with a line feed, which is a character of it.
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

/// What is wrong with a span, reckoned from its lines and columns; its last line feed may be left out of these.
fn fault_of(span: Span, text: &str) -> Option<String> {
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
