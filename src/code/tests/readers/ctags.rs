//! Comparison with universal-ctags over real sources of languages without their own reader here: the same definitions,
//! of the same kind, on a line of the element. The sources are those that `./test` fetched; none are part of the
//! repository.
//!
//! A sanity check, not a check of every fact: ctags reports neither ends nor visibility, and the table lists what it
//! misreads.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::OsStr,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use fumi_code::{
    elements::{CodeElement, ElementKind, ElementList},
    extract::extract,
    parse::parse,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::source;

/// A language with ctags' and fumi's names for its definitions.
struct Check {
    /// The name of the language in ctags.
    language: &'static str,
    /// Returns the source files in the folders that `./test` filled.
    sources: fn() -> Vec<PathBuf>,
    extensions: &'static [&'static str],
    /// The kinds of ctags with our possible kinds. Unlisted kinds are not compared.
    kinds: &'static [(&'static str, &'static [ElementKind])],
    /// True if a tag's line must be the first of its element, not just one of its lines.
    is_first_line: bool,
    /// True if a tag names an element that has another name; the line is that of the tag.
    is_named: fn(&Tag, &CodeElement, &str) -> bool,
    /// True if ctags can read the file at all.
    is_readable: fn(&ElementList, &str) -> bool,
    /// True for a known difference, with a reason in the function.
    is_expected: fn(&Difference<'_>) -> bool,
    /// The number of files read, an even sample of all.
    files: usize,
    at_least_files: usize,
    /// The minimum number of definitions compared.
    at_least_compared: usize,
    /// The maximum number of tags in a thousand that fumi may lack.
    missing_per_thousand: usize,
}

/// A definition that only one of the two reports; the text is that of the file.
enum Difference<'d> {
    Theirs(&'d ElementList, &'d Tag, &'d str),
    Ours(&'d ElementList, usize, &'d str),
}

struct Tag {
    kind: String,
    name: String,
    line: usize,
}

const GO: Check = Check {
    language: "Go",
    sources: || vec![cache().join("sources/go")],
    extensions: &["go"],
    kinds: &[
        ("package", &[ElementKind::Package]),
        ("func", &[ElementKind::Function, ElementKind::Method]),
        ("methodSpec", &[ElementKind::Method]),
        ("struct", &[ElementKind::Struct]),
        ("interface", &[ElementKind::Interface]),
        ("type", &[ElementKind::Type]),
        ("talias", &[ElementKind::Type]),
        ("const", &[ElementKind::Constant]),
        ("var", &[ElementKind::Variable, ElementKind::Function]),
        ("member", &[ElementKind::Field]),
        ("anonMember", &[ElementKind::Field]),
    ],
    is_first_line: true,
    is_named: |_, _, _| false,
    is_readable: |elements, text| {
        // Before version 6, ctags does not support type parameters and loses its position after them, also after type
        // arguments.
        let is_generic = |element: &CodeElement| element.code().is_some_and(|code| code.type_params.is_some());
        !elements.list.iter().any(is_generic) && !text.contains("](")
    },
    is_expected: go_differs,
    files: 600,
    at_least_files: 100,
    at_least_compared: 10_000,
    missing_per_thousand: 0,
};

const RUBY: Check = Check {
    language: "Ruby",
    sources: ruby_library,
    extensions: &["rb"],
    kinds: &[
        ("class", &[ElementKind::Class, ElementKind::Struct, ElementKind::Record]),
        ("module", &[ElementKind::Module]),
        ("method", &[ElementKind::Function, ElementKind::Method, ElementKind::Constructor]),
        ("singletonMethod", &[ElementKind::Method, ElementKind::Constructor]),
        ("alias", &[ElementKind::Function, ElementKind::Method]),
        ("accessor", &[ElementKind::Field]),
        (
            "constant",
            &[ElementKind::Constant, ElementKind::Class, ElementKind::Struct, ElementKind::Record, ElementKind::Module],
        ),
    ],
    is_first_line: true,
    is_named: |tag, element, line| match tag.kind.as_str() {
        // ctags cuts `alias a? b` before the sign, and may use the object of a method as its name.
        "alias" => last(&element.name).trim_end_matches(['?', '!', '=']) == tag.name,
        "singletonMethod" => line.starts_with(&format!("def {}.", tag.name)),
        _ => false,
    },
    is_readable: |_, text| {
        // ctags reads the text of here-documents, and other code in strings, as code.
        let starts = ["<<-", "<<~", "<<'", "<<\"", "_eval \"", "_eval %"];
        !starts.iter().any(|start| text.contains(start))
    },
    is_expected: ruby_differs,
    files: 1_000,
    at_least_files: 100,
    at_least_compared: 5_000,
    missing_per_thousand: 0,
};

