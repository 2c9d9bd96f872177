//! The lexicon of genres: their words, their tropes, and the ranges that their readers are used to.

use std::sync::LazyLock;

use fumi_base::embedded;
use serde::Deserialize;

use super::Phrases;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TropesFile {
    genre: Vec<Genre>,
}

/// A genre with its vocabulary and expectations.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genre {
    pub name: GenreName,
    /// The names that a settings file may use.
    pub keys: Vec<String>,
    /// Words that are typical of the genre.
    pub lexicon: Phrases,
    /// Clichéd devices of the genre, for a judging model or reader.
    pub tropes: Vec<String>,
    /// The usual lowest and highest share of dialogue lines.
    pub dialogue: [f64; 2],
    /// The usual shortest and longest episode, in characters.
    pub length: [f64; 2],
}

/// The name of a genre in both languages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenreName {
    pub en: String,
    pub ja: String,
}

static GENRES: LazyLock<Vec<Genre>> = LazyLock::new(|| {
    let file: TropesFile = embedded::toml("tropes.toml", include_str!("tropes.toml"));
    file.genre
});

/// Returns the genre that a settings file names; case, width and spaces are ignored.
pub fn genre(said: &str) -> Option<&'static Genre> {
    let said = folded(said);
    GENRES.iter().find(|genre| genre.keys.iter().any(|key| folded(key) == said))
}

fn folded(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    text.nfkc().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::genre;

    #[test]
    fn a_genre_is_found_in_whatever_spelling() {
        let known = genre("異世界ファンタジー").map(|genre| genre.name.en.clone());
        assert!(known.is_some());
        assert_eq!(genre(" 異世界 ﾌｧﾝﾀｼﾞｰ ").map(|genre| genre.name.en.clone()), known);
        assert!(genre("料理本").is_none());
    }
}
