//! Sheets for posting an episode by hand: one for each site, in the order of its form, with a list of steps.
//!
//! The limits are those stated by the sites' forms. Nothing is posted: neither site has a public API for it, and the
//! author decides when an episode is published.

use fumi_base::text::BilingualText;

use super::{
    EpisodeSource,
    formats::{FormatOutput, PublishFormat},
};
use crate::{
    manuscript::{CharacterCounts, ManuscriptPart},
    publish::{PostingSite, kakuyomu, narou},
};

/// The shortest and longest episode that 小説家になろう accepts, in characters.
const NAROU_BODY: (usize, usize) = (200, 70_000);

/// The sheet and the steps for posting at one site.
#[derive(Clone, Debug)]
pub struct PostingGuide {
    pub site: PostingSite,
    /// The path of the file with the form fields, relative to the project root.
    pub path: String,
    /// The steps, in order.
    pub steps: Vec<BilingualText>,
    sheet: String,
}

impl PostingGuide {
    pub(super) fn form_sheet(&self) -> FormatOutput {
        let format = match self.site {
            PostingSite::Narou => PublishFormat::PostNarou,
            PostingSite::Kakuyomu => PublishFormat::PostKakuyomu,
        };
        FormatOutput::new(format, self.sheet.as_str())
    }
}

/// The name and value of a form field.
struct FormSheetField<'a>(&'a str, String);

/// Makes one sheet per site.
pub(super) fn posts(story: &EpisodeSource, folder: &str) -> Vec<PostingGuide> {
    vec![narou_post(story, folder), kakuyomu_post(story, folder)]
}

fn narou_post(story: &EpisodeSource, folder: &str) -> PostingGuide {
    let written = narou::write(&story.manuscript);
    let path = format!("{folder}/{}", PublishFormat::PostNarou.file());
    let characters = CharacterCounts::count(&written.output.body).with_spaces;
    let fields = [
        FormSheetField("サブタイトル", story.heading()),
        FormSheetField("前書き", written.output.foreword.unwrap_or_default()),
        FormSheetField("本文", written.output.body),
        FormSheetField("後書き", written.output.afterword.unwrap_or_default()),
    ];
    let mut steps = vec![BilingualText::new(
        format!(
            "小説家になろう: open the novel's 次話投稿 and paste the fields of {path} into 前書き, 本文 and 後書き."
        ),
        format!(
            "小説家になろう: 作品の「次話投稿」を開き、{path} の各欄をサブタイトル・前書き・本文・後書きに貼り付ける。"
        ),
    )];
    let (least, most) = NAROU_BODY;
    if !(least..=most).contains(&characters) {
        steps.push(BilingualText::new(
            format!(
                "小説家になろう: the text has {characters} characters; an episode must have {least} to {most}. Split or lengthen it first."
            ),
            format!(
                "小説家になろう: 本文は {characters} 字です。一話に投稿できるのは {least}〜{most} 字なので、先に分けるか書き足す。"
            ),
        ));
    }
    steps.extend(before_posting(PostingSite::Narou, written.losses.len()));
    PostingGuide { sheet: sheet(story, PostingSite::Narou, &fields), site: PostingSite::Narou, path, steps }
}

fn kakuyomu_post(story: &EpisodeSource, folder: &str) -> PostingGuide {
    let written = kakuyomu::write(&story.manuscript);
    let path = format!("{folder}/{}", PublishFormat::PostKakuyomu.file());
    let fields = [FormSheetField("エピソードタイトル", story.heading()), FormSheetField("本文", written.output.body)];
    let mut steps = vec![BilingualText::new(
        format!("カクヨム: in the workspace choose 次のエピソードを執筆 and paste the title and the text of {path}."),
        format!(
            "カクヨム: ワークスペースで「次のエピソードを執筆」を開き、{path} のエピソードタイトルと本文を貼り付ける。"
        ),
    )];
    let has_words = [ManuscriptPart::Foreword, ManuscriptPart::Afterword]
        .into_iter()
        .any(|part| story.manuscript.count(part).characters > 0);
    if has_words {
        steps.push(BilingualText::new(
            "カクヨム: the form lacks fields for a foreword and an afterword; put what readers need into 近況ノート.",
            "カクヨム: 前書き・後書きの欄がないため、伝えたいことは近況ノートに書く。",
        ));
    }
    steps.extend(before_posting(PostingSite::Kakuyomu, written.losses.len()));
    PostingGuide { sheet: sheet(story, PostingSite::Kakuyomu, &fields), site: PostingSite::Kakuyomu, path, steps }
}

/// Returns the steps to check before posting.
fn before_posting(site: PostingSite, losses: usize) -> Vec<BilingualText> {
    let name = site.name();
    let preview = BilingualText::new(
        format!("{name}: check ruby, emphasis and scene breaks in the site's preview, then post or schedule."),
        format!("{name}: プレビューでルビ・傍点・場面の区切りを確かめてから、投稿するか予約する。"),
    );
    let lost = (losses > 0).then(|| {
        BilingualText::new(
            format!("{name}: {losses} places could not be written as in the manuscript; metadata.json lists them."),
            format!("{name}: 原稿どおりに書けなかった箇所が {losses} か所ある。一覧は metadata.json の losses。"),
        )
    });
    lost.into_iter().chain([preview]).collect()
}

/// Writes the form fields, each under its name; the separator line does not occur in manuscripts.
fn sheet(story: &EpisodeSource, site: PostingSite, fields: &[FormSheetField]) -> String {
    let mut sheet = format!("{}　投稿用（{}）\n", story.novel(), site.name());
    for FormSheetField(name, text) in fields {
        sheet.push_str(&format!("\n======== {name} ========\n"));
        sheet.push_str(text.trim_end_matches('\n'));
        sheet.push('\n');
    }
    let tags = super::record::tags(&story.settings, &story.plot);
    if !tags.is_empty() {
        sheet.push_str(&format!("\n======== キーワード・タグ（作品の設定画面） ========\n{}\n", tags.join(" ")));
    }
    sheet
}
