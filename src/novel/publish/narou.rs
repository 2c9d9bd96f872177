//! The text format of 小説家になろう: separate foreword, body and afterword, ruby with a bar, emphasis dots as a ruby on each
//! character.
//!
//! The limits are those of the site's manual (syosetu.com/man/ruby): ten characters of base, ten of ruby, and neither
//! may contain & " < >. The site turns kanji before （かな） into a ruby, which a bar prevents. Nothing is posted.

use super::{
    PublishLoss, PublishLossKind, WriterOutput,
    site::{self, LineToken, SiteNotation, warn_of_bars},
};
use crate::manuscript::{Manuscript, ManuscriptPart, is_counted, is_kanji};

/// An episode in the fields of the posting form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarouEpisode {
    /// The heading of the episode, if it has one.
    pub title: Option<String>,
    /// The author's foreword (前書き).
    pub foreword: Option<String>,
    /// The text of the story (本文).
    pub body: String,
    /// The author's afterword (後書き).
    pub afterword: Option<String>,
}

/// Writes an episode in the notation of 小説家になろう.
pub fn write(manuscript: &Manuscript) -> WriterOutput<NarouEpisode> {
    let mut losses = Vec::new();
    site::report_missing_parts(manuscript, &[ManuscriptPart::Colophon], &mut losses);
    let title = site::title(manuscript, &mut losses);
    let mut part = |part| site::part::<Narou>(manuscript, part, &mut losses);
    let output = NarouEpisode {
        title,
        foreword: part(ManuscriptPart::Foreword),
        body: part(ManuscriptPart::Body).unwrap_or_default(),
        afterword: part(ManuscriptPart::Afterword),
    };
    losses.sort_by_key(|loss: &PublishLoss| loss.range.start);
    WriterOutput { output, losses }
}

struct Narou;

impl SiteNotation for Narou {
    const RUBY: (usize, usize) = (10, 10);
    const BREAKS_RUBY: &'static [char] = &['&', '"', '<', '>', '《', '》', '|', '｜'];

    fn line(tokens: &[LineToken], losses: &mut Vec<PublishLoss>) -> String {
        warn_of_bars(tokens, losses);
        let mut line = String::new();
        let letter = |token: Option<&LineToken>| match token {
            Some(LineToken::Letter { c, .. }) => Some(*c),
            _ => None,
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = &tokens[at + 1..];
            at += 1;
            let (c, range, is_dotted) = match token {
                LineToken::Letter { c, at, is_dotted } => (*c, *at..*at + c.len_utf8(), *is_dotted),
                LineToken::Ruby { text, range, is_dotted } => {
                    line.push_str(text);
                    if *is_dotted {
                        losses.push(PublishLoss { kind: PublishLossKind::EmphasisPaused, range: range.clone() });
                    }
                    continue;
                }
            };
            if is_dotted && is_dottable(c) {
                // Combining marks of the character are written with it, inside the same ruby.
                let longest = Self::RUBY.0 - 1;
                let modifiers = next.iter().map_while(|token| letter(Some(token)).filter(|c| is_modifier(*c)));
                let whole: String = std::iter::once(c).chain(modifiers.take(longest)).collect();
                at += whole.chars().count() - 1;
                line.push_str(&format!("|{whole}《・》"));
                continue;
            }
            if is_dotted && Self::BREAKS_RUBY.contains(&c) {
                losses.push(PublishLoss { kind: PublishLossKind::EmphasisPaused, range });
            }
            let before = at.checked_sub(2).and_then(|before| tokens.get(before));
            let is_reading = matches!(c, '（' | '(')
                && letter(before).is_some_and(is_kanji)
                && letter(next.first()).is_some_and(is_kana);
            if c == '《' || is_reading {
                line.push('|');
            }
            line.push(c);
        }
        line
    }
}

fn is_modifier(c: char) -> bool {
    !is_counted(c) && !c.is_whitespace() && !c.is_control()
}

/// True if a character can have an emphasis dot: not punctuation and not a bracket.
fn is_dottable(c: char) -> bool {
    is_counted(c) && !Narou::BREAKS_RUBY.contains(&c) && !"、。，．・：；「」『』（）()【】〈〉〔〕［］…―".contains(c)
}

fn is_kana(c: char) -> bool {
    ('ぁ'..='ヿ').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::{NarouEpisode, write};
    use crate::{
        manuscript::{Emphasis, Manuscript, ManuscriptOptions, ManuscriptPart},
        publish::PublishLossKind,
    };

    fn narou(source: &str) -> (NarouEpisode, Vec<PublishLossKind>) {
        let written = write(&Manuscript::read(source, ManuscriptOptions::default()));
        (written.output, written.losses.into_iter().map(|loss| loss.kind).collect())
    }

    #[test]
    fn an_episode_falls_into_the_fields_of_the_form() {
        let source = "# 第1話　雨《あめ》\n\n【前書き】\nどうも。\n\n【本文】\n\n　佐々木《ささき》は《《走った》》。\n\n\n＊＊＊\n\n　終わり。\n【後書き】\nまた。\n";
        let (episode, losses) = narou(source);
        assert_eq!(episode.title.as_deref(), Some("第1話　雨"));
        assert_eq!(episode.foreword.as_deref(), Some("どうも。\n"));
        assert_eq!(episode.body, "　|佐々木《ささき》は|走《・》|っ《・》|た《・》。\n\n\n＊＊＊\n\n　終わり。\n");
        assert_eq!(episode.afterword.as_deref(), Some("また。\n"));
        assert_eq!(losses, [PublishLossKind::TitleMark]);
        assert_eq!(narou("ただの本文").0.foreword, None);
    }

    #[test]
    fn automatic_rubies_are_prevented_by_a_bar() {
        let (episode, losses) =
            narou("東京（とうきょう）と京都（府）、（ふ）《《か\u{3099}\u{fe00}き。》》｜《二重》、｜（笑）\n");
        assert_eq!(
            episode.body,
            "東京|（とうきょう）と京都（府）、（ふ）|か\u{3099}\u{fe00}《・》|き《・》。|《二重》、（笑）\n"
        );
        assert_eq!(losses, []);
        assert_eq!(narou("A|B、｜漢字《かんじ》\n").1, [PublishLossKind::Bar]);
    }

    #[test]
    fn unsupported_markup_is_reported_and_written_plain() {
        let (episode, losses) = narou(
            "｜一二三四五六七八九十一《長い》と漢字《あいうえおかきくけこさ》と｜A&B《えー》\n## 中\n**太い**｜線［＃「線」に傍線］《《強い漢字《x》》》\n［＃改ページ］\n※［＃「？」、ページ数-行数］［＃「謎」の左に「ママ」の注記］\n［＃ここから２字下げ］\n",
        );
        assert_eq!(
            episode.body,
            "一二三四五六七八九十一（長い）と漢字|（あいうえおかきくけこさ）とA&B（えー）\n中\n太い｜線|《|《強い|漢字《x》》》\n\n※\n"
        );
        let long = PublishLossKind::RubyTooLong { base: 10, ruby: 10 };
        assert_eq!(
            losses,
            [
                long,
                long,
                PublishLossKind::RubySign('&'),
                PublishLossKind::Heading,
                PublishLossKind::Emphasis(Emphasis::Bold),
                PublishLossKind::Bar,
                PublishLossKind::Emphasis(Emphasis::Line),
                PublishLossKind::PageBreak,
                PublishLossKind::UnknownCharacter,
                PublishLossKind::Note,
                PublishLossKind::Note,
            ]
        );
        assert!(!losses.contains(&PublishLossKind::Part(ManuscriptPart::Foreword)));
    }
}
