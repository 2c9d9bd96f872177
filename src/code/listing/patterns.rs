//! Compiling the patterns of a file search as fd does: names, extensions and excludes.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_syntax::hir::{Capture, Class, Hir, HirKind, Literal, Look, Repetition};

use super::options::FileOptions;
use crate::{
    errors::search::{SearchAdvice, SearchError},
    pattern_error,
};

/// Compiles the pattern into a matcher of names or paths, with fd's smart case.
pub(super) fn name_test(options: &FileOptions) -> Result<Option<Regex>, SearchError> {
    let Some(pattern) = options.pattern.as_deref().filter(|pattern| !pattern.is_empty()) else {
        return Ok(None);
    };
    if !options.full_path_match && pattern.contains('/') {
        return Err(SearchError::SlashInName { pattern: pattern.to_owned(), glob: options.glob });
    }
    let expression = if options.glob {
        globset::GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| SearchError::InvalidGlob {
                argument: "pattern",
                glob: pattern.to_owned(),
                reason: error.kind().to_string(),
            })?
            .regex()
            .to_owned()
    } else {
        pattern.to_owned()
    };
    let refused = |column, reason, advice| SearchError::InvalidRegex {
        argument: "pattern",
        pattern: pattern.to_owned(),
        column,
        reason,
        advice,
    };
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(&expression).map_err(|error| {
        let (column, reason) = pattern_error::regex_position_and_reason(&error);
        let is_glob = globset::Glob::new(pattern).is_ok() && !options.glob;
        refused(column, reason, if is_glob { SearchAdvice::Glob } else { SearchAdvice::Escape })
    })?;
    if !options.traversal.hidden && begins_with_dot(&parsed) {
        return Err(SearchError::HiddenName { pattern: pattern.to_owned() });
    }
    RegexBuilder::new(&expression)
        .case_insensitive(!has_uppercase(&parsed))
        .dot_matches_new_line(true)
        .build()
        .map(Some)
        .map_err(|error| refused(0, pattern_error::last_line(&error.to_string()), SearchAdvice::Shorten))
}

/// True if an expression names an upper-case letter. `\w` does (its class contains them), `\x6F` does not, as in fd.
fn has_uppercase(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(Literal(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => text.chars().any(char::is_uppercase),
            Err(_) => bytes.iter().any(|byte| char::from(*byte).is_uppercase()),
        },
        HirKind::Class(Class::Unicode(ranges)) => {
            ranges.iter().any(|range| range.start().is_uppercase() || range.end().is_uppercase())
        }
        HirKind::Class(Class::Bytes(ranges)) => ranges
            .iter()
            .any(|range| char::from(range.start()).is_uppercase() || char::from(range.end()).is_uppercase()),
        HirKind::Capture(Capture { sub, .. }) | HirKind::Repetition(Repetition { sub, .. }) => has_uppercase(sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_uppercase),
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// True if an expression begins with `^\.`: the only form of "hidden names only" that fd reports to its user.
fn begins_with_dot(hir: &Hir) -> bool {
    let HirKind::Concat(parts) = hir.kind() else {
        return false;
    };
    matches!(parts.first().map(Hir::kind), Some(HirKind::Look(Look::Start)))
        && matches!(parts.get(1).map(Hir::kind), Some(HirKind::Literal(Literal(bytes))) if bytes.starts_with(b"."))
}

/// Compiles extensions in the forms that fd accepts, and also `*.py`.
pub(super) fn extension_test(extensions: &[String]) -> Result<Option<RegexSet>, SearchError> {
    if extensions.is_empty() {
        return Ok(None);
    }
    let mut patterns = Vec::with_capacity(extensions.len());
    for extension in extensions {
        let plain = extension.strip_prefix("*.").unwrap_or(extension).trim_start_matches('.');
        if plain.is_empty() || plain.contains(['*', '?', '[', '{', '/', '\\', ',']) {
            return Err(SearchError::InvalidExtension { value: extension.clone() });
        }
        // A character before the dot is required: `.py` is a hidden file without an extension.
        patterns.push(format!(r".\.{}$", regex::escape(plain)));
    }
    // Escaped text always compiles; if the set is ever too large, no file matches.
    let set = RegexSetBuilder::new(patterns).case_insensitive(true).build();
    Ok(Some(set.unwrap_or_else(|_| RegexSet::empty())))
}

/// Compiles fd's `-E`: lines of an ignore file that take precedence over all others.
pub(super) fn excludes(root: &Path, globs: &[String]) -> Result<Override, SearchError> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(&format!("!{glob}")).map_err(|error| SearchError::InvalidGlob {
            argument: "exclude",
            glob: glob.clone(),
            reason: pattern_error::glob_reason(&error),
        })?;
    }
    builder.build().map_err(|error| SearchError::InvalidGlob {
        argument: "exclude",
        glob: globs.join(", "),
        reason: pattern_error::glob_reason(&error),
    })
}
