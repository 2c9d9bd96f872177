//! The files of an episode, one a format, each with what it could not say.
//!
//! Which characters a format takes is [`crate::publish`]'s; here is only what the files are called and what they are.

use fumi_base::files::sha256;

use super::{
    Story,
    record::{Artifact, Lost, Record},
};
use crate::{
    manuscript::Manuscript,
    publish::{
        Loss, LossKind, Work, aozora,
        epub::{self, Book, Chapter, Modified},
        html, kakuyomu, narou,
    },
    writing::Moment,
};

/// How many kinds of losses of one file are kept, and how many places of a kind.
const KINDS: usize = 100;
const PLACES: usize = 50;

/// A format that is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 小説家になろう, 本文.
    Narou,
    /// 小説家になろう, 前書き.
    NarouForeword,
    /// 小説家になろう, 後書き.
    NarouAfterword,
    /// カクヨム, 本文.
    Kakuyomu,
    /// 青空文庫, UTF-8.
    Aozora,
    /// 青空文庫, `Shift_JIS`.
    AozoraShiftJis,
    /// A book of one episode.
    Epub,
    /// One vertical page.
    Html,
    /// What goes into which field of 小説家になろう.
    PostNarou,
    /// What goes into which field of カクヨム.
    PostKakuyomu,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Narou,
        Self::NarouForeword,
        Self::NarouAfterword,
        Self::Kakuyomu,
        Self::Aozora,
        Self::AozoraShiftJis,
        Self::Epub,
        Self::Html,
        Self::PostNarou,
        Self::PostKakuyomu,
    ];

    /// Name, file, type, encoding.
    const fn row(self) -> (&'static str, &'static str, &'static str, Option<&'static str>) {
        const TEXT: &str = "text/plain";
        const UTF8: Option<&str> = Some("utf-8");
        match self {
            Self::Narou => ("narou", "narou.txt", TEXT, UTF8),
            Self::NarouForeword => ("narou_foreword", "narou_foreword.txt", TEXT, UTF8),
            Self::NarouAfterword => ("narou_afterword", "narou_afterword.txt", TEXT, UTF8),
            Self::Kakuyomu => ("kakuyomu", "kakuyomu.txt", TEXT, UTF8),
            Self::Aozora => ("aozora", "aozora.txt", TEXT, UTF8),
            Self::AozoraShiftJis => ("aozora_shift_jis", "aozora_sjis.txt", TEXT, Some("shift_jis")),
            Self::Epub => ("epub", "episode.epub", "application/epub+zip", None),
            Self::Html => ("html", "episode.html", "text/html", UTF8),
            Self::PostNarou => ("post_narou", "post_narou.txt", TEXT, UTF8),
            Self::PostKakuyomu => ("post_kakuyomu", "post_kakuyomu.txt", TEXT, UTF8),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The name of its file.
    #[must_use]
    pub const fn file(self) -> &'static str {
        self.row().1
    }
}

/// A file that is to be written.
pub(super) struct Made {
    pub(super) format: Format,
    pub(super) bytes: Vec<u8>,
    losses: Vec<Lost>,
    lost: usize,
}

impl Made {
    pub(super) fn new(format: Format, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self {
            format,
            bytes,
            losses: Vec::new(),
            lost: 0,
        }
    }

    /// With what it could not say of a manuscript.
    fn without(mut self, losses: &[Loss], manuscript: &Manuscript) -> Self {
        self.lost = losses.len();
        self.losses = by_kind(losses, |byte| {
            let at = manuscript.position(byte);
            (at.line, at.column)
        });
        self
    }

    /// Whether a record names the very same file.
    pub(super) fn is_in(&self, record: &Record) -> bool {
        let hash = sha256(&self.bytes);
        let mut known = record.artifacts.iter();
        known.any(|artifact| artifact.format == self.format.name() && artifact.sha256 == hash)
    }

    /// As the record names it.
    pub(super) fn artifact(&self, path: String) -> Artifact {
        let (name, _, content_type, encoding) = self.format.row();
        Artifact {
            format: name.to_owned(),
            path,
            sha256: sha256(&self.bytes),
            size_bytes: self.bytes.len() as u64,
            content_type: content_type.to_owned(),
            encoding: encoding.map(str::to_owned),
            lost: self.lost,
            losses: self.losses.clone(),
        }
    }
}

