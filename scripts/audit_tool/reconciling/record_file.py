"""Writes the record of a reconciliation once: atomically, and never over an existing file."""

import contextlib
import os
from pathlib import Path

from scripts.audit_tool import AuditError


def refuse_existing(path: Path | None) -> None:
    """Check early that a record can be written; raises AuditError if not."""
    if path is None:
        return
    if path.exists() or path.is_symlink():
        raise AuditError(f"{path} exists, and a record is never overwritten: name another file")
    if not path.absolute().parent.is_dir():
        raise AuditError(f"there is no folder {path.absolute().parent} to record in")


def save_record(path: Path, document: bytes) -> None:
    """Write a new file that only its owner can read; raises AuditError if it already exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise AuditError(f"{path} exists by now, and a record is never overwritten") from None
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