fn ruby_differs(difference: &Difference<'_>) -> bool {
    match difference {
        Difference::Theirs(_, tag, text) => {
            let line = line(text, tag.line);
            match tag.kind.as_str() {
                // A global variable, a name known only at run time, a word in a list of words.
                "alias" => tag.name.starts_with('$') || tag.name.contains("#{") || tag.name == "and",
                "method" => tag.name == "defined?",
                // `A == b`, `A => b`, `A =~ b` are not assignments.
                "constant" => {
                    let after = line.split_once(&tag.name).map_or("", |(_, after)| after).trim_start();
                    ["==", "=>", "=~"].iter().any(|sign| after.starts_with(sign))
                }
                _ => false,
            }
        }
        // ctags reads only the start of a line: no second definition on a line, no definition by a call, no owner
        // before a name.
        Difference::Ours(elements, at, text) => {
            let element = &elements.list[*at];
            let (line, name) = (line(text, element.span.start_line), last(&element.name));
            match element.kind {
                ElementKind::Field => {
                    let is_list = line.starts_with("attr_") && line.contains(&format!(":{name}"));
                    !is_list || line.contains('(')
                }
                ElementKind::Constant | ElementKind::Struct => {
                    let after = line.strip_prefix(name).unwrap_or_default().trim_start();
                    !after.starts_with('=') || after.starts_with("= if")
                }
                _ => {
                    let is_sign = !name.starts_with(|first: char| first.is_alphabetic() || first == '_');
                    let is_plain = line.starts_with("def ") && !line.starts_with("def @");
                    !is_plain && (is_sign || !line.starts_with("alias"))
                }
            }
        }
    }
}

/// Returns the library of the system's Ruby.
fn ruby_library() -> Vec<PathBuf> {
    let said = Command::new("ruby")
        .args(["-e", "print RbConfig::CONFIG['rubylibdir']"])
        .output()
        .expect("ruby is needed for its library; install it");
    vec![PathBuf::from(String::from_utf8_lossy(&said.stdout).into_owned())]
}

const PHP: Check = Check {
    language: "PHP",
    sources: || vec![cache().join("sources/php")],
    extensions: &["php"],
    kinds: &[
        ("namespace", &[ElementKind::Namespace, ElementKind::Package]),
        ("class", &[ElementKind::Class]),
        ("interface", &[ElementKind::Interface]),
        ("trait", &[ElementKind::Trait]),
        ("function", &[ElementKind::Function, ElementKind::Method, ElementKind::Constructor]),
        ("define", &[ElementKind::Constant, ElementKind::Field]),
        ("variable", &[ElementKind::Field]),
    ],
    // An attribute before it is part of an element.
    is_first_line: false,
    is_named: |_, _, _| false,
    is_readable: |_, _| true,
    is_expected: php_differs,
    files: 1_000,
    at_least_files: 100,
    at_least_compared: 5_000,
    missing_per_thousand: 0,
};

fn php_differs(difference: &Difference<'_>) -> bool {
    match difference {
        // ctags may report a variable of a function as a property.
        Difference::Theirs(elements, tag, _) => {
            let around = around(elements, tag.line);
            tag.kind == "variable" && !around.is_some_and(|around| around.kind.is_class_like())
        }
        // ctags supports neither parameters that are fields, nor functions as values, nor the unnamed namespace.
        Difference::Ours(elements, at, _) => {
            let element = &elements.list[*at];
            let has = |modifier| element.code().is_some_and(|code| code.has_modifier(modifier));
            has("parameter") || has("lambda") || element.name == "<global>"
        }
    }
}

