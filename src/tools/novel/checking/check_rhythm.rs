//! The `check_rhythm` tool: the rhythm of the narration in sentence lengths, commas, endings, scripts and paragraphs.

use fumi_base::text::Locale;
use fumi_kernel::{Cx, Tool, ToolError, ToolOutcome, ToolSpec};
use fumi_novel::checks::RuleGroup;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    CHECKS, CheckContext, CheckDetails, CheckJob, CheckReply, EpisodeNumber, NovelDeps, hundredths, issue::IssueReport,
    review::check, review_charts::ChartKind, tenths, texts,
};

/// Names of the rules for repeated endings.
const ENDINGS: [&str; 3] = ["ending_repetition", "noun_ending_excess", "same_sentence_head"];

#[derive(Debug)]
pub struct CheckRhythm;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    episode: EpisodeNumber,
    /// True to draw charts.
    #[serde(default)]
    include_charts: bool,
    /// True for more issues, with their bytes and hashes.
    #[serde(default)]
    verbose: bool,
}

/// The part of the reply that only this check has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rhythm {
    rhythm_analysis: RhythmAnalysis,
    /// The findings of the other rules of rhythm.
    other_issues: Vec<IssueReport>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RhythmAnalysis {
    sentence_length_variation: RhythmLengths,
    punctuation_rhythm: Punctuation,
    ending_pattern_repetition: RhythmEndings,
    character_balance: RhythmScripts,
    paragraph_distribution: RhythmParagraphs,
}

/// The lengths of the sentences of narration, in visible characters.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RhythmLengths {
    sentences: usize,
    /// The share of sentences of up to 20 characters.
    short_ratio: f64,
    /// The share of sentences of 21 to 50 characters.
    medium_ratio: f64,
    long_ratio: f64,
    average_length: f64,
    /// Coefficient of variation: below 0.35 is monotonous, 0.35 to 0.8 is good.
    variation: f64,
    /// From 0 to 100; absent if the text has no narration.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance_score: Option<f64>,
}

/// The commas of the narration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Punctuation {
    /// From 0 to 100; absent if the text has no narration.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    commas_per_sentence: f64,
    /// The share of sentences with more than three commas.
    many_commas_ratio: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RhythmEndings {
    violations: Vec<IssueReport>,
    /// The most frequent class of endings.
    #[serde(skip_serializing_if = "Option::is_none")]
    most_frequent: Option<&'static str>,
    most_frequent_ratio: f64,
}

