//! The page docs/tokens.md: the bars, then the tasks with their calls, so that a reader can judge them.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    clients::{self, View},
    levels::{Levels, range},
    lists::{FORMS, LANGUAGES, UrlLists},
    median,
    searches::SearchCost,
    tasks::{Done, Taken},
    trees::Tree,
};

/// Tasks that need reading: the minimum share of the plain agent's tokens saved, and the maximum share of its calls
/// made, in the median.
const SAVED: f64 = 80.0;
const CALLS: f64 = 0.5;
/// Tasks that a list answers: the maximum tokens, in percent of the plain agent's.
const OF_LIST: f64 = 110.0;
/// Searches: the minimum percent of fewer tokens than in the structure that was shown before.
const FEWER: f64 = 40.0;
/// The maximum tokens of a list of tools, by URL, of what clients show to the model.
const MOST_LISTED: [(&str, usize); 3] = [("/mcp", 6_000), ("/mcp/code", 4_500), ("/mcp/all", 16_000)];

/// All results.
pub(crate) struct Measured {
    pub(crate) trees: BTreeMap<&'static str, Tree>,
    pub(crate) tasks: Vec<Done>,
    pub(crate) searches: Vec<(&'static str, Vec<SearchCost>)>,
    pub(crate) lists: Vec<UrlLists>,
    pub(crate) levels: Levels,
}

/// One bar.
struct Bar {
    what: String,
    measured: String,
    is_held: bool,
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn percent(ours: usize, theirs: usize) -> f64 {
    ours as f64 / theirs as f64 * 100.0
}

fn saved(done: &Done) -> f64 {
    100.0 - percent(done.fumi.tokens(), done.agent.tokens())
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn calls(done: &Done) -> f64 {
    done.fumi.calls.len() as f64 / done.agent.calls.len() as f64
}

fn median_of(done: &[&Done], value: fn(&Done) -> f64) -> f64 {
    let values: Vec<f64> = done.iter().map(|done| value(done)).collect();
    median(&values)
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "**no**" }
}

/// True if the agent has to read around the matches, as the bars assume; the other questions need only a list that `rg`
/// prints.
fn is_read(done: &Done) -> bool {
    let is_read = |step: &String| step.starts_with("read ") || step.starts_with("above ");
    done.script.agent.iter().any(is_read)
}

fn split(all: &[Done]) -> (Vec<&Done>, Vec<&Done>) {
    all.iter().partition(|done| is_read(done))
}

/// Returns the table of the bars.
pub(crate) fn bars(measured: &Measured) -> String {
    let mut bars = Vec::from(search_bars(&measured.searches));
    bars.extend(task_bars(&measured.tasks));
    bars.extend(list_bars(&measured.lists));
    let mut text = "| bar | measured | held |\n| --- | --- | --- |\n".to_owned();
    for bar in bars {
        let _ = writeln!(text, "| {} | {} | {} |", bar.what, bar.measured, yes(bar.is_held));
    }
    text
}

/// The bar is that of the default format; of the others, those are named that save less.
fn search_bars(searches: &[(&'static str, Vec<SearchCost>)]) -> [Bar; 2] {
    let medians: Vec<(&str, f64)> = searches.iter().map(|(format, costs)| (*format, fewer(costs))).collect();
    let (normal, others): (Vec<_>, Vec<_>) = medians.into_iter().partition(|(format, _)| *format == "normal");
    let normal = normal[0].1;
    let less: Vec<String> = others
        .iter()
        .filter(|(_, fewer)| *fewer < FEWER)
        .map(|(format, fewer)| format!("{format} {fewer:.0} %"))
        .collect();
    let what =
        format!("Searches, for Claude Code and Codex: at least {FEWER:.0} % fewer tokens than before, in the median");
    [
        Bar {
            what: format!("{what}; the default format"),
            measured: format!("{normal:.0} %"),
            is_held: normal >= FEWER,
        },
        Bar {
            what: "The same in each other format".to_owned(),
            is_held: less.is_empty(),
            measured: format!("less: {}", listed_or_none(&less)),
        },
    ]
}

fn listed_or_none(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join("; ")
    }
}

fn fewer(costs: &[SearchCost]) -> f64 {
    median(&costs.iter().map(SearchCost::fewer).collect::<Vec<_>>())
}

fn task_bars(all: &[Done]) -> [Bar; 6] {
    let (read, listed) = split(all);
    let (share, part) = (median_of(&read, saved), median_of(&read, calls));
    let of_agents = |done: &Done| percent(done.fumi.tokens(), done.agent.tokens());
    let replies_of_agents = |done: &Done| percent(done.fumi.replied, done.agent.replied);
    let over = |what: String, done: &[&Done], most: f64, share: &dyn Fn(&Done) -> f64| {
        let over: Vec<String> = done
            .iter()
            .filter(|done| share(done) > most)
            .map(|done| format!("{} {:.0} %", done.script.name, share(done)))
            .collect();
        Bar {
            what,
            is_held: over.is_empty(),
            measured: format!("more: {}", listed_or_none(&over)),
        }
    };
    let is_wrong = |done: &&Done| !done.fumi.is_right;
    let wrong: Vec<String> = all
        .iter()
        .filter(is_wrong)
        .map(|done| done.script.name.clone())
        .collect();
    [
        Bar {
            what: "Every task: all of the answer in the text alone".to_owned(),
            is_held: wrong.is_empty(),
            measured: format!("not: {}", listed_or_none(&wrong)),
        },
        Bar {
            what: format!("Found and read: at least {SAVED:.0} % fewer tokens than the plain agent, in the median"),
            measured: format!(
                "{share:.0} % ({:.0} % if fumi's calls and replies were nothing but the text that is asked for)",
                median_of(&read, most_saved)
            ),
            is_held: share >= SAVED,
        },
        Bar {
            what: format!("Found and read: at most {CALLS} of the plain agent's calls, in the median"),
            measured: format!("{part:.2}"),
            is_held: part <= CALLS,
        },
        over(
            "Found and read: no task with more tokens than the plain agent".to_owned(),
            &read,
            100.0,
            &of_agents,
        ),
        over(
            format!("Answered by a list: at most {OF_LIST:.0} % of the plain agent's tokens in every task"),
            &listed,
            OF_LIST,
            &of_agents,
        ),
        over(
            "The same of the replies alone: arguments as JSON are longer than a command".to_owned(),
            &listed,
            OF_LIST,
            &replies_of_agents,
        ),
    ]
}

/// Returns the percent of tokens that could be saved at most.
fn most_saved(done: &Done) -> f64 {
    let least = done.least.unwrap_or_else(|| done.fumi.tokens());
    100.0 - percent(least, done.agent.tokens())
}

fn list_bars(lists: &[UrlLists]) -> Vec<Bar> {
    MOST_LISTED
        .iter()
        .map(|(url, most)| {
            let of_url = lists.iter().filter(|list| list.url == *url);
            let shown = of_url.map(UrlLists::most_of_model).max().expect("the URL was asked");
            Bar {
                what: format!(
                    "What clients show of the list of tools at `{url}`, in any project and language: at most {} tokens",
                    number(*most)
                ),
                measured: number(shown),
                is_held: shown <= *most,
            }
        })
        .collect()
}

/// Returns the tables of the tasks: those that need reading, then those that a list answers.
pub(crate) fn tasks(all: &[Done]) -> String {
    let (read, listed) = split(all);
    format!(
        "{}\nQuestions that a list answers, where nothing has to be read around a hit; `rg` alone is often the better tool:\n\n{}",
        table(&read),
        table(&listed)
    )
}

fn table(done: &[&Done]) -> String {
    let mut text =
        "| task | the answer itself | fumi: arguments | replies | calls | right | agent: arguments | replies | \
                    calls | right | tokens saved | calls, of the agent's |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    let side = |taken: &Taken| {
        format!(
            "{} | {} | {} | {}",
            number(taken.asked),
            number(taken.replied),
            taken.calls.len(),
            yes(taken.is_right)
        )
    };
    for done in done {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.0} % | {:.2} |",
            done.script.name,
            done.least.map(number).unwrap_or_default(),
            side(&done.fumi),
            side(&done.agent),
            saved(done),
            calls(done)
        );
    }
    let _ = writeln!(
        text,
        "| **median** | | | | | | | | | | **{:.0} %** | **{:.2}** |",
        median_of(done, saved),
        median_of(done, calls)
    );
    text
}

