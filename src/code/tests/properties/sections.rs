//! Cutting a file anywhere and joining the pieces yields the file, in every encoding and with every kind of line end.

use fumi_base::encoding::decode;
use fumi_code::section::{FileSection, SectionContent, SectionCutter, SectionFormat, SectionRange};
use proptest::{collection::vec, prelude::*, test_runner::TestCaseError};

use super::{byte_of, runner, texts::texts};

const CASES: u32 = 400;

fn raw(section: FileSection) -> String {
    match section.content {
        SectionContent::One(text) => text,
        SectionContent::Lines(lines) => panic!("raw text was asked for: {lines:?}"),
    }
}

#[test]
fn pieces_of_lines_join_to_the_file() {
    let cuts = vec(0.0_f64..1.0, 0..6);
    runner(CASES)
        .run(&(texts(), cuts), |((text, written), cuts)| {
            let decoded = decode(&written.bytes(&text), written.choice());
            prop_assert!(!decoded.damaged);
            prop_assert_eq!(&decoded.text, &text);
            let sheet = SectionCutter::new("a.txt", &decoded);
            let total = text.split_inclusive('\n').count();
            prop_assert_eq!(sheet.total_lines(), total);
            let mut firsts: Vec<usize> = cuts.iter().map(|part| 1 + place(*part, total)).collect();
            firsts.push(1);
            firsts.sort_unstable();
            firsts.dedup();
            firsts.retain(|line| *line <= total);
            let mut joined = String::new();
            let mut lines = Vec::new();
            for (at, first) in firsts.iter().enumerate() {
                let last = firsts.get(at + 1).map(|next| next - 1);
                let range = SectionRange::lines(*first, last);
                let cut = |format| sheet.cut(&range, format).map_err(|error| TestCaseError::fail(error.to_string()));
                let section = cut(SectionFormat::Raw)?;
                prop_assert!(!section.is_clamped);
                prop_assert_eq!((section.start_line, section.end_line), (*first, last.unwrap_or(total)));
                joined += &raw(section);
                if let SectionContent::Lines(more) = cut(SectionFormat::Json)?.content {
                    lines.extend(more);
                }
            }
            prop_assert_eq!(&joined, &text);
            let bare: Vec<&str> = text.split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n'])).collect();
            prop_assert_eq!(lines, bare);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn pieces_of_columns_join_to_the_file() {
    let points = vec((0.0_f64..1.0, 0.0_f64..1.0), 0..6);
    runner(CASES)
        .run(&(texts(), points), |((text, written), points)| {
            let decoded = decode(&written.bytes(&text), written.choice());
            let sheet = SectionCutter::new("a.txt", &decoded);
            let widths: Vec<usize> =
                text.split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n']).chars().count()).collect();
            prop_assume!(!widths.is_empty());
            let mut points: Vec<(usize, usize)> = points
                .iter()
                .map(|(line, column)| {
                    let line = place(*line, widths.len());
                    (line + 1, place(*column, widths[line] + 1))
                })
                .collect();
            points.push((1, 0));
            points.sort_unstable();
            points.dedup();
            let mut joined = String::new();
            for (at, (line, column)) in points.iter().enumerate() {
                let next = points.get(at + 1);
                let range = SectionRange {
                    start_line: *line,
                    end_line: next.map(|(line, _)| *line),
                    start_column: Some(*column),
                    end_column: next.map(|(_, column)| *column),
                };
                let section =
                    sheet.cut(&range, SectionFormat::Raw).map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert!(!section.is_clamped);
                let place = |(line, column): (usize, usize)| byte_of(&text, line, column);
                let wanted = place((*line, *column)).zip(next.map_or(Some(text.len()), |next| place(*next)));
                let piece = raw(section);
                prop_assert_eq!(Some(piece.as_str()), wanted.and_then(|(start, end)| text.get(start..end)));
                joined += &piece;
            }
            prop_assert_eq!(joined, text);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Scales a fraction to a number below `count`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parts of small numbers")]
fn place(part: f64, count: usize) -> usize {
    (part * count as f64) as usize
}
