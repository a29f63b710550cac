"""The layout of types as lines of text, from the output of `readelf --debug-dump=info`.

A line per type and one per member or enumerator: `name: N bytes`, `name.member at OFFSET: type`, `name.enumerator = VALUE`.
"""
import re

ENTRY = re.compile(r" <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
ATTRIBUTE = re.compile(r"    <[0-9a-f]+>   DW_AT_(\w+) *: (?:\(indirect \w+, offset: (?:0x)?[0-9a-f]+\): )?(.*?)\s*$")
TYPES = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type", "DW_TAG_enumeration_type")
AROUND = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&", "DW_TAG_const_type": " const", "DW_TAG_array_type": "[]"}


class entry:
    def __init__(self, tag, parent):
        self.tag, self.parent, self.attributes, self.children = tag, parent, {}, []

    @property
    def name(self):
        return "" if self.tag == "DW_TAG_compile_unit" else self.attributes.get("name", "")

    @property
    def path(self):
        above = self.parent.path if self.parent and self.parent.name else ""
        return f"{above}::{self.name}" if above else self.name


def entries(text):
    """All entries by their offset; a type of an entry is the offset of another."""
    found, open_entries = {}, [entry("", None)]
    for line in text.splitlines():
        if begins := ENTRY.match(line):
            depth = int(begins[1])
            made = entry(begins[3], open_entries[depth] if depth > 0 else None)
            if made.parent:
                made.parent.children.append(made)
            open_entries[depth + 1:] = [made]
            found[begins[2]] = made
        elif (attribute := ATTRIBUTE.match(line)) and found:
            made.attributes[attribute[1]] = attribute[2]
    return found


def lines(text, is_public):
    """The lines of all types whose path is_public accepts, and of enumerators without a type whose own name it accepts."""
    found = entries(text)

    def type_name(of):
        kind = found.get(of.attributes.get("type", "").strip("<>").removeprefix("0x"))
        if kind is None:
            return "void"
        if kind.tag in AROUND:
            return type_name(kind) + AROUND[kind.tag]
        return kind.path.split("<")[0] if kind.path.startswith("std::") else kind.path or type_name(kind)

    result = set()
    for each in found.values():
        if each.tag == "DW_TAG_typedef" and is_public(each.path) and type_name(each) != each.path:
            result.add(f"{each.path} is {type_name(each)}")
        if each.tag not in TYPES or "declaration" in each.attributes:
            continue
        of = each.path if each.name else ""
        if of and is_public(of):
            result.add(f"{of}: {each.attributes['byte_size']} bytes")
        for child in each.children:
            if child.tag == "DW_TAG_enumerator" and (is_public(of) if of else is_public(child.name)):
                result.add(f"{of}.{child.name}".lstrip(".") + f" = {child.attributes['const_value']}")
            elif of and is_public(of) and "data_member_location" in child.attributes:
                result.add(f"{of}.{child.name or child.tag.removeprefix('DW_TAG_')} at "
                           f"{child.attributes['data_member_location'].split()[0]}: {type_name(child)}")
    return sorted(result)
