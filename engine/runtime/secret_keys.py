"""The operator's signing key and the master key, in files outside the database."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.fairness import checkpoints, signing
from engine.fairness.checkpoints import Checkpoint, Note
from engine.fairness.receipts import sign_head

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


def secret_file(path: Path) -> bytes:
    """Returns the file's 32 bytes. A missing file is created durably, readable by its owner.

    Of several processes that create it at once, one does, and the others return its bytes.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                path.hardlink_to(name)  # unlike a rename, it never replaces a file
        finally:
            Path(name).unlink()
        sync_folder(path.parent)
    return path.read_bytes()


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class OperatorKey:
    """The operator's Ed25519 signing key."""

    def __init__(self, seed: bytes) -> None:
        """`seed` is the Ed25519 private key's 32 bytes."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = signing.public_bytes(self._key)

    def sign(self, domain: bytes, payload: bytes) -> bytes:
        """Signs a payload in one of the domains of `engine.fairness.signing`."""
        return signing.sign(self._key, domain, payload)

    def sign_checkpoint(self, checkpoint: Checkpoint) -> Note:
        """Returns the checkpoint of the log, signed under the log's name."""
        return checkpoints.sign(checkpoint, self._key)

    def sign_receipts(self, size: int, head: bytes) -> bytes:
        """Signs the tree head of a batch's receipts."""
        return sign_head(self._key, size, head)


class MasterKey:
    """Encrypts values that the database stores but must not be able to read (AES-256-GCM)."""

    def __init__(self, key: bytes) -> None:
        """`key` is 32 bytes."""
        self._cipher = AESGCM(key)

    def seal(self, secret: bytes, associated_data: bytes) -> bytes:
        """Encrypts the secret. Decryption needs the same `associated_data`."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, secret, associated_data)

    def open(self, sealed: bytes, associated_data: bytes) -> bytes:
        """Decrypts a sealed secret. Raises InvalidTag if either argument was changed."""
        return self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], associated_data)
