//! Judgements of items: accepted with quotations that occur in the text, and requested from a model or the host.
//!
//! Nothing is invented: an item without a judgement is not evaluated.

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Answerer, Cx};
use fumi_novel::{
    checks::{
        CheckMaterial as Novel,
        items::{self, Evaluation, Judge, Judgement, JudgementError},
    },
    errors::reviewing::ReviewError,
    references::ContentHash,
    reviewing::{self, CombinedJudgements, JudgementLine, ManuscriptReview},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    CheckContext, CheckJob, now,
    review_question::{AskedManuscript, ReviewQuestion},
};

/// A judgement of an item.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct SubmittedJudgement {
    /// `A31-001` to `A31-068`.
    #[schemars(length(min = 1, max = 20))]
    item_id: String,
    /// From 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    score: f64,
    /// Exact quotations from the manuscript.
    #[schemars(length(min = 1, max = 20), inner(length(max = 500)))]
    quotes: Vec<String>,
    /// The reason for the score in one or two sentences.
    #[schemars(length(max = 500))]
    #[serde(default)]
    comment: String,
}

/// The arguments of a call that concern judging.
#[derive(Clone, Debug, Default)]
pub(super) struct Judging {
    /// Judgements submitted with the call.
    pub(super) judgements: Vec<SubmittedJudgement>,
    /// The judge that made them; `None` if unknown, in which case no judgement is requested.
    pub(super) by: Option<Judge>,
    /// True if judgements of open items are requested.
    pub(super) asks: bool,
}

impl Judging {
    /// Reads the arguments of a call. A call that submits judgements is not asked for more.
    pub(super) fn from_args(judgements: Option<Vec<SubmittedJudgement>>, asks: bool, cx: &Cx) -> Self {
        let judgements = judgements.unwrap_or_default();
        Self {
            // The texts that a question refers to are written into the project, so a caller with read access is not
            // asked.
            asks: asks && judgements.is_empty() && !cx.caller.access.read_only,
            judgements,
            by: Some(author(cx)),
        }
    }
}

/// Returns the author of the call's answer.
pub(super) const fn author(cx: &Cx) -> Judge {
    match cx.answerer {
        Answerer::Host => Judge::Host,
        Answerer::Sampling => Judge::Sampling,
        Answerer::Provider => Judge::Provider,
    }
}

/// A judgement that was not accepted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct RejectedJudgement {
    item_id: String,
    reason: String,
}

impl RejectedJudgement {
    pub(super) fn item(&self) -> &str {
        &self.item_id
    }

    /// Formats it as one line.
    pub(super) fn line(&self, locale: Locale) -> String {
        // Most reasons begin with the item.
        let reason = self.reason.strip_prefix(&self.item_id).unwrap_or(&self.reason);
        let reason = reason.trim_start_matches([':', ' ']);
        match locale {
            Locale::En => format!("! {} rejected: {reason}", self.item_id),
            Locale::Ja => format!("! {} は受け付けられません: {reason}", self.item_id),
        }
    }
}

/// An item that is open for judgement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct OpenItem {
    item_id: String,
    title: String,
}

/// Accepts the judgements of a call, stores them, and returns all judgements that the review has for this text.
pub(super) fn accept_judgements(
    job: &CheckJob,
    judging: &Judging,
    material: &Novel<'_>,
    review: &ManuscriptReview,
) -> Result<(CombinedJudgements, Vec<RejectedJudgement>), ReviewError> {
    let sha256 = ContentHash::from_bytes(material.manuscript().source().as_bytes()).digits().to_owned();
    let (mut taken, mut refused) = (Vec::new(), Vec::new());
    for given in &judging.judgements {
        let judgement =
            Judgement { score: given.score, quotes: given.quotes.clone(), comment: given.comment.trim().to_owned() };
        let verified = match items::item(&given.item_id) {
            Some(item) => items::verify(item, material, &judgement),
            None => Err(JudgementError::NoItem),
        };
        match verified {
            Ok(()) => taken.push(JudgementLine {
                item_id: given.item_id.clone(),
                score: judgement.score,
                quotes: judgement.quotes,
                // Replies show it in one line.
                comment: judgement.comment.split_whitespace().collect::<Vec<_>>().join(" "),
                method: judging.by.unwrap_or(Judge::Host).name().to_owned(),
                judged_at: now(),
                sha256: sha256.clone(),
            }),
            Err(refusal) => refused.push((given.item_id.clone(), rejection_reason(&given.item_id, &refusal))),
        }
    }
    if taken.is_empty() && !refused.is_empty() {
        let first = refused[0].0.clone();
        let misses = refused.into_iter().map(|(_, why)| why).collect();
        return Err(ReviewError::JudgementsNotTaken { misses, first });
    }
    let rejected =
        refused.into_iter().map(|(item_id, why)| RejectedJudgement { item_id, reason: why.get(job.locale).to_owned() });
    let rejected = rejected.collect();
    review.keep_judgements(&taken)?;
    Ok((review.opinions(&sha256)?, rejected))
}

