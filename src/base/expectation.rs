//! The parts of a reply that a caller expects, and the merging of several expectations.
//!
//! Invariant: absent is not false. Every field stays an `Option` until the last merge ([`Expectation::resolve`]), so
//! that an expectation of one call never overrides what another level left unset. Replies are not inspected here, and
//! no type sets a default.

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The expectation of one level: a step, a batch, a call, a tool, the configuration. `None` leaves a field to the level
/// below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Expectation {
    /// True to include the page's snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_snapshot: Option<bool>,
    /// True to include new messages of the console.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_console: Option<bool>,
    /// True to include files that were downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_downloads: Option<bool>,
    /// True to include the list of tabs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_tabs: Option<bool>,
    /// True to include the action as a line of code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_code: Option<bool>,
    /// The part and form of the snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_options: Option<SnapshotOptions>,
    /// The selection of console messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console_options: Option<ConsoleOptions>,
    /// The size and encoding of pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_options: Option<ImageOptions>,
    /// The settings for a snapshot of the changes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff_options: Option<DiffOptions>,
    /// JSON pointers to the only parts of the structure to keep. `*` stands for every element or member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// The maximum number of estimated tokens of the reply; a smaller limit of the server wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<usize>,
}

/// The part of a page that a snapshot shows, and its form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotOptions {
    /// A CSS selector of the part of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The maximum length of the snapshot, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_length: Option<usize>,
    /// The form of the snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SnapshotFormat>,
}

/// The form of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SnapshotFormat {
    /// Roles, names and refs of the accessible elements.
    #[default]
    Aria,
    /// The visible text of the page.
    Text,
    /// The markup of the page.
    Html,
}

/// The selection of console messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsoleOptions {
    /// The levels to include; if absent, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<ConsoleLevel>>,
    /// The maximum number of messages; the newest are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<usize>,
    /// Regular expressions, one of which must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Vec<String>>,
    /// True to show equal messages only once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove_duplicates: Option<bool>,
}

/// The level of a console message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleLevel {
    /// A plain message, as of `console.log`.
    Log,
    /// A warning, as of `console.warn`.
    Warn,
    /// An error, as of `console.error`.
    Error,
    /// Information, as of `console.info`.
    Info,
}

/// The size and encoding of pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageOptions {
    /// The quality of JPEG and WebP, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub quality: Option<u8>,
    /// The maximum width, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_width: Option<u32>,
    /// The maximum height, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_height: Option<u32>,
    /// The encoding of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
}

/// The encoding of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// JPEG, whose quality can be set.
    Jpeg,
    /// PNG, which is lossless.
    Png,
    /// WebP, whose quality can be set.
    Webp,
}

/// The settings for snapshots of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiffOptions {
    /// True to show only what changed since the caller's last snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// The expectation that applies where the caller sets none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpectationProfile {
    /// The default of each tool, which is short.
    #[default]
    Lean,
    /// Everything, with every tool.
    Compat,
}

/// The operator's settings for expectations.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectationPolicy {
    /// True if callers may pass an expectation.
    pub enabled: bool,
    /// The profile that may replace a tool's own defaults.
    pub profile: ExpectationProfile,
    /// The expectation of lowest precedence.
    pub below: Expectation,
}

/// The result of the last merge, for tools whose replies depend on it.
#[expect(clippy::struct_excessive_bools, reason = "independent settings of the caller")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResolvedExpectation {
    /// True if the reply includes the page's snapshot.
    pub snapshot: bool,
    /// True if the caller itself rejected the snapshot in all cases.
    pub no_snapshot: bool,
    /// True if the reply includes new messages of the console.
    pub console: bool,
    /// True if the reply includes the action as a line of code.
    pub code: bool,
    /// True if a snapshot contains only the changes.
    pub diff: bool,
    /// True if the reply includes the list of tabs; `None`: only if there is a reason to show it, such as an opened
    /// tab.
    pub tabs: Option<bool>,
    /// True if the reply includes downloads; `None`: only if any took place.
    pub downloads: Option<bool>,
    /// The part and form of the snapshot.
    pub snapshot_options: SnapshotOptions,
    /// The selection of console messages.
    pub console_options: ConsoleOptions,
    /// The size and encoding of pictures.
    pub image_options: ImageOptions,
    /// JSON pointers to the only parts of the structure to keep; empty: keep all.
    pub fields: Vec<String>,
    /// The maximum number of estimated tokens of the reply.
    pub max_tokens: Option<usize>,
}

impl Expectation {
    /// The fields about pages in a browser, by their published names.
    pub const OF_PAGES: [&str; 9] = [
        "includeSnapshot",
        "includeConsole",
        "includeDownloads",
        "includeTabs",
        "includeCode",
        "snapshotOptions",
        "consoleOptions",
        "imageOptions",
        "diffOptions",
    ];

    /// Returns an expectation with every part included: the replacement of a tool's own default in the profile
    /// `compat`.
    pub fn everything() -> Self {
        Self {
            include_snapshot: Some(true),
            include_console: Some(true),
            include_downloads: Some(true),
            include_tabs: Some(true),
            include_code: Some(true),
            ..Self::default()
        }
    }

