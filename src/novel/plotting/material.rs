//! The material for a plot: settings, characters, the plans in chapter plots and ledgers, and the end of the last
//! episode.
//!
//! Only the novel's folder must exist: missing material is shown as undecided.

use fumi_base::{
    errors::unless_unreadable,
    files,
    listing::list,
    project::ProjectPath,
    text::{BilingualText, Locale},
};

use super::{lines, text_of};
use crate::{
    checks::features::{Foreshadowing, Ledger},
    errors::project::ProjectError,
    memory::{self, EpisodeState, Remembering},
    project::{
        EpisodeId, EpisodePlot, FolderRole, MANUSCRIPT_BYTES, NovelProject, NovelSettings, NovelSurvey, StylePreset,
        YamlValue, number_in, read_yaml,
    },
    references::ContentHash,
    scaffold::{self, NovelTemplateValues},
    writing::{CitedFile, LengthRange, WritingMaterial},
};

const PROMPT_EN: &str = include_str!("prompts/plot.en.md");
const PROMPT_JA: &str = include_str!("prompts/plot.ja.md");

/// The largest number of characters from the record of the earlier episodes.
const RECORD: usize = 6_000;

/// The largest number of files read in one folder.
const FILES: usize = 50;

/// The material for the plot of an episode.
#[derive(Debug, Default)]
pub struct PlotMaterial {
    pub settings: NovelSettings,
    /// The characters: a name with a short description each.
    pub cast: Vec<String>,
    /// The files from which the material comes.
    pub references: Vec<CitedFile>,
    /// The statements about this episode in the chapter plots.
    pub chapter: Vec<String>,
    /// The foreshadowing planned for this episode, and the open foreshadowing.
    pub ledger: Vec<BilingualText>,
    /// The synopsis and the end of the previous episode.
    pub previous: Vec<String>,
    /// The recorded states of the earlier episodes.
    pub states: Vec<EpisodeState>,
    /// The files of the settings.
    world: Vec<YamlValue>,
    /// The existing plot as text, if there is one.
    pub before: Option<String>,
    /// The files that are still those of `fumi novel new`.
    pub samples: Vec<String>,
    /// True if the characters are still those of `fumi novel new`, so that its other files fit them.
    pub has_sample_cast: bool,
}

impl PlotMaterial {
    /// Collects the material for an episode.
    pub fn gather(novel: &NovelProject, episode: EpisodeId, before: Option<String>) -> Result<Self, ProjectError> {
        let survey = novel.survey_to_write()?;
        survey.require_novel(novel.names())?;
        let mut material = Self { settings: survey.settings.clone(), before, ..Self::default() };
        material.find_samples(novel, episode)?;
        for yaml in read_yaml_files(&survey, FolderRole::World)? {
            if let Some(YamlValue::List(items)) = yaml.get("characters") {
                material.cast.extend(items.iter().filter_map(describe_character));
            }
        }
        for yaml in material.own_yaml_files(&survey, FolderRole::ChapterPlots)? {
            material.chapter.extend(chapter_plans(&yaml, episode));
        }
        for yaml in material.own_yaml_files(&survey, FolderRole::Management)? {
            material.ledger.extend(ledger_lines(&yaml, episode));
        }
        if let Some(last) = EpisodeId::new(episode.number() - 1)
            && let Some(plot) = unless_unreadable(novel.plot(last))?
        {
            material.previous.extend(plot.synopsis);
        }
        let known = WritingMaterial::gather_for(novel, episode, Some(EpisodePlot::default()))?;
        let end = known.previous_end;
        material.previous.extend((!end.is_empty()).then_some(end));
        material.references = known.references;
        material.states = known.states;
        material.world = known.context.world;
        for (role, what) in [
            (FolderRole::Planning, BilingualText::new("the plans of the novel", "企画書")),
            (FolderRole::ChapterPlots, BilingualText::new("the chapter plots", "章のプロット")),
            (FolderRole::Management, BilingualText::new("the management files", "管理資料")),
        ] {
            material.cite(&survey, role, &what)?;
        }
        let references = std::mem::take(&mut material.references);
        material.references = references.into_iter().filter(|cited| !material.leaves_out(&cited.path)).collect();
        Ok(material)
    }

