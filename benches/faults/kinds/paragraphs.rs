//! Faults at the edges of paragraphs: trailing spaces and missing indents.

use fumi_novel::checks::CheckMaterial;

use super::{Change, Fault, is_letter};

/// Spaces at the end of a line.
pub(super) fn trailing_space(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let source = clean.manuscript().source();
    let lines = clean
        .paragraphs()
        .filter(|prose| !source[prose.source.clone()].ends_with(char::is_whitespace));
    lines
        .flat_map(|prose| ["　", " ", "  "].map(|space| Fault::replaced(prose.source.end..prose.source.end, space)))
        .collect()
}

/// Paragraphs of narration without their indent, one after another as in a pasted passage; as many as make a mixture by
/// the manual page, which is more than one in twenty.
pub(super) fn missing_indent(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let source = clean.manuscript().source();
    let (mut heads, mut indented) = (Vec::new(), 0);
    for prose in clean.paragraphs() {
        let line = &source[prose.source.clone()];
        match line.strip_prefix('　') {
            Some(rest) => {
                indented += 1;
                if let Some(first) = rest.chars().next().filter(|c| is_letter(*c)) {
                    heads.push((prose.source.start, first.len_utf8()));
                }
            }
            // Another convention, or none.
            None if line.starts_with(is_letter) => return Vec::new(),
            None => {}
        }
    }
    let forgotten = indented / 20 + 1;
    if heads.len() < forgotten.max(5) {
        return Vec::new();
    }
    let indent = '　'.len_utf8();
    let fault = |heads: &[(usize, usize)]| {
        let mut fault = Fault {
            changes: Vec::new(),
            expected: Vec::new(),
        };
        for (at, first) in heads {
            let moved = at - fault.changes.len() * indent;
            fault.changes.push(Change {
                range: *at..at + indent,
                text: String::new(),
            });
            fault.expected.push(moved..moved + first);
        }
        fault
    };
    heads.windows(forgotten).map(fault).collect()
}
