//! The cost of each form of a reply to the same real question: the formats of a search, counts beside rows, a table
//! beside the file's text, names beside texts, a receipt beside the whole reply.
//!
//! The questions are in levels.toml. A search is classed as one with few, some or many matches by its result.

use std::collections::BTreeMap;

use fumi_kernel::ToolReply;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{clients::View, count, kernel::Kernel, median, searches::all_pages, trees::Tree};

/// The questions of levels.toml.
#[derive(Deserialize)]
pub(crate) struct Questions {
    pub(crate) search: Vec<Question>,
    list: Vec<Question>,
    source: Vec<Source>,
    pub(crate) ranked: Vec<Question>,
}

/// Arguments without any that choose a form.
#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) tree: String,
    arguments: String,
}

impl Question {
    pub(crate) fn arguments(&self) -> Value {
        serde_json::from_str(&self.arguments).unwrap_or_else(|error| panic!("{}: {error}", self.arguments))
    }
}

#[derive(Deserialize)]
struct Source {
    tree: String,
    path: String,
    /// An element of the file, to be read.
    element: String,
    /// A query key of the language.
    query_key: String,
}

/// The ranges of few, some and many matches.
const CLASSES: [(&str, std::ops::RangeInclusive<u64>); 3] =
    [("few", 5..=20), ("medium", 50..=200), ("many", 500..=2_000)];

/// The formats of a search, by the argument that selects one.
pub(crate) const FORMATS: [&str; 6] = [
    "total_only",
    "count_only_matches",
    "summary_only",
    "group_by_file",
    "optimize_paths",
    "normal",
];

/// Values by row and column; a key of measured.toml is `NAME.ROW.COLUMN`, without the column where there is one only.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) note: String,
    name: &'static str,
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<(String, Vec<Vec<f64>>)>,
}

impl Table {
    fn new(name: &'static str, columns: &[&'static str], title: &'static str, note: impl Into<String>) -> Self {
        Self {
            title,
            note: note.into(),
            name,
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    fn add(&mut self, row: &str, column: &str, value: f64) {
        let column = self
            .columns
            .iter()
            .position(|known| *known == column)
            .expect("a column");
        let at = self.rows.iter().position(|(known, _)| known == row).unwrap_or_else(|| {
            self.rows.push((row.to_owned(), vec![Vec::new(); self.columns.len()]));
            self.rows.len() - 1
        });
        self.rows[at].1[column].push(value);
    }
}

/// All tables.
pub(crate) struct Levels {
    pub(crate) tables: Vec<Table>,
}

impl Levels {
    /// `measured.toml`: every cell's median and range by its name, for the texts of the tools.
    #[expect(clippy::cast_possible_truncation, reason = "counts and shares are small")]
    pub(crate) fn figures(&self, inputs: &str) -> String {
        let mut text = format!(
            "# Written by ./bench tokens; do not edit. docs/tokens.md shows the same and says how it was measured.\n\
             # A text of a tool names a figure as {{{{name}}}}; it is shown with two digits.\n\
             # Inputs: {inputs}\n\n"
        );
        for table in &self.tables {
            for (row, cells) in &table.rows {
                for (column, values) in table.columns.iter().zip(cells).filter(|(_, values)| !values.is_empty()) {
                    let column = if table.columns.len() == 1 {
                        String::new()
                    } else {
                        format!(".{column}")
                    };
                    let key = format!("{}.{row}{column}", table.name);
                    let (low, high) = range(values);
                    for (part, value) in [("", median(values)), (".low", low), (".high", high)] {
                        text.push_str(&format!("\"{key}{part}\" = {}\n", value.round() as i64));
                    }
                }
            }
        }
        text
    }
}

/// Returns the least and the most.
pub(crate) fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        })
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn float(number: usize) -> f64 {
    number as f64
}

pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    float(part) / float(whole.max(1)) * 100.0
}

fn with(arguments: &Value, more: Value) -> Value {
    let mut arguments = arguments.clone();
    if let Value::Object(more) = more {
        arguments.as_object_mut().expect("an object").extend(more);
    }
    arguments
}

/// Reads the questions. At run time, so that a changed one needs no build.
pub(crate) fn questions() -> Questions {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/tokens/levels.toml");
    let text = std::fs::read_to_string(path).expect("levels.toml is there");
    toml::from_str(&text).expect("levels.toml is valid")
}

