"""The sample novel as a book that shows everything that is looked at, made by the program, and judged by epubcheck."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import png

ROOT = Path(__file__).resolve().parent.parent.parent
EPUBCHECK = "/usr/share/java/epubcheck.jar"
MANUSCRIPTS = "40_原稿"
SETTINGS = """title_yomi: しおのほまち
author_yomi: ふみのちょしゃたち
book:
  series: {title: 帆待島, volume: 1}
  publisher: 汐書房
  edition: 第12版
  published: 2026-02-11
  rights: © 2026 The fumi authors
"""
# What the colophon must say then, in this order.
COLOPHON = [
    "潮のほまち（しおのほまち）", "二〇二六年二月十一日　第12版発行", "著者　The fumi authors（ふみのちょしゃたち）", "発行　汐書房",
    "© 2026 The fumi authors",
]
# The entries of the table of contents, in this order.
ENTRIES = ["第一章　潮のほまち", "第一話　こぶとえくぼ", "第二話　ほまち", "第三話　備考", "奥付"]
# A paragraph for the beginning of the first episode, and what of it must stand upright.
PARAGRAPH = (
    "　12月25日、午前7時０５分、気温3度、風速１２メートル。えっ！？　晴れの見込みですか!!　｜14番《じゅうよんばん》の浮子《うき》は"
    "《《まだ動いていた》》。一九八五年からの記録は、２０２６年に終わる。「あと12日！？！」"
)
UPRIGHT = ["12", "25", "7", "05", "3", "12", "!?", "!!", "14", "12", "!?!"]
RUBY, DOTS = "14番じゅうよんばん", "まだ動いていた"
AFTERWORD = "\n【後書き】\n　お読みくださり、ありがとうございます。続きは３月10日の予定です。\n"
# The frame of the cover, whose corners must be seen.
FRAME, SKY, SEA, MOON = (200, 30, 30), (20, 40, 90), (60, 110, 150), (250, 240, 190)
EDGE = 24


def cover(width=800, height=1280):
    """Returns a picture of the moon above the sea, in a frame."""
    frame, rows = bytes(FRAME), []
    for y in range(height):
        ground = bytes(SKY if y < height * 0.65 else SEA)
        # The half width of the moon in this row.
        half = int(max(0, 150**2 - (y - 360) ** 2) ** 0.5)
        left = width // 2 - half - EDGE
        inside = ground * left + bytes(MOON) * (2 * half) + ground * (width - 2 * EDGE - left - 2 * half)
        rows.append(frame * width if y < EDGE or y >= height - EDGE else frame * EDGE + inside + frame * EDGE)
    return png.encode(rows)


def prepare(folder):
    """Copies the sample novel, with a cover, settings of the book, the paragraph and an afterword."""
    shutil.copytree(ROOT / "examples/novel", folder)
    (folder / "表紙.png").write_bytes(cover())
    with (folder / "プロジェクト設定.yaml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    first, *_, last = sorted((folder / MANUSCRIPTS).glob("*.md"))
    heading, story = first.read_text(encoding="utf-8").split("\n\n", 1)
    first.write_text(f"{heading}\n\n{PARAGRAPH}\n{story}", encoding="utf-8")
    last.write_text(last.read_text(encoding="utf-8") + AFTERWORD, encoding="utf-8")


def make_book(program, folder):
    """Completes every episode of a novel. Returns the EPUB files to check, the whole book first."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("FUMI_", "PROJECT_ROOT"))}
    # The user's own state is not touched.
    environment = own | {"XDG_STATE_HOME": str(folder.parent / "state")}
    for episode in range(1, len(list((folder / MANUSCRIPTS).glob("*.md"))) + 1):
        call = [program, "call", "--root", folder, "noveler_complete", json.dumps({"episode": episode})]
        made = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120)
        if made.returncode != 0:
            sys.exit(f"noveler_complete of episode {episode} failed:\n{made.stdout}{made.stderr}")
    published = folder / ".noveler/publish"
    return [published / "book.epub", published / "episode_001/episode.epub"]


def complaints(book):
    """Returns what epubcheck says about a book beyond that it found nothing."""
    if not Path(EPUBCHECK).is_file() or not shutil.which("java"):
        sys.exit("epubcheck is missing; install it: apt-get install epubcheck default-jre-headless")
    ran = subprocess.run(["java", "-jar", EPUBCHECK, "--locale", "en", book], capture_output=True, text=True, timeout=120)
    said = ran.stdout + ran.stderr
    found = [line for line in said.splitlines() if re.match(r"(FATAL|ERROR|WARNING|INFO|USAGE)\b", line)]
    silent = ran.returncode == 0 and "No errors or warnings detected." in said
    return found or ([] if silent else [said.strip() or f"it ended with {ran.returncode} and said nothing"])


def unpack(book, folder):
    """Unpacks a book. Returns the folder of its documents, and their names in reading order, the navigation document last."""
    with zipfile.ZipFile(book) as archive:
        archive.extractall(folder)
    package = next(folder.rglob("*.opf"))
    names = {"opf": "http://www.idpf.org/2007/opf"}
    root = ElementTree.parse(package).getroot()
    items = {item.get("id"): item for item in root.iterfind("opf:manifest/opf:item", names)}
    spine = [items[reference.get("idref")].get("href") for reference in root.iterfind("opf:spine/opf:itemref", names)]
    return package.parent, spine + [item.get("href") for item in items.values() if item.get("properties") == "nav"]
