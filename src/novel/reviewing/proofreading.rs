//! The prompt for a proofreader.

use std::fmt::Write as _;

use fumi_base::text::Locale;

use crate::{checks::CorrectionKind, project::EpisodeId};

const PROMPT_EN: &str = include_str!("prompts/proofread.en.md");
const PROMPT_JA: &str = include_str!("prompts/proofread.ja.md");

/// Returns the prompt for proofreading an episode.
pub fn proofreading_instruction(episode: EpisodeId, locale: Locale) -> String {
    let prompt = match locale {
        Locale::En => PROMPT_EN,
        Locale::Ja => PROMPT_JA,
    };
    let kinds = CorrectionKind::ALL.iter().fold(String::new(), |mut text, kind| {
        // Writing to a `String` does not fail.
        let _ = match locale {
            Locale::En => writeln!(text, "- {}: {}", kind.name(), english(*kind)),
            Locale::Ja => writeln!(text, "- {}：{}（{}）", kind.name(), kind.japanese(), japanese(*kind)),
        };
        text
    });
    prompt.replace("{episode}", &episode.number().to_string()).replace("{kinds}", kinds.trim_end())
}

fn english(kind: CorrectionKind) -> &'static str {
    match kind {
        CorrectionKind::Typo => "a wrong, missing or superfluous character",
        CorrectionKind::Misconversion => "another word of the same sound",
        CorrectionKind::Grammar => "particles, agreement, a sentence whose end does not fit its beginning",
        CorrectionKind::Honorific => "an honorific or humble form for the wrong person",
        CorrectionKind::Punctuation => "punctuation and brackets",
        CorrectionKind::Usage => "a word or an idiom in a wrong sense, or said twice",
        CorrectionKind::Inconsistency => "a contradiction to another passage or to the settings",
        CorrectionKind::Fact => "a mistake about the real world",
    }
}

fn japanese(kind: CorrectionKind) -> &'static str {
    match kind {
        CorrectionKind::Typo => "打ち間違い、脱字、余分な字",
        CorrectionKind::Misconversion => "同音の別の語",
        CorrectionKind::Grammar => "助詞、呼応、主語と述語のねじれ",
        CorrectionKind::Honorific => "尊敬と謙譲の取り違え、相手に合わない敬語",
        CorrectionKind::Punctuation => "句読点、かぎ括弧",
        CorrectionKind::Usage => "語や慣用句の誤用、重言",
        CorrectionKind::Inconsistency => "前後の記述や設定との食い違い",
        CorrectionKind::Fact => "現実の事実との違い",
    }
}
