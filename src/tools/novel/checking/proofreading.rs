//! Corrections by a proofreader: verified at the text, stored for the episode, and requested from a model or the host.

use fumi_base::text::{BilingualText, Locale};
use fumi_novel::{
    checks::{
        CheckMaterial as Novel, Correction, CorrectionError, CorrectionKind,
        items::{ComparedText, Judge},
        morphology, verify_correction,
    },
    errors::reviewing::ReviewError,
    reviewing::{self, CheckedManuscript, CorrectionLine, ManuscriptReview, can_be_written},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    CheckContext, CheckJob, now,
    review_question::{AskedManuscript, ReviewQuestion},
};

/// The maximum numbers of characters of a quotation, a correction and a reason.
const QUOTE: usize = 200;
const CORRECTION: usize = 440;
const REASON: usize = 300;

/// The maximum number of corrections in one answer.
const CORRECTIONS: usize = 200;

/// A correction of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct SubmittedCorrection {
    /// The passage, which occurs once in the manuscript.
    #[schemars(length(min = 1, max = 200))]
    quote: String,
    /// The text that should stand there; absent if only the author can decide.
    #[schemars(length(max = 440))]
    correction: Option<String>,
    /// The kind of error.
    kind: CorrectionKind,
    /// The reason in one sentence.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// A correction that was not accepted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct RejectedCorrection {
    quote: String,
    reason: String,
}

impl RejectedCorrection {
    /// Formats it as one line.
    pub(super) fn line(&self, locale: Locale) -> String {
        match locale {
            Locale::En => format!("! rejected: {}", self.reason),
            Locale::Ja => format!("! 受け付けられません: {}", self.reason),
        }
    }

    /// Returns an answer with this correction, to be completed.
    pub(super) fn sample(&self) -> Value {
        sample(&self.quote)
    }
}

/// The corrections of a call, and whether more are requested.
#[derive(Clone, Debug)]
pub(super) struct Proofreading {
    /// The corrections submitted with the call; `None` if the call submits no answer.
    pub(super) corrections: Option<Vec<SubmittedCorrection>>,
    pub(super) by: Judge,
    /// True if corrections are requested.
    pub(super) asks: bool,
}

/// The result of accepting corrections.
#[derive(Debug, Default)]
pub(super) struct AcceptedCorrections {
    pub(super) accepted: usize,
    pub(super) rejected: Vec<RejectedCorrection>,
}

/// Accepts the corrections of a call, stores them, and adds them to the context of the manuscript.
pub(super) fn accept_corrections(
    job: &CheckJob,
    proofreading: &Proofreading,
    looked: &mut CheckedManuscript,
    review: &ManuscriptReview,
) -> Result<AcceptedCorrections, ReviewError> {
    let Some(given) = &proofreading.corrections else {
        return Ok(AcceptedCorrections::default());
    };
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    {
        let material = Novel::new(&looked.draft, &looked.context, &looked.tuning, morphology());
        for given in given {
            let correction = given.correction();
            match verify_correction(&material, &correction) {
                Ok(()) if !can_be_written(looked, correction.correction.as_deref().unwrap_or_default()) => {
                    refused.push((correction.quote.clone(), not_in_encoding(&correction.quote, &looked.encoding)));
                }
                Ok(()) => taken.push(CorrectionLine {
                    session_id: review.id().clone(),
                    method: proofreading.by.name().to_owned(),
                    accepted_at: now(),
                    correction,
                }),
                Err(error) => refused.push((correction.quote.clone(), rejection_reason(&correction.quote, &error))),
            }
        }
    }
    if taken.is_empty() && !refused.is_empty() {
        let first = refused[0].0.clone();
        let misses = refused.into_iter().map(|(_, why)| why).collect();
        return Err(ReviewError::CorrectionsNotTaken { misses, first });
    }
    let accepted = taken.len();
    let lines = job.reviews().add_corrections(job.episode, review.id(), taken)?;
    looked.context.corrections = lines.into_iter().map(|line| line.correction).collect();
    let rejected = refused
        .into_iter()
        .map(|(quote, why)| RejectedCorrection { quote, reason: why.get(job.locale).to_owned() })
        .collect();
    Ok(AcceptedCorrections { accepted, rejected })
}

