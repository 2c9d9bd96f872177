//! Aspects and items in replies: scores with their method, and evidence and advice for what is low.

use fumi_base::text::Locale;
use fumi_novel::{
    checks::{
        aspects::AspectScore,
        items::{self, Evaluation, EvaluationMethod},
    },
    reviewing,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckContext, hundredths, issue::IssueReport, tenths};

/// The maximum number of evidence places shown for an item.
const PLACES: usize = 3;

/// The titles in Japanese of categories, aspects and figures, by the names of their fields.
const TITLES: [(&str, &str); 29] = [
    ("emotional_expression", "感情描写"),
    ("character_development", "キャラクター"),
    ("story_structure", "ストーリー展開"),
    ("writing_technique", "文章表現"),
    ("world_building", "世界観・設定"),
    ("reader_engagement", "読者エンゲージメント"),
    ("story_integration", "プロットとの整合"),
    ("pacing_rhythm", "ペース"),
    ("foreshadowing_recovery", "伏線"),
    ("character_psychology_consistency", "人物の一貫性"),
    ("genre_appropriateness", "ジャンルとの適合"),
    ("naturalness", "自然さ"),
    ("descriptive_power", "描写"),
    ("metaphor_rhetoric", "比喩"),
    ("style_consistency", "文体"),
    ("readability", "読みやすさ"),
    ("sentence_length", "一文の字数"),
    ("sentence_variation", "文の長さの変動係数"),
    ("short_sentences", "短い文の割合"),
    ("long_sentences", "長い文の割合"),
    ("commas", "一文の読点"),
    ("kanji", "漢字の割合"),
    ("hiragana", "ひらがなの割合"),
    ("katakana", "片仮名の割合"),
    ("variety_of_words", "語彙の豊かさ"),
    ("paragraph_links", "段落のつながり"),
    ("conjunctions", "接続詞で始まる文の割合"),
    ("most_frequent_ending", "最も多い文末の割合"),
    ("dialogue", "台詞の割合"),
];

/// Returns the title of a category, aspect or figure; in English its name.
pub(super) fn title(name: &str, locale: Locale) -> &str {
    let known = TITLES.iter().find(|(known, _)| *known == name).filter(|_| locale == Locale::Ja);
    known.map_or(name, |(_, title)| *title)
}

/// The maximum length of an excerpt, in characters.
const EXCERPT: usize = 40;

/// An aspect of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct AspectReport {
    /// From 0 to 100; absent if nothing was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    method: &'static str,
    /// The evaluated share of the aspect, from 0 to 1.
    coverage: f64,
    /// The findings of its rules, the most severe first.
    issues: Vec<IssueReport>,
    /// The items that contribute to the score, besides the issues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<AspectPart>,
    /// The items of the aspect with low scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low_items: Vec<ItemReport>,
}

/// An item as a part of an aspect's score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct AspectPart {
    item_id: String,
    /// From 0 to 1.
    score: f64,
    method: &'static str,
    /// The measured number, in the unit of the item's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The line of the first place with evidence, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// An item that was evaluated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ItemReport {
    item_id: String,
    title: String,
    category: &'static str,
    /// From 0 to 1; absent if the item was not evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    method: &'static str,
    /// The judge's reason for the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// The measured number, in the unit of the item's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The places with evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EvidencePlace>,
    /// Advice for the writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct EvidencePlace {
    /// The line, counted from 1; 0 for a quotation of the judge.
    line: usize,
    excerpt: String,
}

impl AspectReport {
    pub(super) fn from_score(seen: &CheckContext<'_>, one: &AspectScore<'_>) -> Self {
        let rules = &one.aspect.rules;
        Self {
            score: one.score.map(tenths),
            method: one.method.name(),
            coverage: hundredths(one.coverage),
            issues: seen.issues_of(|rule| rules.iter().any(|own| own == rule)),
            evidence: one.evaluations.iter().filter_map(|item| AspectPart::from_evaluation(seen, item)).collect(),
            low_items: one.low_items().into_iter().map(|low| ItemReport::with_advice(seen, low)).collect(),
        }
    }

    pub(super) fn shown(&self) -> &[IssueReport] {
        &self.issues
    }

    /// Returns one line for the aspect, and the items below full score: the low ones with their advice.
    pub(super) fn lines(&self, name: &str, locale: Locale) -> Vec<String> {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let mut lines = vec![format!("{} {score}{}", title(name, locale), how(self.method, self.coverage, locale))];
        let is_low = |part: &&AspectPart| self.low_items.iter().any(|low| low.item_id == part.item_id);
        let parts = self.evidence.iter().filter(|part| part.score < 1.0 && !is_low(part));
        let parts: Vec<String> = parts.map(|part| part.words(locale)).collect();
        if !parts.is_empty() {
            lines.push(format!("  {}", parts.join(if locale == Locale::Ja { "、" } else { ", " })));
        }
        lines.extend(self.low_items.iter().map(|item| format!("  {}", item.line(locale))));
        lines
    }
}

/// Returns the share that was evaluated, and the method if it is not the usual one, to follow a score.
pub(super) fn how(method: &str, coverage: f64, locale: Locale) -> String {
    let judged = match (judged(method), locale) {
        (false, _) => "",
        (true, Locale::En) => ", judged",
        (true, Locale::Ja) => "、判定済み",
    };
    match (percent(coverage), locale) {
        (100, _) => judged.to_owned(),
        (0, Locale::En) => ", not evaluated".to_owned(),
        (0, Locale::Ja) => "、未評価".to_owned(),
        (covered, Locale::En) => format!(", {covered} % covered{judged}"),
        (covered, Locale::Ja) => format!("、評価率 {covered} %{judged}"),
    }
}

