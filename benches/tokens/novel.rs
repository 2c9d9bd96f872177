//! The cost of writing an episode: by the short route beside the ten stages, and the replies of the ten stages beside the
//! plain form of the seed, in which every reply has the full texts that fumi's refers to.
//!
//! Invariant: both forms have the same content. The plain reply to a call has the fields of the seed's output schema
//! and the same question, with every reference replaced by its text (the plot, the settings, the results of earlier
//! stages) and every output whole. A host has to read some of it, so the report also has the cost of fetching every
//! reference once.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use fumi_kernel::ToolReply;
use fumi_novel::writing::{StageRoute, WritingStage};
use serde_json::{Value, json};

use super::{count, kernel::Kernel};

#[path = "../../tests/it/novel/script.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod script;

/// The manuscript that the script's answers are made from.
const FIRST: &str = "40_原稿/第001話_こぶとえくぼ.md";

/// The bar: the minimum saving against the plain form.
const BAR: f64 = 90.0;

/// Returns the tokens of a reply: some clients show a model only the structure, others only the text.
fn cost(reply: &ToolReply) -> usize {
    count(&reply.structured.to_string()).max(count(&reply.text))
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/novel")
}

/// The tokens of an episode of 1,800 characters by the ten stages of the first version, in replies and in fetched references,
/// as measured by an editor (novel-editor §5). The bar of the short route is a third of them.
const FIRST_VERSION: (usize, usize) = (17_300, 8_000);

/// One call of the chain.
struct Row {
    step: String,
    fumi: usize,
    plain: usize,
}

/// The chain of one episode.
pub(crate) struct Chain {
    rows: Vec<Row>,
    /// Tokens of all listed references if each is fetched once.
    fetched: usize,
    /// The number of references.
    references: usize,
}

/// The episode by both routes.
pub(crate) struct Chains {
    whole: Chain,
    short: Chain,
}

/// Writes the first episode of the sample by both routes.
pub(crate) fn run(folder: &Path) -> Chains {
    Chains {
        whole: chain(&folder.join("whole"), StageRoute::Whole),
        short: chain(&folder.join("short"), StageRoute::Short),
    }
}

