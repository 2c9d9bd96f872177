//! The prompts for novels. Their texts are beside this file.

use std::sync::Arc;

use fumi_base::{project::Project, text::BilingualText};
use fumi_kernel::{
    ToolError,
    prompts::{PromptArgument, PromptRequirement, PromptSpec},
};
use fumi_novel::project::{EpisodeId, NovelProject, ProjectNames};

use super::NOVEL;

/// The longest free text of an argument, in characters.
const LONGEST: usize = 4_000;

macro_rules! texts {
    ($name:literal) => {
        [include_str!(concat!($name, ".en.md")), include_str!(concat!($name, ".ja.md"))]
    };
}

/// Returns all prompts, in the order in which clients see them.
pub fn all(names: &ProjectNames) -> Vec<PromptSpec> {
    let existing = |also_next: bool| PromptArgument {
        name: "episode",
        is_required: true,
        parse: parse_episode,
        complete: Some({
            let names = names.clone();
            Arc::new(move |project: &Arc<Project>| episodes(project, &names, also_next))
        }),
    };
    let length = PromptArgument { name: "length", is_required: false, parse: parse_length, complete: None };
    let words = |name, is_required| PromptArgument { name, is_required, parse: parse_words, complete: None };
    vec![
        PromptSpec {
            name: "write",
            requires: PromptRequirement::Tool("noveler_write"),
            arguments: vec![existing(false), length],
            texts: texts!("write"),
        },
        PromptSpec {
            name: "check",
            requires: PromptRequirement::Tool("noveler_check"),
            arguments: vec![existing(false)],
            texts: texts!("check"),
        },
        PromptSpec {
            name: "plot",
            requires: PromptRequirement::Tool("noveler_plot"),
            arguments: vec![existing(true), words("idea", false)],
            texts: texts!("plot"),
        },
        PromptSpec {
            name: "status",
            requires: PromptRequirement::Tool("status"),
            arguments: vec![],
            texts: texts!("status"),
        },
        PromptSpec {
            name: "complete",
            requires: PromptRequirement::Tool("noveler_complete"),
            arguments: vec![existing(false)],
            texts: texts!("complete"),
        },
        PromptSpec {
            name: "init",
            requires: PromptRequirement::Writing(NOVEL),
            arguments: vec![words("title", true), words("idea", false)],
            texts: texts!("init"),
        },
    ]
}

/// Returns the numbers of a project's episodes; with `also_next` that of the next one too.
fn episodes(project: &Arc<Project>, names: &ProjectNames, also_next: bool) -> Result<Vec<String>, ToolError> {
    let survey = NovelProject::new(Arc::clone(project), names.clone()).survey()?;
    let mut numbers: Vec<u32> = survey.episodes.keys().map(|episode| episode.number()).collect();
    if also_next {
        numbers.push(numbers.last().map_or(1, |last| last + 1));
    }
    Ok(numbers.iter().map(u32::to_string).collect())
}

/// Parses the number of an episode as people write it: `1`, `１`, `第一話`, `episode 1`.
fn parse_episode(text: &str) -> Result<String, BilingualText> {
    EpisodeId::parse_stem(&format!("第{text}話"))
        .or_else(|| EpisodeId::parse_stem(text))
        .filter(|(_, title)| title.is_none())
        .map(|(episode, _)| episode.number().to_string())
        .ok_or(BilingualText::new("it is not an episode number", "話数として読めません"))
}

/// Parses the length of an episode, in characters.
fn parse_length(text: &str) -> Result<String, BilingualText> {
    text.parse::<u32>()
        .ok()
        .filter(|length| (1_000..=20_000).contains(length))
        .map(|length| length.to_string())
        .ok_or(BilingualText::new("it is not a number from 1000 to 20000", "1000 から 20000 までの数ではありません"))
}

/// Parses free text of at most [`LONGEST`] characters.
fn parse_words(text: &str) -> Result<String, BilingualText> {
    if text.chars().count() > LONGEST {
        return Err(BilingualText::new("it is longer than 4000 characters", "4000 文字を超えています"));
    }
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;
    use fumi_kernel::prompts::{PromptRequirement, named};
    use fumi_novel::project::ProjectNames;

    use super::{all, parse_episode};

    #[test]
    fn episodes_are_read_as_people_write_them() {
        for written in ["1", "01", "１", "第1話", "第一話", "一", "episode 1", "ep1"] {
            assert_eq!(parse_episode(written).as_deref(), Ok("1"), "{written}");
        }
        for other in ["", "0", "-1", "one", "1 and 2", "1.5", "第1話_題", "999999999999"] {
            assert!(parse_episode(other).is_err(), "{other}");
        }
    }

    #[test]
    fn both_languages_say_the_same() {
        for spec in &all(&ProjectNames::default()) {
            let [(en, en_body), (ja, ja_body)] = Locale::ALL.map(|locale| spec.texts(locale));
            let arguments: Vec<_> = spec.argument_names().map(str::to_owned).collect();
            for texts in [&en, &ja] {
                assert!(!texts.title.is_empty() && !texts.description.is_empty(), "{}", spec.name);
                let mut described: Vec<_> = texts.arguments.keys().cloned().collect();
                described.sort_by_key(|name| arguments.iter().position(|known| known == name));
                assert_eq!(described, arguments, "{}", spec.name);
            }
            let tools = |body| {
                let mut tools: Vec<_> = named(body).collect();
                tools.sort_unstable();
                tools
            };
            assert_eq!(tools(en_body), tools(ja_body), "{}", spec.name);
            assert_eq!(en_body.lines().count(), ja_body.lines().count(), "{}", spec.name);
            if let PromptRequirement::Tool(tool) = spec.requires {
                assert!(en_body.contains(&format!("@{tool}")), "{}", spec.name);
            }
        }
    }
}
