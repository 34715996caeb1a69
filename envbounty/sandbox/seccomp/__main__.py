"""Compiles the filters. Run on Linux with libseccomp; the test suite checks that the shipped bytes are these."""

from __future__ import annotations

import errno
import sys
import tempfile
from pathlib import Path

import pyseccomp  # type: ignore[import-untyped]

# A deny-list over a default of allow: the namespaces and dropped capabilities already keep a job in, so this only has
# to take away what they do not cover, and what widens the kernel's attack surface for nothing a solution needs.
MOUNTS = "mount umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr chroot"
NAMESPACES = "unshare setns"
KERNEL = """swapon swapoff reboot init_module finit_module delete_module kexec_load kexec_file_load acct quotactl
quotactl_fd syslog settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm vhangup
lookup_dcookie nfsservctl personality bpf perf_event_open userfaultfd fanotify_init"""
OTHERS = """ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp move_pages migrate_pages
mbind set_mempolicy"""
# Memory that no limit of ours counts, and channels between one job and the next.
UNCOUNTED = """memfd_create memfd_secret vmsplice shmget shmat shmctl msgget msgsnd msgrcv msgctl semget semop
semctl semtimedop mq_open mq_unlink"""
CHANNELS = """keyctl add_key request_key open_by_handle_at name_to_handle_at io_uring_setup io_uring_enter
io_uring_register mknod mknodat"""
# These reach every file system of the host, or make it wait for its disks.
HOST_DISKS = "sync syncfs"
NEW_PROCESSES = "fork vfork"
# Allowed on the caller alone: a job of an ordinary user has the same uid as its supervisor, and could slow or starve
# it.
OTHERS_BY_NUMBER = {
    "prlimit64": 0,
    "sched_setscheduler": 0,
    "sched_setparam": 0,
    "sched_setattr": 0,
    "sched_setaffinity": 0,
    "setpriority": 1,
    "ioprio_set": 1,
}
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1
NAMESPACE_FLAGS = (0x80, 0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
CLONE_THREAD = 0x10000
AF_UNIX = 1
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
TIOCSTI, TIOCLINUX = 0x5412, 0x541C


def compile_filter(architecture: str, one_process: bool) -> bytes:
    """The BPF program for `architecture` (x86_64 or aarch64). Any other system-call table ends the process."""
    result = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    # A binary tree instead of a list: the kernel runs a filter once for every call there is when it is loaded.
    result.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, 2)
    wanted = getattr(pyseccomp.Arch, architecture.upper())
    if wanted != pyseccomp.system_arch():
        result.add_arch(wanted)
        result.remove_arch(pyseccomp.system_arch())
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in " ".join((MOUNTS, NAMESPACES, KERNEL, OTHERS, UNCOUNTED, CHANNELS, HOST_DISKS)).split():
        _add(result, refuse, name)
    # The flags of clone3 are behind a pointer, where a filter cannot look; libc then falls back to clone.
    _add(result, pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    for flag in NAMESPACE_FLAGS:
        _add(result, refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    if one_process:
        for name in NEW_PROCESSES.split():
            _add(result, refuse, name)
        _add(result, refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, 0))
    else:
        # Shared memory without a file can be held by a process that does not count it. One process counts all it has.
        flags = MAP_SHARED | MAP_ANONYMOUS
        _add(result, refuse, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, flags, flags))
    for name, argument in OTHERS_BY_NUMBER.items():
        _add(result, refuse, name, pyseccomp.Arg(argument, pyseccomp.NE, 0))
    _add(result, refuse, "setpriority", pyseccomp.Arg(0, pyseccomp.NE, PRIO_PROCESS))
    _add(result, refuse, "ioprio_set", pyseccomp.Arg(0, pyseccomp.NE, IOPRIO_WHO_PROCESS))
    # Network namespaces do not cover every family (vsock reaches the hypervisor), so only local sockets are left.
    for name in ("socket", "socketpair"):
        _add(result, refuse, name, pyseccomp.Arg(0, pyseccomp.NE, AF_UNIX))
    for request in (TIOCSTI, TIOCLINUX):
        _add(result, refuse, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request))
    with tempfile.TemporaryFile() as file:
        result.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(target: pyseccomp.SyscallFilter, action: int, name: str, *arguments: object) -> None:
    try:
        target.add_rule(action, name, *arguments)
    except (OSError, ValueError, RuntimeError) as error:
        # An architecture that never had the call (aarch64 has no fork) needs no rule for it; say it, don't hide it.
        print(f"no rule for {name}: {error}", file=sys.stderr)


def main(folder: Path) -> None:
    for architecture in ("x86_64", "aarch64"):
        for which in ("one", "many"):
            (folder / f"{architecture}-{which}.bpf").write_bytes(compile_filter(architecture, which == "one"))


if __name__ == "__main__":
    main(Path(__file__).parent)
