//! One vertical HTML file: the whole text with embedded style; it loads nothing and runs no scripts.
//!
//! The file is XHTML that every browser parses as HTML. It has no table of contents; [`super::epub`] makes one.

use super::{
    WorkTitle, WriterOutput,
    xhtml::{AuthorNotes, FileSplitSizes, escaped, page},
};
use crate::manuscript::Manuscript;

/// The style sheet of pages and books.
pub(super) const STYLE: &str = include_str!("vertical.css");

/// Writes an episode or a whole text as an HTML file.
pub fn write(manuscript: &Manuscript, work: &WorkTitle) -> WriterOutput<String> {
    let page = page(manuscript, &work.title, FileSplitSizes::NEVER, AuthorNotes::Kept);
    let (title, author) = (escaped(&work.title), escaped(&work.author));
    let style = STYLE.trim_start_matches("@charset \"UTF-8\";\n");
    let output = format!(
        "<!DOCTYPE html>\n<html lang=\"ja\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width\" />\n<meta name=\"author\" content=\"{author}\" />\n\
         <title>{title}</title>\n<style>\n{style}body {{ height: 90vh; padding: 5vh 2em; }}\n</style>\n</head>\n\
         <body>\n{}</body>\n</html>\n",
        page.body
    );
    WriterOutput { output, losses: page.losses }
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::{
        manuscript::{Manuscript, ManuscriptOptions},
        publish::{PublishLossKind, WorkTitle},
    };

    fn html(source: &str) -> (String, Vec<PublishLossKind>) {
        let work = WorkTitle { title: "<題>".to_owned(), author: "著者".to_owned() };
        let written = write(&Manuscript::read(source, ManuscriptOptions::default()), &work);
        let (_, body) = written.output.split_once("<body>\n").expect("a body");
        let losses = written.losses.into_iter().map(|loss| loss.kind).collect();
        (body.replace("</body>\n</html>\n", ""), losses)
    }

    #[test]
    fn every_element_has_its_tag() {
        let (body, losses) = html(
            "# 第1話\n\n　今日《きょう》は12日!?《《強《く》》と**太く**\n\n\n＊＊＊\n## 中\n#### 下の下\n［＃改ページ］\n［＃３字下げ］下\n［＃地付き］末\n",
        );
        assert_eq!(
            body,
            "<h1>第<span class=\"tcy\">1</span>話</h1>\n<section class=\"story\">\n\
             <p>　<ruby>今日<rt>きょう</rt></ruby>は<span class=\"tcy\">12</span>日<span class=\"tcy\">!?</span>\
             《《強《く》》と<b>太く</b></p>\n<p><br /></p>\n<p><br /></p>\n<p class=\"break\">＊＊＊</p>\n\
             <h2 id=\"h1\">中</h2>\n<h4 id=\"h2\">下の下</h4>\n<hr class=\"page\" />\n<p style=\"margin-top: 3em\">下</p>\n<p class=\"foot\">末</p>\n</section>\n"
                .replace("《《強《く》》", "《<ruby>《強<rt>く</rt></ruby>》")
                .replace("《<ruby>《強", "《《<ruby>強")
        );
        assert_eq!(losses, []);
    }

    #[test]
    fn text_is_escaped() {
        let (body, losses) = html("<script>alert('&')</script>\u{1}｜<b>《\"》\n");
        assert_eq!(
            body,
            "<h1>&lt;題&gt;</h1>\n<section class=\"story\">\n\
             <p>&lt;script&gt;alert('&amp;')&lt;/script&gt;<ruby>&lt;b&gt;<rt>&quot;</rt></ruby></p>\n</section>\n"
        );
        assert_eq!(losses, [PublishLossKind::Control('\u{1}')]);
    }

    #[test]
    fn parts_are_sections() {
        let (body, _) = html("【前書き】\nどうも。\n【本文】\n本文。\n【後書き】\nまた。\n");
        assert_eq!(
            body,
            "<h1>&lt;題&gt;</h1>\n<section class=\"foreword\">\n<h2>前書き</h2>\n<p>どうも。</p>\n</section>\n\
             <section class=\"story\">\n<p>本文。</p>\n</section>\n\
             <section class=\"afterword\">\n<h2>後書き</h2>\n<p>また。</p>\n</section>\n"
        );
    }
}