/// Writes the first episode of the sample in a copy of it, as a host does.
fn chain(folder: &Path, route: StageRoute) -> Chain {
    let root = folder.join("novel");
    copy(&shipped(), &root);
    fs::remove_file(root.join(FIRST)).expect("the manuscript is there");
    let kernel = Kernel::new(&[&root], true);
    let (mut rows, mut seen, mut fetched) = (Vec::new(), BTreeSet::new(), 0);
    let (mut arguments, mut answered) = (first_call(route), String::new());
    loop {
        let reply = kernel.reply("noveler_write", &arguments);
        let structure = &reply.structured;
        let context: Vec<&str> = structure["context"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for reference in &context {
            let id = reference.split_whitespace().next().unwrap_or_default();
            if seen.insert(id.to_owned()) {
                fetched += cost(&kernel.reply("fetch_artifact", &json!({"artifact_id": id})));
            }
        }
        let plain = plain(&root, structure, &every_reference(&kernel, structure), &answered);
        let step = structure["step"].as_str().unwrap_or_default().to_owned();
        rows.push(Row {
            step: if step.is_empty() {
                "the end".to_owned()
            } else {
                step.clone()
            },
            fumi: cost(&reply),
            plain: count(&plain.to_string()),
        });
        if structure["status"] != "needs_text" {
            let references = seen.len();
            return Chain {
                rows,
                fetched,
                references,
            };
        }
        answered = script::answer(&step);
        arguments = structure["submit"]["arguments"].clone();
        arguments["content"] = json!(answered);
    }
}

/// Returns all references of a question: a reply to an answer lists only those that are new to the host.
fn every_reference(kernel: &Kernel, structure: &Value) -> Vec<String> {
    if structure["status"] != "needs_text" {
        return Vec::new();
    }
    let mut arguments = structure["submit"]["arguments"].clone();
    arguments.as_object_mut().expect("arguments").remove("step");
    let asked = kernel.reply("noveler_write", &arguments).structured;
    assert_eq!(asked["step"], structure["step"]);
    let references = asked["context"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    references.map(str::to_owned).collect()
}

/// Returns the arguments of the first call. The sample's own route is the ten stages.
fn first_call(route: StageRoute) -> Value {
    match route {
        StageRoute::Short => json!({"episode": 1, "route": "short"}),
        _ => json!({"episode": 1}),
    }
}

/// Returns the same reply by the seed's schemas: `write_step_N` for a question, `noveler_write` at the end.
fn plain(root: &Path, structure: &Value, context: &[String], answered: &str) -> Value {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    if structure["status"] == "needs_text" {
        let step = structure["step"].as_str().unwrap_or_default();
        let number = WritingStage::parse(step.split(':').next().unwrap_or_default()).map_or(0, WritingStage::number);
        let texts: Vec<Value> = context
            .iter()
            .filter_map(|reference| {
                let path = reference.split_whitespace().nth(1)?;
                Some(json!({"file": path, "content": text(path)}))
            })
            .collect();
        return json!({
            "success": true,
            "step": number,
            "session_id": structure["session_id"],
            "next_step": number + 1,
            "result": {
                "output": answered,
                "instruction": structure["instruction"],
                "context": texts,
                "acceptance_criteria": structure["acceptance_criteria"],
                "response_schema": structure["response_schema"],
            },
            "execution_time_seconds": 0.1,
            "timeout_reset": true,
        });
    }
    let stages: Vec<Value> = structure["stage_results"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|stage| {
            let id = stage["output_summary"].as_str().unwrap_or_default();
            let hash = id.trim_start_matches("artifact:").split(',').next().unwrap_or_default();
            json!({
                "stage": stage["stage"],
                "status": stage["status"],
                "execution_time_seconds": stage["execution_time_seconds"],
                "output_summary": output_of(root, hash),
            })
        })
        .collect();
    let path = structure["final_manuscript_path"].as_str().unwrap_or_default();
    json!({
        "success": true,
        "total_stages_completed": structure["total_stages_completed"],
        "final_manuscript_path": path,
        "word_count": structure["word_count"],
        "manuscript_text": text(path),
        "stage_results": stages,
        "execution_time_total_seconds": structure["execution_time_total_seconds"],
    })
}

/// Returns the text of a stage's output, by the beginning of its hash.
fn output_of(root: &Path, hash: &str) -> String {
    let mut folders = vec![root.join(".noveler/writes")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains(hash) {
                return fs::read_to_string(path).unwrap_or_default();
            }
        }
    }
    String::new()
}

impl Chain {
    fn totals(&self) -> (usize, usize) {
        let sum = |of: fn(&Row) -> usize| self.rows.iter().map(of).sum();
        (sum(|row| row.fumi), sum(|row| row.plain))
    }

    /// Returns the tokens of all replies, and those with every reference fetched once.
    fn cost(&self) -> (usize, usize) {
        let replies = self.totals().0;
        (replies, replies + self.fetched)
    }
}

impl Chains {
    /// Returns the report.
    #[expect(clippy::cast_precision_loss, reason = "token counts")]
    pub(crate) fn page(&self, hash: &str) -> String {
        let (fumi, plain) = self.whole.totals();
        let saved = saved(fumi, plain);
        let holds = |is_held| if is_held { "yes" } else { "**no**" };
        let mut page = format!(
            "# Tokens of writing\n\nWritten by `./bench tokens`; do not edit. Inputs: `{hash}`\n\n\
             The first episode of the sample novel, written by a host with scripted answers through `noveler_write`. Counted with the \
             tokenizer o200k; of a reply the larger of structure and text. What the host writes is not counted. A host reads what it \
             needs by `fetch_artifact`; *with references* counts every listed reference fetched once. A reply to an answer lists only \
             what the host does not know yet.\n\n\
             ## The short route beside the ten stages\n\n| route | calls | replies | with references |\n| --- | --- | --- | --- |\n",
        );
        for (name, chain) in [("short", &self.short), ("ten stages", &self.whole)] {
            let (replies, all) = chain.cost();
            let _ = writeln!(page, "| {name} | {} | {replies} | {all} |", chain.rows.len());
        }
        let (replies, fetches) = FIRST_VERSION;
        let first = replies + fetches;
        let _ = writeln!(page, "| ten stages, first version | | {replies} | {first} |");
        let all = self.short.cost().1;
        let share = |of: usize| all as f64 * 100.0 / of as f64;
        let _ = writeln!(
            page,
            "\nThe row of the first version was measured by an editor on an episode of 1,800 characters. The short route needs \
             **{:.1} %** of its tokens (bar: at most a third; held: {}), and {:.1} % of those of the ten stages today.\n\n\
             | the reply that asks for | tokens |\n| --- | --- |",
            share(first),
            holds(all * 3 <= first),
            share(self.whole.cost().1)
        );
        for row in &self.short.rows {
            let _ = writeln!(page, "| {} | {} |", row.step, row.fumi);
        }
        let _ = writeln!(
            page,
            "\n## The ten stages beside full texts\n\n\
             Beside each reply stands its plain form: the fields of the specification's output schemas with the same question, but \
             with the full texts (plot, settings, outputs of earlier stages, the manuscript) in place of references.\n\n\
             Together: {fumi} tokens instead of {plain}, **{saved:.1} %** fewer (bar: at least {BAR:.0} %; held: {}). With the {} \
             different references: still {:.1} % fewer.\n",
            holds(saved >= BAR),
            self.whole.references,
            saved_with(fumi, self.whole.fetched, plain)
        );
        page.push_str("| the reply that asks for | fumi | plain | saved |\n| --- | --- | --- | --- |\n");
        for row in &self.whole.rows {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {:.0} % |",
                row.step,
                row.fumi,
                row.plain,
                saved_of(row)
            );
        }
        page
    }
}

fn saved_of(row: &Row) -> f64 {
    saved(row.fumi, row.plain)
}

fn saved_with(fumi: usize, fetched: usize, plain: usize) -> f64 {
    saved(fumi + fetched, plain)
}

/// Returns the saving in hundredths.
#[expect(clippy::cast_precision_loss, reason = "token counts")]
fn saved(ours: usize, theirs: usize) -> f64 {
    (1.0 - ours as f64 / theirs as f64) * 100.0
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from)
        .expect("readable")
        .map(|entry| entry.expect("readable"))
    {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}