/// Returns the table of all tasks together, by client.
pub(crate) fn clients(all: &[Done]) -> String {
    let total = |view: View| {
        let tokens: usize = all.iter().map(|done| done.seen(view).tokens()).sum();
        let wrong = all.iter().filter(|done| !done.seen(view).is_right).count();
        (tokens, wrong)
    };
    let mut text =
        "| client | gets | passes on, of both | tokens | not right | tokens if it got both | not right | fewer |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
    for client in clients::known() {
        let ((now, wrong), (of_both, wrong_of_both)) = (total(client.view()), total(client.view_of_both()));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {wrong} | {} | {wrong_of_both} | {:.0} % |",
            client.name,
            client.form.name(),
            client.passes.name(),
            number(now),
            number(of_both),
            100.0 - percent(now, of_both)
        );
    }
    text
}

/// Returns the table of the searches.
pub(crate) fn searches(searches: &[(&'static str, Vec<SearchCost>)]) -> String {
    let mut text =
        "| format | searches | tokens of all, before | now | fewer, of a search |\n| --- | --- | --- | --- | --- |\n"
            .to_owned();
    for (format, costs) in searches {
        let shares: Vec<f64> = costs.iter().map(SearchCost::fewer).collect();
        let (least, most) = range(&shares);
        let sum = |of: fn(&SearchCost) -> usize| number(costs.iter().map(of).sum());
        let _ = writeln!(
            text,
            "| {format} | {} | {} | {} | {:.0} % ({least:.0}–{most:.0}) |",
            costs.len(),
            sum(|cost| cost.before),
            sum(|cost| cost.now),
            median(&shares)
        );
    }
    text
}

/// Returns the table of the lists of tools.
pub(crate) fn lists(lists: &[UrlLists]) -> String {
    let columns: Vec<String> = FORMS
        .iter()
        .flat_map(|form| {
            let of_language = |language| format!("{}, {language} | of these for the model", form.name());
            LANGUAGES.map(of_language)
        })
        .collect();
    let mut text = format!(
        "| URL | project | tools | {} |\n|{}\n",
        columns.join(" | "),
        " --- |".repeat(3 + 2 * columns.len())
    );
    for list in lists {
        let costs: Vec<String> = list
            .costs
            .iter()
            .flatten()
            .map(|cost| format!("{} | {}", number(cost.sent), number(cost.of_model)))
            .collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            list.url,
            if list.is_novel { "a novel" } else { "code" },
            list.tools,
            costs.join(" | ")
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
pub(crate) fn page(inputs: &str, measured: &Measured) -> String {
    let mut text = format!(
        "# Tokens\n\nWritten by `./bench tokens`; do not edit. Inputs: `{inputs}`\n\n\
         Everything here is counted with the tokenizer o200k, nothing is estimated. Of a reply of fumi's, what a client \
         passes on to its model counts ([which client gets what](clients.md)). Where no client is named, that is the text \
         alone, which Claude Code, Codex, Gemini CLI and the other clients of the table get.\n\n\
         ## Bars\n\n{}\n\
         The trees, none of them fumi's; another version gives other figures:\n\n",
        bars(measured)
    );
    for (name, tree) in &measured.trees {
        let _ = writeln!(
            text,
            "- `{name}`: {}; {} files, sha256 `{}`",
            tree.what, tree.files, tree.hash
        );
    }
    text.push_str(&section_of_tasks(&measured.tasks));
    let _ = write!(
        text,
        "\n## Searches\n\n\
         The searches of the levels below, as Claude Code and Codex pass them on: the structure that they showed when every \
         client got text and structure, and the text that they get now. Both with every page that `cursor` brings, so that \
         both show the same matches. Of a single search: the median, with the least and the most in brackets.\n\n{}\n\
         ## The list of tools\n\n\
         What a conversation pays before its first question, by URL: the tools of `tools/list` as a client gets them (name, \
         title, description, input schema, annotations and `_meta`; with the form `both` also the output schema), and of \
         these what clients show to the model (name, title, description and input schema). `/mcp` lists what fits the \
         project.\n\n{}\n\
         ## Levels\n\nThe same questions in every form of the answer: the median of several, with the least and the most in \
         brackets. The texts of the tools take their figures from here, rounded to two digits.\n{}",
        searches(&measured.searches),
        lists(&measured.lists),
        levels(&measured.levels)
    );
    text
}

fn section_of_tasks(done: &[Done]) -> String {
    let mut text = format!(
        "\n## Tasks\n\n\
         Each is done twice: by fumi's tools, and by a plain agent with `rg` and `sed`, which reads 60 lines around a hit. The \
         agent is a strong one: its patterns are well chosen, it knows which hits to follow, reads nothing twice, stops at the \
         line that completes the answer, and pays for no line numbers in what it reads. The answer is the one that another \
         program gives; *right* means that all of it stood in the replies, for fumi in the text alone. Where the answer is a \
         text of the sources, *the answer itself* has its tokens, which no tool can leave out. The calls of both: \
         [benches/tokens/tasks.toml](../benches/tokens/tasks.toml).\n\n{}",
        tasks(done)
    );
    text.push_str("\n| task | question | tree | the right answer |\n| --- | --- | --- | --- |\n");
    for Done { script, .. } in done {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            script.name, script.question, script.tree, script.truth
        );
    }
    let _ = write!(
        text,
        "\n## By client\n\n\
         All tasks together, arguments and replies. A client that gets only the text passes on the text. Beside it, the same \
         tasks if fumi sent the client text and structure, of which it would pass on what the third column says. *Not right* \
         counts the tasks whose answer was not all there.\n\n{}",
        clients(done)
    );
    text
}