/// Returns the reason why a judgement is not accepted.
fn rejection_reason(item: &str, refusal: &JudgementError) -> BilingualText {
    let shown = |text: &str| text.chars().take(40).collect::<String>();
    let (en, ja) = match refusal {
        JudgementError::NoItem => ("unknown item".to_owned(), "そのような項目はありません".to_owned()),
        JudgementError::MeasuredOnly => {
            ("it is only measured and needs no judgement".to_owned(), "測定だけで決まる項目です".to_owned())
        }
        JudgementError::ScoreOutOfRange(score) => {
            (format!("the score {score} is not from 0 to 1"), format!("score {score} は 0〜1 の範囲にありません"))
        }
        JudgementError::NoQuotes => ("it has no quotation".to_owned(), "引用がありません".to_owned()),
        JudgementError::TooShort(quote) => (
            format!("the quotation \"{quote}\" has fewer than four characters"),
            format!("引用「{quote}」が短すぎます（四字以上必要です）"),
        ),
        JudgementError::NotInText(quote) => {
            (format!("\"{}\" is not in the text", shown(quote)), format!("「{}」は本文にありません", shown(quote)))
        }
    };
    BilingualText::new(format!("{item}: {en}."), format!("{item}: {ja}。"))
}

/// Returns the question about the open items of some evaluations, if the call requests judgements.
pub(super) fn judgement_question(
    seen: &CheckContext<'_>,
    judging: &Judging,
    evaluations: &[Evaluation],
) -> Result<Option<ReviewQuestion>, ReviewError> {
    let context = seen.material.context();
    let open = reviewing::open_items(evaluations);
    if !judging.asks || open.is_empty() || seen.material.characters() == 0 {
        return Ok(None);
    }
    let job = seen.job;
    let criterion = match job.locale {
        Locale::En => "Every quotation occurs in the manuscript, character for character; scores are from 0 to 1.",
        Locale::Ja => "引用はすべて原稿に一字一句そのまま存在し、score は 0〜1 である。",
    };
    let needs = |text| open.iter().any(|one| one.item.page.compares_with.contains(&text));
    Ok(Some(ReviewQuestion {
        step: "judge",
        title: BilingualText::new("Judging", "判定"),
        compared: reviewing::compared_texts(&job.novel, job.episode, context, needs, job.locale)?,
        instruction: reviewing::instruction(job.episode, &open, job.locale),
        rubric: Some(reviewing::rubric(&open, job.locale)),
        criterion: criterion.to_owned(),
        schema: answer_schema(),
        answer: ("judgements", sample(&open[0].item.id)),
        items: open
            .iter()
            .map(|one| OpenItem {
                item_id: one.item.id.clone(),
                title: reviewing::words(one.item, job.locale).title.clone(),
            })
            .collect(),
        manuscript: AskedManuscript::from_context(seen),
    }))
}

/// Returns the line of a reply without an overall score: the reason, and how to obtain one.
pub(super) fn unscored(locale: Locale) -> String {
    match locale {
        Locale::En => "No overall score: too few items are judged (judge: true with this session_id asks for the rest)",
        Locale::Ja => {
            "判定した項目が足りないため、総合点はありません（この session_id と judge: true で残りを尋ねます）"
        }
    }
    .to_owned()
}

/// Returns an example of an answer, which shows its form.
pub(super) fn sample(item: &str) -> Value {
    json!([{"item_id": item, "score": 0.8, "quotes": ["…"], "comment": "…"}])
}

/// Returns the JSON schema of an answer.
fn answer_schema() -> Value {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "item_id": {"type": "string"},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
            "quotes": {"type": "array", "items": {"type": "string", "maxLength": 500}, "minItems": 1, "maxItems": 20},
            "comment": {"type": "string", "maxLength": 500},
        },
        "required": ["item_id", "score", "quotes", "comment"], "additionalProperties": false,
    }})
}
