# SPDX-License-Identifier: Apache-2.0
"""Draws mutants for script/mutate: a random operator, then a random place for it, one place a line.

It reads text, not C++: clang-format puts blanks around binary operators and none around brackets of templates."""
import random
import re

FOLDERS = {"cli": "cli"}  # others are src/ROOM
SKIPPED_LINE = re.compile(r"\s*(//|#|template\b|using\b|namespace\b|case\b|default:|static_assert|public:|private:)|"
                          r"\b(virtual|constexpr|consteval|operator|static_assert|enum|requires|friend|alignas|assert\()|SKERRY_BOTH|HWY_")
OTHER = {" < ": [" <= ", " <= ", " >= "], " <= ": [" < ", " < ", " > "], " > ": [" >= ", " >= ", " <= "],
         " >= ": [" > ", " > ", " < "], " == ": [" != "], " != ": [" == "],
         " + ": [" - "], " - ": [" + "], " * ": [" / "], " / ": [" * "], " % ": [" / "],
         " << ": [" >> "], " >> ": [" << "], " & ": [" | "], " | ": [" & "], " && ": [" || "], " || ": [" && "]}
KINDS = {"relation": (" < ", " <= ", " > ", " >= ", " == ", " != "),
         "sign": (" + ", " - ", " * ", " / ", " % ", " << ", " >> ", " & ", " | "), "logic": (" && ", " || ")}
BOUND = re.compile(r",|;|\?| : | (?:[-+*/%&|^]|<<|>>)?= |\breturn\b|\bco_return\b|\bthrow\b")
SAME_TYPE = {"begin", "end", "low", "high", "width", "height", "depth", "first", "last", "left", "right", "min", "max", "from", "to"}
LOGIC = re.compile(r" (?:&&|\|\|)(?: |$)")


