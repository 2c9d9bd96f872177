//! The permissions of one caller: the limits that the operator, the URL, the headers and the principal set together.
//!
//! Invariant: limits only narrow. An [`Access`] is made once per request, at the edge, by narrowing what the operator
//! allows; after that it is only read. Authentication (tokens, their keys) is not decided here.

use std::sync::Arc;

use fumi_base::{errors::UserError, project::Project, roots::AllowedRoots, text::BilingualText};
use tokio_util::sync::CancellationToken;

use super::{Effect, ResultForm, ToolSpec, catalogue::ToolsetScope, error::BOOK};

/// The permissions of one caller.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The principal's name; empty without authentication.
    pub principal: Arc<str>,
    /// The toolsets whose tools can be called.
    pub scope: ToolsetScope,
    /// The toolsets that are listed, if they are fewer.
    pub listed: Option<ToolsetScope>,
    /// True if no toolsets are named, so that those are listed that the project needs.
    pub by_project: bool,
    /// True if the caller may not write.
    pub read_only: bool,
    /// The principal's own part of the allowed roots; `None` means all.
    pub roots: Option<Arc<AllowedRoots>>,
    /// The project that the URL names.
    pub project: Option<Arc<Project>>,
    /// The form of results that a header or the URL asks for.
    pub result: Option<ResultForm>,
    /// Cancelled when a new configuration removes or changes the principal.
    pub revoked: CancellationToken,
}

impl Access {
    pub fn listed_scope(&self) -> &ToolsetScope {
        self.listed.as_ref().unwrap_or(&self.scope)
    }

    /// Returns the same access with only one toolset listed, if the scope contains it.
    pub fn with_listed(&self, toolset: &'static str) -> Self {
        Self { listed: self.scope.contains(toolset).then(|| ToolsetScope::single(toolset)), ..self.clone() }
    }

    /// Returns full access to a scope, for the one client of standard input and for the command line.
    pub fn full(scope: ToolsetScope) -> Self {
        Self { scope, ..Self::default() }
    }

    /// True if a tool is listed. In read-only mode a tool that changes files or pages is not; the pipeline refuses a
    /// call of it, with the reason.
    pub fn lists(&self, spec: &ToolSpec) -> bool {
        spec.listed && spec.is_in(self.listed_scope()) && self.allows(spec.effect)
    }

    /// True if the caller may use tools with this effect.
    pub fn allows(&self, effect: Effect) -> bool {
        !(self.read_only && effect.needs_write())
    }

    /// Refuses everything after the principal was removed or changed: a call that waited for an answer, and a task, began with
    /// other rights.
    ///
    /// # Errors
    /// `ACCESS_CHANGED`.
    pub fn check_current(&self) -> Result<(), AccessChanged> {
        if self.revoked.is_cancelled() { Err(AccessChanged {}) } else { Ok(()) }
    }

    /// Refuses, in read-only mode, a tool that changes files or pages, and a file for the output.
    ///
    /// # Errors
    /// `READ_ONLY`.
    pub fn check_tool_write(&self, spec: &ToolSpec, to_file: bool) -> Result<(), ReadOnly> {
        let name = spec.name;
        match spec.effect {
            Effect::Write => {
                self.check_write(|| format!("{name} writes files"), || format!("{name} はファイルを書き換えます"))
            }
            Effect::Pages => {
                self.check_write(|| format!("{name} acts on pages"), || format!("{name} はページを操作します"))
            }
            _ if to_file => self.check_write(
                || "output_file writes a file".to_owned(),
                || "output_file はファイルを書き込みます".to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses, in read-only mode, a single action of a tool, which the arguments describe as a clause without a full
    /// stop.
    ///
    /// # Errors
    /// `READ_ONLY`.
    pub fn check_write(&self, en: impl FnOnce() -> String, ja: impl FnOnce() -> String) -> Result<(), ReadOnly> {
        if self.read_only {
            return Err(ReadOnly { what: BilingualText::new(en(), ja()) });
        }
        Ok(())
    }

    /// Returns the folders that may be projects for this caller, given all allowed roots.
    pub fn roots<'a>(&'a self, all: &'a Arc<AllowedRoots>) -> &'a Arc<AllowedRoots> {
        self.roots.as_ref().unwrap_or(all)
    }

    /// Returns the project of a call that names none: the URL's, else the first allowed one.
    pub fn default_project<'a>(&'a self, all: &'a Arc<AllowedRoots>) -> &'a Arc<Project> {
        self.project.as_ref().unwrap_or_else(|| self.roots(all).default_project())
    }
}

/// The error of a call whose principal was removed or changed since it began.
#[derive(Debug, UserError)]
pub struct AccessChanged {}

/// The error of a write by a read-only caller.
#[derive(Debug, UserError)]
pub struct ReadOnly {
    what: BilingualText,
}
