//! The `check_book` tool: checks for which all episodes of the novel are needed. Reads only.

use std::time::Duration;

use fumi_base::text::{BilingualText, Locale};
use fumi_kernel::{Cx, Render, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::{
    book_checks::{BookCheckOptions, BookFinding, BookFindingKind, BookPlace, BookReport, check_book},
    checks::Severity,
    errors::reviewing::ReviewError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CHECKS, EpisodeNumber, NovelDeps, READS, REVIEW, Suggestion, severity_in_japanese, severity_words, texts};

/// The maximum number of findings shown, and with `verbose`.
const SHOWN: usize = 20;
const VERBOSE: usize = 100;

/// The maximum numbers of remarks and of suggested calls.
const REMARKS: usize = 20;
const SUGGESTED: usize = 3;

#[derive(Debug)]
pub struct CheckBook;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: Option<EpisodeNumber>,
    /// True for more findings.
    #[serde(default)]
    verbose: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    /// A summary in one line.
    summary: String,
    /// The number of episodes that were read.
    episodes: usize,
    /// The number of visible characters of their stories.
    characters: usize,
    findings_found: FindingCounts,
    /// The most severe findings.
    findings: Vec<FindingReport>,
    next_suggested_actions: Vec<Suggestion>,
    /// Episodes and files that were left out, and the limits of this check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    #[serde(skip)]
    is_verbose: bool,
}

/// The number of findings, by severity and by kind.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
struct FindingCounts {
    total: usize,
    high: usize,
    medium: usize,
    low: usize,
    info: usize,
    contradictions: usize,
    names: usize,
    timeline: usize,
    ledger: usize,
    spellings: usize,
    worn_phrases: usize,
    states: usize,
}

/// A finding about the novel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FindingReport {
    /// `contradiction`, `name`, `timeline`, `ledger`, `spelling`, `worn_phrase` or `state`.
    kind: &'static str,
    /// `info`, `low`, `medium` or `high`.
    severity: &'static str,
    message: String,
    /// The number of all places.
    count: usize,
    /// The number of episodes with such a place.
    episodes: usize,
    /// The first places, three at most.
    places: Vec<PlaceReport>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct PlaceReport {
    episode: u32,
    /// The line, counted from 1; absent for an episode as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The passage.
    #[serde(skip_serializing_if = "String::is_empty")]
    quote: String,
}

