//! Verbs of the godan class in another row: 書く gives 書か and 書き.
//!
//! Only the forms that the kinds need; the callers leave out irregular verbs.

/// The rows of kana in which godan verbs end, with あ, い and う.
const ROWS: [(char, char, char); 9] = [
    ('わ', 'い', 'う'),
    ('か', 'き', 'く'),
    ('が', 'ぎ', 'ぐ'),
    ('さ', 'し', 'す'),
    ('た', 'ち', 'つ'),
    ('な', 'に', 'ぬ'),
    ('ば', 'び', 'ぶ'),
    ('ま', 'み', 'む'),
    ('ら', 'り', 'る'),
];

fn in_row(base: &str, row: fn(&(char, char, char)) -> char) -> Option<String> {
    let last = base.chars().next_back()?;
    let kana = ROWS.iter().find(|(.., own)| *own == last)?;
    Some(format!("{}{}", base.strip_suffix(last)?, row(kana)))
}

/// Returns 書か for 書く.
pub(super) fn negative_stem(base: &str) -> Option<String> {
    in_row(base, |row| row.0)
}

/// Returns 書き for 書く.
pub(super) fn continuing_stem(base: &str) -> Option<String> {
    in_row(base, |row| row.1)
}