    /// Finds the files that are still those of `fumi novel new`. The sample of a plot need not be improved.
    fn find_samples(&mut self, novel: &NovelProject, episode: EpisodeId) -> Result<(), ProjectError> {
        let names = novel.names();
        let wishes = NovelTemplateValues {
            title: self.settings.title.clone().unwrap_or_default(),
            author: self.settings.author.clone(),
            genre: self.settings.genre.clone(),
            preset: self.settings.style_preset.unwrap_or(StylePreset::Narou),
        };
        let folders = [&names.planning, &names.chapter_plots, &names.episode_plots, &names.world, &names.management];
        for sample in scaffold::files(&wishes, names) {
            let folder = sample.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !folders.into_iter().any(|known| known == folder) {
                continue;
            }
            let Some(file) = novel.project().find(&sample.path)? else { continue };
            let bytes = unless_unreadable(files::read(&file, MANUSCRIPT_BYTES))?.unwrap_or_default();
            if bytes == sample.text.as_bytes() {
                self.has_sample_cast |= folder == names.world && sample.text.contains("\ncharacters:");
                self.samples.push(sample.path);
            }
        }
        let plot = format!("{}/{episode}.yaml", names.episode_plots);
        if self.leaves_out(&plot) {
            self.before = None;
        }
        Ok(())
    }

    /// True if a file is left out, because it tells of other characters than the author's.
    fn leaves_out(&self, path: &str) -> bool {
        !self.has_sample_cast && self.samples.iter().any(|sample| sample == path)
    }

    /// Parses the YAML files of a folder that are not left out; files that cannot be parsed are skipped.
    fn own_yaml_files(&self, survey: &NovelSurvey, role: FolderRole) -> Result<Vec<YamlValue>, ProjectError> {
        let mut read = Vec::new();
        for file in yaml_files(survey, role)?.iter().filter(|file| !self.leaves_out(&file.shown())) {
            if let Some(text) = text_of(file)? {
                read.extend(read_yaml::<YamlValue>(&file.shown(), &text));
            }
        }
        Ok(read)
    }

    /// Says which files are still those of `fumi novel new`, and what this means for the plot.
    pub fn sample_notice(&self) -> Option<BilingualText> {
        let (en, ja) = (self.samples.join(", "), self.samples.join("、"));
        (!self.samples.is_empty()).then(|| if self.has_sample_cast {
            BilingualText::new(
                format!(
                    "These files are still the sample of `fumi novel new`, so that this asks for the story of the sample: {en}. For your own story, rewrite or delete them first."
                ),
                format!(
                    "見本のままのファイルがあるため、見本の物語のプロットを求めています: {ja}。自分の作品を書くときは、先に書き換えるか消してください。"
                ),
            )
        } else {
            BilingualText::new(
                format!(
                    "These files are still the sample of `fumi novel new` and were left out: {en}. Rewrite or delete them."
                ),
                format!("見本のままのファイルは使っていません: {ja}。自分の作品に合わせて書き換えるか、消してください。"),
            )
        })
    }

    /// Cites the YAML and Markdown files of a folder.
    fn cite(&mut self, survey: &NovelSurvey, role: FolderRole, what: &BilingualText) -> Result<(), ProjectError> {
        for file in files_of(survey, role, &["yaml", "yml", "md"])? {
            let Some(bytes) = unless_unreadable(files::read(&file, MANUSCRIPT_BYTES))? else {
                continue;
            };
            let sha256 = ContentHash::from_bytes(&bytes).digits().to_owned();
            self.references.push(CitedFile { path: file.shown(), sha256, what: what.clone() });
        }
        Ok(())
    }

    /// Returns the target length of the episode if its plot does not set one, in visible characters.
    pub fn target(&self) -> u32 {
        let length = LengthRange::resolve(None, &EpisodePlot::default(), &self.settings);
        u32::midpoint(length.min, length.max)
    }

