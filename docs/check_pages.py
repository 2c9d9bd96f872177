"""The manual pages of the checks as documents, for docs/regenerate.

A rule is a page in src/novel/checks/rules, an item one in src/novel/checks/items; the program itself reads them and
the tests check them. They become one document for each tool of rules and each category of items, with an index of all, in
both languages; and the table of docs/novel-checks.md that counts them. Missing pages have no document. Standard library
only.
"""

import difflib
import re
import tomllib
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ROOT / "src/novel/checks"
# Below the folder of pages that are not committed; docs/generated, as the links are written.
FOLDER = "checks"
GUIDE = "../../novel-checks"

# The tool of a group of rules, and the subject of the group.
GROUPS = {
    "basic": ("check_basic", "Typography, white space, left-over and unwanted words", "書式・約物・書き残し"),
    "rhythm": ("check_rhythm", "Rhythm", "リズム"),
    "expression": ("check_writing_expression", "Expression", "文章表現"),
    "proofreading": ("check_proofreading", "What a proofreader finds", "校閲"),
}
# The name of a category in replies, and its title.
CATEGORIES = {
    "emotion": ("emotional_expression", "Emotion", "感情描写"),
    "character": ("character_development", "Characters", "キャラクター"),
    "story": ("story_structure", "Story", "ストーリー展開"),
    "technique": ("writing_technique", "Technique", "文章表現"),
    "world": ("world_building", "World", "世界観・設定"),
    "engagement": ("reader_engagement", "Engagement", "読者エンゲージメント"),
}

# Every word that is not a page's own: English, Japanese.
WORDS = {
    "severity": ("severity", "重さ"),
    "fix": ("fix", "修正"),
    "scope": ("looks at", "対象"),
    "tool": ("tool", "ツール"),
    "checks": ("checks", "数"),
    "rules": ("{} rules", "{} ルール"),
    "items": ("{} items", "{} 項目"),
    "rule": ("rule", "ルール"),
    "item": ("item", "項目"),
    "kind": ("kind", "評価方法"),
    "category": ("category", "分類"),
    "what": ("what it is about", "内容"),
    "all": ("all text", "本文全体"),
    "narration": ("narration", "地の文"),
    "dialogue": ("speech", "台詞"),
    "none": ("by hand", "手で直す"),
    "deterministic": ("measured", "測定"),
    "hybrid": ("measured and judged", "測定＋判定"),
    "judged": ("judged", "判定"),
    "message": ("Message", "指摘文"),
    "suggestion": ("Suggestion", "提案"),
    "advice": ("Advice", "助言"),
    "rubric": ("What a judge is asked", "採点基準"),
    "threshold": ("threshold", "しきい値"),
    "default": ("default", "既定値"),
    "range": ("range", "範囲"),
    "unit": ("unit", "単位"),
    "source": ("source", "根拠"),
    "to": ("{} to {}", "{}〜{}"),
    "without": ("Without the fault", "よい例"),
    "with": ("With the fault", "悪い例"),
    "found": ("Found", "指摘"),
    "findings": ("{} findings", "{}件"),
    "whole": ("the text as a whole", "文章全体"),
    "mended": ("After the fix", "修正後"),
    "misleading": ("Misleading, and right", "紛らわしいが、よい例"),
    "well": ("Well done", "よい例"),
    "badly": ("Badly done", "悪い例"),
    "fine": ("Misleading, and fine", "紛らわしいが、よい例"),
    "not_applicable": ("Nothing to evaluate", "評価の対象がない例"),
    "rejected": ("A judgement that is not taken", "受け付けない判定の例"),
    "judgement": ("A judgement of it", "判定の例"),
    "plot": ("its plot", "プロット"),
    "characters": ("its characters", "人物"),
    "terms": ("its terms", "用語"),
    "world": ("its world", "世界観"),
    "ledger": ("its ledger of foreshadowing", "伏線管理"),
    "previous": ("the episode before", "前の話"),
    "genre": ("genre", "ジャンル"),
    "preset": ("`style_preset`", "`style_preset`"),
    "episode": ("episode", "話数"),
    "forbidden": ("`forbidden`", "`forbidden`"),
    "corrections": ("corrections", "赤字"),
    "contradictions": ("contradictions", "食い違い"),
    "info": ("info", "参考 `info`"),
    "low": ("low", "低 `low`"),
    "medium": ("medium", "中 `medium`"),
    "high": ("high", "高 `high`"),
    "critical": ("critical", "重大 `critical`"),
}

# The sources of thresholds in Japanese.
SOURCES = {
    "origin": "先行システム",
    "general-novel-style-ja|textlint": "textlint",
    "publishers' habit": "出版の慣例",
    "measured on the sample|set on the sample|the sample novel": "見本の小説で測定",
    "坊っちゃん": "『坊っちゃん』で測定",
    "starting value": "出発点の値",
}

