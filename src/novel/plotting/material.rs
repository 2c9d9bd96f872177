//! What a plot is made from: the settings, the characters, what the chapter and the ledger plan, how the last episode ended.
//!
//! Only the folder of a novel must be there: what is missing is said to be undecided.

use fumi_base::{
    files,
    listing::list,
    project::ProjectPath,
    text::{Locale, Text},
};

use super::{lines, text_of};
use crate::{
    errors::project::ProjectError,
    project::{Episode, MANUSCRIPT_BYTES, NovelProject, Plot, Role, Settings, Survey, Yaml, read_yaml},
    references::ContentHash,
    writing::{Cited, Length, Material},
};

const PROMPT_EN: &str = include_str!("prompts/plot.en.md");
const PROMPT_JA: &str = include_str!("prompts/plot.ja.md");

/// How many files of a folder are looked at.
const FILES: usize = 50;

/// What a plot is made from.
#[derive(Debug, Default)]
pub struct PlotMaterial {
    /// The settings of the novel.
    pub settings: Settings,
    /// The characters: their names, and what the settings say of them in short.
    pub cast: Vec<String>,
    /// The files that all this comes from.
    pub references: Vec<Cited>,
    /// What the plots of chapters say of this episode.
    pub chapter: Vec<String>,
    /// What the ledger of foreshadowing plans for this episode.
    pub ledger: Vec<String>,
    /// The synopsis and the end of the previous episode.
    pub previous: Vec<String>,
    /// The plot that there is, as text.
    pub before: Option<String>,
}

impl PlotMaterial {
    /// Gathers it.
    pub fn gather(novel: &NovelProject, episode: Episode, before: Option<String>) -> Result<Self, ProjectError> {
        let survey = novel.survey_to_write()?;
        survey.is_a_novel(novel.names())?;
        let mut material = Self {
            settings: survey.settings.clone(),
            before,
            ..Self::default()
        };
        for yaml in yamls(&survey, Role::World)? {
            if let Some(Yaml::List(items)) = yaml.get("characters") {
                material.cast.extend(items.iter().filter_map(member));
            }
        }
        for yaml in yamls(&survey, Role::ChapterPlots)? {
            material.chapter.extend(of_chapter(&yaml, episode));
        }
        for yaml in yamls(&survey, Role::Management)? {
            material.ledger.extend(known_of_ledger(&yaml, episode));
        }
        if let Some(Ok(plot)) = Episode::new(episode.number() - 1).map(|last| novel.plot(last)) {
            material.previous.extend(plot.synopsis);
        }
        let known = Material::gather_for(novel, episode, Some(Plot::default()))?;
        let end = known.previous_end;
        material.previous.extend((!end.is_empty()).then_some(end));
        material.references = known.references;
        for (role, what) in [
            (Role::ChapterPlots, Text::new("the plots of chapters", "章のプロット")),
            (Role::Management, Text::new("the ledgers of the novel", "管理資料")),
        ] {
            material.cite(&survey, role, &what)?;
        }
        Ok(material)
    }

    /// Cites the YAML files of a folder.
    fn cite(&mut self, survey: &Survey, role: Role, what: &Text) -> Result<(), ProjectError> {
        for file in yaml_files(survey, role)? {
            let Ok(bytes) = files::read(&file, MANUSCRIPT_BYTES) else {
                continue;
            };
            let sha256 = ContentHash::of(&bytes).digits().to_owned();
            self.references.push(Cited {
                path: file.shown(),
                sha256,
                what: what.clone(),
            });
        }
        Ok(())
    }

    /// How long the episode is to be where its plot does not say.
    #[must_use]
    pub fn target(&self) -> u32 {
        let length = Length::of(None, &Plot::default(), &self.settings);
        u32::midpoint(length.min, length.max)
    }

    /// The question for a plot.
    #[must_use]
    pub fn instruction(&self, episode: Episode, locale: Locale) -> String {
        let (prompt, none) = match locale {
            Locale::En => (PROMPT_EN, "(not decided)"),
            Locale::Ja => (PROMPT_JA, "（未定）"),
        };
        let or_none = |text: String| if text.trim().is_empty() { none.to_owned() } else { text };
        let list = |items: &[String]| or_none(items.iter().fold(String::new(), |all, item| all + "- " + item + "\n"));
        let own = |text: &Option<String>| or_none(text.clone().unwrap_or_default());
        let before = match (&self.before, locale) {
            (None, _) => String::new(),
            (Some(before), Locale::En) => format!("The plot so far, to be made better:\n{before}\n\n"),
            (Some(before), Locale::Ja) => format!("これまでのプロット（よりよくすること）:\n{before}\n\n"),
        };
        let values = [
            ("{novel}", own(&self.settings.title)),
            ("{genre}", own(&self.settings.genre)),
            ("{pov}", own(&self.settings.pov)),
            ("{episode}", episode.number().to_string()),
            ("{target}", self.target().to_string()),
            ("{cast}", list(&self.cast)),
            ("{chapter}", list(&self.chapter)),
            ("{ledger}", list(&self.ledger)),
            ("{previous}", list(&self.previous)),
            ("{before}", before),
        ];
        // Each placeholder is met once, from the front: what fills one is not filled again.
        let mut out = String::new();
        let mut rest = prompt;
        while let Some((at, (name, value))) = values
            .iter()
            .filter_map(|pair| Some((rest.find(pair.0)?, pair)))
            .min_by_key(|(at, _)| *at)
        {
            out.push_str(&rest[..at]);
            out.push_str(value);
            rest = &rest[at + name.len()..];
        }
        out + rest
    }
}

