#!/usr/bin/env python3
"""Draws the pages of a book as a reading system shows them, to be looked at, and checks what can be measured.

    pages.py PROGRAM [FOLDER]    the pictures are in FOLDER, else in a new folder of the system for temporary files

The sample novel, with a cover, a colophon (奥付), a paragraph with 縦中横, ruby and dots, and an afterword, is made into a book
by `fumi call`. epubcheck must find nothing. Chromium lays every document out in vertical pages of the size of a phone, as
reader.js says; each page becomes a picture, the cover also without margins, as some reading systems show it. checks.py fails
where a page is blank, a text is cut off or not seen, a number of two digits lies on its side, a reading is not beside its word,
the cover is not whole, or the contents or the colophon lack a line. Whether a page is beautiful remains to be seen.

Standard library only (Python 3.11). Needs Chromium, epubcheck, and a Japanese font.
"""

import json
import sys
import tempfile
from pathlib import Path

# No folders of compiled modules in the checkout.
sys.dont_write_bytecode = True
import checks
import novel
import png
from chromium import Chromium

READER = (Path(__file__).parent / "reader.js").read_text(encoding="utf-8")
# What a Japanese reading system takes for `serif`. Without this font Chromium takes another.
MINCHO = {"serif": "Noto Serif CJK JP"}


def draw(chromium, address, margin, pictures, name):
    """Draws every page of a document. Returns what was measured, and the files."""
    chromium.open(address)
    size = {"width": checks.WIDTH, "height": checks.HEIGHT, "margin": margin, "letter": checks.LETTER}
    seen = chromium.evaluate(f"({READER})({json.dumps(size)})")
    if not seen["hasLetters"]:
        sys.exit("no font has Japanese letters; install one: apt-get install fonts-noto-cjk")
    boxes = [box for text in seen["texts"] for box in text["boxes"]]
    files = []
    for page in range(max(map(checks.page_of, boxes), default=0) + 1):
        chromium.evaluate(f"document.documentElement.style.top = '{-page * checks.HEIGHT}px'")
        files.append(pictures / f"{name}-{page + 1:02}.png")
        files[-1].write_bytes(chromium.picture())
    return seen, files


def decoded(files):
    """Returns the decoded pictures, and a fault for each of another size than a page."""
    pictures = [png.Picture(file.read_bytes()) for file in files]
    sizes = {file.name: (one.width, one.height) for file, one in zip(files, pictures)}
    return pictures, [f"{name} has {size} pixels" for name, size in sizes.items() if size != (checks.WIDTH, checks.HEIGHT)]


def look(chromium, folder, names, pictures):
    """Draws and checks all documents. Returns the number of pictures, and the faults."""
    count, faults = 0, [f"book.epub: {fault}" for fault in checks.documents(names)]
    shown = [(name, checks.MARGIN) for name in names]
    shown.insert(1, ("cover.xhtml", 0))
    for at, (name, margin) in enumerate(shown):
        label = f"{at + 1:02}-{Path(name).stem}{'' if margin else '-full'}"
        seen, files = draw(chromium, (folder / name).as_uri(), margin, pictures, label)
        images, wrong = decoded(files)
        wrong += checks.faults(name, folder, margin, seen, images)
        faults += [f"{name} ({label}): {fault}" for fault in wrong]
        count += len(files)
        print(f"  {files[0].name}{f' to {files[-1].name}' if len(files) > 1 else ''}: {name}{'' if margin else ', without margins'}", flush=True)
    return count, faults


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    if not program.is_file():
        sys.exit(f"{program} does not exist; build it with cargo build --release, or set FUMI_BIN")
    pictures = Path(sys.argv[2] if len(sys.argv) == 3 else tempfile.mkdtemp(prefix="fumi-pages-"))
    pictures.mkdir(parents=True, exist_ok=True)
    for old in pictures.glob("[0-9][0-9]-*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        work = Path(work).resolve()
        novel.prepare(work / "novel")
        books = novel.make_book(program, work / "novel")
        faults = [f"{book.name}: epubcheck: {said}" for book in books for said in novel.complaints(book)]
        folder, names = novel.unpack(books[0], work / "book")
        chromium = Chromium(work / "profile", checks.WIDTH, checks.HEIGHT)
        try:
            chromium.call("Page.setFontFamilies", fontFamilies=MINCHO, forScripts=[{"script": "Jpan", "fontFamilies": MINCHO}])
            count, found = look(chromium, folder, names, pictures)
        finally:
            chromium.close()
    print(f"{count} pictures of {len(names)} documents in {pictures}")
    for fault in faults + found:
        print(f"✗ {fault}", file=sys.stderr)
    if faults + found:
        sys.exit(1)
    print("epubcheck is silent, and no check failed")


main()