/// Losses by their kind; `place` gives line and column of a byte, and is asked in the order of the losses.
fn by_kind(losses: &[Loss], mut place: impl FnMut(usize) -> (usize, usize)) -> Vec<Lost> {
    let mut kinds: Vec<(LossKind, Lost)> = Vec::new();
    for loss in losses {
        let (line, column) = place(loss.range.start);
        let known = kinds.iter().position(|(kind, _)| *kind == loss.kind);
        let at = match known {
            Some(at) => at,
            None if kinds.len() == KINDS => continue,
            None => {
                let said = loss.kind.message();
                let lost = Lost {
                    en: said.en.into_owned(),
                    ja: said.ja.into_owned(),
                    count: 0,
                    places: Vec::new(),
                };
                kinds.push((loss.kind, lost));
                kinds.len() - 1
            }
        };
        let lost = &mut kinds[at].1;
        lost.count += 1;
        if lost.places.len() < PLACES {
            lost.places.push(format!("{line}:{column}"));
        }
    }
    kinds.into_iter().map(|(_, lost)| lost).collect()
}

/// Every format of an episode but the sheets for the sites.
pub(super) fn of(story: &Story, now: &Moment) -> Vec<Made> {
    let manuscript = &story.manuscript;
    let work = story.work();
    let mut made = Vec::new();
    let narou = narou::write(manuscript);
    made.push(Made::new(Format::Narou, narou.output.body).without(&narou.losses, manuscript));
    made.extend(narou.output.foreword.map(|text| Made::new(Format::NarouForeword, text)));
    made.extend(
        narou
            .output
            .afterword
            .map(|text| Made::new(Format::NarouAfterword, text)),
    );
    let kakuyomu = kakuyomu::write(manuscript);
    made.push(Made::new(Format::Kakuyomu, kakuyomu.output.body).without(&kakuyomu.losses, manuscript));
    made.extend(library(story));
    let book = epub::write(&Book {
        work: &work,
        modified: modified(now),
        chapters: vec![Chapter {
            title: story.heading(),
            manuscript,
        }],
    });
    let losses: Vec<Loss> = book.losses.into_iter().map(|lost| lost.loss).collect();
    made.push(Made::new(Format::Epub, book.output).without(&losses, manuscript));
    let page = html::write(manuscript, &work);
    made.push(Made::new(Format::Html, page.output).without(&page.losses, manuscript));
    made
}

/// The two files for 青空文庫.
fn library(story: &Story) -> [Made; 2] {
    // The episode's own heading is in the text; without one it goes to the head of the file.
    let title = if super::heading_of(&story.manuscript).is_some() {
        story.novel().to_owned()
    } else {
        story.work().title
    };
    let author = story.author().to_owned();
    let file = aozora::write(&story.manuscript, &Work { title, author });
    let encoded = aozora::to_shift_jis(&file.output);
    let mut bytes = Made::new(Format::AozoraShiftJis, encoded.output);
    bytes.lost = encoded.losses.len();
    bytes.losses = by_kind(&encoded.losses, places(&file.output));
    let text = Made::new(Format::Aozora, file.output).without(&file.losses, &story.manuscript);
    [text, bytes]
}

/// The place of a byte in a text that is not the manuscript; asked from the beginning to the end.
fn places(text: &str) -> impl FnMut(usize) -> (usize, usize) + '_ {
    let (mut line, mut from, mut at) = (1, 0, 0);
    move |byte| {
        let before = &text[at..byte];
        line += before.matches('\n').count();
        from = before.rfind('\n').map_or(from, |end| at + end + 1);
        at = byte;
        (line, text[from..at].chars().count() + 1)
    }
}

/// A time as books state it: to the second.
///
/// # Panics
/// Never: a [`Moment`] begins with one.
pub(super) fn modified(now: &Moment) -> Modified {
    let time: String = now.to_string().chars().take("0000-00-00T00:00:00".len()).collect();
    Modified::parse(&format!("{time}Z")).expect("a moment is a time to the second or finer")
}

#[cfg(test)]
mod tests {
    use super::{by_kind, places};
    use crate::publish::aozora::to_shift_jis;

    #[test]
    fn losses_of_an_encoding_have_their_place_in_the_text() {
        let text = "髙い\n潮①と②\n\n🙂髙\n";
        let losses = to_shift_jis(text).losses;
        let lost: Vec<(usize, String)> = by_kind(&losses, places(text))
            .into_iter()
            .map(|lost| (lost.count, lost.places.join(" ")))
            .collect();
        let lost: Vec<(usize, &str)> = lost.iter().map(|(count, places)| (*count, places.as_str())).collect();
        assert_eq!(lost, [(2, "1:1 4:2"), (1, "2:2"), (1, "2:4"), (1, "4:1")]);
    }
}
