//! The names nearest to a wrong one, for errors that suggest them.

/// The likeness of 0 to 1 below which a suggestion misleads more often than it helps.
const LIKE: f64 = 0.7;
/// The likeness of a name that contains the wrong one, or is contained in it.
const PART: f64 = 0.85;
/// The longest names whose edit distance is computed, in bytes: its time grows with the product of the lengths.
const LONGEST: usize = 40;
/// The longest wrong name that is compared at all, in bytes: Jaro-Winkler, too, takes the product of the lengths.
const LONGEST_WRONG: usize = 1_000;

/// Returns the names nearest to a wrong one, best first, at most `count`: by their beginning and their letters
/// (Jaro-Winkler), by edit distance for misspellings (Damerau-Levenshtein), and names that contain the wrong one or are
/// contained in it. Case, `-`, `_` and spaces do not matter. Empty if the wrong name is longer than 1,000 bytes.
pub fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>, count: usize) -> Vec<&'n str> {
    if wrong.len() > LONGEST_WRONG {
        return Vec::new();
    }
    let plain = |name: &str| name.to_lowercase().replace(['-', ' '], "_");
    let wrong = plain(wrong);
    let likeness = |name: &str| {
        let name = plain(name);
        // A short name shares its letters with everything.
        if wrong.len().min(name.len()) < 3 && wrong.len().abs_diff(name.len()) > 1 {
            return 0.0;
        }
        let letters = strsim::jaro_winkler(&wrong, &name);
        if wrong.len().min(name.len()) >= 3 && (name.contains(&wrong) || wrong.contains(&name)) {
            letters.max(PART)
        } else if wrong.len().max(name.len()) <= LONGEST {
            letters.max(strsim::normalized_damerau_levenshtein(&wrong, &name))
        } else {
            letters
        }
    };
    let mut near: Vec<(f64, &str)> = names.into_iter().map(|name| (likeness(name), name)).collect();
    near.retain(|(likeness, _)| *likeness >= LIKE);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(count).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn misspellings_parts_and_other_spellings_are_near() {
        let names = ["search_content", "list_files", "find_and_grep", "search_content"];
        assert_eq!(nearest("serach_content", names, 3), ["search_content"]);
        assert_eq!(nearest("Search-Content", names, 3), ["search_content"]);
        assert_eq!(nearest("grep", names, 3), ["find_and_grep"]);
        assert!(nearest("xyz", names, 3).is_empty());
        assert!(nearest("", names, 3).is_empty());
        assert_eq!(nearest("cobol", ["c", "go", "rust"], 3), [""; 0]);
    }
}
