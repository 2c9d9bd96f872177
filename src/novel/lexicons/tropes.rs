//! Genres: their words, their worn devices, and the bands that their readers are used to.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Phrases;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    genre: Vec<Genre>,
}

/// A genre.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genre {
    /// What it is called.
    pub name: GenreName,
    /// What a settings file may call it.
    pub keys: Vec<String>,
    /// Words that its readers meet.
    pub lexicon: Phrases,
    /// Worn devices, for whoever judges.
    pub tropes: Vec<String>,
    /// The share of lines that are speech: from, to.
    pub dialogue: [f64; 2],
    /// Characters of an episode: from, to.
    pub length: [f64; 2],
}

/// The name of a genre.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenreName {
    /// In English.
    pub en: String,
    /// In Japanese.
    pub ja: String,
}

static GENRES: LazyLock<Vec<Genre>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("tropes.toml")).expect("an embedded lexicon is well-formed");
    file.genre
});

/// The genre that a settings file names, without regard to case, width and spaces.
#[must_use]
pub fn genre(said: &str) -> Option<&'static Genre> {
    let said = folded(said);
    GENRES
        .iter()
        .find(|genre| genre.keys.iter().any(|key| folded(key) == said))
}

fn folded(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    text.nfkc()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
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
