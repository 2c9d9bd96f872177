//! One task about one text, as it is sent to a parser process, and its answer.
//!
//! [`JobRunner::run`] contains everything that a call does with a grammar. It has no access to files: the text comes
//! with the job.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    elements::ElementList,
    errors::structure::StructureError,
    extract::extract,
    filter::ElementFilter,
    hit_context::HitContext,
    languages::{Language, by_name},
    outline::Outline,
    parse::{ParseError, SourceFile, parse},
    query::{PreparedQuery, QueryKind, QueryMatches, prepare, run},
    user_queries::UserQueries,
};

/// A task about the text that is sent with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ParserJob {
    /// The name of the language in which the text is parsed.
    pub(crate) language: String,
    pub(crate) task: ParserTask,
}

/// The task of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum ParserTask {
    /// Extract the elements of the text.
    Outline,
    /// Return the role and the element of matches at these bytes.
    Contexts(Vec<Range<usize>>),
    /// Compile a query; the text is empty.
    Prepare(QueryKind),
    /// Return the matches of a query, at most `limit`.
    Query {
        kind: QueryKind,
        /// The filter's text, as [`ElementFilter::parse`] reads it.
        filter: String,
        limit: usize,
    },
}

/// The answer to a [`ParserJob`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ParserAnswer {
    Outline {
        elements: ElementList,
        errors: Vec<ParseError>,
        error_count: usize,
    },
    /// The query compiles. A text without `literal` has no match.
    Prepared {
        literal: Option<String>,
    },
    Matches(QueryMatches),
    Contexts(Vec<HitContext>),
}

/// Runs jobs one after another, and keeps the last compiled query: the files of one call have the same query.
#[derive(Debug, Default)]
pub(crate) struct JobRunner {
    compiled: Option<(String, QueryKind, PreparedQuery)>,
}

impl JobRunner {
    pub(crate) fn run(
        &mut self,
        job: ParserJob,
        text: String,
        cancel: &CancellationToken,
    ) -> Result<ParserAnswer, StructureError> {
        let language = by_name(&job.language)?;
        // No answer of a job contains the path.
        let source =
            SourceFile { path: String::new(), language, size_bytes: text.len() as u64, text, encoding: String::new() };
        match job.task {
            ParserTask::Outline => {
                let Outline { elements, errors, error_count, .. } = Outline::read(source, cancel)?;
                Ok(ParserAnswer::Outline { elements, errors, error_count })
            }
            ParserTask::Contexts(hits) => {
                let parsed = parse(source, cancel)?;
                let elements = extract(&parsed, cancel)?;
                let contexts = hits.iter().map(|hit| HitContext::new(&parsed, &elements, hit)).collect();
                Ok(ParserAnswer::Contexts(contexts))
            }
            ParserTask::Prepare(kind) => {
                let literal = match self.prepared(language, kind)? {
                    PreparedQuery::Find(pattern) => pattern.literal().map(str::to_owned),
                    PreparedQuery::Select(_) | PreparedQuery::Run(_) => None,
                };
                Ok(ParserAnswer::Prepared { literal })
            }
            ParserTask::Query { kind, filter, limit } => {
                let filter = ElementFilter::parse(&filter)?;
                let prepared = self.prepared(language, kind)?;
                run(prepared, &filter, &parse(source, cancel)?, limit, cancel).map(ParserAnswer::Matches)
            }
        }
    }

    fn prepared(&mut self, language: &'static Language, kind: QueryKind) -> Result<&PreparedQuery, StructureError> {
        let known = self.compiled.take();
        let compiled = match known {
            Some(known) if known.0 == language.name && known.1 == kind => known,
            _ => {
                let prepared = prepare(&kind, language, &UserQueries::default())?;
                (language.name.to_owned(), kind, prepared)
            }
        };
        Ok(&self.compiled.insert(compiled).2)
    }
}
