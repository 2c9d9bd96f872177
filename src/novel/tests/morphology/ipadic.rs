//! IPADIC as fumi keeps it, made from its sources.
//!
//! Proper nouns are left out, for they are more than a third of the entries and a novel brings its own; so is what no rule asks for
//! (the fourth level of parts of speech, pronunciation). Both the program that writes the dictionary and the test that it is
//! the one in `assets/` use this.

use std::{error::Error, fs, path::Path};

use fumi_novel::morphology::STAND_INS;
use vibrato::SystemDictionaryBuilder;

use crate::entries::Entries;

/// Where the Debian package mecab-ipadic has the sources.
pub(crate) const SOURCES: &str = "/usr/share/mecab/dic/ipadic";

/// Columns of IPADIC.
const SURFACE: usize = 0;
const LEFT: usize = 1;
const RIGHT: usize = 2;
const COST: usize = 3;
const PARTS_OF_SPEECH: [usize; 3] = [4, 5, 6];
const KIND: usize = 6;
const INFLECTION: [usize; 2] = [8, 9];
const BASE: usize = 10;
const READING: usize = 11;

/// What a name's stand-in costs: less than any unknown word, so that it is always taken.
const STAND_IN_COST: i32 = 0;

/// What is made of the sources.
#[derive(Default)]
struct Made {
    /// Words and their costs, as vibrato reads them; what is said of a word is not there.
    words: String,
    entries: Entries,
    kept: usize,
    dropped: usize,
}

/// The dictionary behind its entries, and how many entries were kept and left out.
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
    let mut plain = made.entries.bytes()?;
    dictionary.write(&mut plain)?;
    Ok((plain, made.kept, made.dropped))
}

impl Made {
    /// All entries in the order of their files' names, then the stand-ins.
    fn words(&mut self, from: &Path) -> Result<(), Box<dyn Error>> {
        let mut files: Vec<_> = fs::read_dir(from)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
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
            self.words
                .push_str(&format!("{character},{left},{right},{STAND_IN_COST}\n"));
            self.entries.push(format!("名詞,固有名詞,{kind},*,*"), "", "");
        }
        Ok(())
    }

    /// An entry as fumi keeps it. A base form or a reading that is the surface is left empty.
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

    /// The unknown words, whose last columns are all missing.
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

/// The columns of a row; a quoted one may have commas.
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

/// IPADIC is written in EUC-JP.
fn decoded(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let (text, _, is_broken) = encoding_rs::EUC_JP.decode(&bytes);
    if is_broken {
        return Err(format!("{} is not EUC-JP", path.display()).into());
    }
    Ok(text.into_owned())
}