const C: Check = Check {
    language: "C",
    sources: || vec![cache().join("npm/@discordjs/opus")],
    extensions: &["c", "h"],
    kinds: &[
        ("function", &[ElementKind::Function]),
        ("prototype", &[ElementKind::Function]),
        ("struct", &[ElementKind::Struct]),
        ("union", &[ElementKind::Union]),
        ("enum", &[ElementKind::Enum]),
        ("enumerator", &[ElementKind::EnumMember]),
        ("member", &[ElementKind::Field]),
        ("typedef", &[ElementKind::Type, ElementKind::Struct, ElementKind::Union, ElementKind::Enum]),
        ("variable", &[ElementKind::Variable, ElementKind::Constant]),
        ("externvar", &[ElementKind::Variable, ElementKind::Constant]),
        ("macro", &[ElementKind::Macro, ElementKind::Constant]),
    ],
    // The name of a type is on the last line of its structure.
    is_first_line: false,
    is_named: |_, _, _| false,
    // Headers may be C++.
    is_readable: |_, text| !text.contains("\nclass "),
    is_expected: c_differs,
    files: 1_000,
    at_least_files: 100,
    at_least_compared: 4_000,
    // A macro before or after a type looks like the type or the name: `ALIGN int x`, `int *RESTRICT x`.
    missing_per_thousand: 2,
};

fn c_differs(difference: &Difference<'_>) -> bool {
    match difference {
        // An unnamed structure gets the name of its type here, and an invented one in ctags; the type of a local
        // variable is not an element here.
        Difference::Theirs(elements, tag, _) => {
            let around = around(elements, tag.line);
            tag.name.starts_with("__anon")
                || tag.kind == "member" && around.is_some_and(|around| around.kind.is_callable())
        }
        // ctags reads one branch of `#if`, fumi all.
        Difference::Ours(..) => true,
    }
}

/// Returns the innermost class or function around a line.
fn around(elements: &ElementList, line: usize) -> Option<&CodeElement> {
    let is_around = |element: &&CodeElement| {
        (element.kind.is_class_like() || element.kind.is_callable())
            && (element.span.start_line..=element.span.end_line).contains(&line)
    };
    elements.list.iter().rfind(is_around)
}

fn go_differs(difference: &Difference<'_>) -> bool {
    match difference {
        // A blank identifier defines nothing, and a value continued on the next line defines no constants.
        Difference::Theirs(_, tag, text) => {
            let before = line(text, tag.line - 1);
            tag.kind == "const" && (tag.name == "_" || before.ends_with(['|', '+', '&', '-', '*', '=']))
        }
        // ctags reads neither the bodies of functions nor unnamed structs.
        Difference::Ours(elements, at, _) => {
            let mut around = elements.list[*at].parent.map(|parent| &elements.list[parent]);
            while let Some(element) = around {
                if element.kind.is_callable() || element.kind == ElementKind::Field {
                    return true;
                }
                around = element.parent.map(|parent| &elements.list[parent]);
            }
            false
        }
    }
}

#[test]
#[ignore = "needs ctags"]
fn go_definitions_match_ctags() {
    check(&GO);
}

#[test]
#[ignore = "needs ctags"]
fn ruby_definitions_match_ctags() {
    check(&RUBY);
}

#[test]
#[ignore = "needs ctags"]
fn php_definitions_match_ctags() {
    check(&PHP);
}

#[test]
#[ignore = "needs ctags"]
fn c_definitions_match_ctags() {
    check(&C);
}

fn check(check: &Check) {
    let files = files(check);
    let theirs = tags(check, &files);
    let (mut differences, mut compared, mut missing) = (String::new(), 0, 0);
    for file in &files {
        let tags = theirs.get(file).map_or(&[][..], Vec::as_slice);
        let before = differences.len();
        compared += compare(check, file, tags, &mut differences);
        missing += differences[before..].matches(": ctags alone has ").count();
    }
    let is_allowed =
        missing * 1_000 <= check.missing_per_thousand * compared && !differences.contains(": fumi alone has ");
    assert!(is_allowed, "{missing} of {compared} tags are missing:\n{differences}");
    assert!(compared > check.at_least_compared, "only {compared} definitions were compared");
}