/// The share of each script among the letters.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the specification")]
struct RhythmScripts {
    kanji_ratio: f64,
    hiragana_ratio: f64,
    katakana_ratio: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RhythmParagraphs {
    paragraphs: usize,
    /// In visible characters.
    average_length: f64,
    /// From 0 to 100; absent if the text has no paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    variation_score: Option<f64>,
}

impl Tool for CheckRhythm {
    const SPEC: ToolSpec =
        ToolSpec { name: "check_rhythm", texts: texts!("check_rhythm"), example: r#"{"episode": 1}"#, ..CHECKS };
    type Deps = NovelDeps;
    type Args = Args;
    type Output = CheckReply<Rhythm>;

    async fn call(args: Args, deps: &NovelDeps, cx: &Cx) -> Result<ToolOutcome<CheckReply<Rhythm>>, ToolError> {
        let job = CheckJob::new("check_rhythm", args.episode, args.verbose, deps, cx)?;
        let job = job.with_pictures(args.include_charts, &[ChartKind::Strip]);
        let work = cx.blocking(move |cancel, _| check(&job, &[RuleGroup::Rhythm], &|| cancel.is_cancelled(), rhythm));
        Ok(ToolOutcome::Done(work.await?))
    }
}

fn rhythm(seen: &CheckContext<'_>) -> Rhythm {
    let metrics = seen.material.metrics();
    let (lengths, commas, paragraphs) = (&metrics.lengths, &metrics.commas, &metrics.paragraphs);
    let shares = metrics.scripts.shares;
    let top = metrics.endings.shares.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    let is_ending = |rule: &str| ENDINGS.contains(&rule);
    Rhythm {
        rhythm_analysis: RhythmAnalysis {
            sentence_length_variation: RhythmLengths {
                sentences: lengths.sentences.len(),
                short_ratio: hundredths(lengths.shares[0]),
                medium_ratio: hundredths(lengths.shares[1]),
                long_ratio: hundredths(lengths.shares[2]),
                average_length: tenths(lengths.spread.mean),
                variation: hundredths(lengths.spread.variation()),
                balance_score: lengths.balance.map(tenths),
            },
            punctuation_rhythm: Punctuation {
                score: commas.score.map(tenths),
                commas_per_sentence: hundredths(commas.spread.mean),
                many_commas_ratio: hundredths(commas.many),
            },
            ending_pattern_repetition: RhythmEndings {
                violations: seen.issues_of(is_ending),
                most_frequent: top.map(|(class, _)| class.sound()),
                most_frequent_ratio: hundredths(top.map_or(0.0, |(_, share)| *share)),
            },
            character_balance: RhythmScripts {
                kanji_ratio: hundredths(shares.kanji),
                hiragana_ratio: hundredths(shares.hiragana),
                katakana_ratio: hundredths(shares.katakana),
            },
            paragraph_distribution: RhythmParagraphs {
                paragraphs: paragraphs.lengths.len(),
                average_length: tenths(paragraphs.spread.mean),
                variation_score: paragraphs.variation_score.map(tenths),
            },
        },
        other_issues: seen.issues_of(|rule| !is_ending(rule)),
    }
}

impl CheckDetails for Rhythm {
    fn lines(&self, locale: Locale) -> Vec<String> {
        let RhythmAnalysis {
            sentence_length_variation: lengths,
            punctuation_rhythm: commas,
            ending_pattern_repetition: endings,
            character_balance: scripts,
            paragraph_distribution: paragraphs,
        } = &self.rhythm_analysis;
        let score = |score: Option<f64>| score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        match locale {
            Locale::En => vec![
                format!(
                    "{} sentences, {} characters each, CV {}; short {}, medium {}, long {}; balance {}",
                    lengths.sentences,
                    lengths.average_length,
                    lengths.variation,
                    lengths.short_ratio,
                    lengths.medium_ratio,
                    lengths.long_ratio,
                    score(lengths.balance_score)
                ),
                format!(
                    "{} commas a sentence, score {}; {} endings {}",
                    commas.commas_per_sentence,
                    score(commas.score),
                    endings.most_frequent_ratio,
                    endings.most_frequent.unwrap_or("-")
                ),
                format!(
                    "kanji {}, hiragana {}, katakana {}; {} paragraphs of {}",
                    scripts.kanji_ratio,
                    scripts.hiragana_ratio,
                    scripts.katakana_ratio,
                    paragraphs.paragraphs,
                    paragraphs.average_length
                ),
            ],
            Locale::Ja => vec![
                format!(
                    "地の文は {} 文、一文の平均 {} 字、変動係数 {}。割合は、短い文 {}、中くらいの文 {}、長い文 {}。長短の釣り合いの点数 {}",
                    lengths.sentences,
                    lengths.average_length,
                    lengths.variation,
                    lengths.short_ratio,
                    lengths.medium_ratio,
                    lengths.long_ratio,
                    score(lengths.balance_score)
                ),
                format!(
                    "読点は一文に平均 {} 個、点数 {}。最も多い文末は「{}」（割合 {}）",
                    commas.commas_per_sentence,
                    score(commas.score),
                    endings.most_frequent.unwrap_or("-"),
                    endings.most_frequent_ratio
                ),
                format!(
                    "文字の割合は、漢字 {}、ひらがな {}、片仮名 {}。段落は {} 個、一段落の平均 {} 字",
                    scripts.kanji_ratio,
                    scripts.hiragana_ratio,
                    scripts.katakana_ratio,
                    paragraphs.paragraphs,
                    paragraphs.average_length
                ),
            ],
        }
    }

    fn continues(&self) -> bool {
        false
    }

    fn shown(&self) -> Vec<&IssueReport> {
        let endings = &self.rhythm_analysis.ending_pattern_repetition.violations;
        endings.iter().chain(&self.other_issues).collect()
    }
}
