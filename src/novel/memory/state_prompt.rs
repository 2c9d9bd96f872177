//! The prompt for a reader who notes the state of an episode.

use fumi_base::text::Locale;

use super::StoryFactKind;
use crate::project::EpisodeId;

const PROMPT_EN: &str = include_str!("prompts/state.en.md");
const PROMPT_JA: &str = include_str!("prompts/state.ja.md");

/// Returns the prompt for the state of an episode.
pub fn state_instruction(episode: EpisodeId, locale: Locale) -> String {
    let prompt = match locale {
        Locale::En => PROMPT_EN,
        Locale::Ja => PROMPT_JA,
    };
    debug_assert!(StoryFactKind::ALL.iter().all(|kind| prompt.contains(kind.name())));
    prompt.replace("{episode}", &episode.number().to_string())
}