/// The YAML files of a folder that can be read.
pub(crate) fn yamls(survey: &Survey, role: Role) -> Result<Vec<Yaml>, ProjectError> {
    let files = yaml_files(survey, role)?.into_iter();
    let read = files.filter_map(|file| read_yaml::<Yaml>(&file.shown(), &text_of(&file)?).ok());
    Ok(read.collect())
}

/// The YAML files of a folder.
fn yaml_files(survey: &Survey, role: Role) -> Result<Vec<ProjectPath>, ProjectError> {
    let Some(folder) = survey.folders.get(&role) else {
        return Ok(Vec::new());
    };
    let (listed, _) = list(folder, FILES)?;
    let files = listed.into_iter().filter(|file| {
        let extension = file.name.rsplit_once('.').map(|(_, extension)| extension);
        matches!(extension, Some("yaml" | "yml"))
    });
    Ok(files.map(|file| file.path).collect())
}

/// A character in short: the name, then what the settings say of role, speech and aim.
fn member(one: &Yaml) -> Option<String> {
    let name = one.get("name")?.as_str()?;
    let facts = ["age", "role", "first_person", "speech", "arc"];
    let facts: Vec<String> = facts.iter().filter_map(|key| one.get(key).map(lines)).collect();
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    Some(if facts.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {}", facts.join(" / "))
    })
}

/// A number in a map.
fn number(map: &Yaml, key: &str) -> Option<u32> {
    map.get(key)?.words().trim().parse().ok()
}

/// What the plot of a chapter says of an episode: the chapter's purpose and summary, and the lines of the episode. A chapter that
/// ends right before the episode is told too, since the episode goes on with it unless another chapter has it.
fn of_chapter(chapter: &Yaml, episode: Episode) -> Vec<String> {
    let Some(Yaml::List(episodes)) = chapter.get("episodes") else {
        return Vec::new();
    };
    let of = |one: &Yaml| number(one, "number").or_else(|| number(one, "episode"));
    let own = episodes.iter().find(|one| of(one) == Some(episode.number()));
    let goes_on = episodes.iter().filter_map(of).max() == Some(episode.number() - 1);
    if own.is_none() && !goes_on {
        return Vec::new();
    }
    let about = ["purpose", "summary"]
        .iter()
        .filter_map(|key| chapter.get(key).map(lines));
    about.chain(own.map(lines)).collect()
}

/// What the ledger plans for an episode, then what is open while it goes on: planted before or by then, and paid off later.
fn known_of_ledger(ledger: &Yaml, episode: Episode) -> Vec<String> {
    let mut known = of_ledger(ledger, episode);
    let Some(Yaml::List(all)) = ledger.get("foreshadowing") else {
        return known;
    };
    for one in all {
        let (plant, payoff) = (one.get("plant"), one.get("payoff"));
        let at = |part: Option<&Yaml>| part.and_then(|part| number(part, "episode"));
        let is_open = at(plant).is_some_and(|plant| plant < episode.number())
            && at(payoff).is_some_and(|payoff| payoff > episode.number());
        if is_open {
            let id = one.get("id").map(Yaml::words).unwrap_or_default();
            let title = one.get("title").map(lines).unwrap_or_default();
            let until = at(payoff).unwrap_or_default();
            known.push(format!("{id} open, payoff in episode {until}: {title}"));
        }
    }
    known
}

/// What the ledger plans for an episode.
pub(super) fn of_ledger(ledger: &Yaml, episode: Episode) -> Vec<String> {
    let Some(Yaml::List(all)) = ledger.get("foreshadowing") else {
        return Vec::new();
    };
    let mut planned = Vec::new();
    for one in all {
        let id = one.get("id").map(Yaml::words).unwrap_or_default();
        for role in ["plant", "payoff"] {
            if let Some(part) = one
                .get(role)
                .filter(|part| number(part, "episode") == Some(episode.number()))
            {
                let content = part
                    .get("content")
                    .or_else(|| one.get("title"))
                    .map(lines)
                    .unwrap_or_default();
                planned.push(format!("{id} {role}: {content}"));
            }
        }
        if let Some(Yaml::List(hints)) = one.get("hints") {
            let own = hints
                .iter()
                .filter(|hint| number(hint, "episode") == Some(episode.number()));
            planned.extend(own.map(|hint| {
                let content = hint.get("content").map(lines).unwrap_or_default();
                format!("{id} hint: {content}")
            }));
        }
    }
    planned
}
