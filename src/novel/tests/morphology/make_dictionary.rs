//! Builds `assets/ipadic.zst`, the morphological dictionary, from the sources of IPADIC.
//!
//! `cargo run --release -p fumi-novel --example make_dictionary -- src/novel/assets/ipadic.zst`, with the Debian
//! package mecab-ipadic 2.7.0-20070801+main-3 installed. The same sources give the same bytes.

#![allow(clippy::print_stdout, reason = "a developer program that reports on the file that it writes")]

mod entries;
mod ipadic;

use std::{error::Error, fs, io::Write as _, path::Path};

/// The compression level: slow, but used only once.
const LEVEL: i32 = 19;

/// The window size as a power of two, which is the memory that unpacking needs. The level's default of 8 MB would not
/// make the file smaller.
const WINDOW: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(to) = std::env::args_os().nth(1) else {
        return Err("usage: make_dictionary FILE".into());
    };
    let (plain, kept, dropped) = ipadic::made_from(Path::new(ipadic::SOURCES))?;
    let mut packing = zstd::Encoder::new(Vec::new(), LEVEL)?;
    packing.window_log(WINDOW)?;
    packing.write_all(&plain)?;
    let packed = packing.finish()?;
    println!("{kept} entries, {dropped} proper nouns left out; {} bytes, packed {}", plain.len(), packed.len());
    fs::write(to, packed)?;
    Ok(())
}
