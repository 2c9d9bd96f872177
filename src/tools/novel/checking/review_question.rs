//! The question of a review to a model or the host: a judge's or a proofreader's, with the manuscript and what belongs
//! to it.
//!
//! The client's model or a provider is asked if the server can reach one; otherwise the question is the result, and the
//! host answers with another call.

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{AnswerCall, AnswerMaterial, AskStatus, Audience, Cx, QuestionReply, ToolError, ToolOutcome};
use fumi_novel::{
    artifacts::{ArtifactKind, ArtifactStore},
    errors::artifact::ArtifactError,
};
use serde_json::{Map, Value, json};

use super::{CheckContext, CheckDetails, CheckJob, CheckReply, judging::OpenItem, now, report};
use crate::novel::writing::artifact;

/// A question about a manuscript, with the texts needed to answer it.
pub(super) struct ReviewQuestion {
    /// The name of the question in replies and files.
    pub(super) step: &'static str,
    pub(super) title: BilingualText,
    pub(super) instruction: String,
    /// The rubric of a judge.
    pub(super) rubric: Option<String>,
    /// The texts to compare the manuscript with.
    pub(super) compared: Option<String>,
    /// The items that are open for judgement.
    pub(super) items: Vec<OpenItem>,
    /// The condition for accepting an answer, in the caller's language.
    pub(super) criterion: String,
    /// The JSON schema of an answer.
    pub(super) schema: Value,
    /// The argument that takes the answer, and an example of it.
    pub(super) answer: (&'static str, Value),
    /// The manuscript, its path and hash.
    pub(super) manuscript: AskedManuscript,
}

/// The manuscript of a question.
pub(super) struct AskedManuscript {
    text: String,
    path: String,
    sha256: String,
}

impl AskedManuscript {
    pub(super) fn from_context(seen: &CheckContext<'_>) -> Self {
        let subject = &seen.looked.subject;
        Self {
            text: seen.material.manuscript().source().to_owned(),
            path: subject.manuscript.clone(),
            sha256: subject.sha256.clone(),
        }
    }
}

/// Returns the outcome of a check: its reply, together with its question, if any.
pub(super) async fn outcome<T: CheckDetails + Clone + Send + Sync + 'static>(
    (checked, question): (CheckReply<T>, Option<ReviewQuestion>),
    job: &CheckJob,
    submit: Map<String, Value>,
    cx: &Cx,
) -> Result<ToolOutcome<CheckReply<T>>, ToolError> {
    let Some(mut question) = question else {
        return Ok(ToolOutcome::Done(checked));
    };
    let checked = CheckReply { items: std::mem::take(&mut question.items), ..checked };
    // The texts are stored as artifacts, so that a host reads them with `fetch_artifact` only when it answers.
    let (novel, tool) = (job.novel.clone(), job.tool);
    let (rubric, compared) = (question.rubric.clone(), question.compared.clone());
    let kept = cx.blocking(move |_, _| {
        let store = ArtifactStore::new(novel);
        let keep = |text: &str| {
            let artifact = store.keep(text, ArtifactKind::Markdown, tool, &now())?;
            Ok::<_, ArtifactError>(artifact.file.hash.artifact_id())
        };
        Ok::<_, ArtifactError>((rubric.as_deref().map(keep).transpose()?, compared.as_deref().map(keep).transpose()?))
    });
    let ids = kept.await?;
    Ok(ToolOutcome::Ask(Box::new(ask(&checked, question, job, ids, submit))))
}

fn ask<T: CheckDetails + Clone + Send + Sync + 'static>(
    checked: &CheckReply<T>,
    question: ReviewQuestion,
    job: &CheckJob,
    (rubric, compared): (Option<String>, Option<String>),
    submit: Map<String, Value>,
) -> QuestionReply {
    let (manuscript, criteria, to_compare) = match job.locale {
        Locale::En => ("manuscript", "rubric", "texts to compare with"),
        Locale::Ja => ("原稿", "採点基準", "照らし合わせる資料"),
    };
    let bracketed = |name: &str| match job.locale {
        Locale::En => format!(" ({name})"),
        Locale::Ja => format!("（{name}）"),
    };
    let named = |id: Option<String>, name: &str| id.map(|id| id + &bracketed(name));
    let material = |title: &str, text: String| AnswerMaterial { title: title.to_owned(), text };
    let session_id = checked.session_id.clone();
    let mut arguments = Map::new();
    arguments.insert("episode".to_owned(), json!(job.episode.number()));
    arguments.insert("session_id".to_owned(), json!(session_id));
    arguments.extend(submit);
    let mut more = match serde_json::to_value(checked) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    more.remove("session_id");
    let AskedManuscript { text, path, sha256 } = question.manuscript;
    let (answer, sample) = question.answer;
    QuestionReply {
        status: AskStatus::NeedsText,
        session_id,
        step: question.step.to_owned(),
        instruction: question.instruction,
        report: report(checked, job.locale),
        context: [format!("{} {path}{}", artifact(&sha256), bracketed(manuscript))]
            .into_iter()
            .chain(named(rubric, criteria))
            .chain(named(compared, to_compare))
            .collect(),
        acceptance_criteria: vec![question.criterion],
        response_schema: question.schema.as_object().cloned(),
        submit: AnswerCall { tool: job.tool, arguments, answer, sample: Some(sample) },
        // A model gets as many characters as its budget allows, in this order.
        material: question
            .rubric
            .map(|text| material(criteria, text))
            .into_iter()
            .chain([material(&path, text)])
            .chain(question.compared.map(|text| material(to_compare, text)))
            .collect(),
        audience: Audience::AnyModel,
        title: Some(question.title),
        more,
    }
}
