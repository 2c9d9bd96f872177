//! Parses the text of a snapshot into a tree of lines. Every text can be parsed: a line with irregular indentation
//! becomes a child of the nearest line above it. Values are not interpreted.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A line of a snapshot with the lines below it.
#[derive(Debug)]
pub(crate) struct SnapshotLine<'text> {
    /// The line without indentation and dash: `button "Save" [ref=e12]`, `row: 17 | Ann`, `/url: x`, `… 3 more rows`.
    pub(crate) content: &'text str,
    /// The lines below it, one level deeper.
    pub(crate) children: Vec<SnapshotLine<'text>>,
    fingerprint: u64,
}

impl<'text> SnapshotLine<'text> {
    /// Parses a snapshot and returns its top-level lines in order.
    pub(crate) fn parse(text: &'text str) -> Vec<Self> {
        let rows: Vec<(usize, &str)> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| (line.len() - line.trim_start().len(), line.trim_start()))
            .map(|(indent, content)| (indent, content.strip_prefix("- ").unwrap_or(content)))
            .collect();
        below(&rows)
    }

    /// Returns the identity of the line, which stays the same while the element exists: its ref or the first ref in its
    /// content; otherwise its role and name.
    pub(crate) fn key(&self) -> &'text str {
        let head = self.head();
        if let Some(reference) = reference(head).or_else(|| reference(self.content)) {
            return reference;
        }
        // The number in `… 1,993 more rows` is a value, not part of the identity.
        if self.is_mark() {
            return "…";
        }
        let named = head.rfind('"').map_or(0, |end| end + 1);
        let states = head[named..].find(" [").map_or(head.len(), |start| named + start);
        &head[..states]
    }

    /// Returns `role "name" [state] [ref=e1]`, up to the colon that ends the head.
    pub(crate) fn head(&self) -> &'text str {
        let end = head_length(self.content);
        &self.content[..end]
    }

    /// Returns the first cell of a row, which mostly identifies the row. Returns `None` for a line without cells.
    pub(crate) fn first_cell(&self) -> Option<&'text str> {
        self.content.split_once(" | ").map(|(first, _)| first)
    }

    /// True for `/url` or `/placeholder`, which are properties of the line above and not elements of the page.
    pub(crate) fn is_property(&self) -> bool {
        self.content.starts_with('/')
    }

    /// True for a line that the snapshot itself added because something was left out.
    pub(crate) fn is_mark(&self) -> bool {
        self.content.starts_with('…')
    }

    /// Returns the noun that a mark counts: `more rows` in `… 3 more rows (snapshot target=e5@6/1, or find)`.
    pub(crate) fn noun(&self) -> &'text str {
        let counted = self.content.split_once(" (").map_or(self.content, |(counted, _)| counted);
        counted.trim_start_matches(|c: char| !c.is_alphabetic())
    }

    /// Returns a hash that is equal for lines with equal content and equal children.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the number of lines, including this one.
    pub(crate) fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }
}

/// Returns the first ref in a text, without its brackets.
pub(crate) fn reference(text: &str) -> Option<&str> {
    let start = text.find("[ref=")? + "[ref=".len();
    let length = text[start..].find(']')?;
    Some(&text[start..start + length])
}

/// Builds the lines of one level; deeper lines become children of the line before them.
fn below<'text>(rows: &[(usize, &'text str)]) -> Vec<SnapshotLine<'text>> {
    let mut lines = Vec::new();
    let mut rest = rows;
    while let Some((&(indent, content), after)) = rest.split_first() {
        let deeper = after.iter().take_while(|(other, _)| *other > indent).count();
        let children = below(&after[..deeper]);
        let fingerprint = fingerprint(content, &children);
        lines.push(SnapshotLine { content, children, fingerprint });
        rest = &after[deeper..];
    }
    lines
}

fn fingerprint(content: &str, children: &[SnapshotLine<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    for child in children {
        child.fingerprint.hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns the length of the head in bytes: up to the first colon outside quotes that ends a word.
fn head_length(content: &str) -> usize {
    // A key that contains a colon is in single quotes; two single quotes inside it mean one.
    if let Some(inner) = content.strip_prefix('\'') {
        let bytes = inner.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'\'' {
                if bytes.get(at + 1) != Some(&b'\'') {
                    return at + 2;
                }
                at += 1;
            }
            at += 1;
        }
        return content.len();
    }
    let bytes = content.as_bytes();
    let mut in_name = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_name => at += 1,
            b'"' => in_name = !in_name,
            b':' if !in_name && matches!(bytes.get(at + 1), None | Some(b' ')) => return at,
            _ => {}
        }
        at += 1;
    }
    content.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> SnapshotLine<'_> {
        let mut lines = SnapshotLine::parse(text);
        assert_eq!(lines.len(), 1, "{text}");
        lines.remove(0)
    }

    #[test]
    fn a_line_is_about_its_reference() {
        assert_eq!(only("- button \"Save: all\" [disabled] [ref=e12]").key(), "e12");
        assert_eq!(only("- 'navigation \"A: it''s\" [ref=e3]': text [ref=e9]").key(), "e3");
    }

    #[test]
    fn a_line_without_one_is_about_its_role_and_name() {
        assert_eq!(only("- heading \"Orders: [new]\" [level=1]").key(), "heading \"Orders: [new]\"");
        assert_eq!(only("- paragraph: Welcome: guest").key(), "paragraph");
        assert_eq!(only("- /url: https://example.com/").key(), "/url");
        assert_eq!(only("- banner:").key(), "banner");
    }

    #[test]
    fn a_row_is_about_what_can_be_acted_on_in_it() {
        let row = only("- row: 17 | Ann | button \"Edit\" [ref=e9] | button \"Delete\" [ref=e10]");
        assert_eq!((row.key(), row.head()), ("e9", "row"));
    }

    #[test]
    fn depth_makes_a_tree() {
        let lines = SnapshotLine::parse("- main:\n  - list:\n    - link \"A\" [ref=e1]\n  - text: end\n- contentinfo");
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].children[0].children[0].key(), "e1");
        assert_eq!(lines[0].size(), 4);
    }

    #[test]
    fn irregular_indentation_nests_below_nearest_line() {
        let lines = SnapshotLine::parse("- main\n      - a\n   - b\n");
        assert_eq!(lines[0].children.iter().map(|line| line.content).collect::<Vec<_>>(), ["a", "b"]);
    }
}
