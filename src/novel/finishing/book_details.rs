//! The details of the book: readings, series, cover and colophon from the settings, its description from the blurb.
//!
//! A cover that the settings name must be a usable image, because a book without its cover would be noticed only in the
//! shop. Without one in the settings, a file of a conventional name is used if it exists.

use std::sync::Arc;

use fumi_base::{
    errors::UserError as _,
    files,
    project::{PathError, Project, ProjectPath},
    text::BilingualText,
};
use jiff::tz::{Offset, TimeZone};

use crate::{
    blurb,
    errors::completion::CompletionError,
    project::{NovelProject, NovelSettings, NovelSurvey, Yomi},
    publish::{
        AuthorNotes,
        epub::{BookDetails, Colophon, CoverImage, EpubSeries},
    },
    writing::UtcTime,
};

/// The names of a cover image at the top of the project, in this order.
const COVERS: [&str; 6] = ["表紙.png", "表紙.jpg", "表紙.jpeg", "cover.png", "cover.jpg", "cover.jpeg"];

/// The largest cover image, in bytes. Shops ask for two to four megapixels, which a JPEG holds in 2 MB.
const COVER_BYTES: u64 = 8 << 20;

/// Returns the details of the book of all finished episodes. Its date of publication is the one in the settings, else
/// the day of `time` in Japan.
pub(super) fn book_details(
    novel: &NovelProject,
    survey: &NovelSurvey,
    time: &UtcTime,
) -> Result<BookDetails, CompletionError> {
    let settings = &survey.settings;
    let book = &settings.book;
    let yomi = |yomi: &Option<Yomi>| yomi.as_ref().map(|yomi| yomi.as_str().to_owned());
    let colophon = Colophon {
        published: book.published.map_or_else(|| day_in_japan(time), |date| date.0),
        edition: book.edition.clone().unwrap_or_else(|| "初版".to_owned()),
        title_yomi: yomi(&settings.title_yomi),
        author_yomi: yomi(&settings.author_yomi),
        publisher: book.publisher.clone(),
        rights: book.rights.clone(),
    };
    let series = book.series.as_ref();
    Ok(BookDetails {
        title_sort_key: settings.title_yomi.as_ref().map(Yomi::to_sort_key),
        series: series.map(|series| EpubSeries { title: series.title.clone(), volume: series.volume }),
        description: blurb::description(novel, survey)?,
        cover: cover(novel.project(), book.cover.as_deref())?,
        colophon: Some(colophon),
        author_notes: if book.omit_author_notes { AuthorNotes::LeftOut } else { AuthorNotes::Kept },
        ..episode_details(settings)
    })
}

/// Returns the details of a book that contains only one episode.
pub(super) fn episode_details(settings: &NovelSettings) -> BookDetails {
    BookDetails { author_sort_key: settings.author_yomi.as_ref().map(Yomi::to_sort_key), ..BookDetails::default() }
}

/// Reads the cover image; `named` is its path in the settings.
fn cover(project: &Arc<Project>, named: Option<&str>) -> Result<Option<CoverImage>, CompletionError> {
    let Some(named) = named else {
        for name in COVERS {
            if let Some(file) = project.find(name)? {
                return cover_in(&file).map(Some);
            }
        }
        return Ok(None);
    };
    let file = project.resolve(named).map_err(|error| unusable(named, error))?;
    cover_in(&file).map(Some)
}

fn cover_in(file: &ProjectPath) -> Result<CoverImage, CompletionError> {
    let path = file.shown();
    let bytes = files::read(file, COVER_BYTES).map_err(|error| unusable(&path, error))?;
    CoverImage::read(bytes).map_err(|_| {
        let reason = BilingualText::new("It is not a PNG or JPEG image.", "PNG 画像でも JPEG 画像でもありません。");
        CompletionError::UnusableCover { path, reason }
    })
}

/// Explains a path error as an error of the cover; a failure of the system remains what it is.
fn unusable(path: &str, error: PathError) -> CompletionError {
    if error.is_system_failure() {
        return error.into();
    }
    CompletionError::UnusableCover { path: path.to_owned(), reason: error.error_message().message }
}

/// Returns the calendar day of a time in Japan; the first day of the calendar if the time is not one of the calendar.
fn day_in_japan(time: &UtcTime) -> jiff::civil::Date {
    let time: jiff::Timestamp = time.to_string().parse().unwrap_or_default();
    time.to_zoned(TimeZone::fixed(Offset::constant(9))).date()
}
