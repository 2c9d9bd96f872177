//! Preprocessor conditions that cut through declarations. Where `#if` opens a block one way and `#else` another, no
//! grammar can parse both, so all branches but one are blanked.
//!
//! Conditions whose branches are complete stay as they are, and the elements of every branch are found. Conditions are
//! not evaluated, except for the words that a language lists as never true.

use std::ops::Range;

/// A condition whose `#endif` has not been reached yet.
struct OpenCondition {
    /// The byte ranges of its directive lines.
    directives: Vec<Range<usize>>,
    branches: Vec<Branch>,
    /// The index of the branch that is kept if only one can be parsed.
    kept: usize,
}

struct Branch {
    bytes: Range<usize>,
    /// Opening braces minus closing braces.
    depth: i32,
    /// True if the branch ends in the middle of a declaration.
    is_open_ended: bool,
}

/// Returns the byte ranges of directives and branches that must be blanked before the text can be parsed.
pub(crate) fn blanked_ranges(text: &str, never: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<OpenCondition> = Vec::new();
    let mut scanner = Scanner::default();
    let mut start = 0;
    let mut is_continued = false;
    for line in text.split_inclusive('\n') {
        let bytes = start..start + line.len();
        start = bytes.end;
        let directive = line.trim_start().strip_prefix('#').filter(|_| !scanner.is_comment);
        if is_continued || directive.is_some() {
            let began = is_continued;
            is_continued = line.trim_end().ends_with('\\');
            if !began {
                step(directive.unwrap_or_default().trim(), &bytes, never, &mut open, &mut found);
            }
            continue;
        }
        let (depth, last) = scanner.read(line);
        if let Some(branch) = open.last_mut().and_then(|open| open.branches.last_mut()) {
            branch.depth += depth;
            if let Some(last) = last {
                branch.is_open_ended = !matches!(last, b';' | b'{' | b'}' | b',' | b':');
            }
        }
    }
    found
}

/// Applies one directive to the open conditions.
fn step(
    directive: &str,
    line: &Range<usize>,
    never: &[String],
    open: &mut Vec<OpenCondition>,
    found: &mut Vec<Range<usize>>,
) {
    let branch = || Branch { bytes: line.end..line.end, depth: 0, is_open_ended: false };
    if let Some(condition) = directive.strip_prefix("if") {
        let is_named = never
            .iter()
            .any(|word| condition.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word));
        let is_negated = condition.starts_with("ndef") || condition.trim_start().starts_with('!');
        open.push(OpenCondition {
            directives: vec![line.clone()],
            branches: vec![branch()],
            kept: usize::from(is_named && !is_negated),
        });
        return;
    }
    let is_end = directive.starts_with("endif");
    let Some(top) = open.last_mut().filter(|_| is_end || directive.starts_with("el")) else {
        return;
    };
    if let Some(last) = top.branches.last_mut() {
        last.bytes.end = line.start;
    }
    top.directives.push(line.clone());
    if !is_end {
        top.branches.push(branch());
        return;
    }
    let Some(closed) = open.pop() else { return };
    let is_cut = closed.branches.iter().any(|branch| branch.depth != 0 || branch.is_open_ended);
    let mut depth = closed.branches.first().map_or(0, |branch| branch.depth);
    let mut is_open_ended = false;
    if is_cut {
        // A single branch that is never true is blanked entirely.
        let kept = match closed.branches.len() {
            1 => closed.kept,
            several => closed.kept.min(several - 1),
        };
        let branch = closed.branches.get(kept);
        depth = branch.map_or(0, |branch| branch.depth);
        is_open_ended = branch.is_some_and(|branch| branch.is_open_ended);
        found.extend(closed.directives);
        let others = closed.branches.into_iter().enumerate().filter(|(at, _)| *at != kept);
        found.extend(others.map(|(_, branch)| branch.bytes));
    }
    if let Some(around) = open.last_mut().and_then(|open| open.branches.last_mut()) {
        around.depth += depth;
        around.is_open_ended = is_open_ended;
    }
}