    /// Returns what is recorded of the earlier episodes, followed by an empty line.
    fn record(&self, locale: Locale) -> String {
        let world = &self.world;
        let asked = Remembering { characters: RECORD, with_quotes: false, named_in: None, world, locale };
        let Some(record) = memory::remembered(&self.states, asked) else { return String::new() };
        match locale {
            Locale::En => format!("Recorded of the earlier episodes; contradict none of it:\n{record}\n"),
            Locale::Ja => format!("これまでの話の記録（食い違わないこと）:\n{record}\n"),
        }
    }

    /// Returns the prompt for a plot.
    pub fn instruction(&self, episode: EpisodeId, locale: Locale) -> String {
        let (prompt, none) = match locale {
            Locale::En => (PROMPT_EN, "(not decided)"),
            Locale::Ja => (PROMPT_JA, "（未定）"),
        };
        let or_none = |text: String| if text.trim().is_empty() { none.to_owned() } else { text };
        let list = |items: &[String]| or_none(items.iter().fold(String::new(), |all, item| all + "- " + item + "\n"));
        let ledger: Vec<String> = self.ledger.iter().map(|line| line.get(locale).to_owned()).collect();
        let own = |text: &Option<String>| or_none(text.clone().unwrap_or_default());
        let before = match (&self.before, locale) {
            (None, _) => String::new(),
            (Some(before), Locale::En) => format!("The existing plot, to be improved:\n{before}\n\n"),
            (Some(before), Locale::Ja) => format!("これまでのプロット（改善すること）:\n{before}\n\n"),
        };
        let values = [
            ("{novel}", own(&self.settings.title)),
            ("{genre}", own(&self.settings.genre)),
            ("{pov}", own(&self.settings.pov)),
            ("{episode}", episode.number().to_string()),
            ("{target}", self.target().to_string()),
            ("{cast}", list(&self.cast)),
            ("{chapter}", list(&self.chapter)),
            ("{ledger}", list(&ledger)),
            ("{previous}", list(&self.previous)),
            ("{record}", self.record(locale)),
            ("{before}", before),
        ];
        // The template is scanned once from the front, so a placeholder inside an inserted value is not replaced.
        let mut out = String::new();
        let mut rest = prompt;
        while let Some((at, (name, value))) =
            values.iter().filter_map(|pair| Some((rest.find(pair.0)?, pair))).min_by_key(|(at, _)| *at)
        {
            out.push_str(&rest[..at]);
            out.push_str(value);
            rest = &rest[at + name.len()..];
        }
        out + rest
    }
}

/// Parses the YAML files of a folder; files that cannot be parsed are skipped.
pub(crate) fn read_yaml_files(survey: &NovelSurvey, role: FolderRole) -> Result<Vec<YamlValue>, ProjectError> {
    let mut read = Vec::new();
    for file in yaml_files(survey, role)? {
        if let Some(text) = text_of(&file)? {
            read.extend(read_yaml::<YamlValue>(&file.shown(), &text));
        }
    }
    Ok(read)
}

/// Lists the YAML files of a folder.
pub(crate) fn yaml_files(survey: &NovelSurvey, role: FolderRole) -> Result<Vec<ProjectPath>, ProjectError> {
    files_of(survey, role, &["yaml", "yml"])
}

/// Lists the files of a folder that have one of these extensions.
pub(crate) fn files_of(
    survey: &NovelSurvey,
    role: FolderRole,
    extensions: &[&str],
) -> Result<Vec<ProjectPath>, ProjectError> {
    let Some(folder) = survey.folders.get(&role) else {
        return Ok(Vec::new());
    };
    let (listed, _) = list(folder, FILES)?;
    let files = listed.into_iter().filter(|file| {
        let extension = file.name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| extensions.contains(&extension))
    });
    Ok(files.map(|file| file.path).collect())
}

