//! The files of a finished episode: one per format, each with the list of what the format could not express.
//!
//! [`crate::publish`] decides how a manuscript is written in a format; this module decides only file names, media types
//! and records.

use fumi_base::files::sha256;

use super::{
    EpisodeSource,
    book_details::episode_details,
    record::{FormatLoss, PublishRecord, PublishedFile},
};
use crate::{
    manuscript::Manuscript,
    publish::{
        PublishLoss, PublishLossKind, WorkTitle, aozora,
        epub::{self, EpubBook, EpubEpisode, EpubTime},
        html, kakuyomu, narou,
    },
    writing::UtcTime,
};

/// The largest number of loss kinds kept for one file; `PLACES` is the largest number of positions kept for one kind.
const KINDS: usize = 100;
const PLACES: usize = 50;

/// A format in which an episode is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishFormat {
    /// The text (本文) for 小説家になろう.
    Narou,
    /// The foreword (前書き) for 小説家になろう.
    NarouForeword,
    /// The afterword (後書き) for 小説家になろう.
    NarouAfterword,
    /// The text (本文) for カクヨム.
    Kakuyomu,
    /// The 青空文庫 format in UTF-8.
    Aozora,
    /// The 青空文庫 format in `Shift_JIS`.
    AozoraShiftJis,
    /// An EPUB that contains only this episode.
    Epub,
    /// One HTML page with vertical text.
    Html,
    /// The sheet with the form fields of 小説家になろう.
    PostNarou,
    /// The sheet with the form fields of カクヨム.
    PostKakuyomu,
}

impl PublishFormat {
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

    /// Returns name, file name, media type and encoding.
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

    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the file name.
    pub const fn file(self) -> &'static str {
        self.row().1
    }
}

/// A file that is to be written, with the losses of its format.
pub(super) struct FormatOutput {
    pub(super) format: PublishFormat,
    pub(super) bytes: Vec<u8>,
    losses: Vec<FormatLoss>,
    lost: usize,
}

impl FormatOutput {
    pub(super) fn new(format: PublishFormat, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { format, bytes, losses: Vec::new(), lost: 0 }
    }

    /// Adds what the format could not express of a manuscript.
    fn with_losses(mut self, losses: &[PublishLoss], manuscript: &Manuscript) -> Self {
        self.lost = losses.len();
        self.losses = by_kind(losses, |byte| {
            let at = manuscript.position(byte);
            (at.line, at.column)
        });
        self
    }

    /// True if the record lists a file of the same format with the same bytes.
    pub(super) fn is_in(&self, record: &PublishRecord) -> bool {
        let hash = sha256(&self.bytes);
        let mut known = record.artifacts.iter();
        known.any(|artifact| artifact.format == self.format.name() && artifact.sha256 == hash)
    }

    /// Returns the record entry of this file.
    pub(super) fn artifact(&self, path: String) -> PublishedFile {
        let (name, _, content_type, encoding) = self.format.row();
        PublishedFile {
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

/// Groups losses by kind; `place` maps a byte offset to line and column and is called in the order of the losses.
fn by_kind(losses: &[PublishLoss], mut place: impl FnMut(usize) -> (usize, usize)) -> Vec<FormatLoss> {
    let mut kinds: Vec<(PublishLossKind, FormatLoss)> = Vec::new();
    for loss in losses {
        let (line, column) = place(loss.range.start);
        let known = kinds.iter().position(|(kind, _)| *kind == loss.kind);
        let at = match known {
            Some(at) => at,
            None if kinds.len() == KINDS => continue,
            None => {
                let said = loss.kind.message();
                let lost =
                    FormatLoss { en: said.en.into_owned(), ja: said.ja.into_owned(), count: 0, places: Vec::new() };
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

/// Makes every format of an episode except the form sheets for the sites.
pub(super) fn write_formats(story: &EpisodeSource, now: &UtcTime) -> Vec<FormatOutput> {
    let manuscript = &story.manuscript;
    let work = story.work();
    let mut made = Vec::new();
    let narou = narou::write(manuscript);
    made.push(FormatOutput::new(PublishFormat::Narou, narou.output.body).with_losses(&narou.losses, manuscript));
    made.extend(narou.output.foreword.map(|text| FormatOutput::new(PublishFormat::NarouForeword, text)));
    made.extend(narou.output.afterword.map(|text| FormatOutput::new(PublishFormat::NarouAfterword, text)));
    let kakuyomu = kakuyomu::write(manuscript);
    made.push(
        FormatOutput::new(PublishFormat::Kakuyomu, kakuyomu.output.body).with_losses(&kakuyomu.losses, manuscript),
    );
    made.extend(aozora_files(story));
    let book = epub::write(&EpubBook {
        work: &work,
        details: &episode_details(&story.settings),
        modified: epub_time(now),
        episodes: vec![EpubEpisode { title: story.heading(), chapter: None, manuscript }],
    });
    let losses: Vec<PublishLoss> = book.losses.into_iter().map(|lost| lost.loss).collect();
    made.push(FormatOutput::new(PublishFormat::Epub, book.output).with_losses(&losses, manuscript));
    let page = html::write(manuscript, &work);
    made.push(FormatOutput::new(PublishFormat::Html, page.output).with_losses(&page.losses, manuscript));
    made
}

/// Makes the two files for 青空文庫.
fn aozora_files(story: &EpisodeSource) -> [FormatOutput; 2] {
    // If the text contains the episode's own heading, the file header has only the title of the novel.
    let title =
        if super::heading_of(&story.manuscript).is_some() { story.novel().to_owned() } else { story.work().title };
    let author = story.author().to_owned();
    let file = aozora::write(&story.manuscript, &WorkTitle { title, author });
    let encoded = aozora::to_shift_jis(&file.output);
    let mut bytes = FormatOutput::new(PublishFormat::AozoraShiftJis, encoded.output);
    bytes.lost = encoded.losses.len();
    bytes.losses = by_kind(&encoded.losses, places(&file.output));
    let text = FormatOutput::new(PublishFormat::Aozora, file.output).with_losses(&file.losses, &story.manuscript);
    [text, bytes]
}

/// Returns a function from byte offset to line and column, for a text other than the manuscript. It must be called with
/// ascending offsets.
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

/// Converts a time to the form used in EPUB metadata: to the second.
///
/// # Panics
/// Never: the text of a [`UtcTime`] begins with a time to the second.
pub(super) fn epub_time(now: &UtcTime) -> EpubTime {
    let time: String = now.to_string().chars().take("0000-00-00T00:00:00".len()).collect();
    EpubTime::parse(&format!("{time}Z")).expect("a UTC time begins with a time to the second")
}

#[cfg(test)]
mod tests {
    use super::{by_kind, places};
    use crate::publish::aozora::to_shift_jis;

    #[test]
    fn shift_jis_losses_have_positions_in_the_text() {
        let text = "髙い\n潮①と②\n\n🙂髙\n";
        let losses = to_shift_jis(text).losses;
        let lost: Vec<(usize, String)> =
            by_kind(&losses, places(text)).into_iter().map(|lost| (lost.count, lost.places.join(" "))).collect();
        let lost: Vec<(usize, &str)> = lost.iter().map(|(count, places)| (*count, places.as_str())).collect();
        assert_eq!(lost, [(2, "1:1 4:2"), (1, "2:2"), (1, "2:4"), (1, "4:1")]);
    }
}
