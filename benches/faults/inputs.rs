//! The clean texts, and windows of them: some were used for calibration, others never.
//!
//! Invariant: unseen texts are in `benches/faults/texts` only; thresholds and word lists are never chosen by them.
//! 坊っちゃん is read as its publisher distributes it and cut to the story, without rubies and notes.

use std::{fs, path::Path};

use fumi_novel::{
    checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
    manuscript::{CharacterCounts, LineKind, Manuscript, ManuscriptOptions, ManuscriptPart, ManuscriptSyntax},
    morphology::Ipadic,
};

use crate::dice::Dice;

/// The shortest and the longest window, in visible characters; paragraphs are never cut, so a window may be a little longer.
const SHORTEST: usize = 1_500;
const LONGEST: usize = 3_000;

/// The use of a text in calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Never used.
    Unseen,
    /// Used when thresholds and word lists were chosen.
    Calibration,
}

impl Origin {
    /// Both origins.
    pub(crate) const ALL: [Self; 2] = [Self::Unseen, Self::Calibration];

    /// Returns the name in the report.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unseen => "unseen",
            Self::Calibration => "calibration",
        }
    }
}

/// A clean text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The name of its file, or of the chapter of a longer one.
    pub(crate) name: String,
    /// Its use in calibration.
    pub(crate) origin: Origin,
    /// The text, as a manuscript for the web.
    pub(crate) manuscript: String,
}

/// Returns all clean texts of an origin, in the order of their names.
#[must_use]
pub(crate) fn texts(root: &Path, origin: Origin) -> Vec<Text> {
    match origin {
        Origin::Unseen => folder(&root.join("benches/faults/texts"), origin),
        Origin::Calibration => {
            let mut texts = folder(&root.join("examples/novel/40_原稿"), origin);
            texts.extend(chapters(&bocchan(root)));
            texts
        }
    }
}

/// Returns 坊っちゃん as Aozora Bunko distributes it.
#[must_use]
pub(crate) fn bocchan(root: &Path) -> Manuscript {
    let source = read(&root.join("src/novel/tests/fixtures/bocchan.aozora.txt"));
    let reading = ManuscriptOptions {
        syntax: ManuscriptSyntax::Aozora,
        ..ManuscriptOptions::default()
    };
    Manuscript::read(source, reading)
}

/// Returns the story of 坊っちゃん, as a manuscript for the web.
#[must_use]
pub(crate) fn story(bocchan: &Manuscript) -> String {
    chapters(bocchan)
        .into_iter()
        .map(|chapter| chapter.manuscript)
        .collect()
}

fn folder(folder: &Path, origin: Origin) -> Vec<Text> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut texts: Vec<Text> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "txt" || extension == "md")
        })
        .filter(|path| !path.ends_with("NOTICE.md"))
        .map(|path| Text {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            origin,
            manuscript: read(&path),
        })
        .collect();
    texts.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!texts.is_empty(), "{} holds no text", folder.display());
    texts
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn chapters(bocchan: &Manuscript) -> Vec<Text> {
    let mut chapters: Vec<Text> = Vec::new();
    for line in bocchan.lines().iter().filter(|line| line.part == ManuscriptPart::Body) {
        let words = bocchan.visible_in(&line.content);
        match line.kind {
            LineKind::Heading { .. } => chapters.push(Text {
                name: format!("坊っちゃん {}", words.trim()),
                origin: Origin::Calibration,
                manuscript: format!("# {}\n\n", words.trim()),
            }),
            LineKind::Paragraph => {
                if let Some(chapter) = chapters.last_mut() {
                    chapter.manuscript.push_str(words.trim_end_matches('\n'));
                    chapter.manuscript.push('\n');
                }
            }
            _ => {}
        }
    }
    chapters
}

/// Returns some paragraphs of a text, chosen by a seed.
#[must_use]
pub(crate) fn window(texts: &[Text], seed: u64) -> Text {
    let mut dice = Dice::new(seed, "window");
    let own = &texts[usize::try_from(seed).unwrap_or(0) % texts.len()];
    let wanted = SHORTEST + dice.below(LONGEST - SHORTEST + 1);
    let lines: Vec<&str> = own.manuscript.split_inclusive('\n').collect();
    let lengths: Vec<usize> = lines
        .iter()
        .map(|line| CharacterCounts::count(line).characters)
        .collect();
    let all: usize = lengths.iter().sum();
    // Early enough for the rest to be as long as wanted.
    let mut spare = dice.below(all.saturating_sub(wanted) + 1);
    let mut first = 0;
    while first < lines.len() && lengths[first] <= spare {
        spare -= lengths[first];
        first += 1;
    }
    let mut length = 0;
    let taken = lengths[first..].iter().take_while(|own| {
        let is_wanted = length < wanted;
        length += **own;
        is_wanted
    });
    let last = first + taken.count();
    let text: String = lines[first..last].concat();
    Text {
        name: own.name.clone(),
        origin: own.origin,
        manuscript: text.trim_start_matches('\n').to_owned(),
    }
}

/// Prepares a text as for the rules and passes it to a function.
pub(crate) fn with_material<T>(text: &str, look: impl FnOnce(&CheckMaterial<'_>) -> T) -> T {
    let (draft, context, tuning) = (
        AnalysedDraft::read(text, ManuscriptOptions::default()),
        NovelContext::default(),
        Tuning::default(),
    );
    look(&CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared()))
}
