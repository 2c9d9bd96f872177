"""What can be wrong with a document of the book, from what reader.js measured of it. Every check returns its faults as texts."""

import re

import novel

WIDTH, HEIGHT, MARGIN, LETTER = 600, 800, 40, 20
# Numbers of one or two digits and short marks that stand alone, which belong in one cell.
SHORT = re.compile(
    r"(?<![!-~])(?:[0-9]{1,2}|[!?]{2})(?![!-~])|(?<![０-９．，・])[０-９]{2}(?![０-９．，・])|(?<![！？])[！？]{2,3}(?![！？])"
)
# Boxes end at fractions of pixels.
NEAR = 1


def page_of(box):
    """Returns the index of the page on which a box begins."""
    return int((box["top"] + NEAR) // HEIGHT)


def documents(names):
    """Checks that the book has each kind of document."""
    episodes = [f"episode-000{number}" for number in (1, 2, 3)]
    wanted = [f"{name}.xhtml" for name in ("cover", "title", "contents", "chapter-0001", *episodes, "colophon", "nav")]
    return [] if names == wanted else [f"the book's documents are {names}, not {wanted}"]


def layout(seen):
    faults = [f"it is not XHTML: {seen['error']}"] if seen["error"] else []
    for part, mode in zip(("html", "body"), seen["modes"]):
        if mode != "vertical-rl":
            faults.append(f"the writing mode of <{part}> is {mode}, not vertical-rl")
    return faults


def cut_off(seen, margin):
    """Checks that every line of text is within the margins of its page. Readings and dots may stand in half a letter of them."""
    faults = []
    for text in seen["texts"]:
        for box in text["boxes"]:
            top = page_of(box) * HEIGHT
            inside = (
                box["left"] >= margin - LETTER / 2 and box["right"] <= WIDTH - margin + LETTER / 2
                and box["top"] >= top + margin - NEAR and box["bottom"] <= top + HEIGHT - margin + NEAR
            )
            if not inside:
                faults.append(f"page {page_of(box) + 1} cuts off {text['text']!r}: its box is {box}")
    return faults


def upright(seen):
    """Checks that 縦中横 is set upright, its letters beside each other in one cell."""
    faults = []
    for piece in seen["upright"]:
        letters, size = piece["letters"], piece["size"]
        left, top = (min(letter[side] for letter in letters) for side in ("left", "top"))
        width, height = max(letter["right"] for letter in letters) - left, max(letter["bottom"] for letter in letters) - top
        if piece["combine"] != "all":
            faults.append(f"縦中横 {piece['text']!r} has text-combine-upright {piece['combine']}, not all")
        if max(letter["top"] for letter in letters) - top > NEAR:
            faults.append(f"縦中横 {piece['text']!r} has its letters below each other: {letters}")
        if height > size + NEAR or width > size * 1.1 + NEAR:
            faults.append(f"縦中横 {piece['text']!r} fills {width:.0f} × {height:.0f} pixels, more than a cell of {size:.0f}")
    return faults


def sideways(seen):
    """Checks that no short number or mark lies on its side."""
    found = [(match[0], text["text"]) for text in seen["texts"] if not text["isUpright"] for match in SHORT.finditer(text["text"])]
    return [f"{short!r} is not set upright in {text!r}" for short, text in found]


def rubies(seen):
    """Checks that every reading is at the right of its word, and along it. A reading may be longer than the word."""
    faults = []
    for ruby in seen["rubies"]:
        for reading in ruby["reading"]:
            beside = any(
                0 < reading["left"] - base["left"] and abs(reading["left"] - base["right"]) <= LETTER / 2
                and min(reading["bottom"], base["bottom"]) > max(reading["top"], base["top"])
                for base in ruby["base"]
            )
            if not beside:
                faults.append(f"the reading of {ruby['text']!r} is not beside its word: {reading}, {ruby['base']}")
    return faults


def beginnings(seen):
    """Checks that an episode begins on the page of its heading, and that what follows the story begins on a page of its own."""
    if not seen["heading"] or not seen["paragraph"]:
        return ["it has no heading or no paragraph"]
    pages = [page_of(seen[part]) + 1 for part in ("heading", "paragraph")]
    faults = [] if pages[0] == pages[1] else [f"its heading is on page {pages[0]}, and its first paragraph on page {pages[1]}"]
    parts = [[page_of(box) + 1 for box in boxes] for boxes in seen["sections"]]
    joined = [first[-1] for first, second in zip(parts, parts[1:]) if max(first) >= min(second)]
    return faults + [f"page {page} has the end of a part and the beginning of the next" for page in joined]


def cover(seen, margin, picture):
    """Checks that the cover is shown whole, in its proportions, in the middle, and with its frame at all corners."""
    if len(seen["images"]) != 1 or not seen["images"][0]["isLoaded"]:
        return [f"the cover's picture is not loaded: {seen['images']}"]
    image, box = seen["images"][0], seen["images"][0]["box"]
    width, height = box["right"] - box["left"], box["bottom"] - box["top"]
    faults = []
    free = [box["left"], box["top"], WIDTH - box["right"], HEIGHT - box["bottom"]]
    if min(free) < margin - NEAR:
        faults.append(f"the cover is cut off: its box is {box} on a page of {WIDTH} × {HEIGHT} with margins of {margin}")
    if abs(width / height - image["ratio"]) > 0.01:
        faults.append(f"the cover is distorted: {width:.0f} × {height:.0f}, not {image['ratio']:.3f} to 1")
    if abs(box["left"] + box["right"] - WIDTH) > 4 * NEAR:
        faults.append(f"the cover is not in the middle: {free[0]:.0f} pixels are free at its left, {free[2]:.0f} at its right")
    for x in (box["left"] + 4, box["right"] - 5):
        for y in (box["top"] + 4, box["bottom"] - 5):
            inside = 0 <= x < WIDTH and 0 <= y < HEIGHT
            if not inside or any(abs(is_ - wanted) > 8 for is_, wanted in zip(picture.pixel(int(x), int(y)), novel.FRAME)):
                faults.append(f"the corner of the cover at {x:.0f}, {y:.0f} is not seen")
    return faults


def contents(seen, folder):
    """Checks that a table of contents has every entry, and that each leads to a document."""
    said = [link["text"] for link in seen["links"]]
    faults = [] if said == novel.ENTRIES else [f"its entries are {said}, not {novel.ENTRIES}"]
    lost = [link for link in seen["links"] if not (folder / link["target"].partition("#")[0]).is_file()]
    return faults + [f"the entry {link['text']!r} leads nowhere: {link['target']}" for link in lost]


def colophon(seen):
    """Checks that the colophon says everything, in order."""
    said = [line.strip() for line in seen["lines"]]
    return [] if said == novel.COLOPHON else [f"it says {said}, not {novel.COLOPHON}"]


def sample(seen):
    """Checks that the first episode shows the paragraph in which everything occurs, so that no check passes without a case."""
    faults = []
    found = [piece["text"] for piece in seen["upright"]]
    if found != novel.UPRIGHT:
        faults.append(f"upright are {found}, not {novel.UPRIGHT}")
    if novel.RUBY not in [ruby["text"] for ruby in seen["rubies"]]:
        faults.append(f"there is no ruby {novel.RUBY!r}")
    if {"text": novel.DOTS, "mark": "sesame"} not in seen["dots"]:
        faults.append(f"{novel.DOTS!r} has no sesame dots beside it: {seen['dots'][:3]}")
    return faults


def invisible(seen, pictures):
    """Checks that every page has more than one colour, and that something is seen in the box of every line."""
    faults = [f"page {at + 1} is blank" for at, picture in enumerate(pictures) if len(picture.colours()) < 2]
    for text in seen["texts"]:
        for box in text["boxes"]:
            picture, top = pictures[min(page_of(box), len(pictures) - 1)], page_of(box) * HEIGHT
            rows = range(max(0, int(box["top"] - top)), min(HEIGHT, int(box["bottom"] - top)))
            columns = range(max(0, int(box["left"])), min(WIDTH, int(box["right"])))
            if not any(sum(picture.pixel(x, y)) < 384 for y in rows for x in columns):
                faults.append(f"page {page_of(box) + 1} does not show {text['text']!r} at {box}")
    return faults


def faults(name, folder, margin, seen, pictures):
    """Returns everything that is wrong with a document, of which there is a picture for each page."""
    found = [*layout(seen), *cut_off(seen, margin), *upright(seen), *rubies(seen), *invisible(seen, pictures)]
    # Menus are plain text.
    found += sideways(seen) if name != "nav.xhtml" else []
    if name == "cover.xhtml":
        found += cover(seen, margin, pictures[0])
    if name in ("contents.xhtml", "nav.xhtml"):
        found += contents(seen, folder)
    if name == "colophon.xhtml":
        found += colophon(seen)
    if name.startswith("episode"):
        found += beginnings(seen)
    if name == "episode-0001.xhtml":
        found += sample(seen)
    if name == "episode-0003.xhtml" and len(seen["sections"]) != 2:
        found.append(f"it has {len(seen['sections'])} parts, not a story and an afterword")
    return found
