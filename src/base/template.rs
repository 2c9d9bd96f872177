//! Templates: texts with placeholders.

use std::borrow::Cow;

/// Replaces each placeholder, a name between `open` and `close`, by its value, in one pass: a placeholder inside a value
/// stays as it is. A name without a value stays with its brackets.
pub fn fill<'v>(template: &str, (open, close): (&str, &str), value: impl Fn(&str) -> Option<Cow<'v, str>>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(open) {
        filled.push_str(before);
        let known = after.split_once(close).and_then(|(name, after)| Some((value(name)?, after)));
        if let Some((value, after)) = known {
            filled.push_str(&value);
            rest = after;
        } else {
            filled.push_str(open);
            rest = after;
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn placeholders_are_replaced_once_and_unknown_ones_stay() {
        let value = |name: &str| match name {
            "a" => Some("{b}".into()),
            "b" => Some("x".into()),
            _ => None,
        };
        for (template, filled) in [
            ("{a} and {b}", "{b} and x"),
            ("{\"k\": {b}}", "{\"k\": x}"),
            ("{c} {b", "{c} {b"),
            ("{{b}}", "{x}"),
            ("", ""),
        ] {
            assert_eq!(fill(template, ("{", "}"), value), filled, "{template}");
        }
        assert_eq!(fill("{{b}} {b} {{c}}", ("{{", "}}"), value), "x {b} {{c}}");
    }
}
