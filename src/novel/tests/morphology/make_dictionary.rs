//! Makes `assets/ipadic.zst`, the dictionary of the morphology, from the sources of IPADIC.
//!
//! `cargo run --release -p fumi-novel --example make_dictionary -- src/novel/assets/ipadic.zst`, with the Debian package
//! mecab-ipadic 2.7.0-20070801+main-3 installed. The same sources give the same bytes.

#![allow(
    clippy::print_stdout,
    reason = "a program for whoever renews the dictionary: it writes what its argument names"
)]

mod entries;
mod ipadic;

use std::{error::Error, fs, io::Write as _, path::Path};

/// Slow and once.
const LEVEL: i32 = 19;

/// Whoever unpacks it keeps so many bytes of what is behind, as a power of two. The 8 MB that the level would choose make the
/// file no smaller.
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
    println!(
        "{kept} entries, {dropped} proper nouns left out; {} bytes, packed {}",
        plain.len(),
        packed.len()
    );
    fs::write(to, packed)?;
    Ok(())
}