impl Tool for CheckBook {
    const SPEC: ToolSpec = ToolSpec {
        name: "check_book",
        toolset: REVIEW,
        texts: texts!("check_book"),
        example: "{}",
        pool: CHECKS.pool,
        timeout: Duration::from_mins(2),
        ..READS
    };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = Output;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<Output>, ToolError> {
        let (novel, locale) = (deps.novel(cx), cx.locale());
        let asked = BookCheckOptions {
            focus: args.episode.map(|episode| episode.0),
            shown: if args.verbose { VERBOSE } else { SHOWN },
        };
        let work = cx.blocking(move |cancel, _| {
            let report = check_book(&novel, asked, &|| cancel.is_cancelled())?;
            Ok::<_, ReviewError>(output(&report, &args, locale))
        });
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn output(report: &BookReport, args: &Args, locale: Locale) -> Output {
    let counts = FindingCounts::count(report);
    let (episodes, characters, words) = (report.episodes, report.characters, counts.words(locale));
    let read = if episodes == 1 { "1 episode".to_owned() } else { format!("{episodes} episodes") };
    let summary = match (locale, args.episode) {
        (Locale::En, None) => format!("{read}, {characters} characters: {words}"),
        (Locale::Ja, None) => format!("全{episodes}話、{characters} 字：{words}"),
        (Locale::En, Some(episode)) => {
            format!("Findings that concern episode {}, of {read}, {characters} characters: {words}", episode.0.number())
        }
        (Locale::Ja, Some(episode)) => {
            format!("第{}話に関わるもの（全{episodes}話、{characters} 字のうち）：{words}", episode.0.number())
        }
    };
    Output {
        success: true,
        summary,
        episodes,
        characters,
        findings_found: counts,
        findings: report.findings.iter().map(|finding| FindingReport::new(finding, locale)).collect(),
        next_suggested_actions: suggestions(report, args, locale),
        remarks: remarks(report, locale),
        is_verbose: args.verbose,
    }
}

/// Suggests to record the states that are missing or too old.
fn suggestions(report: &BookReport, args: &Args, locale: Locale) -> Vec<Suggestion> {
    let reason = BilingualText::new(
        "record the state: it is missing, or the manuscript has changed since",
        "状態の記録がないか、記録の後で原稿が変わっているため、記録する",
    );
    let asked = args.episode.map(|episode| episode.0);
    let open = report.to_record.iter().filter(|episode| asked.is_none_or(|asked| asked == **episode));
    open.take(SUGGESTED)
        .map(|episode| Suggestion::for_episode("record_episode_state", *episode, &reason, locale))
        .collect()
}

fn remarks(report: &BookReport, locale: Locale) -> Vec<String> {
    let mut remarks: Vec<BilingualText> = Vec::new();
    if report.episodes < 2 {
        remarks.push(BilingualText::new(
            "There are fewer than two episodes to compare.",
            "比べられる話が二話以上ありません。",
        ));
    }
    remarks.extend(report.notes.iter().cloned());
    let left_out = report.left_out.iter();
    remarks.extend(
        left_out.map(|why| BilingualText::new(format!("Left out: {}", why.en), format!("読んでいない話: {}", why.ja))),
    );
    let broken = report.remarks.iter();
    remarks.extend(
        broken.map(|why| {
            BilingualText::new(format!("Left out: {}", why.en), format!("使っていないファイル: {}", why.ja))
        }),
    );
    let more = remarks.len().saturating_sub(REMARKS);
    let mut said: Vec<String> = remarks.iter().take(REMARKS).map(|remark| remark.get(locale).to_owned()).collect();
    if more > 0 {
        said.push(match locale {
            Locale::En => format!("{more} more were left out."),
            Locale::Ja => format!("ほか {more} 件。"),
        });
    }
    said
}

impl FindingCounts {
    fn count(report: &BookReport) -> Self {
        let of = |is: &dyn Fn(BookFindingKind, Severity) -> bool| {
            report.counts.iter().filter(|((kind, severity), _)| is(*kind, *severity)).map(|(_, count)| count).sum()
        };
        let at = |asked: Severity| of(&|_, severity| severity == asked);
        let kind = |asked: BookFindingKind| of(&|kind, _| kind == asked);
        Self {
            total: of(&|_, _| true),
            high: of(&|_, severity| severity >= Severity::High),
            medium: at(Severity::Medium),
            low: at(Severity::Low),
            info: at(Severity::Info),
            contradictions: kind(BookFindingKind::Contradiction),
            names: kind(BookFindingKind::Name),
            timeline: kind(BookFindingKind::Timeline),
            ledger: kind(BookFindingKind::Ledger),
            spellings: kind(BookFindingKind::Spelling),
            worn_phrases: kind(BookFindingKind::WornPhrase),
            states: kind(BookFindingKind::State),
        }
    }

    /// Returns the counts in the form `2 medium, 5 low`, or a phrase for no findings.
    fn words(self, locale: Locale) -> String {
        severity_words([0, self.high, self.medium, self.low, self.info], "no findings", locale)
    }
}

/// Returns the serialised name of a kind of findings in Japanese.
fn kind_in_japanese(kind: &str) -> &str {
    match kind {
        "contradiction" => "食い違い",
        "name" => "名前",
        "timeline" => "時系列",
        "ledger" => "伏線管理",
        "spelling" => "表記",
        "worn_phrase" => "繰り返される言い回し",
        "state" => "状態の記録",
        other => other,
    }
}

impl FindingReport {
    fn new(finding: &BookFinding, locale: Locale) -> Self {
        Self {
            kind: finding.kind.name(),
            severity: finding.severity.name(),
            message: finding.message.get(locale).to_owned(),
            count: finding.count,
            episodes: finding.episodes,
            places: finding.places.iter().map(PlaceReport::new).collect(),
        }
    }

    fn line(&self, locale: Locale) -> String {
        let places: Vec<String> = self.places.iter().map(|place| place.text(locale)).collect();
        let (severity, kind, message, places) = (self.severity, self.kind, &self.message, places.join(" / "));
        match locale {
            Locale::En => format!("[{severity}] {kind}: {message} {places}"),
            Locale::Ja => {
                format!("{}／{}: {message} {places}", severity_in_japanese(severity), kind_in_japanese(kind))
            }
        }
    }
}

impl PlaceReport {
    fn new(place: &BookPlace) -> Self {
        Self { episode: place.episode, line: place.line, quote: place.quote.clone() }
    }

    /// Returns the place in the form `3:25 「…」`, with episode and line, or the episode alone.
    fn text(&self, locale: Locale) -> String {
        match (self.line, locale) {
            (Some(line), _) => format!("{}:{line} 「{}」", self.episode, self.quote),
            (None, Locale::En) => format!("(episode {})", self.episode),
            (None, Locale::Ja) => format!("（第{}話）", self.episode),
        }
    }
}

impl Render for Output {
    fn keep_callable(&mut self, can_call: &dyn Fn(&str) -> bool) {
        Suggestion::keep_callable(&mut self.next_suggested_actions, can_call);
    }

    fn text(&self, locale: Locale) -> String {
        let mut lines = vec![self.summary.clone()];
        lines.extend(self.findings.iter().map(|finding| finding.line(locale)));
        let more = self.findings_found.total - self.findings.len();
        if more > 0 {
            lines.push(match (locale, self.is_verbose) {
                (Locale::En, false) => format!("{more} more: verbose: true shows {VERBOSE}"),
                (Locale::En, true) => format!("{more} more: episode shows those of one episode"),
                (Locale::Ja, false) => format!("ほか {more} 件（verbose: true で {VERBOSE} 件まで）"),
                (Locale::Ja, true) => format!("ほか {more} 件（episode で話ごとに見られます）"),
            });
        }
        lines.extend(self.remarks.iter().map(|remark| format!("! {remark}")));
        lines.extend(self.next_suggested_actions.iter().map(Suggestion::line));
        lines.join("\n")
    }
}
