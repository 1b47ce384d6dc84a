"""Writes fixtures/archive with Python's own writers: python3 test/support/make-archive-fixtures.py"""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import tarfile
import zipfile

FOLDER = os.path.join(os.path.dirname(__file__), "../../fixtures/archive/")
WHEN = (2026, 1, 2, 3, 4, 6)
SECONDS = 1767323046
CSV = "id,city,people\n" + "".join(f"{i},City {i},{i * 1234 % 9973}\n" for i in range(1, 41))

os.makedirs(FOLDER, exist_ok=True)


def zip_bytes(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name, WHEN)
            info.compress_type = zipfile.ZIP_STORED if name.endswith("/") else zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return out.getvalue()


def tar_bytes(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in entries:
            info = tarfile.TarInfo(name.rstrip("/"))
            info.mtime = SECONDS
            if name.endswith("/"):
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            elif isinstance(data, str) and data.startswith("-> "):
                info.type = tarfile.SYMTYPE
                info.linkname = data[3:]
                archive.addfile(info)
            else:
                raw = data.encode() if isinstance(data, str) else data
                info.size = len(raw)
                archive.addfile(info, io.BytesIO(raw))
    return out.getvalue()


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)


inner = tar_bytes([("cities.csv", CSV)])
write(
    "project.zip",
    zip_bytes(
        [
            ("docs/", ""),
            ("docs/readme.md", "# Project\n\nWhat it is.\n"),
            ("docs/größe, and weight.txt", "units\n"),
            ("data/cities.csv", CSV),
            ("data/cities.tar.gz", gzip.compress(inner, mtime=SECONDS)),
            ("../outside.txt", "a name that leads out\n"),
        ]
    ),
)
write("logs.zip", zip_bytes([(f"logs/2026/{i % 12 + 1:02}/day-{i:03}.log", f"line {i}\n" * (i % 5)) for i in range(260)]))
write(
    "release.tar",
    tar_bytes(
        [
            ("release/", ""),
            ("release/notes.txt", "all is new\n"),
            ("release/" + "long-name-" * 15 + "end.txt", "long\n"),
            ("release/latest", "-> notes.txt"),
            ("release/shadow", "-> /etc/shadow"),
        ]
    ),
)
write("backup.tar.gz", gzip.compress(tar_bytes([(f"backup/file-{i}.txt", f"{i}\n") for i in range(12)]), mtime=SECONDS))
write("cities.csv.gz", gzip.compress(CSV.encode(), mtime=SECONDS))
write("cities.csv.bz2", bz2.compress(CSV.encode()))
write("backup.tar.xz", lzma.compress(tar_bytes([(f"backup/file-{i}.txt", f"{i}\n") for i in range(12)])))
PARTS = [(f"parts/part-{i}.csv", CSV) for i in range(5)]
write("parts.tar.zst", subprocess.run(["zstd", "-c"], input=tar_bytes(PARTS), stdout=subprocess.PIPE, check=True).stdout)
write("notes.tar.bz2", bz2.compress(tar_bytes([("notes/", ""), ("notes/today.md", "# Today\n")])))