    /// Merges two levels: fields unset here are taken from `below`. Lists are not joined.
    pub fn merge_over(self, below: Self) -> Self {
        Self {
            include_snapshot: self.include_snapshot.or(below.include_snapshot),
            include_console: self.include_console.or(below.include_console),
            include_downloads: self.include_downloads.or(below.include_downloads),
            include_tabs: self.include_tabs.or(below.include_tabs),
            include_code: self.include_code.or(below.include_code),
            snapshot_options: merge_options(self.snapshot_options, below.snapshot_options, |a, b| SnapshotOptions {
                selector: a.selector.or(b.selector),
                max_length: a.max_length.or(b.max_length),
                format: a.format.or(b.format),
            }),
            console_options: merge_options(self.console_options, below.console_options, |a, b| ConsoleOptions {
                levels: a.levels.or(b.levels),
                max_messages: a.max_messages.or(b.max_messages),
                patterns: a.patterns.or(b.patterns),
                remove_duplicates: a.remove_duplicates.or(b.remove_duplicates),
            }),
            image_options: merge_options(self.image_options, below.image_options, |a, b| ImageOptions {
                quality: a.quality.or(b.quality),
                max_width: a.max_width.or(b.max_width),
                max_height: a.max_height.or(b.max_height),
                format: a.format.or(b.format),
            }),
            diff_options: merge_options(self.diff_options, below.diff_options, |a, b| DiffOptions {
                enabled: a.enabled.or(b.enabled),
            }),
            fields: self.fields.or(below.fields),
            max_tokens: self.max_tokens.or(below.max_tokens),
        }
    }

    /// Resolves all unset fields to their final defaults. This is the only place that does so.
    pub fn resolve(self) -> ResolvedExpectation {
        ResolvedExpectation {
            snapshot: self.include_snapshot.unwrap_or_default(),
            no_snapshot: false,
            console: self.include_console.unwrap_or_default(),
            code: self.include_code.unwrap_or_default(),
            diff: self.diff_options.and_then(|diff| diff.enabled).unwrap_or_default(),
            tabs: self.include_tabs,
            downloads: self.include_downloads,
            snapshot_options: self.snapshot_options.unwrap_or_default(),
            console_options: self.console_options.unwrap_or_default(),
            image_options: self.image_options.unwrap_or_default(),
            fields: self.fields.unwrap_or_default(),
            max_tokens: self.max_tokens,
        }
    }

    /// Returns the invalid regular expressions: the index of each in the list, and the error on one line.
    pub fn bad_patterns(&self) -> Vec<(usize, String)> {
        let patterns = self.console_options.as_ref().and_then(|console| console.patterns.as_deref());
        let wrong = |(at, pattern): (usize, &String)| {
            let error = Regex::new(pattern).err()?.to_string();
            // The last line states the error; those above mark its position.
            let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Some((at, reason.to_owned()))
        };
        patterns.unwrap_or_default().iter().enumerate().filter_map(wrong).collect()
    }
}

impl Default for ExpectationPolicy {
    fn default() -> Self {
        Self { enabled: true, profile: ExpectationProfile::default(), below: Expectation::default() }
    }
}

impl ExpectationPolicy {
    /// Resolves the expectation of a call: its own, over the tool's default, over the configuration.
    pub fn resolve(&self, said: Option<Expectation>, own: Expectation) -> ResolvedExpectation {
        let mut own = match self.profile {
            ExpectationProfile::Lean => own,
            ExpectationProfile::Compat => Expectation::everything(),
        };
        let said = said.unwrap_or_default();
        // A caller that asks for the snapshot gets all of it, even if the tool would show only the changes.
        if said.include_snapshot == Some(true) {
            own.diff_options = None;
        }
        let no_snapshot = said.include_snapshot == Some(false);
        let resolved = said.merge_over(own).merge_over(self.below.clone()).resolve();
        ResolvedExpectation { no_snapshot, ..resolved }
    }
}

