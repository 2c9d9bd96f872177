//! What one caller may do: the bounds that the operator, the URL, the headers and the principal set together.
//!
//! Invariant: bounds only narrow. An [`Access`] is made once per request, at the edge, by narrowing what the operator allows;
//! from there on it is read. Who the caller is (tokens, their keys) is not decided here.

use std::sync::Arc;

use fumi_base::{
    errors::{Book, Teach},
    project::Project,
    roots::AllowedRoots,
};

use super::{Effect, Spec, catalogue::Scope, error::BOOK};

/// The bounds of one caller.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The principal's name; empty without authentication.
    pub principal: Arc<str>,
    /// The toolsets that can be called.
    pub scope: Scope,
    /// The toolsets that are listed, where they are fewer.
    pub listed: Option<Scope>,
    /// True if nothing names toolsets, so that those are listed that the project needs.
    pub by_project: bool,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// The principal's own part of the allowed roots; all of them without.
    pub roots: Option<Arc<AllowedRoots>>,
    /// The project that the URL names.
    pub project: Option<Arc<Project>>,
}

impl Access {
    /// The toolsets that are listed.
    #[must_use]
    pub fn shown(&self) -> &Scope {
        self.listed.as_ref().unwrap_or(&self.scope)
    }

    /// The same access with one toolset of its scope listed, if it has that.
    #[must_use]
    pub fn listing(&self, toolset: &'static str) -> Self {
        Self {
            listed: self.scope.contains(toolset).then(|| Scope::of(toolset)),
            ..self.clone()
        }
    }

    /// Everything in a scope: what the one client of standard input and the command line have.
    #[must_use]
    pub fn whole(scope: Scope) -> Self {
        Self {
            scope,
            ..Self::default()
        }
    }

    /// True if a tool is listed. In read-only mode a tool that changes files or pages is not; a call of it is refused by the
    /// pipeline, with the reason.
    #[must_use]
    pub fn lists(&self, spec: &Spec) -> bool {
        spec.listed && spec.is_in(self.shown()) && self.allows(spec.effect)
    }

    /// True if the caller may have this effect.
    #[must_use]
    pub fn allows(&self, effect: Effect) -> bool {
        !(self.read_only && effect.needs_write())
    }

    /// Refuses in read-only mode a tool that changes files or pages, and a file for the output.
    ///
    /// # Errors
    /// `READ_ONLY`.
    pub fn may_write(&self, spec: &Spec, to_file: bool) -> Result<(), ReadOnly> {
        let name = spec.name;
        match spec.effect {
            Effect::Write => self.may(
                || format!("{name} writes files"),
                || format!("{name} はファイルを書き換えます"),
            ),
            Effect::Pages => self.may(
                || format!("{name} acts on pages"),
                || format!("{name} はページを操作します"),
            ),
            _ if to_file => self.may(
                || "output_file writes a file".to_owned(),
                || "output_file はファイルを書き込みます".to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses in read-only mode one thing that a tool would do, told as a clause without a full stop.
    ///
    /// # Errors
    /// `READ_ONLY`.
    pub fn may(&self, en: impl FnOnce() -> String, ja: impl FnOnce() -> String) -> Result<(), ReadOnly> {
        if self.read_only {
            return Err(ReadOnly {
                what: en(),
                what_ja: ja(),
            });
        }
        Ok(())
    }

    /// The folders that may be projects for this caller, out of all.
    #[must_use]
    pub fn roots<'a>(&'a self, all: &'a Arc<AllowedRoots>) -> &'a Arc<AllowedRoots> {
        self.roots.as_ref().unwrap_or(all)
    }

    /// The project of a call for which nothing else names one: the URL's, else the first that is allowed.
    #[must_use]
    pub fn default_project<'a>(&'a self, all: &'a Arc<AllowedRoots>) -> &'a Arc<Project> {
        self.project
            .as_ref()
            .unwrap_or_else(|| self.roots(all).default_project())
    }
}

/// The caller may not write.
#[derive(Debug, thiserror::Error)]
#[error("read-only: {what}")]
pub struct ReadOnly {
    what: String,
    what_ja: String,
}

impl Teach for ReadOnly {
    fn entry(&self) -> &'static str {
        "READ_ONLY"
    }
    fn book(&self) -> &'static Book {
        &BOOK
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("what", self.what.clone()), ("what_ja", self.what_ja.clone())]
    }
}