/// A line scanner that skips comments and literals.
#[derive(Default)]
struct Scanner {
    is_comment: bool,
}

impl Scanner {
    /// Returns opening minus closing braces, and the last significant byte.
    fn read(&mut self, line: &str) -> (i32, Option<u8>) {
        let bytes = line.as_bytes();
        let mut depth = 0;
        let mut last = None;
        let mut at = 0;
        while at < bytes.len() {
            let next = bytes.get(at + 1).copied();
            if self.is_comment {
                if bytes[at] == b'*' && next == Some(b'/') {
                    self.is_comment = false;
                    at += 1;
                }
                at += 1;
                continue;
            }
            match bytes[at] {
                b'/' if next == Some(b'/') => break,
                b'/' if next == Some(b'*') => {
                    self.is_comment = true;
                    at += 1;
                }
                // A quote, but not the digit separator of `1'000`.
                quote @ (b'"' | b'\'') if quote == b'"' || at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => {
                    last = Some(quote);
                    at += 1;
                    while at < bytes.len() && bytes[at] != quote {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                }
                byte => {
                    depth += i32::from(byte == b'{') - i32::from(byte == b'}');
                    if !byte.is_ascii_whitespace() {
                        last = Some(byte);
                    }
                }
            }
            at += 1;
        }
        (depth, last)
    }
}

#[cfg(test)]
mod tests {
    use super::blanked_ranges;

    fn kept(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for range in blanked_ranges(text, &["0".to_owned(), "__cplusplus".to_owned()]) {
            bytes[range].fill(b' ');
        }
        let text = String::from_utf8(bytes).expect("whole lines");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_one_branch_is_kept_when_braces_are_cut() {
        assert_eq!(kept("#if A\nint f() {\n#elif B\nint g() {\n#else\nint h() {\n#endif\n}\n"), "int f() { }");
        assert_eq!(kept("#if 0\nint f() {\n#else\nint g() {\n#endif\n}\n"), "int g() { }");
        assert_eq!(kept("#ifdef __cplusplus\nx {\n#else\ny {\n#endif\n}\n"), "y { }");
        assert_eq!(kept("#if A\nif (a) {\n#else\n{\n#endif\n#if B\n}\n#else\n} // {\n#endif\n"), "if (a) { }");
    }

    #[test]
    fn only_one_branch_is_kept_when_a_declaration_is_cut() {
        assert_eq!(kept("#if A\nint f(int a)\n#else\nint f()\n#endif\n{\n}\n"), "int f(int a) { }");
        assert_eq!(kept("int f()\n#ifdef A\nnoexcept\n#endif\n;\n"), "int f() noexcept ;");
        assert_eq!(kept("#ifdef A\nextern \"C\" {\n#endif\n#ifdef A\n}\n#endif\n"), "extern \"C\" { }");
        assert_eq!(kept("#if __cplusplus\nextern \"C\" {\n#endif\nint f();\n"), "int f();");
    }

    #[test]
    fn complete_branches_are_unchanged() {
        for text in [
            "#if A\nint f() { return '{'; }\n#else\nint f() { /* { */ return \"{\"; } // (\n#endif\n",
            "enum a {\n#ifdef A\n  B,\n#endif\n};\n",
            "#ifndef A_H\n#define A_H {\n#include <b>\n#endif\n",
            "#endif\n#else\n#define A {\n#if\n",
        ] {
            assert!(blanked_ranges(text, &[]).is_empty(), "{text}");
        }
    }

    #[test]
    fn inner_conditions_affect_outer_branches() {
        let text = "#if A\n#if B\nint f() {\n#else\nint g() {\n#endif\n#else\nint h() {\n#endif\n}\n";
        assert_eq!(kept(text), "int f() { }");
    }
}
