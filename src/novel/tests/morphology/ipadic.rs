//! IPADIC in the reduced form that fumi embeds, built from its sources.
//!
//! Proper nouns are left out, because they are more than a third of the entries and a novel supplies its own; data that
//! no rule uses is left out too (the fourth level of parts of speech, pronunciation, vibrato's features). The program that writes the
//! dictionary and the test that compares it with `assets/` both use this module.

use std::{error::Error, fs, path::Path};

use fumi_novel::morphology::STAND_INS;
use vibrato::SystemDictionaryBuilder;

use super::entries::Entries;

/// The folder in which the Debian package mecab-ipadic installs the sources.
pub(crate) const SOURCES: &str = "/usr/share/mecab/dic/ipadic";

/// The column indices of IPADIC.
const SURFACE: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;
const COST: usize = 3;
const PARTS_OF_SPEECH: [usize; 3] = [4, 5, 6];
const KIND: usize = 6;
const INFLECTION: [usize; 2] = [8, 9];
const BASE: usize = 10;
const READING: usize = 11;

/// The cost of a name's stand-in: lower than that of any unknown word, so that it is always chosen.
const STAND_IN_COST: i32 = 0;

/// The dictionary data built from the sources.
#[derive(Default)]
struct Made {
    /// The words and their costs in vibrato's format, without their entries.
    words: String,
    entries: Entries,
    kept: usize,
    dropped: usize,
}

/// Returns the dictionary preceded by its entries, and the numbers of kept and dropped entries.
pub(crate) fn made_from(from: &Path) -> Result<(Vec<u8>, usize, usize), Box<dyn Error>> {
    let mut made = Made::default();
    made.words(from)?;
    let unknown = made.unknown(&decoded(&from.join("unk.def"))?);
    let dictionary = SystemDictionaryBuilder::from_readers(
        made.words.as_bytes(),
        decoded(&from.join("matrix.def"))?.as_bytes(),
        decoded(&from.join("char.def"))?.as_bytes(),
        unknown.as_bytes(),
    )?;
    let mut written = Vec::new();
    dictionary.write(&mut written)?;
    let mut plain = made.entries.bytes()?;
    plain.extend(without_features(&written, made.kept + STAND_INS.len())?);
    Ok((plain, made.kept, made.dropped))
}

/// Returns vibrato's dictionary without the features of its words. They are all empty, since the entries are kept beside it,
/// and take 6 MB when they are loaded, one string for each word.
fn without_features(written: &[u8], words: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    // A list has its length and then its items, a text the number of its bytes first: eight bytes each.
    let length = (words as u64).to_le_bytes();
    let features = [&length[..], &vec![0; 8 * words]].concat();
    let at =
        written.windows(features.len()).position(|window| window == features).ok_or("no list of empty features")?;
    Ok([&written[..at], &[0; 8], &written[at + features.len()..]].concat())
}

impl Made {
    /// Adds all entries in the order of their file names, then the stand-ins.
    fn words(&mut self, from: &Path) -> Result<(), Box<dyn Error>> {
        let mut files: Vec<_> =
            fs::read_dir(from)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
        files.sort();
        let mut connections = [const { None }; STAND_INS.len()];
        for file in files {
            for row in decoded(&file)?.lines() {
                let columns = columns(row);
                if columns.get(READING).is_none() {
                    return Err(format!("{}: too few columns: {row}", file.display()).into());
                }
                if columns[5] != "固有名詞" {
                    self.word(&columns);
                    self.kept += 1;
                    continue;
                }
                self.dropped += 1;
                for ((_, kind), ids) in STAND_INS.iter().zip(&mut connections) {
                    if columns[KIND] == *kind && ["一般", "*"].contains(&columns[7].as_str()) {
                        ids.get_or_insert((columns[LEFT].clone(), columns[RIGHT].clone()));
                    }
                }
            }
        }
        for ((character, kind), ids) in STAND_INS.iter().zip(connections) {
            let (left, right) = ids.ok_or("the sources have no proper nouns")?;
            self.words.push_str(&format!("{character},{left},{right},{STAND_IN_COST}\n"));
            self.entries.push(format!("名詞,固有名詞,{kind},*,*"), "", "");
        }
        Ok(())
    }

    /// Adds an entry. A base form or a reading equal to the surface is left empty.
    fn word(&mut self, columns: &[String]) {
        quoted(&mut self.words, &columns[SURFACE]);
        for column in [LEFT, RIGHT, COST] {
            self.words.push(',');
            self.words.push_str(&columns[column]);
        }
        self.words.push('\n');
        let other = |column: usize| match columns[column].as_str() {
            "*" => "",
            text if text == columns[SURFACE] => "",
            text => text,
        };
        let grammar = PARTS_OF_SPEECH.iter().chain(&INFLECTION);
        let grammar: Vec<&str> = grammar.map(|column| columns[*column].as_str()).collect();
        self.entries.push(grammar.join(","), other(BASE), other(READING));
    }

    /// Adds the unknown words, whose last columns are all missing.
    fn unknown(&mut self, text: &str) -> String {
        let mut all = String::new();
        for row in text.lines() {
            let columns = columns(row);
            let (connection, parts) = columns[..=KIND].split_at(PARTS_OF_SPEECH[0]);
            let grammar = format!("{},*,*", parts.join(","));
            all.push_str(&format!("{},{grammar}\n", connection.join(",")));
            self.entries.unknown(grammar);
        }
        all
    }
}

/// Splits a row into columns; a quoted column may contain commas.
fn columns(row: &str) -> Vec<String> {
    let (mut columns, mut column, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = row.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => column.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => columns.push(std::mem::take(&mut column)),
            _ => column.push(c),
        }
    }
    columns.push(column);
    columns
}

fn quoted(all: &mut String, column: &str) {
    if column.contains([',', '"']) {
        all.push('"');
        all.push_str(&column.replace('"', "\"\""));
        all.push('"');
    } else {
        all.push_str(column);
    }
}

/// Decodes a source file; IPADIC is encoded in EUC-JP.
fn decoded(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let (text, _, is_broken) = encoding_rs::EUC_JP.decode(&bytes);
    if is_broken {
        return Err(format!("{} is not EUC-JP", path.display()).into());
    }
    Ok(text.into_owned())
}
