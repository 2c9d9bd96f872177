//! Tests of the planner: needs of typical queries, and that every matching text meets its need.

use std::collections::BTreeSet;

use grep_matcher::Matcher;
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    string::string_regex,
    test_runner::{Config, RngSeed, TestRunner},
};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::{Need, trigrams_in};
use crate::{
    index::trigrams::{Trigram, fold},
    text_query::{CaseSensitivity, MatchEngine, QuerySyntax, TextQuery, TextQueryOptions},
};

/// Returns the trigrams of a text, as the index has them.
fn trigrams(text: &str) -> BTreeSet<Trigram> {
    let mut folded = Vec::new();
    fold(text.as_bytes(), &mut folded);
    Trigram::of_folded(&folded).collect()
}

fn is_met(need: &Need, by: &BTreeSet<Trigram>) -> bool {
    match need {
        Need::Anything => true,
        Need::All(grams, parts) => {
            grams.iter().all(|gram| by.contains(gram)) && parts.iter().all(|part| is_met(part, by))
        }
        Need::Any(parts) => parts.iter().any(|part| is_met(part, by)),
    }
}

/// Returns a need as text: `abc bcd (efg | hij)`.
fn shown(need: &Need) -> String {
    match need {
        Need::Anything => "anything".to_owned(),
        Need::All(grams, parts) => {
            let grams = grams.iter().map(|gram| gram.bytes().escape_ascii().to_string().replace(' ', "_"));
            grams.chain(parts.iter().map(shown)).collect::<Vec<_>>().join(" ")
        }
        Need::Any(parts) => format!("({})", parts.iter().map(shown).collect::<Vec<_>>().join(" | ")),
    }
}

fn is_match(query: &TextQuery, text: &str) -> bool {
    match &query.engine {
        MatchEngine::Rust(matcher) => matcher.is_match(text.as_bytes()).expect("never fails"),
        MatchEngine::Pcre2(matcher) => matcher.is_match(text.as_bytes()).expect("a short text"),
    }
}