/// Merges two options if both are set, else returns the one that is.
fn merge_options<T>(above: Option<T>, below: Option<T>, merge: impl FnOnce(T, T) -> T) -> Option<T> {
    match (above, below) {
        (Some(above), Some(below)) => Some(merge(above, below)),
        (above, below) => above.or(below),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ConsoleLevel, ConsoleOptions, DiffOptions, Expectation, ExpectationPolicy, ExpectationProfile, ImageFormat,
        ImageOptions, SnapshotFormat, SnapshotOptions,
    };

    #[test]
    fn absent_is_not_false_and_false_is_not_absent() {
        let said = |include| Expectation { include_snapshot: include, ..Expectation::default() };
        for (above, below, expected) in [
            (None, Some(true), Some(true)),
            (Some(false), Some(true), Some(false)),
            (Some(true), Some(false), Some(true)),
            (None, Some(false), Some(false)),
            (None, None, None),
        ] {
            assert_eq!(said(above).merge_over(said(below)).include_snapshot, expected);
        }
    }

    #[test]
    fn a_snapshot_that_is_asked_for_is_whole_unless_changes_are_asked_for_too() {
        let changes = || Expectation {
            include_snapshot: Some(true),
            diff_options: Some(DiffOptions { enabled: Some(true) }),
            ..Expectation::default()
        };
        let whole = Expectation { include_snapshot: Some(true), ..Expectation::default() };
        let policy = ExpectationPolicy::default();
        assert!(policy.resolve(None, changes()).diff);
        assert!(!policy.resolve(Some(whole), changes()).diff);
        assert!(policy.resolve(Some(changes()), changes()).diff);
    }

    #[test]
    fn options_merge_field_by_field_and_lists_are_replaced() {
        let step = Expectation {
            snapshot_options: Some(SnapshotOptions { selector: Some("#a".to_owned()), ..SnapshotOptions::default() }),
            console_options: Some(ConsoleOptions {
                levels: Some(vec![ConsoleLevel::Error]),
                ..ConsoleOptions::default()
            }),
            diff_options: Some(DiffOptions::default()),
            ..Expectation::default()
        };
        let global = Expectation {
            snapshot_options: Some(SnapshotOptions {
                selector: Some("#b".to_owned()),
                max_length: Some(10),
                format: Some(SnapshotFormat::Text),
            }),
            console_options: Some(ConsoleOptions {
                levels: Some(vec![ConsoleLevel::Log, ConsoleLevel::Warn]),
                max_messages: Some(3),
                patterns: Some(vec!["x".to_owned()]),
                remove_duplicates: Some(true),
            }),
            image_options: Some(ImageOptions {
                quality: Some(50),
                max_width: Some(1),
                max_height: Some(2),
                format: Some(ImageFormat::Webp),
            }),
            diff_options: Some(DiffOptions { enabled: Some(true) }),
            fields: Some(vec!["/a".to_owned()]),
            max_tokens: Some(9),
            ..Expectation::default()
        };
        let merged = step.clone().merge_over(global.clone());
        let snapshot = merged.snapshot_options.clone().expect("merged");
        assert_eq!(
            (snapshot.selector.as_deref(), snapshot.max_length, snapshot.format),
            (Some("#a"), Some(10), Some(SnapshotFormat::Text))
        );
        let console = merged.console_options.clone().expect("merged");
        assert_eq!(console.levels, Some(vec![ConsoleLevel::Error]));
        assert_eq!((console.max_messages, console.remove_duplicates), (Some(3), Some(true)));
        assert_eq!(merged.image_options, global.image_options);
        assert_eq!((merged.fields.clone(), merged.max_tokens), (global.fields.clone(), Some(9)));
        // The grouping of merges does not matter as long as the order of levels is kept.
        let tool = Expectation::everything();
        assert_eq!(
            step.clone().merge_over(global.clone()).merge_over(tool.clone()),
            step.merge_over(global.merge_over(tool))
        );
        assert!(merged.resolve().diff);
    }

    #[test]
    fn unset_fields_are_resolved_last() {
        let nothing = Expectation::default().resolve();
        assert!(!nothing.snapshot && !nothing.console && !nothing.code && !nothing.diff);
        assert_eq!((nothing.tabs, nothing.downloads), (None, None));
        assert_eq!(nothing.snapshot_options.format.unwrap_or_default(), SnapshotFormat::Aria);
    }

    #[test]
    fn a_call_wins_over_its_tool_and_the_tool_over_the_configuration() {
        let include = |snapshot, console| Expectation {
            include_snapshot: snapshot,
            include_console: console,
            ..Expectation::default()
        };
        let lean = ExpectationPolicy { below: include(Some(true), Some(true)), ..ExpectationPolicy::default() };
        let resolved = lean.resolve(Some(include(Some(false), None)), include(Some(true), None));
        assert_eq!((resolved.snapshot, resolved.console), (false, true));
        let resolved = lean.resolve(None, include(Some(false), Some(false)));
        assert_eq!((resolved.snapshot, resolved.console), (false, false));
        let compat = ExpectationPolicy { profile: ExpectationProfile::Compat, ..ExpectationPolicy::default() };
        let resolved = compat.resolve(Some(include(None, Some(false))), include(Some(false), Some(false)));
        assert_eq!(
            (resolved.snapshot, resolved.console, resolved.code, resolved.tabs),
            (true, false, true, Some(true))
        );
    }

    #[test]
    fn invalid_patterns_are_reported() {
        let said = Expectation {
            console_options: Some(ConsoleOptions {
                patterns: Some(vec!["^a+$".to_owned(), "(".to_owned()]),
                ..ConsoleOptions::default()
            }),
            ..Expectation::default()
        };
        let wrong = said.bad_patterns();
        assert_eq!(wrong.len(), 1);
        assert_eq!(wrong[0].0, 1);
        assert!(wrong[0].1.contains("unclosed group"), "{wrong:?}");
    }
}