/// True if a model or a person judged.
fn judged(method: &str) -> bool {
    ![EvaluationMethod::Deterministic, EvaluationMethod::NotEvaluated].map(EvaluationMethod::name).contains(&method)
}

/// Returns a share as a whole percentage.
pub(super) fn percent(share: f64) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let percent = (share * 100.0).round().clamp(0.0, 100.0) as u8;
    percent
}

impl AspectPart {
    /// Returns the part for an item, or `None` if the item has no score.
    fn from_evaluation(seen: &CheckContext<'_>, one: &Evaluation) -> Option<Self> {
        Some(Self {
            item_id: one.item.id.clone(),
            score: hundredths(one.score?),
            method: one.method.name(),
            value: value(one),
            line: evidence(seen, one).first().map(|place| place.line).filter(|line| *line > 0),
        })
    }

    /// Returns the item in the form `A31-028 Tempo 0.85`.
    fn words(&self, locale: Locale) -> String {
        let title = items::item(&self.item_id).map(|item| reviewing::words(item, locale).title.as_str());
        format!("{} {} {}", self.item_id, title.unwrap_or_default(), self.score)
    }
}

/// Returns the measured number behind a score, if there is one.
fn value(one: &Evaluation) -> Option<f64> {
    one.measure.as_ref()?.value.map(hundredths)
}

impl ItemReport {
    /// Returns an item with its evidence.
    pub(super) fn from_evaluation(seen: &CheckContext<'_>, one: &Evaluation) -> Self {
        Self {
            item_id: one.item.id.clone(),
            title: reviewing::words(one.item, seen.job.locale).title.clone(),
            category: one.item.category.name(),
            score: one.score.map(hundredths),
            method: one.method.name(),
            comment: comment(one),
            value: value(one),
            evidence: evidence(seen, one),
            advice: None,
        }
    }

    /// Returns an item with its evidence and advice for the writer.
    pub(super) fn with_advice(seen: &CheckContext<'_>, one: &Evaluation) -> Self {
        let advice = &reviewing::words(one.item, seen.job.locale).advice;
        Self {
            advice: Some(advice.split_whitespace().collect::<Vec<_>>().join(joint(seen.job.locale))),
            ..Self::from_evaluation(seen, one)
        }
    }

    /// Returns the judge's reason and the advice for the writer.
    pub(super) fn suggestion(&self, locale: Locale) -> Option<String> {
        let advice = self.advice.as_ref()?;
        Some(match (&self.comment, locale) {
            (None, _) => advice.clone(),
            (Some(comment), Locale::En) => format!("“{comment}” {advice}"),
            (Some(comment), Locale::Ja) => format!("「{comment}」{advice}"),
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.item_id
    }

    pub(super) const fn category(&self) -> &'static str {
        self.category
    }

    /// True if nothing can be improved.
    pub(super) fn is_full(&self) -> bool {
        self.score.is_some_and(|score| score >= 1.0)
    }

    /// Returns the item as one line of text.
    pub(super) fn line(&self, locale: Locale) -> String {
        let score = self.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let judged = match (judged(self.method), locale) {
            (false, _) => "",
            (true, Locale::En) => " (judged)",
            (true, Locale::Ja) => "（判定済み）",
        };
        let mut line = format!("{} {} {score}{judged}", self.item_id, self.title);
        if let Some(suggestion) = self.suggestion(locale) {
            line.push_str(&format!(": {suggestion}"));
        }
        let places: Vec<String> = self
            .evidence
            .iter()
            .map(|place| match place.line {
                0 => place.excerpt.clone(),
                line => format!("{line}:{}", place.excerpt),
            })
            .collect();
        if !places.is_empty() {
            line.push_str(&format!(" — {}", places.join(" / ")));
        }
        line
    }
}

/// Returns the reason that the judge of an item gave.
fn comment(one: &Evaluation) -> Option<String> {
    let comment = &one.judged.as_ref()?.judgement.comment;
    (!comment.is_empty()).then(|| comment.clone())
}

/// Returns the separator between joined lines of a page: Japanese has no spaces between them.
const fn joint(locale: Locale) -> &'static str {
    match locale {
        Locale::En => " ",
        Locale::Ja => "",
    }
}

/// Returns the quotations of the judge, or the measured places if the item was not judged.
fn evidence(seen: &CheckContext<'_>, one: &Evaluation) -> Vec<EvidencePlace> {
    let source = seen.material.manuscript().source();
    let cut = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        match line.char_indices().nth(EXCERPT) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.to_owned(),
        }
    };
    if let (EvaluationMethod::Judged(_), Some(judged)) = (one.method, &one.judged) {
        let quotes = judged.judgement.quotes.iter().take(PLACES);
        return quotes
            .map(|quote| EvidencePlace {
                line: source.find(quote.trim()).map_or(0, |at| seen.material.manuscript().position(at).line),
                excerpt: cut(quote),
            })
            .collect();
    }
    let places = one.measure.iter().flat_map(|measure| &measure.places).take(PLACES);
    places
        .map(|place| EvidencePlace {
            line: seen.material.manuscript().position(place.start).line,
            excerpt: cut(&source[place.clone()]),
        })
        .collect()
}