HEADS = {
    "rules": (
        "Written by `docs/regenerate` from the manual pages in `{folder}`, which the program reads and the tests try; do not edit. "
        "What stands in braces is filled in. What the words mean: [novel-checks]({guide}.md). "
        "日本語: [{name}.ja.md]({name}.ja.md).",
        "`{folder}` にあるルールの解説から `docs/regenerate` が作ったものです（編集しないでください）。プログラムもテストも、同じ解説を"
        "読んでいます。指摘文の波括弧には、見つけたものが入ります。用語は [novel-checks]({guide}.ja.md) にあります（[English]({name}.md)）。",
    ),
    "items": (
        "Written by `docs/regenerate` from the manual pages in `{folder}`, which the program reads and the tests try: the good text "
        "scores at least 0.3 more than the bad one. Do not edit. What the words mean: [novel-checks]({guide}.md). "
        "日本語: [{name}.ja.md]({name}.ja.md).",
        "`{folder}` にある項目の解説から `docs/regenerate` が作ったものです（編集しないでください）。プログラムもテストも同じ解説を"
        "読んでいて、よい例の点は悪い例より必ず 0.3 以上高くなります。用語は [novel-checks]({guide}.ja.md) にあります"
        "（[English]({name}.md)）。",
    ),
    "index": (
        "Written by `docs/regenerate` from the manual pages of the checks; do not edit. What the words mean, and how to tune a check: "
        "[novel-checks]({guide}.md). 日本語: [index.ja.md](index.ja.md). In the sources of thresholds, *specification* with a number is "
        "the section of the specification that defines a threshold; *origin* is the system that first used these tool names; "
        "*general-novel-style-ja* and *no-doubled-joshi* are rules of textlint.",
        "ルールと項目の解説から `docs/regenerate` が作ったものです（編集しないでください）。用語と調整のしかたは [novel-checks]({guide}.ja.md) にあります"
        "（[English](index.md)）。しきい値の根拠にある「仕様」の番号は、値を定めた仕様の節です。「先行システム」は、同じツール名を最初に使ったシステムを指します。",
    ),
    "unseen": (
        "A character that cannot be seen is shown by its number: ‹U+0009› is a tab.",
        "目に見えない文字は番号で示します（‹U+0009› はタブ）。",
    ),
}


class Language:
    """The words of a language, and the translations of units in docs/thresholds.ja.toml."""

    def __init__(self, code):
        self.code = code
        self.at = ("en", "ja").index(code)
        self.end = ".md" if code == "en" else ".ja.md"
        self.lacking = []
        file = ROOT / "docs/thresholds.ja.toml"
        self.known = tomllib.loads(file.read_text(encoding="utf-8")) if code == "ja" else {}

    def word(self, name):
        return WORDS[name][self.at]

    def head(self, name):
        return HEADS[name][self.at]

    def unit(self, text):
        """Returns the unit of a threshold. A unit without a translation stays English, and is reported."""
        if self.code == "en":
            return text
        if text not in self.known:
            self.lacking.append(repr(text))
        return self.known.get(text, text)

    def source(self, text):
        """Returns the source of a number. In Japanese only its kind: the English document has the measurements."""
        # Among the documents, "novel-checks" is one of them.
        if self.code == "en":
            return text.replace("novel-checks ", "specification ")
        section = re.search(r"novel-checks (\d\.\d)", text)
        kinds = [f"仕様 {section[1]}"] if section else []
        kinds += [kind for words, kind in SOURCES.items() if re.search(words, text)]
        return "、".join(kinds) or text

    def colon(self):
        return "：" if self.code == "ja" else ": "

    def quoted(self, words):
        return "、".join(words) if self.code == "ja" else ", ".join(words)


