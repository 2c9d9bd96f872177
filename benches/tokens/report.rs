//! The page docs/tokens.md: the tasks first, with their calls, so that a reader can judge them.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    levels::{Levels, range},
    median,
    tasks::{Done, Taken},
    trees::Tree,
};

/// The minimum share of the plain agent's tokens saved, and the maximum share of its calls made, in the median.
const SAVED: f64 = 60.0;
const CALLS: f64 = 0.5;

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn saved(done: &Done) -> f64 {
    100.0 - done.fumi.tokens as f64 / done.agent.tokens as f64 * 100.0
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn calls(done: &Done) -> f64 {
    done.fumi.calls.len() as f64 / done.agent.calls.len() as f64
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "**no**" }
}

/// True if the agent has to read around the matches, as the bars assume; the other questions need only a list that `rg`
/// prints.
fn is_read(done: &Done) -> bool {
    done.script.agent.iter().any(|step| step.starts_with("read "))
}

/// Returns the tables of the tasks: those that need reading, with the bars, then those that a list answers.
pub(crate) fn tasks(all: &[Done]) -> String {
    let (read, listed): (Vec<&Done>, Vec<&Done>) = all.iter().partition(|done| is_read(done));
    let of = |done: &[&Done], value: fn(&Done) -> f64| {
        let values: Vec<f64> = done.iter().map(|done| value(done)).collect();
        median(&values)
    };
    let (share, part) = (of(&read, saved), of(&read, calls));
    let mut text = table(&read);
    let _ = writeln!(
        text,
        "| **median** | | | | | | | **{share:.0} %** (bar: at least {SAVED:.0} %; held: {}) | **{part:.2}** (bar: at most \
         {CALLS}; held: {}) |",
        yes(share >= SAVED),
        yes(part <= CALLS)
    );
    let _ = writeln!(
        text,
        "\nQuestions that a list answers, where nothing has to be read around a hit; `rg` alone is often the better tool:\n\n{}\
         | median | | | | | | | {:.0} % | {:.2} |",
        table(&listed),
        of(&listed, saved),
        of(&listed, calls)
    );
    text
}

fn table(done: &[&Done]) -> String {
    let mut text = "| task | fumi: tokens | calls | right | agent: tokens | calls | right | tokens saved | calls, of \
                    the agent's |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    let side = |taken: &Taken| {
        format!(
            "{} | {} | {}",
            number(taken.tokens),
            taken.calls.len(),
            yes(taken.is_right)
        )
    };
    for done in done {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} % | {:.2} |",
            done.script.name,
            side(&done.fumi),
            side(&done.agent),
            saved(done),
            calls(done)
        );
    }
    text
}

fn number(tokens: usize) -> String {
    let digits = tokens.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and shares are small and not negative"
)]
fn cell(values: &[f64]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let shown = |value: f64| {
        if value < 0.0 {
            format!("-{}", number(-value.round() as usize))
        } else {
            number(value.round() as usize)
        }
    };
    let (low, high) = range(values);
    format!("{} ({}–{})", shown(median(values)), shown(low), shown(high))
}

/// Returns the tables of the levels: medians, and the least and the most in brackets.
pub(crate) fn levels(levels: &Levels) -> String {
    let mut text = String::new();
    for table in &levels.tables {
        let _ = write!(
            text,
            "\n### {}\n\n{}\n\n| | {} |\n|{}\n",
            table.title,
            table.note,
            table.columns.join(" | "),
            " --- |".repeat(table.columns.len() + 1)
        );
        for (row, cells) in &table.rows {
            let cells: Vec<String> = cells.iter().map(|values| cell(values)).collect();
            let _ = writeln!(text, "| {row} | {} |", cells.join(" | "));
        }
    }
    text
}

/// Returns the whole page.
pub(crate) fn page(inputs: &str, trees: &BTreeMap<&'static str, Tree>, done: &[Done], measured: &Levels) -> String {
    let mut text = format!(
        "# Tokens\n\nWritten by `./bench tokens`; do not edit. Inputs: `{inputs}`\n\n\
         Everything here is counted with the tokenizer o200k, nothing is estimated. Of a reply of fumi's the larger of \
         structure and text counts, since clients show a model the one or the other. What the tool list itself costs, once \
         a conversation, is not in these figures: under 5,000 tokens, as a test asserts.\n\n\
         The trees, none of them fumi's; another version gives other figures:\n\n"
    );
    for (name, tree) in trees {
        let _ = writeln!(
            text,
            "- `{name}`: {}; {} files, sha256 `{}`",
            tree.what, tree.files, tree.hash
        );
    }
    let _ = write!(
        text,
        "\n## Tasks\n\n\
         Each is done twice: by fumi's tools, and by a plain agent with `rg` and `sed`, which reads 60 lines around a hit. The \
         agent is a strong one: its patterns are well chosen, it knows which hits to follow, reads nothing twice, stops at the \
         line that completes the answer, and pays for no line numbers in what it reads. The answer is the one that another \
         program gives; *right* means that all of it stood in the replies (for fumi, in the structure and in the text). Tokens \
         are those of arguments and replies.\n\n{}",
        tasks(done)
    );
    for one in done {
        let list = |taken: &Taken| {
            let calls: Vec<String> = taken.calls.iter().map(|call| format!("    - `{call}`\n")).collect();
            calls.concat()
        };
        let _ = write!(
            text,
            "\n### {}\n\n{} Tree: `{}`. The right answer: {}.\n\n- fumi\n{}- the plain agent\n{}",
            one.script.name,
            one.script.question,
            one.script.tree,
            one.script.truth,
            list(&one.fumi),
            list(&one.agent)
        );
    }
    let _ = write!(
        text,
        "\n## Levels\n\nThe same questions in every form of the answer: the median of several, with the least and the most in \
         brackets. The texts of the tools take their figures from here, rounded to two digits.\n{}",
        levels(measured)
    );
    text
}
