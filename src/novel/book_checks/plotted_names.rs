//! The characters of the plots whom the settings do not know, as after a character was renamed.
//!
//! A name counts as known if it contains a name of the settings, or the other way around. Without characters in the
//! settings nothing is reported, and unreadable plots are left out.

use std::collections::{BTreeMap, BTreeSet};

use fumi_base::text::BilingualText;

use crate::{
    checks::features::Cast,
    project::{EpisodePlot, NovelSurvey, YamlValue, read_yaml_text},
};

/// The largest numbers of names, and of episodes for each name, in the remark.
const NAMES: usize = 10;
const EPISODES: usize = 5;

/// Returns a remark about the unknown names; `None` if there are none.
pub(super) fn unknown_names(survey: &NovelSurvey, world: &[YamlValue]) -> Option<BilingualText> {
    let cast = Cast::from_settings(world);
    if cast.members.is_empty() {
        return None;
    }
    let bare = |name: &str| name.split_whitespace().collect::<String>();
    let known: BTreeSet<String> = cast.members.iter().flat_map(|member| member.names().map(bare)).collect();
    let is_known = |name: &str| known.iter().any(|known| known.contains(name) || name.contains(known.as_str()));
    let mut unknown: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (episode, files) in &survey.episodes {
        let [file] = files.plots.as_slice() else { continue };
        let plot = read_yaml_text(file).and_then(|text| EpisodePlot::read(&file.shown(), &text));
        let names: BTreeSet<String> = plot.map(|plot| plot.character_names()).unwrap_or_default().into_iter().collect();
        for name in names.into_iter().filter(|name| !is_known(&bare(name))) {
            unknown.entry(name).or_default().push(episode.number());
        }
    }
    if unknown.is_empty() {
        return None;
    }
    let listed = |name_and_episodes: &dyn Fn(&str, &[u32]) -> String, between: &str| {
        let names = unknown.iter().take(NAMES).map(|(name, episodes)| name_and_episodes(name, episodes));
        let more = if unknown.len() > NAMES { "…" } else { "" };
        names.collect::<Vec<_>>().join(between) + more
    };
    let numbers = |episodes: &[u32], one: &dyn Fn(u32) -> String, between: &str| {
        let shown = episodes.iter().take(EPISODES).map(|episode| one(*episode));
        let more = if episodes.len() > EPISODES { "…" } else { "" };
        shown.collect::<Vec<_>>().join(between) + more
    };
    let en = |name: &str, episodes: &[u32]| format!("{name} ({})", numbers(episodes, &|one| one.to_string(), ", "));
    let ja =
        |name: &str, episodes: &[u32]| format!("{name}（{}）", numbers(episodes, &|one| format!("第{one}話"), "、"));
    Some(BilingualText::new(
        format!("Characters of the plots who are not in the settings, with their episodes: {}.", listed(&en, ", ")),
        format!("プロットに登場する人物のうち、設定集にいない人物：{}。", listed(&ja, "、")),
    ))
}
