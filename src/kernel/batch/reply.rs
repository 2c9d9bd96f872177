//! The reply of a batch: the replies of all steps, within the caps of one reply.
//!
//! The largest results are left out first, each with a hint how to get it. The status of each step always stays.

use std::{collections::BTreeMap, time::Duration};

use fumi_base::{text::Locale, tokens};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Block, Render, ResultForm, ToolReply, cut_rows::Caps, metrics::BatchOutcome};

/// The largest size of all images of one reply, in bytes of base64: more than clients show, less than would harm them.
const PICTURES: usize = 16 << 20;

/// The size of a step's line without its result.
const STEP_TOKENS: usize = 40;
const STEP_BYTES: usize = 160;

/// The answer of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchReply {
    /// True if every step ran and none failed.
    success: bool,
    /// The steps that ran, in order.
    steps: Vec<StepReply>,
    /// The number of steps of the plan.
    #[serde(rename = "totalSteps")]
    total: usize,
    succeeded: usize,
    failed: usize,
    /// The number of steps that did not run, because an earlier one failed or the time was over.
    #[serde(rename = "notRun")]
    not_run: usize,
    /// The duration in milliseconds, which the pipeline fills in.
    elapsed_ms: u64,
}

/// The result of a step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepReply {
    #[serde(rename = "stepIndex")]
    index: usize,
    tool: &'static str,
    /// True if the step did not fail.
    pub success: bool,
    /// The structure of the step's reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Map<String, Value>>,
    /// The error of a failed step.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
    /// The reason why an existing result was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<String>,
    elapsed_ms: u64,
    /// The estimated tokens of the step's reply.
    tokens: usize,
    #[serde(skip)]
    form: ResultForm,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    blocks: Vec<Block>,
    /// The fields that stay if the rest is left out.
    #[serde(skip)]
    missed: Option<Map<String, Value>>,
}

impl StepReply {
    pub(super) fn from_reply(index: usize, tool: &'static str, mut reply: ToolReply) -> Self {
        let tokens = reply.tokens();
        let error = reply.is_error.then(|| object(reply.structured["error"].take()));
        Self {
            index,
            tool,
            success: !reply.is_error,
            result: error.is_none().then(|| object(reply.structured)),
            error,
            omitted: None,
            elapsed_ms: reply.elapsed_ms,
            tokens,
            form: reply.form,
            text: reply.text,
            blocks: reply.blocks,
            missed: reply.required.map(|missed| object(*missed)).filter(|missed| !missed.is_empty()),
        }
    }

    /// Returns the values to which later steps may refer.
    pub(super) fn reference_values(&self, unfiltered: Option<Value>) -> Value {
        let mut seen = json!({"stepIndex": self.index, "tool": self.tool, "success": self.success});
        if let Some(result) = &self.result {
            seen["result"] = unfiltered.unwrap_or_else(|| Value::Object(result.clone()));
        }
        if let Some(error) = &self.error {
            seen["error"] = Value::Object(error.clone());
        }
        seen
    }

    fn bytes(&self) -> usize {
        let json = |part: &Option<Map<String, Value>>| {
            part.as_ref().map_or(0, |part| serde_json::to_string(part).map_or(0, |text| text.len()))
        };
        let structure = || json(&self.result) + json(&self.error);
        match self.form {
            ResultForm::Both => self.text.len().max(structure()),
            ResultForm::Text => self.text.len(),
            ResultForm::Structured => structure(),
        }
    }

    /// Removes the result, and sets `omitted` to the reason.
    fn omit(&mut self, caps: Caps, is_tokens: bool, locale: Locale) {
        let (tool, call) = (self.tool, self.index);
        let (used, most, unit, fields) = if is_tokens {
            let fields = ("fields or maxTokens", "fields や maxTokens");
            (self.tokens, caps.tokens, ("tokens", "トークン"), fields)
        } else {
            (self.bytes(), caps.bytes, ("bytes", "バイト"), ("fields", "fields"))
        };
        self.omitted = Some(match locale {
            Locale::En => format!(
                "about {used} {}, which do not fit beside the other results into the batch's {most}: call {tool} alone, or give steps[{call}].expectation {}",
                unit.0, fields.0
            ),
            Locale::Ja => format!(
                "約 {used} {}あり、ほかの結果と合わせるとバッチ全体の上限 {most} に収まりません。{tool} を単独で呼び出すか、steps[{call}].expectation の {} で絞ってください",
                unit.1, fields.1
            ),
        });
        // The fields that must not be left out stay.
        self.result = self.missed.take();
        // The code and a short message stay; the guidance is removed.
        if let Some(error) = &mut self.error {
            error.retain(|name, value| {
                name == "code" || (name == "message" && value.as_str().is_some_and(|text| text.len() <= 500))
            });
        }
        self.text = self.result.clone().map_or_else(String::new, |missed| Value::Object(missed).to_string());
    }

    /// Returns the bytes of the step's images, as they are sent.
    fn pictures(&self) -> usize {
        let size = |block: &Block| match block {
            Block::Image { data, .. } => data.len(),
            Block::Link { .. } | Block::Label(_) => 0,
        };
        self.blocks.iter().map(size).sum()
    }

