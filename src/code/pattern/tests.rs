//! Tests of patterns: what they match in each language, and which of them are rejected.

use std::fmt::Write as _;

use tokio_util::sync::CancellationToken;

use super::CodePattern;
use crate::{errors::structure::StructureError, languages, parse::tests::parsed};

fn find(path: &str, text: &str, pattern: &str) -> Vec<String> {
    let parsed = parsed(path, text);
    let pattern = CodePattern::compile(pattern, parsed.source.language).expect("a pattern");
    let hits = pattern.find(&parsed, &CancellationToken::new()).expect("hits");
    assert!(!hits.is_incomplete);
    hits.list
        .into_iter()
        .map(|hit| {
            let text = &parsed.source.text[hit.start_byte..hit.end_byte];
            let captures: Vec<String> = hit.captures.iter().map(|(name, text)| format!("{name}={text}")).collect();
            format!("{text} {}", captures.join(" ")).trim_end().to_owned()
        })
        .collect()
}

fn invalid_pattern(language: &str, pattern: &str) -> (usize, usize, String) {
    let language = languages::by_name(language).expect("known");
    match CodePattern::compile(pattern, language) {
        Err(StructureError::InvalidPattern { fault }) => (fault.line, fault.column, fault.hint.en.into_owned()),
        other => panic!("{pattern}: {other:?}"),
    }
}

#[test]
fn variables_match_nodes_regardless_of_layout() {
    let python = "print(a)\nprint( b , 2)\nlog.print(c)\nprint()\n";
    assert_eq!(find("a.py", python, "print($A)"), ["print(a) A=a"]);
    assert_eq!(
        find("a.py", python, "print($$$ARGS)"),
        ["print(a) ARGS=a", "print( b , 2) ARGS=b , 2", "print() ARGS="]
    );
    assert_eq!(find("a.py", python, "$X.print($_)"), ["log.print(c) X=log"]);
    let python = "if a == a:\n    pass\nif a == b:\n    pass\n";
    assert_eq!(find("a.py", python, "$A == $A"), ["a == a A=a"]);
}

#[test]
fn definitions_and_statements_are_patterns_too() {
    let python = "def f(x):\n    return x\n\nclass A(B):\n    def g(self):\n        return None\n";
    assert_eq!(find("a.py", python, "return $X"), ["return x X=x", "return None X=None"]);
    assert_eq!(find("a.py", python, "def $F($$$):\n    return $X").len(), 2);
    assert_eq!(find("a.py", python, "class $C($B): $$$BODY").len(), 1);
    let java = "class A { void f() { list.add(1); other(2); } }";
    assert_eq!(find("A.java", java, "$O.add($X)"), ["list.add(1) O=list X=1"]);
    let script = "const a = useState(0); el.addEventListener('click', () => go());";
    assert_eq!(find("a.js", script, "const $V = useState($I)"), ["const a = useState(0); I=0 V=a"]);
    assert_eq!(find("a.ts", script, "$E.addEventListener($N, $F)").len(), 1);
    assert_eq!(find("a.css", "a { color: red; margin: 0 }", "color: $C"), ["color: red; C=red"]);
}

#[test]
fn patterns_match_in_the_arguments_of_macros() {
    let rust = "fn f() {\n    assert_eq!(g(1), 2);\n    println!(\"{} {a}\", g(x), a = h![g(y)]);\n    let v = vec![g(2); 3];\n    \
                json!({\"a\": g(3)});\n    matches!(g(4), Some(_) if true);\n    cfg! { fn k() { g(5) } }\n    g(6);\n}\n";
    let calls = ["g(1)", "g(x)", "g(y)", "g(2)", "g(4)", "g(5)", "g(6)"];
    assert_eq!(find("a.rs", rust, "g($$$)"), calls);
    assert_eq!(find("a.rs", rust, "fn $F() { $$$ }").len(), 2);
    // The arguments themselves are neither a tuple nor an array, and a name is found once.
    assert_eq!(find("a.rs", "fn f() { p!(a, b); q![a, b] }", "($A, $B)"), Vec::<String>::new());
    assert_eq!(find("a.rs", "fn f() { p!(abc, b) }", "abc"), ["abc"]);
    // Eight levels are parsed.
    let nested = |levels| format!("fn f() {{ {}g(1){} }}", "m!(".repeat(levels), ")".repeat(levels));
    assert_eq!([7, 9].map(|levels| find("a.rs", &nested(levels), "g($A)").len()), [1, 0]);
}