def masked(line):
    """Literals of text and comments as blanks of the same length, so that nothing in them is found."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'', lambda found: "\1" * len(found[0]), line)
    return re.sub(r"//.*", lambda found: " " * len(found[0]), line).rstrip()


def expression_around(text, begin, end, bound):
    """From the bracket or bound before to the one after, as (begin, end), or None where it goes beyond the line."""
    depth, left = 0, begin
    while left > 0:
        c = text[left - 1]
        if c in ")]}":
            depth += 1
        elif c in "([{":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and any(found.end() == left for found in bound):
            break
        left -= 1
    depth, right = 0, end
    while right < len(text):
        c = text[right]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and any(found.start() == right for found in bound):
            break
        right += 1
    if depth != 0:
        return None
    found = text[left:right]
    if not found.strip():
        return None
    return left + len(found) - len(found.lstrip()), right - len(found) + len(found.rstrip())


def begins_amid(before, indent_only):
    """Whether an expression at the begin of a line goes on from the line before."""
    return indent_only and re.search(r"([-+*/%&|<>=!]|[\w)\]])$", before) and not before.endswith(("&&", "||", " ="))


def operators(line, text, before, draw):
    for kind, signs in KINDS.items():
        for sign in signs:
            for place in re.finditer(re.escape(sign), text):
                bounds = list(BOUND.finditer(text))
                if kind != "logic":
                    bounds += LOGIC.finditer(text)
                found = expression_around(text, place.start(), place.end(), bounds)
                if not found:
                    continue
                left, right = found
                at_begin, at_end = not text[:left].strip(), right == len(text)
                if kind == "logic" and (at_begin or at_end):
                    continue
                if begins_amid(before, at_begin) or (at_end and not text.endswith(("&&", "||"))):
                    continue
                after = draw.choice(OTHER[sign])
                yield kind, line[left:right], line[left:place.start()] + after + line[place.end():right]


def literals(line, text, draw):
    for place in re.finditer(r"(?<![\w.'<\"])(\w+\{)?(0|[1-9]\d*|0x[0-9a-f]+)(\})?(?![\w.'>])", text):
        left, right = place.span()
        if bool(place[1]) != bool(place[3]):
            if not place[1]:
                right -= 1
            else:
                continue
        around = text[:left]
        if re.search(r"\w<[^ <>]*(, [^<>]*)?$", around) or re.search(r"\w+ \w+\[$", around):
            continue
        value = int(place[2], 0)
        other = value + draw.choice([-1, 1]) if value > 0 else 1
        yield "bound", line[left:right], line[left:right].replace(place[2], str(other))


def statements(line, text, before, draw):
    whole = text.strip()
    starts = before.endswith((";", "{", "}", ":", ")")) or before.endswith(("else", ""))and not before.strip()
    if starts and re.fullmatch(r"[\w.>\-\[\]():*&+]+( [-+*/|&^<>]*= .*|\(.*\))?;", whole) and \
            whole.count("(") == whole.count(")") and not whole.startswith(("return", "break", "continue")) and \
            re.search(r"=|\(|\+\+|--", whole):
        yield "drop", line.strip()[:len(whole)], ";"
    if whole in ("continue;", "return;", "break;"):
        yield "drop", whole, ";"
    for place in re.finditer(r"\b(?:if|while) \(", text):
        found = expression_around(text, place.end(), place.end(), [])
        condition = line[found[0]:found[1]] if found else ""
        if found and found[1] < len(text) and text[found[1]] == ")" and ";" not in condition and " = " not in condition:
            yield "check", condition, draw.choice(["false", "false", "true"])
        elif found and ";" in condition:
            last = condition.rsplit("; ", 1)[1]
            yield "check", last, draw.choice(["false", "true"])
    for place in re.finditer(r"\b(throw|refuse\(|fail\()", whole):
        if whole.startswith(place[0]) and whole.endswith(";"):
            yield "check", line.strip()[:len(whole)], ";"


def alike(a, b):
    """Whether two arguments may be of one type, as far as their names tell."""
    return a != b and (a.isdigit() == b.isdigit()) and (max(len(a), len(b)) <= 2 or {a, b} <= SAME_TYPE)


def signs_and_arguments(line, text, draw):
    for place in re.finditer(r"(?<=[(, ])!([\w.:>\-]+(\([^()]*\))?)(?=[),;]| [&|?]+ )", text):
        yield "logic", place[0], "!" + place[0]  # a bool, too
    for place in re.finditer(r"(?<=[(,] )-(\w+)|(?<=\()-(\w+)", text):
        yield "sign", line[slice(*place.span())], place[0][1:]
    for place in re.finditer(r"(\+\+|--)([\w.\[\]>\-]+)", text):
        yield "sign", place[0], {"++": "--", "--": "++"}[place[1]] + place[2]
    for place in re.finditer(r"std::(min|max)(<[^()]*>)?\(", text):
        found = expression_around(text, place.end(), place.end(), [])
        if found and found[1] < len(text):
            whole = line[place.start():found[1] + 1]
            yield "bound", whole, whole.replace(place[1], {"min": "max", "max": "min"}[place[1]], 1)
    for place in re.finditer(r"(?<![\w.<>])([\w.:>\-]+)\((\w+), (\w+)(, [^(){}]*)?\)(?! \{| const)", text):
        if place[1] not in ("if", "for", "while", "return", "switch") and alike(place[2], place[3]):
            yield "swap", place[0], f"{place[1]}({place[3]}, {place[2]}{place[4] or ''})"


def places_in(path, name, draw):
    lines = path.read_text().split("\n")
    equals = {}
    for number, line in enumerate(lines):
        stripped = line.strip()
        equals.setdefault(stripped, []).append(number)
    before, in_text = "", False
    for number, line in enumerate(lines):
        text = masked(line)
        if 'R"' in line or in_text:
            in_text = ')"' not in line and ')--"' not in line
            continue
        if text.strip() and not SKIPPED_LINE.search(text):
            stripped = line.strip()
            same = equals[stripped]
            label = stripped if len(same) == 1 else f"{same.index(number) + 1}: {stripped}"
            for kind, fragment, other in (*operators(line, text, before, draw), *literals(line, text, draw),
                                          *statements(line, text, before, draw),
                                          *signs_and_arguments(line, text, draw)):
                if "\1" not in text[line.find(fragment):line.find(fragment) + len(fragment)] and line.count(fragment) == 1 \
                        and fragment != other:
                    yield kind, (name, label, fragment, other), number
        if text.strip():
            before = text.strip()


def draw(root, rooms, wanted, seed, device):
    random_choice = random.Random(seed)
    endings = (".cu", ".cuh") if device else (".cpp", ".hpp")
    by_room = {}
    for room in rooms:
        folder = root / FOLDERS.get(room, f"src/{room}")
        by_kind = {}
        for path in sorted(folder.rglob("*")):
            if path.suffix in endings and path.name != "no_cuda.cpp" and (device or "cuda" not in path.parts):
                for kind, found, number in places_in(path, str(path.relative_to(root)), random_choice):
                    by_kind.setdefault(kind, []).append((found, number))
        by_room[room] = by_kind
    places = {room: sum(map(len, kinds.values())) for room, kinds in by_room.items()}
    drawn, taken = [], set()
    for room, kinds in by_room.items():
        share = max(min(8, places[room]), round(wanted * places[room] / sum(places.values())))
        room_drawn = 0
        while room_drawn < share and any(kinds.values()):
            kind = random_choice.choice(sorted(k for k in kinds if kinds[k]))
            found, number = kinds[kind].pop(random_choice.randrange(len(kinds[kind])))
            if (found[0], number) in taken:
                continue
            taken.add((found[0], number))
            drawn.append((found[0], number, found))
            room_drawn += 1
    return [found for _, _, found in sorted(drawn)]
