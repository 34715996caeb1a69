"""What every part of the jail server stands on: the kernel's calls and numbers, the wire, and the names in a jail."""

from __future__ import annotations

import ctypes
import json
import os
import struct
from typing import Any

Json = dict[str, Any]
Blobs = list[bytes]

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]

NEWNS, NEWPID = 0x20000, 0x20000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_SECUREBITS, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 28, 36, 38, 47
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC_PRIVATE = 0x4000 | (1 << 18)

CAPABILITIES_3, NO_CAPABILITIES = struct.pack("Ii", 0x20080522, 0), bytes(24)

TMP, SHM, ROOT = "/tmp", "/dev/shm", "/job"
RESULT = 3  # the descriptor on which a job of Python code returns its result
TROUBLE = 4  # the one on which a job says why it could not be started; closed before its code runs
OUT_OF_MEMORY = 86  # how our own wrapper says that Python raised MemoryError
HUNG_UP, BROKEN, DIRTY = 100, 101, 102  # how a supervisor ends when it could not answer, or could not clean up
PLAIN, GUARD = 1, 0  # offsets in a server's block of uids: the first job's, and the one that ends jobs


def call(what: str, value: int) -> None:
    if value != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(kind: bytes, target: str, flags: int, data: str | None) -> None:
    call(f"mount {target}", libc.mount(kind, target.encode(), kind, flags, data.encode() if data else None))


def read_exactly(fd: int, count: int) -> bytes:
    chunks, left = [], count
    while left:
        chunk = os.read(fd, min(left, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_message(fd: int, head: Json, blobs: Blobs) -> None:
    text = json.dumps(head).encode()
    write_all(fd, struct.pack(">I", len(text)) + text)
    for blob in blobs:
        write_all(fd, blob)