/// Compares the tags of the listed kinds and returns their number. Each tag takes the smallest element of its kind and
/// name around its line. The remaining tags and elements are differences.
fn compare(check: &Check, file: &str, tags: &[Tag], differences: &mut String) -> usize {
    let cancel = CancellationToken::new();
    let parsed = parse(source(file), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    if !(check.is_readable)(&elements, &parsed.source.text) {
        return 0;
    }
    let kinds: BTreeSet<ElementKind> = check.kinds.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    let mut open: Vec<usize> = (0..elements.list.len()).filter(|at| kinds.contains(&elements.list[*at].kind)).collect();
    for tag in tags {
        let Some((_, wanted)) = check.kinds.iter().find(|(kind, _)| *kind == tag.kind) else {
            continue;
        };
        // `a, b` of one declaration: the second name may be on a later line.
        let is_shared = |element: &CodeElement| {
            let is_other = |other: &&CodeElement| other.span == element.span;
            elements.list.iter().filter(is_other).nth(1).is_some()
        };
        let tag_line = line(&parsed.source.text, tag.line);
        let fits = |element: &CodeElement| {
            wanted.contains(&element.kind)
                && (last(&element.name) == tag.name || (check.is_named)(tag, element, tag_line))
                && (element.span.start_line..=element.span.end_line).contains(&tag.line)
                && (!check.is_first_line || element.span.start_line == tag.line || is_shared(element))
        };
        let found = (0..open.len())
            .filter(|place| fits(&elements.list[open[*place]]))
            .min_by_key(|place| elements.list[open[*place]].span.lines());
        match found {
            Some(place) => {
                open.remove(place);
            }
            None if (check.is_expected)(&Difference::Theirs(&elements, tag, &parsed.source.text)) => {}
            None => {
                // Writing to a String cannot fail.
                let _ = writeln!(differences, "{file}:{}: ctags alone has {} {}", tag.line, tag.kind, tag.name);
            }
        }
    }
    for at in open {
        if !(check.is_expected)(&Difference::Ours(&elements, at, &parsed.source.text)) {
            let element = &elements.list[at];
            let (line, kind) = (element.span.start_line, element.kind.name());
            let _ = writeln!(differences, "{file}:{line}: fumi alone has {kind} {}", elements.qualified_name(at));
        }
    }
    let is_known = |tag: &&Tag| check.kinds.iter().any(|(kind, _)| *kind == tag.kind);
    tags.iter().filter(is_known).count()
}

/// Returns a line by its number, without surrounding white space.
fn line(text: &str, number: usize) -> &str {
    text.lines().nth(number.saturating_sub(1)).unwrap_or_default().trim()
}

/// Returns the last part of a name: a method or class declared outside its type has the type's name before its own.
fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

fn cache() -> PathBuf {
    let cache = env::var_os("FUMI_CACHE").map(PathBuf::from).or_else(|| {
        let caches = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        Some(caches.or_else(|| Some(env::home_dir()?.join(".cache")))?.join("fumi"))
    });
    cache.expect("a folder for caches")
}

fn files(check: &Check) -> Vec<String> {
    let roots = (check.sources)();
    let mut found = BTreeSet::new();
    let mut open = roots.clone();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if check.extensions.contains(&extension) {
                found.insert(path.display().to_string());
            }
        }
    }
    assert!(
        found.len() >= check.at_least_files,
        "only {} sources of {} in {roots:?}; ./test fetches them",
        found.len(),
        check.language,
    );
    let step = found.len().div_ceil(check.files).max(1);
    found.into_iter().step_by(step).collect()
}

fn tags(check: &Check, files: &[String]) -> BTreeMap<String, Vec<Tag>> {
    let mut child = Command::new("ctags")
        .args(["--options=NONE", "--output-format=json", "--fields=+n", "--kinds-all=*", "-L", "-", "-f", "-"])
        .arg(format!("--language-force={}", check.language))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("universal-ctags is needed to check elements; install it");
    let mut stdin = child.stdin.take().expect("a pipe");
    let list = files.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(list.as_bytes()));
    let output = child.wait_with_output().expect("ctags ends");
    writer.join().expect("a thread").expect("ctags reads");
    assert!(output.status.success(), "ctags failed: is it universal-ctags, with JSON?");
    let mut tags: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line).expect("a line of JSON");
        let text = |key: &str| tag[key].as_str().map(str::to_owned);
        let line = tag["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        let (Some(path), Some(name), Some(kind), Some(line)) = (text("path"), text("name"), text("kind"), line) else {
            continue;
        };
        let tags = tags.entry(path).or_default();
        // Ruby's `attr_accessor :a` makes `a` and `a=`: one field.
        let name = if kind == "accessor" { name.trim_end_matches('=').to_owned() } else { name };
        let is_again = |tag: &Tag| kind == "accessor" && tag.line == line && tag.name == name;
        if !tags.iter().any(is_again) {
            tags.push(Tag { kind, name, line });
        }
    }
    tags
}
