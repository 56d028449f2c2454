"""The master key and the pepper, outside the database, and the players' keys sealed under them."""

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from engine.runtime.secret_keys import MasterKey, secret_file

KEY_BYTES: Final = 32
_FIRST_VERSION: Final = 1


class KeysLostError(Exception):
    """The keys in the keys folder are not those that the database was written with."""


class WrappedKey(Struct, frozen=True):
    """A player's key as the database stores it: sealed under this version of the master key."""

    version: int
    sealed: bytes


class PlayerKey:
    """Seals one player's private fields and commits to them. Both are useless without the key."""

    def __init__(self, key: bytes) -> None:
        """`key` is 32 bytes."""
        self._sealer = MasterKey(_derived(key, "private fields"))
        self._committing = _derived(key, "commitments")

    def __repr__(self) -> str:
        """Without the key."""
        return "PlayerKey(withheld)"

    def seal(self, text: str, associated_data: str) -> bytes:
        """Encrypts a text; `associated_data` names its table, row and field."""
        return self._sealer.seal(text.encode(), associated_data.encode())

    def open(self, sealed: bytes, associated_data: str) -> str:
        """Decrypts a text. Raises InvalidTag if it was sealed for another field or player."""
        return self._sealer.open(sealed, associated_data.encode()).decode()

    def commitment(self, content: bytes) -> str:
        """Returns the commitment to this content, in hex, for a fact."""
        return commitment(self._committing, content)


class VaultKeys:
    """The master key's versions, of which the newest seals, and the pepper of security codes."""

    def __init__(self, masters: Mapping[int, bytes], pepper: bytes) -> None:
        """Versions count from 1. Raises ValueError if a key does not have 32 bytes."""
        if any(len(key) != KEY_BYTES for key in (*masters.values(), pepper)):
            raise ValueError(f"the master key and the pepper have {KEY_BYTES} bytes")
        self.version = max(masters)
        self._wrapping = {version: MasterKey(key) for version, key in masters.items()}
        self._indexing = {v: _derived(key, "blind indexes") for v, key in masters.items()}
        self._pepper = pepper
        self._referencing = _derived(pepper, "references of payments")
        self._claiming = _derived(pepper, "claims of erased members")
        named = {"pepper": pepper, **{f"master {v}": key for v, key in masters.items()}}
        #: Names of the keys whose fingerprints are always recorded: the first master key also seals
        #: the secrets of the draws.
        self.first_master, self.newest_master = f"master {min(masters)}", f"master {max(masters)}"
        #: Identifies each key without revealing it.
        self.fingerprints = {name: _derived(key, "fingerprint") for name, key in named.items()}

    def __repr__(self) -> str:
        """Without the keys."""
        return f"VaultKeys(version={self.version}, withheld)"

    @classmethod
    def at(cls, folder: Path) -> "VaultKeys":
        """Returns the keys in this folder, which are created if missing.

        `master.key` is version 1, `master-2.key` version 2, and so on. From the next start the
        newest one is used; `Vault.rewrap` then rewraps what older ones sealed.
        """
        masters = {_FIRST_VERSION: secret_file(master_file(folder, _FIRST_VERSION))}
        for path in folder.glob("master-*.key"):
            masters[int(path.stem.removeprefix("master-"))] = secret_file(path)
        return cls(masters, secret_file(folder / "pepper.key"))

    def with_next(self, folder: Path) -> "VaultKeys":
        """Creates the file of the next master key in this folder. Returns the keys including it."""
        secret_file(master_file(folder, self.version + 1))
        return self.at(folder)

    def new_player_key(self, player: int) -> WrappedKey:
        """Returns a random key for the player, sealed under the newest version."""
        return self._wrap(player, os.urandom(KEY_BYTES))

    def unwrap(self, player: int, wrapped: WrappedKey) -> PlayerKey:
        """Returns the player's key.

        Raises InvalidTag if it is another player's, KeyError if its version is missing.
        """
        return PlayerKey(self._unwrap(player, wrapped))

    def rewrap(self, player: int, wrapped: WrappedKey) -> WrappedKey:
        """Returns the same key, sealed under the newest version."""
        return self._wrap(player, self._unwrap(player, wrapped))

    def blind_index(self, field: str, normalised: str) -> bytes:
        """Returns a value's blind index: equal values can be found without storing them."""
        return _blind(self._indexing[self.version], field, normalised)

    def blind_indexes(self, field: str, normalised: str) -> list[bytes]:
        """Returns the blind indexes under every version, since older ones may be stored."""
        return [_blind(key, field, normalised) for key in self._indexing.values()]

    def reference_index(self, channel: str, normalised: str) -> str:
        """Returns the permanent index, in hex, that facts record for a payment's reference.

        It depends on the pepper, which never changes, because facts cannot be rewritten.
        """
        return _blind(self._referencing, channel, normalised).hex()

    def lasting_index(self, field: str, normalised: str) -> bytes:
        """Returns a blind index under the pepper, which outlives master keys and players' keys."""
        return _blind(self._claiming, field, normalised)

    def peppered(self, player: int, code: str) -> str:
        """Returns the text to hash in place of a code. The database alone cannot verify guesses."""
        return hmac.new(self._pepper, f"{player}/{code}".encode(), sha256).hexdigest()

    def _wrap(self, player: int, key: bytes) -> WrappedKey:
        sealed = self._wrapping[self.version].seal(key, _associated_data(player))
        return WrappedKey(self.version, sealed)

    def _unwrap(self, player: int, wrapped: WrappedKey) -> bytes:
        return self._wrapping[wrapped.version].open(wrapped.sealed, _associated_data(player))


def master_file(folder: Path, version: int) -> Path:
    """Returns the file of this version of the master key."""
    name = "master.key" if version == _FIRST_VERSION else f"master-{version}.key"
    return folder / name


def commitment(key: bytes, content: bytes) -> str:
    """Returns a keyed hash in hex. It binds to the content and reveals nothing without the key."""
    return hmac.new(key, content, sha256).hexdigest()


def _derived(key: bytes, purpose: str) -> bytes:
    info = f"fairdraw vault, {purpose}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(key)


def _blind(key: bytes, field: str, normalised: str) -> bytes:
    return hmac.new(key, f"{field}/{normalised}".encode(), sha256).digest()


def _associated_data(player: int) -> bytes:
    return f"member-key/{player}".encode()
