//! The text format of カクヨム: one body, ruby with a bar, 《《emphasis》》.
//!
//! The limits are those of the site's help (kakuyomu.jp/help/entry/notation): twenty characters of base, fifty of ruby;
//! ruby and emphasis do not combine and do not cross lines. The site has no fields for a foreword and an afterword.
//! Nothing is posted.

use super::{
    PublishLoss, PublishLossKind, WriterOutput,
    site::{self, LineToken, SiteNotation, warn_of_bars},
};
use crate::manuscript::{Manuscript, ManuscriptPart};

/// An episode in the fields of the posting form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KakuyomuEpisode {
    /// The heading of the episode, if it has one.
    pub title: Option<String>,
    /// The text of the story (本文).
    pub body: String,
}

/// Writes an episode in the notation of カクヨム.
pub fn write(manuscript: &Manuscript) -> WriterOutput<KakuyomuEpisode> {
    let mut losses = Vec::new();
    site::report_missing_parts(
        manuscript,
        &[ManuscriptPart::Foreword, ManuscriptPart::Afterword, ManuscriptPart::Colophon],
        &mut losses,
    );
    let output = KakuyomuEpisode {
        title: site::title(manuscript, &mut losses),
        body: site::part::<Kakuyomu>(manuscript, ManuscriptPart::Body, &mut losses).unwrap_or_default(),
    };
    losses.sort_by_key(|loss| loss.range.start);
    WriterOutput { output, losses }
}

struct Kakuyomu;

impl SiteNotation for Kakuyomu {
    const RUBY: (usize, usize) = (20, 50);
    const BREAKS_RUBY: &'static [char] = &['《', '》', '|', '｜'];

    fn line(tokens: &[LineToken], losses: &mut Vec<PublishLoss>) -> String {
        warn_of_bars(tokens, losses);
        let mut line = String::new();
        let mut emphasised = String::new();
        let flush = |emphasised: &mut String, line: &mut String| {
            if emphasised.trim().is_empty() {
                line.push_str(emphasised);
            } else {
                line.push_str(&format!("《《{emphasised}》》"));
            }
            emphasised.clear();
        };
        for token in tokens {
            let (written, dotted, range) = match token {
                LineToken::Ruby { text, range, is_dotted } => (text.clone(), *is_dotted, range.clone()),
                LineToken::Letter { c, at, is_dotted } => {
                    let range = *at..*at + c.len_utf8();
                    match c {
                        '《' => ("|《".to_owned(), *is_dotted, range),
                        '》' => ("》".to_owned(), *is_dotted, range),
                        _ if *is_dotted => {
                            emphasised.push(*c);
                            continue;
                        }
                        _ => (c.to_string(), false, range),
                    }
                }
            };
            flush(&mut emphasised, &mut line);
            if dotted {
                losses.push(PublishLoss { kind: PublishLossKind::EmphasisPaused, range });
            }
            line.push_str(&written);
        }
        flush(&mut emphasised, &mut line);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::{
        manuscript::{Emphasis, Manuscript, ManuscriptOptions, ManuscriptPart},
        publish::PublishLossKind,
    };

    fn kakuyomu(source: &str) -> (String, Vec<PublishLossKind>) {
        let written = write(&Manuscript::read(source, ManuscriptOptions::default()));
        (written.output.body, written.losses.into_iter().map(|loss| loss.kind).collect())
    }

    #[test]
    fn ruby_and_emphasis_are_written_as_the_site_reads_them() {
        let (body, losses) = kakuyomu("　今日《きょう》は《《本当に》》｜《晴れ》だ（はれ）。\n\n\n{電子|でんし}\n");
        assert_eq!(body, "　|今日《きょう》は《《本当に》》|《晴れ》だ（はれ）。\n\n\n|電子《でんし》\n");
        assert_eq!(losses, []);
    }

    #[test]
    fn emphasis_pauses_at_a_ruby() {
        let (body, losses) = kakuyomu("あ［＃傍点］強《つよ》い字［＃傍点終わり］\n");
        assert_eq!(body, "あ|強《つよ》《《い字》》\n");
        assert_eq!(losses, [PublishLossKind::EmphasisPaused]);
    }

    #[test]
    fn limits_and_missing_fields_are_reported_as_losses() {
        let base = "漢".repeat(21);
        let ruby = "か".repeat(51);
        let (body, losses) = kakuyomu(&format!("【前書き】\nどうも。\n【本文】\n｜{base}《か》**字**\n漢《{ruby}》\n"));
        assert_eq!(body, format!("{base}（か）字\n漢（{ruby}）\n"));
        let long = PublishLossKind::RubyTooLong { base: 20, ruby: 50 };
        assert_eq!(
            losses,
            [PublishLossKind::Part(ManuscriptPart::Foreword), long, PublishLossKind::Emphasis(Emphasis::Bold), long]
        );
    }

    #[test]
    fn titles_are_plain() {
        let written = write(&Manuscript::read("# 第1話　雨《あめ》\n\n本文\n", ManuscriptOptions::default()));
        assert_eq!(written.output.title.as_deref(), Some("第1話　雨"));
        assert_eq!(written.losses[0].kind, PublishLossKind::TitleMark);
    }
}