/// Describes a character in short: the name, then age, role, first person, speech and arc from the settings.
fn describe_character(one: &YamlValue) -> Option<String> {
    let name = one.get("name")?.as_str()?;
    let facts = ["age", "role", "first_person", "speech", "arc"];
    let facts: Vec<String> = facts.iter().filter_map(|key| one.get(key).map(lines)).collect();
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    Some(if facts.is_empty() { name.to_owned() } else { format!("{name}: {}", facts.join(" / ")) })
}

/// Parses a number in a map as people write it: 3, "3", 第3話.
fn number(map: &YamlValue, key: &str) -> Option<u32> {
    number_in(&map.get(key)?.words())
}

/// Returns the statements of a chapter plot about an episode: the chapter's purpose and summary, and the lines of the
/// episode. A chapter that ends right before the episode is included too, because the episode may continue it unless
/// another chapter contains it.
fn chapter_plans(chapter: &YamlValue, episode: EpisodeId) -> Vec<String> {
    let Some(YamlValue::List(episodes)) = chapter.get("episodes") else {
        return Vec::new();
    };
    let of = |one: &YamlValue| number(one, "number").or_else(|| number(one, "episode"));
    let own = episodes.iter().find(|one| of(one) == Some(episode.number()));
    let goes_on = episodes.iter().filter_map(of).max() == Some(episode.number() - 1);
    if own.is_none() && !goes_on {
        return Vec::new();
    }
    let about = ["purpose", "summary"].iter().filter_map(|key| chapter.get(key).map(lines));
    about.chain(own.map(lines)).collect()
}

/// Returns the foreshadowing that the ledger plans for an episode, then the foreshadowing open at that time: planted
/// before, and with a later, undecided or overdue payoff.
fn ledger_lines(yaml: &YamlValue, episode: EpisodeId) -> Vec<BilingualText> {
    let mut known: Vec<BilingualText> =
        ledger_plans(yaml, episode).into_iter().map(|line| BilingualText::new(line.clone(), line)).collect();
    let (ledger, number) = (Ledger::from_files(std::slice::from_ref(yaml)), episode.number());
    let before = |entry: &&Foreshadowing| entry.plant.episode.is_some_and(|plant| plant < number);
    for Foreshadowing { id, title, payoff, .. } in ledger.entries.iter().filter(before).filter(|entry| {
        // Foreshadowing that this episode pays off is already listed as planned.
        entry.is_open(number) || entry.is_overdue(number)
    }) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        known.push(match payoff.episode {
            None => BilingualText::new(
                format!("{id} open, payoff not decided: {title}"),
                format!("{id} 未回収（回収する話は未定）: {title}"),
            ),
            Some(due) if due < number => BilingualText::new(
                format!("{id} open, payoff was due in episode {due}: {title}"),
                format!("{id} 未回収（第{due}話で回収する予定だった）: {title}"),
            ),
            Some(payoff) => BilingualText::new(
                format!("{id} open, payoff in episode {payoff}: {title}"),
                format!("{id} 未回収（第{payoff}話で回収する）: {title}"),
            ),
        });
    }
    known
}

/// Returns the foreshadowing that the ledger plans for an episode.
pub(super) fn ledger_plans(ledger: &YamlValue, episode: EpisodeId) -> Vec<String> {
    let Some(YamlValue::List(all)) = ledger.get("foreshadowing") else {
        return Vec::new();
    };
    let mut planned = Vec::new();
    for one in all {
        let id = one.get("id").map(YamlValue::words).unwrap_or_default();
        for role in ["plant", "payoff"] {
            if let Some(part) = one.get(role).filter(|part| number(part, "episode") == Some(episode.number())) {
                let content = part.get("content").or_else(|| one.get("title")).map(lines).unwrap_or_default();
                planned.push(format!("{id} {role}: {content}"));
            }
        }
        if let Some(YamlValue::List(hints)) = one.get("hints") {
            let own = hints.iter().filter(|hint| number(hint, "episode") == Some(episode.number()));
            planned.extend(own.map(|hint| {
                let content = hint.get("content").map(lines).unwrap_or_default();
                format!("{id} hint: {content}")
            }));
        }
    }
    planned
}