/// Queries with smart case, and their needs: trigrams, `_` for a space, and `(this | or that)`.
#[rustfmt::skip]
const QUERIES: &[(&str, &str)] = &[
    ("needle", "dle edl eed nee"),
    ("Needle", "dle edl eed nee"),
    ("id", "anything"),
    ("foo|bar", "(bar | foo)"),
    ("foo|ba", "anything"),
    ("foo|bar|bazqux", "(azq baz qux zqu | bar | foo)"),
    ("(read|write)_exact", "_ex act exa xac (ad_ d_e ead rea | e_e ite rit te_ wri)"),
    ("utf-?8", "utf (f-8 tf- | tf8)"),
    ("impl.*Iterator for", "_fo ato era for imp ite mpl or_ r_f rat ter tor"),
    ("fn \\w+\\(", "fn_"),
    ("pub(\\(crate\\))? fn", "_fn pub ((cr )_f ate b(c cra e)_ rat te) ub( | b_f ub_)"),
    ("Result<\\(\\), .*Error>", "(), ),_ <() err esu lt< or> res ror rro sul t<( ult"),
    ("#\\[cfg\\(feature = \"\\w+\"\\)\\]", "_=_ \\\")] #[c (fe =_\\\" [cf atu cfg e_= eat fea fg( g(f re_ tur ure"),
    ("unsafe impl (Send|Sync)", "_im afe e_i fe_ imp l_s mpl nsa pl_ saf uns (_se end sen | _sy syn ync)"),
    ("deprecated.*since", "ate cat dep eca epr inc nce pre rec sin ted"),
    ("\\.await\\?", ".aw ait awa it? wai"),
    ("TODO|FIXME|XXX", "(fix ixm xme | odo tod | xxx)"),
    ("0x[0-9a-f]{8}", "anything"),
    ("[a-z]{12}\\(\\d", "anything"),
    ("日本語", "\\x97\\xa5\\xe6 \\x9c\\xac\\xe8 \\xa5\\xe6\\x9c \\xac\\xe8\\xaa \\xe6\\x97\\xa5 \\xe6\\x9c\\xac \\xe8\\xaa\\x9e"),
    ("日", "\\xe6\\x97\\xa5"),
    ("です。|ます。", "\\x81\\x99\\xe3 \\x99\\xe3\\x80 \\xe3\\x80\\x82 \\xe3\\x81\\x99 (\\x81\\xa7\\xe3 \\xa7\\xe3\\x81 \\xe3\\x81\\xa7 | \\x81\\xbe\\xe3 \\xbe\\xe3\\x81 \\xe3\\x81\\xbe)"),
    ("é", "anything"),
    ("café", "af\\xc3 caf (f\\xc3\\x89 | f\\xc3\\xa9)"),
    ("Café", "af\\xc3 caf f\\xc3\\xa9"),
    ("ÉTÉ", "t\\xc3\\x89 \\x89t\\xc3 \\xc3\\x89t"),
    ("ne+dle", "dle edl"),
    ("(ab)+c", "abc"),
    ("(abc)+def", "abc bcd cde def"),
    ("x{3}y", "xxx xxy"),
    ("(ab){2,}cd", "aba abc bab bcd"),
    ("a{5}", "aaa"),
    ("(foo|bar)+baz", "baz (bar | foo) (arb bar rba | foo oba oob)"),
    ("foo.*", "foo"),
    ("foo(bar)*baz", "baz foo"),
    ("(foo.*|bar)baz", "baz (bar | foo)"),
    ("(?:foo\\d+|bar\\d+)", "(bar | foo)"),
    ("(foo.*|b)baz", "baz"),
    ("^foo$", "foo"),
    ("\\bfoo\\b", "foo"),
    ("[abc]needle", "dle edl eed nee (ane | bne | cne)"),
    ("[a-z]needle", "dle edl eed nee"),
    ("gr[ae]y", "(gra ray | gre rey)"),
    ("[[:digit:]]foo", "foo"),
    ("colou?r", "col olo (lor | lou our)"),
    ("a?b?c?def", "def"),
    ("", "anything"),
    (".", "anything"),
    ("x*", "anything"),
    ("fn main\\(\\) \\{\\n\\s*let", "_ma ()_ )_{ ain fn_ in( let mai n_m n()"),
    ("foo\\r?\\nbar", "bar foo"),
    ("foo\\nbarbaz", "arb bar baz foo rba"),
    ("(?i)kelvin", "elv kel lvi vin"),
    ("(?-u:\\xFF)abc", "abc"),
    ("abc(?-u:\\xE9)def", "abc def"),
    ("[a-f--A-C]oo", "(aoo | boo | coo | doo | eoo | foo)"),
    ("(?s)foo.bar", "bar foo"),
    ("(?x) foo \\ bar # note\n", "_ba bar foo o_b oo_"),
    ("a{2}b{2}c", "aab abb bbc"),
    ("[^\\x00-\\x{10FFFF}]foo", "foo"),
    ("std::io::Error", "::e ::i :er :io d:: err io: o:: ror rro std td:"),
    ("needle(", "anything"),
    ("aaaa", "aaa"),
];

#[test]
fn needs_of_typical_queries() {
    let mut differing = Vec::new();
    for (query, expected) in QUERIES {
        let need = shown(&Need::new(&TextQueryOptions::new(*query)));
        if need != *expected {
            differing.push(format!("({query:?}, {need:?}),"));
        }
    }
    assert!(differing.is_empty(), "\n{}", differing.join("\n"));
}

#[test]
fn a_need_is_bounded_however_large_the_query_is() {
    let nested = format!("{}x?y{}", "(a|b".repeat(240), ")c*".repeat(240));
    let many: Vec<String> = (0..20_000).map(|number| format!("word{number}")).collect();
    for query in [
        "long literal ".repeat(20_000),
        nested,
        many.join("|"),
        many.join(".*"),
        format!("({})+", many[..300].join("|")),
        "[éà]".repeat(500),
        "(foo|bar|baz)?".repeat(100),
        "(abc){1000}".to_owned(),
    ] {
        let need = Need::new(&TextQueryOptions::new(&query));
        assert!(trigrams_in(&need) <= super::MOST_TRIGRAMS, "{} trigrams", trigrams_in(&need));
    }
}