/// Returns a kernel for each tree.
pub(crate) fn kernels(trees: &BTreeMap<&'static str, Tree>) -> BTreeMap<&'static str, Kernel> {
    trees
        .iter()
        .map(|(name, tree)| (*name, Kernel::new(&[&tree.folder], false)))
        .collect()
}

/// Returns the arguments of a search in a format.
pub(crate) fn in_format(arguments: &Value, format: &str) -> Value {
    match format {
        "normal" => arguments.clone(),
        format => with(arguments, json!({ format: true })),
    }
}

/// Calls a tool as a client that gets the text alone.
fn ask(kernel: &Kernel, tool: &str, arguments: &Value) -> ToolReply {
    kernel.reply_in(View::TEXT.form, tool, arguments)
}

/// Returns the tokens of a reply, as a client passes on that gets the text alone.
fn cost(reply: &ToolReply) -> usize {
    View::TEXT.cost(reply)
}

/// Measures all levels.
pub(crate) fn run(trees: &BTreeMap<&'static str, Tree>) -> Levels {
    let questions = questions();
    let kernels = kernels(trees);
    let of = |questions: &[Question]| -> Vec<(&Kernel, Value)> {
        let asked = |question: &Question| (&kernels[question.tree.as_str()], question.arguments());
        questions.iter().map(asked).collect()
    };
    let mut tables = Vec::from(search_formats(&of(&questions.search)));
    tables.push(listing(&of(&questions.list)));
    let [share, each, mut single] = reading(&questions.source, &kernels, trees);
    for (kernel, arguments) in of(&questions.ranked) {
        let reply = ask(kernel, "search_content", &in_format(&arguments, "ranked"));
        single.add("ranked", "tokens", float(cost(&reply)));
    }
    tables.extend([share, each, single]);
    Levels { tables }
}

fn class(hits: u64, of: &Value) -> &'static str {
    CLASSES
        .iter()
        .find(|(_, range)| range.contains(&hits))
        .map_or_else(|| panic!("{of} finds {hits}, which is in no class"), |(name, _)| *name)
}

fn search_formats(searches: &[(&Kernel, Value)]) -> [Table; 2] {
    let columns = CLASSES.map(|(name, _)| name);
    let mut tokens = Table::new(
        "tokens",
        &columns,
        "search_content: the same searches in every format",
        "Tokens of the reply as a client gets it: over 2,000 rows or 25,000 tokens it is cut, and says so. \
         `all_pages` is the normal format with every page that `cursor` brings; `suppress_output` is its receipt when it goes \
         to an `output_file`.",
    );
    let mut saved = Table::new(
        "saved",
        &columns,
        "search_content: saved beside the normal format",
        "Percent of the tokens of the first normal reply, of the same search. Formats like these are said to save up to 90 %: \
         here is where that holds, and where it does not.",
    );
    let mut hits: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (kernel, arguments) in searches {
        let total = ask(kernel, "search_content", &with(arguments, json!({"total_only": true})));
        let total = total.structured["total_matches"].as_u64().expect("a number");
        let class = class(total, arguments);
        hits.entry(class).or_default().push(total);
        let normal = cost(&ask(kernel, "search_content", arguments));
        for format in FORMATS {
            let used = cost(&ask(kernel, "search_content", &in_format(arguments, format)));
            tokens.add(format, class, float(used));
            if format != "normal" {
                saved.add(format, class, 100.0 - percent(used, normal));
            }
        }
        tokens.add("all_pages", class, float(all_pages(kernel, View::TEXT, arguments)));
        let receipt = ask(
            kernel,
            "search_content",
            &with(arguments, json!({"output_file": "hits.json", "suppress_output": true})),
        );
        tokens.add("suppress_output", class, float(cost(&receipt)));
        saved.add("suppress_output", class, 100.0 - percent(cost(&receipt), normal));
    }
    let classes: Vec<String> = CLASSES
        .iter()
        .map(|(name, _)| {
            let mut found = hits.remove(name).unwrap_or_default();
            found.sort_unstable();
            let found: Vec<String> = found.iter().map(u64::to_string).collect();
            format!("{name}: {} matches", found.join(", "))
        })
        .collect();
    tokens.note = format!("{} Searches by what they find: {}.", tokens.note, classes.join("; "));
    [tokens, saved]
}