impl SubmittedCorrection {
    fn correction(&self) -> Correction {
        Correction {
            quote: self.quote.clone(),
            correction: self.correction.clone(),
            kind: self.kind,
            // Replies show it in one line.
            reason: self.reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// Returns the reason why a correction is not accepted.
fn rejection_reason(quote: &str, error: &CorrectionError) -> BilingualText {
    let shown: String = quote.chars().take(40).collect();
    let (en, ja) = match error {
        CorrectionError::NoQuote => ("the quotation is empty".to_owned(), "引用が空です".to_owned()),
        CorrectionError::NoReason => ("the reason is missing".to_owned(), "理由がありません".to_owned()),
        CorrectionError::NotInText => ("it is not in the manuscript".to_owned(), "原稿にありません".to_owned()),
        CorrectionError::Ambiguous(count) => (
            format!("it occurs {count} times; quote more of the text around it"),
            format!("原稿に {count} か所あります。前後を含めて引用してください"),
        ),
        CorrectionError::Unchanged => {
            ("the corrected text stands there already".to_owned(), "直した文がすでにそこにあります".to_owned())
        }
        CorrectionError::RepeatsNeighbour(text) => (
            format!("\"{text}\" stands beside the quotation and would occur twice; quote it too or leave it out"),
            format!("引用の隣にある「{text}」が二重になります。引用に含めるか、correction から省いてください"),
        ),
        CorrectionError::TooLong(limit) => (
            format!("the correction may have {limit} characters; this rewrites the passage"),
            format!("correction は {limit} 字までです。これは書き直しになります"),
        ),
        CorrectionError::NotOneLine => (
            "quotation and correction are within one line, without invisible characters".to_owned(),
            "引用と correction は一行の中で、見えない文字を含めずに書いてください".to_owned(),
        ),
        CorrectionError::Unbalanced(bracket) => (
            format!("the line would have {bracket} without its counterpart"),
            format!("その行の「{bracket}」に対になる括弧がなくなります"),
        ),
        CorrectionError::InMarkup => (
            "the change touches ruby, notes or other markup; quote the passage as the manuscript has it, and keep its marks"
                .to_owned(),
            "ルビや注記などの記号にかかる変更です。原稿にあるとおり記号ごと引用し、記号はそのまま残してください".to_owned(),
        ),
    };
    BilingualText::new(format!("\"{shown}\": {en}."), format!("「{shown}」：{ja}。"))
}

/// Returns the reason for rejecting a correction that the encoding of the file cannot represent.
fn not_in_encoding(quote: &str, encoding: &str) -> BilingualText {
    BilingualText::new(
        format!("\"{quote}\": the file is {encoding}, which does not have these characters."),
        format!("「{quote}」：ファイルの文字コード {encoding} にない文字が含まれています。"),
    )
}

/// Returns the question to a proofreader, if the call requests corrections.
pub(super) fn proofreading_question(
    seen: &CheckContext<'_>,
    proofreading: &Proofreading,
) -> Result<Option<ReviewQuestion>, ReviewError> {
    if !proofreading.asks || seen.material.characters() == 0 {
        return Ok(None);
    }
    let job = seen.job;
    let criterion = match job.locale {
        Locale::En => "Every quote occurs exactly once in the manuscript, and its correction replaces nothing else.",
        Locale::Ja => "quote は原稿にちょうど一度だけあり、correction はその部分だけを置き換える。",
    };
    let needs = |text| matches!(text, ComparedText::Settings | ComparedText::Previous);
    let compared = reviewing::compared_texts(&job.novel, job.episode, seen.material.context(), needs, job.locale)?;
    Ok(Some(ReviewQuestion {
        step: "proofread",
        title: BilingualText::new("Proofreading", "校閲"),
        instruction: reviewing::proofreading_instruction(job.episode, job.locale),
        rubric: None,
        compared,
        items: Vec::new(),
        criterion: criterion.to_owned(),
        schema: answer_schema(),
        answer: ("corrections", sample("…")),
        manuscript: AskedManuscript::from_context(seen),
    }))
}

/// Returns an example of an answer, which shows its form.
pub(super) fn sample(quote: &str) -> Value {
    json!([{"quote": quote, "correction": "…", "kind": "typo", "reason": "…"}])
}

/// Returns the JSON schema of an answer.
fn answer_schema() -> Value {
    let kinds = CorrectionKind::ALL.map(CorrectionKind::name);
    json!({"type": "array", "maxItems": CORRECTIONS, "items": {
        "type": "object",
        "properties": {
            "quote": {"type": "string", "minLength": 1, "maxLength": QUOTE},
            "correction": {"type": ["string", "null"], "maxLength": CORRECTION},
            "kind": {"type": "string", "enum": kinds},
            "reason": {"type": "string", "minLength": 1, "maxLength": REASON},
        },
        "required": ["quote", "kind", "reason"], "additionalProperties": false,
    }})
}