/// Every character that a search without case takes for another one is in the need of that one.
#[test]
fn needs_allow_for_every_case_of_every_letter() {
    let mut letters = 0;
    for c in '\0'..=char::MAX {
        let cases = cases_of(c);
        if cases.len() < 2 {
            continue;
        }
        letters += 1;
        let options =
            TextQueryOptions { case: CaseSensitivity::Insensitive, ..TextQueryOptions::new(format!("xy{c}yx")) };
        let need = Need::new(&options);
        assert_ne!(need, Need::Anything);
        for case in cases {
            assert!(is_met(&need, &trigrams(&format!("xy{case}yx"))), "{c:?} as {case:?}: {}", shown(&need));
        }
        let literal = Need::new(&TextQueryOptions { syntax: QuerySyntax::Pcre2Literal, ..options });
        assert!(is_met(&literal, &trigrams("xyyx xykyx xysyx")) || c.is_ascii(), "{c:?}: {}", shown(&literal));
    }
    assert!(letters > 2_500, "only {letters} letters");
}

fn cases_of(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect()
}

fn expressions() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "foo",
        "Bar",
        "needle",
        "k",
        "s",
        "é",
        "É",
        "日本",
        "\u{17F}",
        "\u{212A}",
        "ß",
        "1",
        "_",
        " ",
        r"\n",
        ".",
        r"\w",
        r"\d",
        "[abc]",
        "[^a]",
        "[a-f--A-C]",
        "[a-e&&[^B-D]]",
        "[a-zA-Z&&[^A-Z]]",
        r"[^\x00-\x60b-\x{10FFFF}]",
        r"\p{Lu}",
        "[éà]",
        "[k-s]",
        "(?i:xk)",
        "(?-i:Qs)",
        r"(?-u:\xC3\xA9)",
        r"(?-u:[a-c])",
        "",
        r"\pL",
        r"\x41",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        let repetition = select(vec!["?", "*", "+", "{2}", "{0,3}", "{2,5}", "{5}", "+?"]);
        prop_oneof![
            5 => vec(inner.clone(), 2..5).prop_map(|parts| parts.concat()),
            2 => vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => inner.clone().prop_map(|part| format!("({part})")),
            2 => (inner, repetition).prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

/// Random expressions, each with texts that match it: the trigrams of a text that the matcher accepts meet the need.
#[test]
fn every_matching_text_meets_the_need() {
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, rng_seed: RngSeed::Fixed(22), ..Config::default() });
    let cases = select(vec![CaseSensitivity::Smart, CaseSensitivity::Insensitive, CaseSensitivity::Sensitive]);
    let around = select(vec!["", "x", "foo", "\n", " ", "日"]);
    let (mut matched, mut needy) = (0, 0);
    for _ in 0..3_000 {
        let mut draw = |strategy: BoxedStrategy<String>| strategy.new_tree(&mut runner).map(|tree| tree.current());
        let expression = draw(expressions().boxed()).expect("a strategy");
        let Ok(texts) = string_regex(&expression) else {
            continue;
        };
        let texts = texts.boxed();
        let options = TextQueryOptions {
            case: cases.new_tree(&mut runner).expect("a strategy").current(),
            multiline: true,
            ..TextQueryOptions::new(if expression.is_empty() { "x" } else { &expression })
        };
        let query = TextQuery::new(&options).expect("valid");
        needy += usize::from(query.need != Need::Anything);
        for _ in 0..4 {
            let text = texts.new_tree(&mut runner).expect("a strategy").current();
            let numbers = vec(0_usize..8, 16).new_tree(&mut runner).expect("a strategy").current();
            // In another case, which may match or not.
            let changed: String = text
                .chars()
                .zip(numbers.iter().cycle())
                .map(|(c, number)| {
                    let cases = cases_of(c);
                    *cases.get(*number).unwrap_or(&c)
                })
                .collect();
            let [before, after] = [(); 2].map(|()| around.new_tree(&mut runner).expect("a strategy").current());
            for text in [text, changed] {
                let text = format!("{before}{text}{after}");
                if is_match(&query, &text) {
                    matched += 1;
                    assert!(
                        is_met(&query.need, &trigrams(&text)),
                        "{expression:?} ({:?}) matches {text:?}, and needs {}",
                        options.case,
                        shown(&query.need)
                    );
                }
            }
        }
    }
    assert!(matched > 10_000 && needy > 750, "{matched} matches, {needy} needs");
}
