#!/usr/bin/env python3
"""Zips that no history server makes: the logs in them that can be read are, the others are skipped with the reason, and nothing is
unpacked onto the disk.

    zip_archives_test.py PROGRAM FOLDER
"""
import io
import os
import shutil
import stat
import struct
import sys
import zipfile

from odd_logs_test import import_of, log, text_of

GIB = 1 << 30
SIZE_IN_DIRECTORY = 24  # of the field from the beginning of an entry: what the file unpacks to


def zipped(members):
    """An archive; members are bytes, or a ZipInfo beside them where more than the name is to be said."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            if isinstance(content, tuple):
                how, content = content
                archive.writestr(how, content)
            else:
                archive.writestr(name, content)
    return made.getvalue()


def entry_of(archive, name):
    """Where the directory of an archive begins to tell of a file: its name stands 46 bytes behind."""
    return archive.rindex(name.encode(), 0, archive.rindex(b"PK\5\6")) - 46


def with_number(archive, place, size, number):
    return archive[:place] + number.to_bytes(size, "little") + archive[place + size:]


def encrypted(archive, name):
    flags = entry_of(archive, name) + 8
    return with_number(archive, flags, 2, 1 | struct.unpack_from("<H", archive, flags)[0])


def link(name):
    made = zipfile.ZipInfo(name)
    made.create_system = 3  # Unix
    made.external_attr = (stat.S_IFLNK | 0o777) << 16
    return made


def packed_by(name, method):
    made = zipfile.ZipInfo(name)
    made.compress_type = method
    return made


def with_changed_byte(archive, name):
    """Of what the file is packed to: its middle."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        member = opened.getinfo(name)
    place = member.header_offset + 30 + len(name) + member.compress_size // 2
    return with_number(archive, place, 1, archive[place] ^ 0x55)


def cases():
    """Name, archive, how many runs are taken, and for each log that is not, its name in the report and the reason."""
    text = text_of(log()).encode()
    both = zipped({"app-1": text, "app-2": text})
    yield "encrypted", encrypted(both, "app-2"), 1, {"app-2": "unreadable_member: expected a file that is stored or deflated, found one that is encrypted"}
    yield "packed by bzip2", zipped({"app-1": text, "app-2": (packed_by("app-2", zipfile.ZIP_BZIP2), text)}), 1, {"app-2": "found one of compression method 12"}
    yield "a link", zipped({"app-1": text, "app-2": (link("app-2"), b"/etc/passwd")}), 1, {"app-2": "found a link"}
    yield "a part that is encrypted", encrypted(zipped({f"eventlog_v2_a/events_{i}_a": text for i in (1, 2)}), "eventlog_v2_a/events_2_a"), 0, {
        "eventlog_v2_a/a": "found one that is encrypted"}
    yield "a zip in a zip", zipped({"app-1": text, "more.zip": both}), 1, {"more.zip": "nested_archive: "}
    for name in ("/etc/app-1", "../../app-1", "C:\\app-1", "a/./../app-1"):
        yield f"a log called {name}", zipped({name: text}), 1, {}
    declared = entry_of(both, "app-2") + SIZE_IN_DIRECTORY
    yield "a bomb by its directory", with_number(both, declared, 4, GIB + 1), 0, {"": "oversized_archive: expected a zip archive whose files have at most 1024 MB"}
    yield "many small ones that are a bomb together", zipped({f"app-{i}": b"\0" * (33 << 20) for i in range(32)}), 0, {"": "oversized_archive: "}
    damaged = {"app-2": "no_event_log: expected lines that are JSON objects with an Event, found compressed data that are cut or damaged"}
    yield "less unpacked than the directory says", with_number(both, declared, 4, len(text) + 1), 1, damaged
    yield "more unpacked than the directory says", with_number(both, declared, 4, len(text) // 2), 1, damaged
    yield "a changed byte", with_changed_byte(both, "app-2"), 2, {}
    stored = zipped({"app-1": (packed_by("app-1", zipfile.ZIP_STORED), text)})
    yield "a changed byte of a stored file", stored.replace(b"SparkListenerJobEnd", b"SparkListenerJobEnb"), 1, {}
    directory = both.index(b"PK\1\2")
    yield "a directory that is cut", both[:directory + 10] + both[both.rindex(b"PK\5\6"):], 0, {"": "unreadable_archive: "}
    yield "without a directory", both[:directory], 0, {"": "unreadable_archive: "}
    yield "an entry that leads nowhere", with_number(both, entry_of(both, "app-2") + 42, 4, 0x7FFFFFFF), 1, {"app-2": ""}
    yield "without a log", zipped({"notes.txt": b"none\n"}), 0, {}


INCOMPLETE = ("a changed byte", "a changed byte of a stored file")  # a run of the archive


def files_below(place):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names)


def main(program, place):
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    wrong = []
    count = 0
    for name, archive, runs, skipped in cases():
        count += 1
        path = os.path.join(place, "logs.zip")
        with open(path, "wb") as file:
            file.write(archive)
        rows, report, done = import_of(program, place, path)
        if done.returncode not in (0, 1, 3):
            wrong.append(f"{name}: ended with {done.returncode}: {done.stderr}")
        taken = sum(each["taken"] or each["skipped"].startswith("duplicate_run: ") for each in report.values())
        if taken != runs:
            wrong.append(f"{name}: expected {runs} runs, found {taken}: {report}")
        for log_name, reason in skipped.items():
            found = report.get("logs.zip" + ("/" + log_name if log_name else ""), {}).get("skipped", "")
            if not found or reason not in found:
                wrong.append(f"{name}: expected {log_name} to be skipped, as {reason}, found {report}, {done.stderr}")
        if any("cut or damaged: what decodes was taken" in str(each.get("notes")) for each in report.values()) != (name in INCOMPLETE):
            wrong.append(f"{name}: expected a run to be incomplete: {name in INCOMPLETE}, found {rows}, {report}")
        if files_below(place) != [path]:
            wrong.append(f"{name}: expected no file beside the archive, found {files_below(place)}")
        os.remove(path)
    for each in wrong:
        print(each)
    print(f"{count} archives, {len(wrong)} wrong")
    return 1 if wrong or count < 15 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"expected PROGRAM FOLDER, found {sys.argv[1:]}")
    sys.exit(main(*sys.argv[1:]))
