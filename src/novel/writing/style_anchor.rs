//! The style that a new episode follows: the measurements of a sample, the phrases that earlier episodes wore out, the
//! conventions of the publishing preset, and the voices of the characters.
//!
//! The sample is the file that the settings name, otherwise the previous episode. The measurements are those of the checks
//! (`checks::metrics`). Without a sample only the parts that do not need one are shown.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    sync::OnceLock,
};

use fumi_base::text::{BilingualText, Locale};

use super::material::WritingMaterial;
use crate::{
    checks::{
        AnalysedDraft, CheckMaterial, NovelContext, Tuning,
        features::Cast,
        metrics::{EndingClass, TextMetrics},
        morphology, rule, rules,
    },
    manuscript::{ManuscriptOptions, TextVoice},
    project::StylePreset,
};

/// The number of earlier episodes in which worn phrases are searched.
pub(super) const EPISODES: usize = 3;

/// The smallest number of narrated sentences that are measured; fewer say little about a style.
const SENTENCES: usize = 10;

/// The number of earlier uses from which a phrase counts as worn.
const WORN: usize = 3;

/// The largest number of worn phrases shown.
const PHRASES: usize = 10;

/// The largest number of unwanted expressions of the settings that are shown.
const UNWANTED: usize = 20;

/// The rules whose findings are phrases to avoid.
const PHRASE_RULES: [&str; 3] = ["cliche", "machine_prose", "overused_phrase"];

/// A text of an earlier episode or a sample.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlierText {
    /// The path relative to the project root.
    pub(super) path: String,
    pub(super) text: String,
}

/// The texts whose style a new episode follows.
#[derive(Debug, Default)]
pub struct EarlierTexts {
    pub(super) sample: Option<EarlierText>,
    /// The last episodes, from the newest.
    pub(super) episodes: Vec<EarlierText>,
    anchor: OnceLock<StyleAnchor>,
}

impl EarlierTexts {
    /// Returns the style of the texts, measured by the first call.
    pub(super) fn style(&self, context: &NovelContext) -> &StyleAnchor {
        self.anchor.get_or_init(|| StyleAnchor::measure(self.sample.as_ref(), &self.episodes, context))
    }
}

/// The measured style of a sample and the worn phrases of earlier episodes.
#[derive(Clone, Debug, Default)]
pub(super) struct StyleAnchor {
    measured: Option<MeasuredStyle>,
    worn: Vec<String>,
}

/// The measurements of a sample.
#[derive(Clone, Debug)]
struct MeasuredStyle {
    path: String,
    /// The mean length of a narrated sentence, in visible characters.
    sentence: f64,
    /// The shares of short, medium and long sentences.
    shares: [f64; 3],
    /// The mean length of a paragraph with narration, in visible characters.
    paragraph: f64,
    /// The most frequent endings, with their shares.
    endings: Vec<(EndingClass, f64)>,
    /// The share of spoken sentences in all sentences.
    speech: f64,
    is_polite: bool,
}

impl StyleAnchor {
    /// Measures a sample and searches earlier episodes for worn phrases.
    fn measure(sample: Option<&EarlierText>, earlier: &[EarlierText], context: &NovelContext) -> Self {
        // The names of the novel are words of the analysis; its plot and corrections are not needed.
        let context = NovelContext { names: context.names.clone(), ..NovelContext::default() };
        let tuning = Tuning::default();
        let analysed = |text: &str| AnalysedDraft::read(text, ManuscriptOptions::default());
        let measured = sample.and_then(|sample| {
            let draft = analysed(&sample.text);
            let checked = CheckMaterial::new(&draft, &context, &tuning, morphology());
            MeasuredStyle::from_material(&sample.path, &checked)
        });
        let mut uses: HashMap<String, usize> = HashMap::new();
        for episode in earlier {
            let draft = analysed(&episode.text);
            let checked = CheckMaterial::new(&draft, &context, &tuning, morphology());
            for phrase in phrases(&checked) {
                *uses.entry(phrase).or_default() += 1;
            }
        }
        let mut worn: Vec<(String, usize)> = uses.into_iter().filter(|(_, count)| *count >= WORN).collect();
        worn.sort_by_key(|(phrase, count)| (Reverse(*count), phrase.clone()));
        Self { measured, worn: worn.into_iter().take(PHRASES).map(|(phrase, _)| phrase).collect() }
    }

    /// Returns the style as lines of a prompt, each ended by a line feed; empty if nothing is known.
    pub(super) fn describe(&self, preset: Option<StylePreset>, unwanted: &[String], locale: Locale) -> String {
        let mut lines = Vec::new();
        lines.extend(preset.and_then(conventions).map(|text| text.get(locale).to_owned()));
        lines.extend(self.measured.as_ref().map(|measured| measured.line(locale)));
        let unwanted = unwanted.iter().map(|phrase| phrase.trim()).filter(|phrase| !phrase.is_empty()).take(UNWANTED);
        let avoided: BTreeSet<&str> = unwanted.chain(self.worn.iter().map(String::as_str)).collect();
        if !avoided.is_empty() {
            let avoided: Vec<&str> = avoided.into_iter().collect();
            lines.push(match locale {
                Locale::En => format!("Avoid (unwanted, or overused in earlier episodes): {}", avoided.join(" / ")),
                Locale::Ja => {
                    format!("使わない言い回し（禁止、または前の話までに使いすぎたもの）: {}", avoided.join("／"))
                }
            });
        }
        if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
    }
}