fn listing(lists: &[(&Kernel, Value)]) -> Table {
    let mut table = Table::new(
        "list",
        &CLASSES.map(|(name, _)| name),
        "list_files: a count beside rows",
        "Tokens of the reply; few, medium and many files. Paths relative to the project (`absolute: false`).",
    );
    for (kernel, arguments) in lists {
        let counted = ask(kernel, "list_files", &with(arguments, json!({"count_only": true})));
        let total = counted.structured["total_count"].as_u64().expect("a number");
        let class = class(total, arguments);
        let rows = ask(kernel, "list_files", &with(arguments, json!({"absolute": false})));
        table.add("count_only", class, float(cost(&counted)));
        table.add("rows", class, float(cost(&rows)));
    }
    table
}

fn reading(sources: &[Source], kernels: &BTreeMap<&str, Kernel>, trees: &BTreeMap<&'static str, Tree>) -> [Table; 3] {
    let mut share = Table::new(
        "share",
        &["percent"],
        "Files: an answer beside the file's text",
        "Percent of the tokens of the whole file, which a plain read would cost.",
    );
    let mut each = Table::new(
        "each",
        &["tokens"],
        "query_code: tokens a match",
        "The whole reply by its matches.",
    );
    let mut single = Table::new(
        "reply",
        &["tokens"],
        "Replies whose size hardly depends on the file",
        "Tokens.",
    );
    for source in sources {
        let (kernel, tree) = (&kernels[source.tree.as_str()], &trees[source.tree.as_str()]);
        let file = json!({"file_path": source.path});
        let text = std::fs::read_to_string(tree.folder.join(&source.path)).expect("a file of the tree");
        let whole = count(&text);
        for format in ["full", "compact", "signatures", "csv", "json"] {
            let asked = with(&file, json!({ "format_type": format }));
            let mut used = 0;
            // The whole table, even if it exceeds a reply.
            let reply = ask(kernel, "analyze_code_structure", &asked);
            used += cost(&reply);
            if reply.structured["truncated"] == true {
                eprintln!("{} {format} is cut", source.path);
            }
            share.add(&format!("analyze.{format}"), "percent", percent(used, whole));
        }
        let receipt = with(&file, json!({"output_file": "table.md", "suppress_output": true}));
        single.add(
            "analyze.suppress_output",
            "tokens",
            float(cost(&ask(kernel, "analyze_code_structure", &receipt))),
        );
        let element = with(&file, json!({"element": source.element, "format": "raw"}));
        let part = ask(kernel, "extract_code_section", &element);
        let part = part.structured["partial_content_result"]["content"].as_str().map(count);
        for format in ["raw", "text", "json"] {
            let asked = with(&file, json!({"element": source.element, "format": format}));
            let used = cost(&ask(kernel, "extract_code_section", &asked));
            share.add(&format!("extract.{format}"), "percent", percent(used, whole));
            if let Some(part) = part {
                single.add(
                    &format!("extract.{format}.beyond"),
                    "tokens",
                    float(used.saturating_sub(part)),
                );
            }
        }
        for format in ["summary", "json"] {
            let asked = with(&file, json!({"query_key": source.query_key, "output_format": format}));
            let reply = ask(kernel, "query_code", &asked);
            let found = reply.structured["query_result"]["total_matches"]
                .as_u64()
                .expect("a number");
            let found = usize::try_from(found).expect("few");
            assert!(found > 0, "{} has no {}", source.path, source.query_key);
            each.add(&format!("query.{format}"), "tokens", float(cost(&reply)) / float(found));
        }
        let scale = cost(&ask(kernel, "check_code_scale", &file));
        single.add("check_code_scale", "tokens", float(scale));
        let bare = with(&file, json!({"include_guidance": false}));
        single.add(
            "check_code_scale.bare",
            "tokens",
            float(cost(&ask(kernel, "check_code_scale", &bare))),
        );
        let detailed = with(&file, json!({"include_details": true}));
        share.add(
            "check_code_scale.details",
            "percent",
            percent(cost(&ask(kernel, "check_code_scale", &detailed)), whole),
        );
    }
    [share, each, single]
}