/// The path of a file, its text with the only match between «», and the pattern.
const EVERY: [(&str, &str, &str); 18] = [
    ("a.py", "«o.get(1)»", "$O.get($K)"),
    ("a.java", "class A { void f() { «o.get(1)»; } }", "$O.get($K)"),
    ("a.js", "function f() { «o.get(1)»; }", "$O.get($K)"),
    ("a.ts", "function f(): void { «o.get(1)»; }", "$O.get($K)"),
    ("a.tsx", "const a = <b>{«o.get(1)»}</b>;", "$O.get($K)"),
    ("a.css", "a { «color: red» }", "color: $C"),
    ("a.rs", "fn f() { «x.unwrap()»; }", "$A.unwrap()"),
    ("a.go", "package p\nfunc f() { «fmt.Println(1, 2)» }\n", "fmt.Println($$$A)"),
    ("a.c", "void f(int *p) { «free(p)»; }\n", "free($P)"),
    ("a.cpp", "void f() { «v.push_back(1)»; }\n", "$V.push_back($X)"),
    ("a.cs", "class A { void F() { «Console.WriteLine(1)»; } }", "Console.WriteLine($X)"),
    ("a.php", "<?php\n«$o->get(1)»;\n", "$O->get($K)"),
    ("a.rb", "def f\n  «raise E»\nend\n", "raise $E"),
    ("a.kt", "fun f() { «println(1)» }\n", "println($X)"),
    ("a.swift", "func f() { «print(1)» }\n", "print($X)"),
    ("a.scala", "object A { def f() = { «println(1)» } }\n", "println($X)"),
    ("a.sh", "f() { «rm a»; }\n", "rm $X"),
    ("a.lua", "function f() «print(1)» end\n", "print($X)"),
];

#[test]
fn arguments_include_a_generator_of_python() {
    let text = "a = any(c for c in s)\nb = any([1])\nc = any(x, y)\nd = any()\n";
    assert_eq!(find("a.py", text, "any($$$A)").len(), 4);
    assert_eq!(find("a.py", text, "any($A)").len(), 1);
    assert_eq!(find("a.py", text, "$F($$$A)").len(), 4);
}

#[test]
fn every_programming_language_supports_patterns() {
    let mut wrong = String::new();
    for (path, marked, pattern) in EVERY {
        let text = marked.replace(['«', '»'], "");
        let wanted = marked.split(['«', '»']).nth(1).unwrap_or_default();
        let parsed = parsed(path, &text);
        let hits = CodePattern::compile(pattern, parsed.source.language)
            .and_then(|pattern| pattern.find(&parsed, &CancellationToken::new()));
        let found: Vec<&str> =
            hits.iter().flat_map(|hits| &hits.list).map(|hit| &text[hit.start_byte..hit.end_byte]).collect();
        if found != [wanted] {
            let _ = writeln!(wrong, "{path}: {pattern}: {hits:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn invalid_patterns_are_rejected_with_position() {
    let (line, column, hint) = invalid_pattern("python", "foo($A,\n  bar(");
    assert!(line >= 1 && hint.contains("$$$NAME"), "{line}:{column} {hint}");
    assert!(invalid_pattern("python", "$A").2.contains("around it"));
    assert!(invalid_pattern("python", "a = 1\nb = 2").2.contains("one by one"));
    assert!(invalid_pattern("javascript", "function (").2.contains("one complete"));
    assert!(invalid_pattern("python", "").2.contains("one"));
}

#[test]
fn too_costly_patterns_are_rejected() {
    let nested = |inner: &str, times: usize| format!("{}1{}", inner.repeat(times), ")".repeat(times));
    for pattern in [nested("(", 20_000), nested("f(", 300), nested("f($$$, ", 30), "f(1); ".repeat(20_000)] {
        assert!(invalid_pattern("python", &pattern).2.contains("$_, which"), "{pattern:.40}");
    }
    assert_eq!(find("a.py", "f(0, f(0, 1))\n", &nested("f($$$, ", 2)).len(), 1);
    // A text that makes the scanner of Kotlin loop in a file does so in a pattern.
    invalid_pattern("kotlin", "class $A\n@B");
}

#[test]
fn oversized_nodes_are_skipped_and_reported() {
    let deep = format!("{0}1{1} + {0}1{1}\na + a\n", "(".repeat(30_000), ")".repeat(30_000));
    let wide = format!("[{0}5, {0}]\n[1, 5, 1, 7]\n", "1, ".repeat(16_000));
    for (text, pattern, found) in [(deep, "$A + $A", "a + a"), (wide, "[$$$A, 5, $$$B, 7]", "[1, 5, 1, 7]")] {
        let parsed = parsed("a.py", &text);
        let pattern = CodePattern::compile(pattern, parsed.source.language).expect("a pattern");
        let hits = pattern.find(&parsed, &CancellationToken::new()).expect("hits");
        let texts: Vec<&str> = hits.list.iter().map(|hit| &text[hit.start_byte..hit.end_byte]).collect();
        assert_eq!((texts, hits.is_incomplete), (vec![found], true));
    }
}

#[test]
fn a_cancelled_comparison_returns_nothing() {
    let parsed = parsed("a.py", &"f(1)\n".repeat(5_000));
    let pattern = CodePattern::compile("f($A)", parsed.source.language).expect("a pattern");
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(pattern.find(&parsed, &cancel), Err(StructureError::Cancelled));
}
