//! Tests that a novel's names are recognised as words where they are meant.

use fumi_novel::{
    morphology::{Ipadic, NameKind, NameLexicon, WordAnalysis, WordOrigin},
    text::Sentences,
};

use super::{sample, words::words_of};

fn read(text: &str, names: &[(&str, &str, NameKind)]) -> String {
    let mut lexicon = NameLexicon::default();
    for (surface, reading, kind) in names {
        lexicon.add(surface, Some(reading), *kind);
    }
    let words = words_of(text, &lexicon, |word| match word.origin {
        WordOrigin::Name => format!("<{} {} {}>", word.surface, word.parts[2], word.reading.unwrap_or_default()),
        _ => word.surface.to_owned(),
    });
    words.join("/")
}

#[test]
fn a_name_is_one_proper_noun_with_its_reading() {
    use NameKind::{Person, Place, Term};
    let names =
        [("梶みちる", "かじみちる", Person), ("帆待島", "ほまちじま", Place), ("満潮読み", "みちしおよみ", Term)];
    assert_eq!(
        read("梶みちるは帆待島へ来た。満潮読みだ。", &names),
        "<梶みちる 人名 カジミチル>/は/<帆待島 地域 ホマチジマ>/へ/来/た/。/<満潮読み 一般 ミチシオヨミ>/だ/。"
    );
}

#[test]
fn a_name_is_not_found_within_words() {
    use NameKind::{Person, Term};
    assert_eq!(read("りんごを食べた。", &[("りん", "りん", Person)]), "りんご/を/食べ/た/。");
    assert_eq!(read("りんが食べた。", &[("りん", "りん", Person)]), "<りん 人名 リン>/が/食べ/た/。");
    assert_eq!(read("ミナトが来た。", &[("ミナ", "ミナ", Person)]), "ミナト/が/来/た/。");
    assert_eq!(read("日光が光る。", &[("光", "ひかる", Person)]), "日光/が/光る/。");
    assert_eq!(read("🙂梶。", &[("梶", "かじ", Person)]), "🙂/<梶 人名 カジ>/。");
    // A term that is already a dictionary word keeps its part of speech; a character's name becomes a name.
    assert_eq!(read("井戸を見る。", &[("井戸", "いど", Term)]), "井戸/を/見る/。");
    assert_eq!(read("梶を見る。", &[("梶", "かじ", Person)]), "<梶 人名 カジ>/を/見る/。");
}

#[test]
fn longest_possible_name_is_chosen() {
    use NameKind::Person;
    let names = [("穂刈", "ほかり", Person), ("穂刈一平", "ほかりいっぺい", Person), ("一平", "いっぺい", Person)];
    assert_eq!(
        read("穂刈一平と一平と穂刈。", &names),
        "<穂刈一平 人名 ホカリイッペイ>/と/<一平 人名 イッペイ>/と/<穂刈 人名 ホカリ>/。"
    );
}

#[test]
fn the_characters_of_the_sample_are_found_in_it() {
    let (episodes, names) = sample();
    let mut found = 0;
    let mut not_found: Vec<String> = Vec::new();
    for episode in &episodes {
        let sentences = Sentences::find(episode);
        let analysis = WordAnalysis::new(episode, &sentences, &names, Ipadic::shared());
        let starts: std::collections::HashSet<usize> = analysis
            .words()
            .iter()
            .filter(|word| word.origin == WordOrigin::Name)
            .map(|word| word.visible.start)
            .collect();
        found += starts.len();
        let text = episode.visible().text();
        for name in names.names().iter().filter(|name| name.kind == NameKind::Person) {
            for (at, _) in text.match_indices(&name.surface) {
                let is_inside = analysis.words().iter().any(|word| {
                    word.origin == WordOrigin::Name
                        && word.visible.start <= at
                        && at + name.surface.len() <= word.visible.end
                });
                if !is_inside {
                    not_found.push(text[at..].chars().take(3).collect());
                }
            }
        }
    }
    // 塞ぐ, 平方メートル and 塞ぐ do not contain the characters' names.
    assert_eq!(not_found, ["ふさぎ", "一平方", "ふさぐ"]);
    assert!(found > 100, "{found}");
}