    /// Removes the step's images, and adds the reason to `omitted`.
    fn omit_pictures(&mut self, locale: Locale) {
        let (bytes, at) = (self.pictures(), self.index);
        let note = match locale {
            Locale::En => format!(
                "its picture of {bytes} bytes does not fit beside the others: give steps[{at}] a filename, or imageOptions with a smaller format"
            ),
            Locale::Ja => format!(
                "画像（{bytes} バイト）はほかの画像と合わせると大きすぎるため省きました。steps[{at}] に filename を渡すか、imageOptions で小さくしてください"
            ),
        };
        self.omitted = Some(self.omitted.take().map_or(note.clone(), |before| format!("{before}; {note}")));
        self.blocks.retain(|block| !matches!(block, Block::Image { .. }));
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

impl BatchReply {
    pub(super) fn new(steps: Vec<StepReply>, total: usize, caps: Caps, locale: Locale) -> Self {
        let succeeded = steps.iter().filter(|step| step.success).count();
        let mut reply = Self {
            success: succeeded == total,
            total,
            succeeded,
            failed: steps.len() - succeeded,
            not_run: total - steps.len(),
            elapsed_ms: 0,
            steps,
        };
        reply.fit(caps, locale);
        reply.fit_pictures(locale);
        reply
    }

    /// Omits the largest results until the rest fits.
    fn fit(&mut self, caps: Caps, locale: Locale) {
        let mut sizes: Vec<(usize, usize)> = self.steps.iter().map(|step| (step.tokens, step.bytes())).collect();
        loop {
            let tokens: usize = sizes.iter().map(|(tokens, _)| tokens + STEP_TOKENS).sum();
            let bytes: usize = sizes.iter().map(|(_, bytes)| bytes + STEP_BYTES).sum();
            let has_too_many_tokens = tokens > caps.tokens;
            if !has_too_many_tokens && bytes <= caps.bytes {
                break;
            }
            let size = |at: usize| if has_too_many_tokens { sizes[at].0 } else { sizes[at].1 };
            let whole = (0..sizes.len()).filter(|at| self.steps[*at].omitted.is_none());
            let Some(at) = whole.max_by_key(|at| size(*at)).filter(|at| size(*at) > 0) else {
                break;
            };
            let step = &mut self.steps[at];
            step.omit(caps, has_too_many_tokens, locale);
            let note = step.omitted.as_deref().unwrap_or_default();
            sizes[at] = (tokens::estimate(&step.text) + tokens::estimate(note), step.bytes() + note.len());
        }
    }

    /// Omits the largest images until the rest fits.
    fn fit_pictures(&mut self, locale: Locale) {
        loop {
            let sizes = || self.steps.iter().map(StepReply::pictures);
            let fits = sizes().sum::<usize>() <= PICTURES;
            match sizes().enumerate().max_by_key(|(_, size)| *size) {
                Some((at, size)) if !fits && size > 0 => self.steps[at].omit_pictures(locale),
                _ => break,
            }
        }
    }

    /// Returns the numbers for metrics.
    pub(super) fn outcome(&self, handed_over: usize) -> BatchOutcome {
        let mut by_tool: BTreeMap<(&'static str, bool), u64> = BTreeMap::new();
        for step in &self.steps {
            *by_tool.entry((step.tool, step.success)).or_default() += 1;
        }
        BatchOutcome {
            success: self.success,
            steps: by_tool.into_iter().map(|((tool, success), count)| (tool, success, count)).collect(),
            not_run: self.not_run as u64,
            calls_saved: self.steps.len().saturating_sub(1) as u64,
            tokens_saved: handed_over as u64,
            time: Duration::from_millis(self.steps.iter().map(|step| step.elapsed_ms).sum()),
        }
    }
}

impl Render for BatchReply {
    fn text(&self, locale: Locale) -> String {
        let Self { total, failed, not_run, .. } = self;
        let mut lines = Vec::new();
        if !self.success {
            lines.push(match locale {
                Locale::En => format!("{failed} of {total} steps failed, {not_run} not run"),
                Locale::Ja => format!("全 {total} ステップ中、失敗 {failed}、未実行 {not_run}"),
            });
        }
        for step in &self.steps {
            let mut heading = format!("## steps[{}] {}", step.index, step.tool);
            // The text of an error begins with the code.
            if step.text.is_empty()
                && let Some(code) = step.error.as_ref().and_then(|error| error["code"].as_str())
            {
                heading.push_str(&format!(" {code}"));
            }
            lines.push(heading);
            let parts = [Some(&step.text), step.omitted.as_ref()].into_iter().flatten();
            lines.extend(parts.filter(|part| !part.is_empty()).map(|part| part.trim_end().to_owned()));
        }
        lines.join("\n")
    }

    fn blocks(&self) -> Vec<Block> {
        let labelled = self.steps.iter().flat_map(|step| {
            let label = (!step.blocks.is_empty()).then(|| Block::Label(format!("steps[{}] {}", step.index, step.tool)));
            label.into_iter().chain(step.blocks.iter().cloned())
        });
        labelled.collect()
    }
}
