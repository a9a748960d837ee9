#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each SQL statement on rows of a workspace has the condition workspace_id = ?, or a comment above its table tells why it has none:

/* System-wide: STATEMENT, STATEMENT. Reason. */ They work on the rows of all workspaces.

/* By checked ids: STATEMENT, STATEMENT. Reason. */ They take ids from rows that were found in their workspace before.

And the columns of results are read by lists (lib/db/columns.h), or by names. An enum below the comment "The columns of LIST." has one for each column of LIST, a statement
or a macro; a name that ends with _END is none.

And a statement writes the number of an enumerator X as X_SQL, a macro beside the enumeration, which has the same number."""
import glob
import os
import re
import sys

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|\w+|\S', re.S)
DIRECTIVE = re.compile(r"^#(?:[^\n]*\\\n)*[^\n]*", re.M)
DEFINE = re.compile(r"^#define (\w+)(\([\w, .]*\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
KEYWORD = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE)\b")
BOUND = re.compile(r"\bworkspace_id = \?|\bINSERT [^()]*\([^()]*\bworkspace_id\b")
MARK = re.compile(r"^/\* (System-wide|By checked ids): ([\w,\s]+)\.", re.M)
BY_ID = re.compile(r"\b\w*id\)? (?:= \?|= UNHEX\(|IN \()")
BY_NUMBER = re.compile(r"\bdb_rows_\w+\(\w+(?:\[\w+\])?,\s*\d.*")
STATE = re.compile(r'"[^"]*\b(?:status|state|reason|scope|role|bounce_type|cancellation|front|form|tracking|marks)\)? (?:=|<>|&|IN \() ?\d[^"]*"')
NUMBERS = re.compile(r'^#define (\w+)_SQL "(\d+)"', re.M)
COLUMNS = re.compile(r"^/\* The columns of (\w+(?:(?:,| and) \w+)*)\. \*/\nenum \{([^}]*)\};", re.M)


def read(path):
    with open(path) as file:
        return file.read()


def tokens(text):
    return [token for token in TOKEN.findall(text) if not token.startswith("/*")]


def macros(text):
    """The macros of a file: name -> (parameters, or None if it takes none; tokens)."""
    return {name: (re.findall(r"\w+", parameters) if parameters else None, tokens(body.replace("\\\n", " ")))
            for name, parameters, body in DEFINE.findall(text)}


def arguments(words, at):
    """The arguments of a macro whose ( stands at this place, and the place behind its )."""
    found, depth = [[]], 0
    while True:
        word, at = words[at], at + 1
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return found, at
        if word == "," and depth == 1:
            found.append([])
        elif word != "(" or depth > 1:
            found[-1].append(word)


def expand(words, known):
    """The tokens, with the macros replaced by their texts."""
    done, at = [], 0
    while at < len(words):
        word, at = words[at], at + 1
        if word not in known or (known[word][0] is not None and words[at:at + 1] != ["("]):
            done.append(word)
            continue
        parameters, body = known[word]
        if parameters is not None:
            values, at = arguments(words, at)
            given = dict(zip(parameters, [expand(value, known) for value in values]))
            body = [part for name in body for part in given.get(name, [name])]
        done += expand(body, {name: known[name] for name in known if name != word})
    return done


def literals(words):
    """The name and text of each statement: the literals that follow [NAME] =, or that stand in a variable."""
    name, text = "", ""
    for at, word in enumerate(words):
        if word.startswith('"'):
            text += word[1:-1]
            continue
        if text:
            yield name, text
            text = ""
        if word == "[" and words[at + 1] == "]":
            name = words[at - 1]
        elif word == "[" and words[at + 2:at + 4] == ["]", "="] and words[at - 1] in "{,":
            name = words[at + 1]
        elif word == "=" and words[at + 1] == "{" and words[at - 1].isidentifier():
            name = words[at - 1]


def faults(sql, marks):
    """Tells why a statement is wrong."""
    bound = BOUND.search(sql)
    if not marks and not bound:
        yield "lacks workspace_id = ?, or a mark"
    if marks and bound:
        yield f"has workspace_id = ?, and is marked: {marks[0]}"
    if marks == ["By checked ids"] and not BY_ID.search(sql):
        yield "has no condition on an id"
    if len(marks) > 1:
        yield "is marked twice"


def count_columns(sql):
    """The number of columns that a SELECT gives, or that a list has."""
    text, depth, count = sql.lstrip("(").removeprefix("SELECT "), 0, 1
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and text.startswith(" FROM ", at):
            break
        count += depth == 0 and sign == ","
    return count


def miscounts(source, statements, known):
    """Tells which enums have another number of names than their lists have columns."""
    for lists, names in COLUMNS.findall(source):
        count = len([name for name in re.findall(r"\w+", names) if not name.endswith("_END")])
        for name in re.split(r", | and ", lists):
            words = expand(known[name][1], known) if name in known else []
            text = statements.get(name) or "".join(word[1:-1] for word in words if word.startswith('"'))
            if count_columns(text) != count:
                yield f"{name} has {count_columns(text)} columns, its enum {count} names"


def renumbered(path):
    """Tells which macros of a header have another number than their enumerators."""
    source = read(path)
    for name, number in NUMBERS.findall(source):
        if not re.search(r"\b%s = %s\b" % (name, number), source):
            yield f"{path}: {name}_SQL is not the number of {name}"


def main():
    os.chdir(os.environ.get("srcdir", "."))
    schema = re.sub(r"--.*", "", "".join(read(path) for path in glob.glob("schema/now/*.sql")))
    tables = [name for name, body in re.findall(r"CREATE TABLE IF NOT EXISTS (\w+) \((.*?);", schema, re.S) if "workspace_id" in body]
    on_rows = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (?:%s)\b" % "|".join(tables))
    shown, bad, statements = {}, [], 0
    for path in glob.glob("lib/**/*.h", recursive=True):
        shown |= macros(read(path))
        bad += renumbered(path)
    for path in sorted(glob.glob("lib/**/*.c", recursive=True) + glob.glob("cli/**/*.c", recursive=True)):
        source = read(path)
        if path.startswith("lib/store/"):
            bad += [f"{path}: reads a column by its number: {call}" for call in BY_NUMBER.findall(source)]
            bad += [f"{path}: writes a state by its number: {text}" for text in STATE.findall(source)]
        marks = [(name, mark) for mark, names in MARK.findall(source) for name in re.findall(r"\w+", names)]
        known, met, texts = shown | macros(source), set(), {}
        for name, text in literals(expand(tokens(DIRECTIVE.sub("", source)), known)):
            texts.setdefault(name, text)
            for sql in text.split(";"):
                if not KEYWORD.search(sql) or not on_rows.search(sql):
                    continue
                statements += 1
                met.add(name)
                bad += [f"{path}: {name} {why}: {sql}" for why in faults(sql, [mark for of, mark in marks if of == name])]
        if path.startswith("lib/store/"):
            bad += [f"{path}: {why}" for why in miscounts(source, texts, known)]
        bad += [f"{path}: no statement {name}" for name, _ in marks if name not in met]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad or statements == 0 else 0


sys.exit(main())