def pages(folder):
    """The manual pages of a folder by name."""
    files = sorted((CHECKS / folder).glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def rules(group):
    """Returns the rules of a group by name."""
    return {name: page for name, page in pages("rules").items() if page["group"] == group}


def items(category):
    """Returns the items of a category by name, in the order of their ids."""
    return dict(sorted(pages(f"items/{category}").items(), key=lambda entry: entry[1]["id"]))


def prose(text, language):
    """Paragraphs, each on a line of its own. Lines of Japanese are joined without a space."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    if language.code == "en":
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    joined = []
    for paragraph in paragraphs:
        lines = [line.strip() for line in paragraph.splitlines()]
        whole = lines[0]
        for line in lines[1:]:
            is_latin = re.search(r"[A-Za-z0-9,.;:]$", whole) and re.match(r"[A-Za-z0-9]", line)
            whole += (" " if is_latin else "") + line
        joined.append(whole)
    return "\n\n".join(joined)


def is_unseen(character):
    # Invisible characters are part of the sample, and often the fault itself.
    return unicodedata.category(character) in ("Cc", "Cf", "Mn", "Co", "Zl", "Zp")


def visible(text):
    """Returns a line with invisible characters as numbers, and also white space at its end."""
    bare = text.rstrip(" \u3000\t")
    ends = "".join(f"‹U+{ord(character):04X}›" for character in text[len(bare):])
    return "".join(f"‹U+{ord(c):04X}›" if is_unseen(c) else c for c in bare) + ends


def shown_lines(text):
    return [visible(line) for line in text.removesuffix("\n").split("\n")]


def fenced(lines, kind="text"):
    """A block, whose fence is longer than any in it."""
    runs = [len(run) for run in re.findall(r"`+", "\n".join(lines))]
    fence = "`" * max([3, *(run + 1 for run in runs)])
    return "\n".join([fence + kind, *lines, fence])


def table(rows):
    escaped = ([str(cell).replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def number(value):
    return f"{value:g}"


def thresholds(page, language):
    """Returns the thresholds of a page as a table, or an empty list."""
    if not page.get("threshold"):
        return []
    rows = [[language.word(name) for name in ("threshold", "default", "range", "unit", "source")]]
    for one in page["threshold"]:
        rows.append(
            [
                f"`{one['name']}`",
                number(one["value"]),
                language.word("to").format(number(one["low"]), number(one["high"])),
                language.unit(one["unit"]),
                language.source(one["source"]),
            ]
        )
    return [table(rows)]


def surroundings(sample, language):
    """Returns the parts of the novel that accompany a sample."""
    said = [
        f"{language.word(name)}{language.colon()}{sample[name]}"
        for name in ("preset", "genre", "episode")
        if name in sample
    ]
    if sample.get("forbidden"):
        said.append(f"{language.word('forbidden')}{language.colon()}{language.quoted(sample['forbidden'])}")
    proposed = [f"{one['quote']} → {one.get('correction', '?')}" for one in sample.get("corrections", [])]
    noted = [f"{one['quote']} ≠ {one['other_quote']}" for one in sample.get("contradictions", [])]
    for name, texts in (("corrections", proposed), ("contradictions", noted)):
        if texts:
            said.append(f"{language.word(name)}{language.colon()}{language.quoted(texts)}")
    parts = ["; ".join(said) if language.code == "en" else "、".join(said)] if said else []
    for name in ("plot", "characters", "terms", "world", "ledger", "previous"):
        if name in sample:
            block = fenced(shown_lines(sample[name]), "text" if name == "previous" else "yaml")
            parts.append(f"<details><summary>{language.word(name)}</summary>\n\n{block}\n\n</details>")
    return parts


def found(sample, language):
    """Returns the findings in a bad text."""
    if "count" in sample and not sample.get("finds"):
        return language.word("findings").format(sample["count"])
    return language.quoted(
        f"`{visible(words.replace(chr(10), '⏎'))}`" if words else language.word("whole") for words in sample["finds"]
    )


def changed(sample):
    """Returns the lines that a fix changes."""
    lines = difflib.ndiff(shown_lines(sample["text"]), shown_lines(sample["fixed"]))
    return [line.rstrip(" ") for line in lines if line.startswith(("+", "-"))]


def rule_section(name, page, language):
    words, colon = page[language.code], language.colon()
    fix = f"`{page['fix']}`" if "fix" in page else language.word("none")
    facts = {"severity": language.word(page["severity"]), "fix": fix, "scope": language.word(page["scope"])}
    parts = [
        f'<a id="{name}"></a>',
        f"## `{name}` {words['title']}",
        table([[language.word(fact) for fact in facts], list(facts.values())]),
        prose(words["manual"], language),
        f"- {language.word('message')}{colon}{words['message'].strip()}\n"
        f"- {language.word('suggestion')}{colon}{words['suggestion'].strip()}",
        *thresholds(page, language),
    ]
    good, bad, misleading = page["good"], page["bad"], page["misleading"]
    parts += [f"**{language.word('without')}**", *surroundings(good, language), fenced(shown_lines(good["text"]))]
    parts += [
        f"**{language.word('with')}** {language.word('found')}{colon}{found(bad, language)}",
        *(surroundings(bad, language) if surroundings(bad, language) != surroundings(good, language) else []),
        fenced(shown_lines(bad["text"])),
    ]
    if "fixed" in bad and changed(bad):
        parts += [f"**{language.word('mended')}**", fenced(changed(bad), "diff")]
    why = misleading.get(language.code, {}).get("why", "")
    parts += [f"**{language.word('misleading')}** {prose(why, language)}".rstrip()]
    if surroundings(misleading, language) != surroundings(good, language):
        parts += surroundings(misleading, language)
    return "\n\n".join([*parts, fenced(shown_lines(misleading["text"]))])


def sample_of_item(sample, title, language, before):
    """Returns a sample with its surroundings, unless an earlier sample had the same ones."""
    around = surroundings(sample, language)
    parts = [title, *(around if around != before else []), fenced(shown_lines(sample["text"]))]
    if judgement := sample.get("judgement"):
        quotes = "".join(f"「{quote}」" for quote in judgement["quotes"])
        parts.append(f"{language.word('judgement')}{language.colon()}{number(judgement['score'])} {quotes}")
    return parts


def item_section(name, page, language):
    words = page[language.code]
    parts = [
        f'<a id="{page["id"].lower()}"></a>',
        f"## {page['id']} {words['title']}",
        language.quoted([f"`{name}`", language.word(page["kind"])]),
        prose(words["manual"], language),
        f"**{language.word('advice')}** {prose(words['advice'], language)}",
    ]
    if "rubric" in words:
        parts.append(f"**{language.word('rubric')}** {prose(words['rubric'], language)}")
    parts += thresholds(page, language)
    good, bad, misleading = page["good"], page["bad"], page["misleading"]
    around = surroundings(good, language)
    parts += sample_of_item(good, f"**{language.word('well')}**", language, [])
    parts += sample_of_item(bad, f"**{language.word('badly')}**", language, around)
    why = prose(misleading["why"][language.code], language)
    parts += sample_of_item(misleading, f"**{language.word(misleading['expect'])}** {why}", language, around)
    return "\n\n".join(parts)


def document(kind, title, folder, name, sections, language):
    head = language.head(kind).format(folder=folder, name=name, guide=GUIDE)
    whole = "\n\n".join([f"# {title}", head, *sections])
    if "‹U+" in whole:
        whole = whole.replace(head, head + " " * (language.code == "en") + language.head("unseen"), 1)
    return whole + "\n"


def documents(language):
    """Returns the documents of a language by path, below the folder of pages."""
    made = {}
    for group, (tool, *titles) in GROUPS.items():
        sections = [rule_section(name, page, language) for name, page in rules(group).items()]
        if sections:
            title, folder = f"{titles[language.at]} (`{tool}`)", "src/novel/checks/rules"
            path = f"{FOLDER}/{group}{language.end}"
            made[path] = document("rules", title, folder, group, sections, language)
    for category, (name, *titles) in CATEGORIES.items():
        sections = [item_section(name, page, language) for name, page in items(category).items()]
        if sections:
            title, folder = f"{titles[language.at]} (`{name}`)", f"src/novel/checks/items/{category}"
            path = f"{FOLDER}/{category}{language.end}"
            made[path] = document("items", title, folder, category, sections, language)
    made[f"{FOLDER}/index{language.end}"] = index(language)
    return made


def index(language):
    """All rules and all items, with links to their pages."""
    title = {"en": "All rules and items", "ja": "ルールと項目の一覧"}[language.code]
    head = language.head("index").format(guide=GUIDE)
    return "\n\n".join([f"# {title}", head, table_of_rules(language), table_of_items(language)]) + "\n"


def table_of_rules(language):
    rows = [[language.word(name) for name in ("rule", "what", "tool", "severity", "fix")]]
    for group, (tool, *_) in GROUPS.items():
        for name, page in rules(group).items():
            link = f"[`{name}`]({group}{language.end}#{name})"
            fix = f"`{page['fix']}`" if "fix" in page else "–"
            title = page[language.code]["title"]
            rows.append([link, title, f"`{tool}`", language.word(page["severity"]), fix])
    return table(rows)


def table_of_items(language):
    rows = [[language.word(name) for name in ("item", "what", "category", "kind")]]
    for category, (_, *titles) in CATEGORIES.items():
        for page in items(category).values():
            link = f"[{page['id']}]({category}{language.end}#{page['id'].lower()})"
            title = page[language.code]["title"]
            rows.append([link, title, titles[language.at], language.word(page["kind"])])
    return table(rows)


def counts(language):
    """Returns how many rules each tool has, and how many items each category."""
    rows = [[language.word(name) for name in ("tool", "what", "checks")]]
    for group, (tool, *titles) in GROUPS.items():
        rows.append([f"`{tool}`", titles[language.at], language.word("rules").format(len(rules(group)))])
    for category, (name, *titles) in CATEGORIES.items():
        what = f"{titles[language.at]} (`{name}`)" if language.code == "en" else f"{titles[language.at]} `{name}`"
        rows.append(["`check_story_elements`", what, language.word("items").format(len(items(category)))])
    return table(rows)
