//! The table of docs/clients.md, and where fumi's own table of clients differs from it.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Deserialize;
use tiktoken_rs::o200k_base_singleton;

use crate::seen::{CallResult, Limit, Rendering, Seen, Size, Tools};

const HEAD: &str = "\
    | client, its model, how it gives tools | passes on of `both` | of `structured` | an error of `both` | a picture \
    | fumi's tools at once (tokens) | tokens of the search: chosen form, `both` | a full page: chosen form, `both` \
    | longest text passed on whole | of a longer one |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// Returns the table with the sentences that explain it.
pub(crate) fn table(seen: &[Seen], inputs: &str) -> String {
    let mut text = format!(
        "The clients ran with a scripted model behind their vendors' interfaces; the table shows what this model got, in \
         the form that fumi chose for them ({}) and in others. Tokens are those of o200k; the search has {}; a full page is \
         a reply that fumi cut at its limit, with a cursor. Written by `./bench clients`; do not edit. Inputs: `{inputs}`\n\n\
         {HEAD}",
        chosen(seen),
        join(seen.iter().map(|client| client.matches.as_str())),
    );
    for client in seen {
        let _ = writeln!(text, "| {} |", row(client).join(" | "));
    }
    text
}

fn row(client: &Seen) -> [String; 10] {
    let Seen {
        client: name,
        version,
        model,
        variant,
        tools,
        ..
    } = client;
    [
        format!("{name} {version}, `{model}`, {variant}"),
        names(&client.passes("both")),
        names(&client.passes("structured")),
        client.result("both", "error").map_or_else(untried, error),
        picture(client),
        given(tools),
        format!("{}, {}", cost(client, "own"), cost(client, "both")),
        format!("{}, {}", page(client, "own"), page(client, "both")),
        longest(client),
        client.limits.get("english").map_or_else(untried, shown),
    ]
}

fn given(tools: &Tools) -> String {
    let cost = if tools.given == 0 {
        "0".to_owned()
    } else {
        tokens(&tools.json)
    };
    format!("{} of {} ({cost})", tools.given, tools.served)
}

/// Returns the forms that fumi chose by itself.
fn chosen(seen: &[Seen]) -> String {
    let searches = seen.iter().filter_map(|client| client.result("own", "search"));
    join(searches.map(|result| result.sent.name()))
}

/// Returns different words once, in their order.
fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for word in words {
        if !once.contains(&word) {
            once.push(word);
        }
    }
    once.join(", ")
}

fn names(passed: &[Rendering]) -> String {
    join(passed.iter().map(|rendering| rendering.name()))
}

fn untried() -> String {
    "–".to_owned()
}

fn error(result: &CallResult) -> String {
    let marked = if result.is_error { ", marked" } else { "" };
    format!("{}{marked}", result.passed.name())
}

/// Returns the forms in which a picture reaches the model.
fn picture(client: &Seen) -> String {
    let forms = ["text", "structured", "both"];
    let tried: Vec<_> = forms
        .into_iter()
        .filter_map(|form| Some((form, client.result(form, "picture")?.pictures > 0)))
        .collect();
    let reached = tried.iter().filter(|(_, reached)| *reached);
    match reached.clone().count() {
        _ if tried.is_empty() => untried(),
        0 => "no".to_owned(),
        all if all == tried.len() => "yes".to_owned(),
        _ => format!("only in {}", join(reached.map(|(form, _)| *form))),
    }
}

fn cost(client: &Seen, form: &str) -> String {
    client.result(form, "search").map_or_else(untried, |result| {
        let cut = if result.passed == Rendering::Part { " (cut)" } else { "" };
        format!("{}{cut}", tokens(&result.received))
    })
}

fn page(client: &Seen, form: &str) -> &'static str {
    client.result(form, "page").map_or("–", |result| match result.passed {
        Rendering::Part => "cut",
        Rendering::Nothing => "nothing",
        Rendering::Text | Rendering::Structure | Rendering::Both => "whole",
    })
}

/// Returns the longest text that was whole, in the unit in which English and Japanese texts agree.
fn longest(client: &Seen) -> String {
    let limits = client.limits.values();
    let whole: Vec<Size> = limits.filter_map(|limit| Some(limit.whole.as_ref()?.sent)).collect();
    let characters = agreed(whole.iter().map(|size| size.characters)).map(|least| (least, "characters"));
    let bytes = agreed(whole.iter().map(|size| size.bytes)).map(|least| (least, "bytes"));
    let Some((least, unit)) = characters.or(bytes) else {
        return untried();
    };
    let is_open = client.limits.values().any(|limit| limit.cut.is_none());
    format!("{}{} {unit}", if is_open { "at least " } else { "" }, number(least))
}

/// Returns the least of some values, if they are equal within one per cent.
fn agreed(values: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    let (least, most) = (values.clone().min()?, values.max()?);
    ((most - least) * 100 <= most).then_some(least)
}

/// Returns how much the model gets of a text that is one character too long. The client's own note is in it, whose
/// length depends on the names of folders.
fn shown(limit: &Limit) -> String {
    limit.cut.as_ref().map_or_else(untried, |view| {
        format!(
            "about {} characters",
            number((view.received.characters + 50) / 100 * 100)
        )
    })
}

fn tokens(text: &str) -> String {
    number(o200k_base_singleton().encode_ordinary(text).len())
}

/// 12345 as 12,345.
fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[derive(Deserialize)]
struct Known {
    client: Vec<KnownClient>,
}

#[derive(Deserialize)]
struct KnownClient {
    names: Vec<String>,
    passes: String,
}

/// Returns a sentence for each row that src/mcp/clients.toml describes otherwise.
pub(crate) fn differences(seen: &[Seen], known: &str) -> Vec<String> {
    let known: Known = toml::from_str(known).expect("a test reads it");
    let by_name: BTreeMap<&str, &str> = known
        .client
        .iter()
        .flat_map(|client| client.names.iter().map(|name| (name.as_str(), client.passes.as_str())))
        .collect();
    seen.iter()
        .filter_map(|client| {
            let (says, passes) = (
                by_name.get(client.name.as_str()).copied(),
                names(&client.passes("both")),
            );
            (says != Some(passes.as_str())).then(|| {
                let says = says.unwrap_or("nothing");
                format!(
                    "{} ({}) passes on {passes}, the table says {says}",
                    client.client, client.variant
                )
            })
        })
        .collect()
}