impl MeasuredStyle {
    fn from_material(path: &str, checked: &CheckMaterial<'_>) -> Option<Self> {
        let metrics: &TextMetrics = checked.metrics();
        let narrated = metrics.lengths.sentences.len();
        if narrated < SENTENCES {
            return None;
        }
        let spoken = checked.sentences_in_voice(TextVoice::Dialogue).count();
        let mut endings: Vec<(EndingClass, f64)> =
            metrics.endings.shares.iter().map(|(class, share)| (*class, *share)).collect();
        endings.retain(|(class, _)| *class != EndingClass::Other);
        endings.sort_by(|one, other| other.1.total_cmp(&one.1));
        endings.truncate(4);
        let polite = metrics.endings.of_sentences.iter().filter(|ending| ending.is_polite).count();
        Some(Self {
            path: path.to_owned(),
            sentence: metrics.lengths.spread.mean,
            shares: metrics.lengths.shares,
            paragraph: metrics.paragraphs.spread.mean,
            endings,
            speech: spoken as f64 / (spoken + narrated) as f64,
            is_polite: polite * 2 > narrated,
        })
    }

    fn line(&self, locale: Locale) -> String {
        let percent = |share: f64| format!("{:.0}", share * 100.0);
        let [short, _, long] = self.shares.map(percent);
        let speech = percent(self.speech);
        let Self { path, sentence, paragraph, .. } = self;
        let endings = |between: &str| {
            let each = self.endings.iter().map(|(class, share)| match locale {
                Locale::En => format!("{} {} %", english(*class), percent(*share)),
                Locale::Ja => format!("{} {}%", class.sound(), percent(*share)),
            });
            each.collect::<Vec<_>>().join(between)
        };
        match locale {
            Locale::En => format!(
                "Follow the style of {path}: narrated sentences of {sentence:.0} characters on average ({short} % up to 20, \
                 {long} % over 50), paragraphs of {paragraph:.0}, {speech} % of the sentences spoken, {} register, endings: {}",
                if self.is_polite { "polite" } else { "plain" },
                endings(", ")
            ),
            Locale::Ja => format!(
                "文体の手本は {path}。地の文は一文平均 {sentence:.0} 字（20 字以下 {short}%、51 字以上 {long}%）、段落は平均 \
                 {paragraph:.0} 字、台詞の文が {speech}%、{}、文末は {}",
                if self.is_polite { "です・ます調" } else { "常体" },
                endings("・")
            ),
        }
    }
}

fn english(class: EndingClass) -> &'static str {
    match class {
        EndingClass::Past => "past",
        EndingClass::Present => "present",
        EndingClass::Copula => "copula",
        EndingClass::Noun => "noun",
        EndingClass::Negation => "negation",
        EndingClass::Conjecture => "conjecture",
        EndingClass::Question => "question",
        EndingClass::Polite => "polite",
        EndingClass::Other => "other",
    }
}

/// Returns the phrases of an episode that may be worn: what the phrase rules find, and repeated phrases of narration.
fn phrases(checked: &CheckMaterial<'_>) -> Vec<String> {
    let source = checked.manuscript().source();
    let found = PHRASE_RULES.iter().filter_map(|name| rule(name)).flat_map(|rule| rules::run_rule(rule, checked));
    let found = found.map(|finding| source[finding.source].to_owned());
    let repeats =
        checked.metrics().words.repeats.iter().map(|repeat| checked.text()[repeat.visible.clone()].to_owned());
    let is_short = |phrase: &String| (2..=20).contains(&phrase.chars().count()) && !phrase.contains('\n');
    found.chain(repeats).filter(is_short).collect()
}

/// Returns the conventions of a publishing preset.
fn conventions(preset: StylePreset) -> Option<BilingualText> {
    Some(match preset {
        StylePreset::Bunko => BilingualText::new(
            "Set for a paperback in vertical lines: numbers in kanji, few empty lines.",
            "文庫の縦組み。数は漢数字、空行は場面の切れ目だけ。",
        ),
        StylePreset::Narou | StylePreset::Kakuyomu => BilingualText::new(
            "Read on a phone: short paragraphs, empty lines between scenes and around long speech.",
            "スマートフォン向け。段落は短く、場面の切れ目と長い会話の前後に空行。",
        ),
        StylePreset::Custom => return None,
    })
}

/// Returns how the characters of the plot speak, one per line, each ended by a line feed; empty if the settings say nothing.
pub(super) fn voices(material: &WritingMaterial, locale: Locale) -> String {
    let cast = Cast::from_settings(&material.context.world);
    let lines = material.cast.iter().filter_map(|member| {
        let speech = cast.member_named(&member.name)?.speech_line(locale);
        (!speech.is_empty()).then(|| format!("- {}: {speech}\n", member.name))
    });
    lines.collect()
}
