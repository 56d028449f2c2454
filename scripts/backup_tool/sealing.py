"""Encryption of backups: files in the format of age (age-encryption.org/v1).

A house only has the public key, so it can write backups and not read them. The secret key is kept
elsewhere, and `age` itself opens the files too. A file that was cut off or changed does not open.
"""

import getpass
import hashlib
import io
import os
from pathlib import Path
from typing import Any, Final

import pyrage
from pyrage import passphrase, x25519

from engine.runtime.secret_keys import sync_folder
from scripts.backup_tool import BackupError, DamagedError

PUBLIC_FILE: Final = "backup.pub"
"""The public key's file, among the keys of a house."""
_PASSPHRASE_VARIABLE: Final = "FAIRDRAW_BACKUP_PASSPHRASE"  # noqa: S105 - its name
_SEALED_KEY: Final = b"age-encryption.org/"
_OTHER_KEY: Final = "No matching keys"
_SECRET: Final = "AGE-SECRET-KEY-"  # noqa: S105 - how one begins

Recipient = x25519.Recipient
Identity = x25519.Identity


class HashedFile(io.BufferedIOBase):
    """A new file, readable by its owner, that counts and hashes what is written."""

    def __init__(self, path: Path) -> None:
        """Create it. Raises OSError if it exists."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb")
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: Any, /) -> int:
        """Write all of it."""
        self._hash.update(data)
        written = self._file.write(data)
        self.size += written
        return written

    def close(self) -> None:
        """Make it durable."""
        if not self._file.closed:
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())
        super().close()

    @property
    def sha256(self) -> str:
        """The digest of what was written, in hex."""
        return self._hash.hexdigest()


def seal(source: io.BufferedIOBase, path: Path, recipient: Recipient) -> HashedFile:
    """Encrypt a stream into a new file, which is durable when this returns.

    Raises BackupError if the stream cannot be read or the file not be written.
    """
    with HashedFile(path) as target:
        try:
            pyrage.encrypt_io(source, target, [recipient])
        except pyrage.EncryptError as error:  # it has the text of an exception of either
            if str(error).startswith(KeyboardInterrupt.__name__):
                raise KeyboardInterrupt from None
            raise BackupError(f"{path} cannot be written: {error}") from None
    return target


def seal_bytes(data: bytes, path: Path, recipient: Recipient) -> None:
    """Replace a file durably with these bytes, encrypted. A reader sees the old or the new one."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    with HashedFile(fresh) as target:
        target.write(pyrage.encrypt(data, [recipient]))
    fresh.rename(path)
    sync_folder(path.parent)


def open_bytes(path: Path, identity: Identity) -> bytes:
    """Returns a file's content. Raises DamagedError, or BackupError for another key."""
    output = io.BytesIO()
    _open(path, output, identity)
    return output.getvalue()


def open_into(path: Path, target: Path, identity: Identity) -> None:
    """Decrypt a file into a new one. Raises DamagedError, or BackupError for another key."""
    with HashedFile(target) as plain:
        _open(path, plain, identity)


def check_opens(path: Path, identity: Identity) -> None:
    """Decrypt a file to nowhere. Raises DamagedError, or BackupError for another key."""
    with Path(os.devnull).open("wb") as nowhere:
        _open(path, nowhere, identity)


def _open(path: Path, target: io.BufferedIOBase, identity: Identity) -> None:
    with path.open("rb") as source:
        try:
            pyrage.decrypt_io(source, target, [identity])
        except (pyrage.DecryptError, OSError) as error:
            if _OTHER_KEY in str(error):
                raise BackupError(
                    f"this key does not open {path}: name the secret key of the pair that sealed it"
                ) from None
            raise DamagedError(f"{path} does not open: {error}") from None


def make_key(path: Path, keys: Path, words: str) -> Recipient:
    """Make a pair of keys: the secret one in `path`, the public one among the house's keys.

    With `words` the secret key's file is encrypted with this passphrase (scrypt).
    """
    identity = x25519.Identity.generate()
    text = f"{identity}\n".encode()
    with HashedFile(path) as secret:
        secret.write(passphrase.encrypt(text, words) if words else text)
    keys.mkdir(parents=True, exist_ok=True, mode=0o700)
    (keys / PUBLIC_FILE).write_text(f"{identity.to_public()}\n")
    return identity.to_public()


def public_key(keys: Path) -> Recipient:
    """Returns the public key of a house. Raises BackupError if it has none."""
    path = keys / PUBLIC_FILE
    try:
        return x25519.Recipient.from_str(path.read_text().strip())
    except FileNotFoundError:
        raise BackupError(
            f"{path} is missing: make a pair of keys with scripts/backup make-key"
            f" FILE --data {keys.parent}, and keep FILE away from this machine"
        ) from None
    except pyrage.RecipientError:
        raise BackupError(f"{path} is not a public key of age") from None


def secret_key(path: Path) -> Identity:
    """Returns the secret key in a file; asks for the passphrase if the file has one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BackupError(f"the key file {path} cannot be read: {error.strerror}") from None
    if content.startswith(_SEALED_KEY):
        content = _with_passphrase(path, content)
    lines = content.decode(errors="replace").splitlines()
    secrets = [line.strip() for line in lines if line.startswith(_SECRET)]
    try:
        return x25519.Identity.from_str(secrets[0])
    except (IndexError, pyrage.IdentityError):
        raise BackupError(
            f"{path} is not the secret key of backups: its line begins with {_SECRET}"
        ) from None


def _with_passphrase(path: Path, content: bytes) -> bytes:
    words = os.environ.get(_PASSPHRASE_VARIABLE) or getpass.getpass(f"Passphrase of {path}: ")
    try:
        return passphrase.decrypt(content, words)
    except pyrage.DecryptError:
        raise BackupError(f"the passphrase does not open {path}") from None


def new_passphrase() -> str:
    """Asks twice for a passphrase, or takes the one of the environment."""
    given = os.environ.get(_PASSPHRASE_VARIABLE)
    if given:
        return given
    words = getpass.getpass("New passphrase: ")
    if not words or words != getpass.getpass("The same again: "):
        raise BackupError("the passphrase is empty, or the two differ: nothing was made")
    return words
