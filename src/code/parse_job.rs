//! One task about one text, as it is sent to a parser process, and its answer.
//!
//! [`Runner::run`] contains everything that a call does with a grammar. It has no access to files: the text comes with
//! the job.

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    elements::Elements,
    errors::structure::StructureError,
    filter::Filter,
    languages::{Language, by_name},
    outline::Outline,
    parse::{ParseError, Source, parse},
    query::{Matches, Prepared, QueryKind, prepare, run},
    user_queries::UserQueries,
};

/// A task about the text that is sent with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The name of the language in which the text is parsed.
    pub(crate) language: String,
    pub(crate) task: Task,
}

/// The task of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Extract the elements of the text.
    Outline,
    /// Compile a query; the text is empty.
    Prepare(QueryKind),
    /// Return the matches of a query, at most `limit`.
    Query {
        kind: QueryKind,
        /// The filter's text, as [`Filter::parse`] reads it.
        filter: String,
        limit: usize,
    },
}

/// The answer to a [`Job`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Outline {
        elements: Elements,
        errors: Vec<ParseError>,
        error_count: usize,
    },
    /// The query compiles. A text without `literal` has no match.
    Prepared {
        literal: Option<String>,
    },
    Matches(Matches),
}

/// Runs jobs one after another, and keeps the last compiled query: the files of one call have the same query.
#[derive(Debug, Default)]
pub(crate) struct Runner {
    compiled: Option<(String, QueryKind, Prepared)>,
}

impl Runner {
    pub(crate) fn run(&mut self, job: Job, text: String, cancel: &CancellationToken) -> Result<Answer, StructureError> {
        let language = by_name(&job.language)?;
        // No answer of a job contains the path.
        let source = Source {
            path: String::new(),
            language,
            size_bytes: text.len() as u64,
            text,
            encoding: String::new(),
        };
        match job.task {
            Task::Outline => {
                let Outline {
                    elements,
                    errors,
                    error_count,
                    ..
                } = Outline::read(source, cancel)?;
                Ok(Answer::Outline {
                    elements,
                    errors,
                    error_count,
                })
            }
            Task::Prepare(kind) => {
                let literal = match self.prepared(language, kind)? {
                    Prepared::Find(pattern) => pattern.literal().map(str::to_owned),
                    Prepared::Select(_) | Prepared::Run(_) => None,
                };
                Ok(Answer::Prepared { literal })
            }
            Task::Query { kind, filter, limit } => {
                let filter = Filter::parse(&filter)?;
                let prepared = self.prepared(language, kind)?;
                run(prepared, &filter, &parse(source, cancel)?, limit, cancel).map(Answer::Matches)
            }
        }
    }

    fn prepared(&mut self, language: &'static Language, kind: QueryKind) -> Result<&Prepared, StructureError> {
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
