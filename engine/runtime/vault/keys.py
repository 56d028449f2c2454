"""The master key and the pepper, outside the database, and the members' keys under them."""

import hmac
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from engine.runtime.keys import MasterKey, secret_file

KEY_BYTES: Final = 32
_FIRST_VERSION: Final = 1


class KeysLostError(Exception):
    """The keys at hand are not those that the database was filled under."""


class WrappedKey(Struct, frozen=True):
    """A member's key as the database holds it: sealed under this version of the master key."""

    version: int
    sealed: bytes


class PlayerKey:
    """Seals one member's private fields and commits to them; without it neither means anything."""

    def __init__(self, key: bytes) -> None:
        """`key` is 32 bytes."""
        self._sealer = MasterKey(_derived(key, "private fields"))
        self._committing = _derived(key, "commitments")

    def __repr__(self) -> str:
        """Without the key."""
        return "MemberKey(withheld)"

    def seal(self, text: str, associated_data: str) -> bytes:
        """The words, encrypted for this place: a table, row and field, as one text."""
        return self._sealer.seal(text.encode(), associated_data.encode())

    def open(self, sealed: bytes, associated_data: str) -> str:
        """The words again; InvalidTag if they were sealed for another place or member."""
        return self._sealer.open(sealed, associated_data.encode()).decode()

    def commitment(self, content: bytes) -> str:
        """The hex that a fact may hold for this content."""
        return commitment(self._committing, content)


class VaultKeys:
    """The master key's versions, the newest of which seals, and the pepper of security codes."""

    def __init__(self, masters: Mapping[int, bytes], pepper: bytes) -> None:
        """32 bytes each, else ValueError; versions count from 1."""
        if any(len(key) != KEY_BYTES for key in (*masters.values(), pepper)):
            raise ValueError(f"the master key and the pepper have {KEY_BYTES} bytes")
        self.version = max(masters)
        self._wrapping = {version: MasterKey(key) for version, key in masters.items()}
        self._indexing = {v: _derived(key, "blind indexes") for v, key in masters.items()}
        self._pepper = pepper
        self._referencing = _derived(pepper, "references of payments")
        self._claiming = _derived(pepper, "claims of erased members")
        named = {"pepper": pepper, **{f"master {v}": key for v, key in masters.items()}}
        #: What tells each key from any other, without giving it away.
        self.fingerprints = {name: _derived(key, "fingerprint") for name, key in named.items()}

    def __repr__(self) -> str:
        """Without the keys."""
        return f"VaultKeys(version={self.version}, withheld)"

    @classmethod
    def at(cls, folder: Path) -> "VaultKeys":
        """The keys in this folder, made if they are not there yet.

        `master.key` is version 1, `master-2.key` version 2, and so on. The newest one is used once
        it is there and the program starts; `Vault.rewrap` then moves what older ones sealed.
        """
        masters = {_FIRST_VERSION: secret_file(master_file(folder, _FIRST_VERSION))}
        for path in folder.glob("master-*.key"):
            masters[int(path.stem.removeprefix("master-"))] = secret_file(path)
        return cls(masters, secret_file(folder / "pepper.key"))

    def with_next(self, folder: Path) -> "VaultKeys":
        """The same with one more master key, whose file is made in this folder."""
        secret_file(master_file(folder, self.version + 1))
        return self.at(folder)

    def new_player_key(self, player: int, entropy: Callable[[int], bytes]) -> WrappedKey:
        """A random key for the member, sealed under the newest version."""
        return self._wrap(player, entropy(KEY_BYTES))

    def unwrap(self, player: int, wrapped: WrappedKey) -> PlayerKey:
        """The member's key; InvalidTag if it is another member's, KeyError for a lost version."""
        return PlayerKey(self._unwrap(player, wrapped))

    def rewrap(self, player: int, wrapped: WrappedKey) -> WrappedKey:
        """The same key, sealed under the newest version."""
        return self._wrap(player, self._unwrap(player, wrapped))

    def blind_index(self, field: str, normalised: str) -> bytes:
        """What stands for a value where equal ones must be found without being read."""
        return _blind(self._indexing[self.version], field, normalised)

    def blind_indexes(self, field: str, normalised: str) -> list[bytes]:
        """The same under every version, for values that older ones may stand for."""
        return [_blind(key, field, normalised) for key in self._indexing.values()]

    def reference_index(self, channel: str, normalised: str) -> str:
        """What stands in facts for a payment's reference, in hex: the same for ever.

        It hangs on the pepper, which never changes; facts cannot be written under another key.
        """
        return _blind(self._referencing, channel, normalised).hex()

    def lasting_index(self, field: str, normalised: str) -> bytes:
        """A blind index under the pepper: it outlives every master key and the member's own key."""
        return _blind(self._claiming, field, normalised)

    def peppered(self, player: int, code: str) -> str:
        """What to hash instead of a security code: useless to whoever has the database alone."""
        return hmac.new(self._pepper, f"{player}/{code}".encode(), sha256).hexdigest()

    def _wrap(self, player: int, key: bytes) -> WrappedKey:
        sealed = self._wrapping[self.version].seal(key, _associated_data(player))
        return WrappedKey(self.version, sealed)

    def _unwrap(self, player: int, wrapped: WrappedKey) -> bytes:
        return self._wrapping[wrapped.version].open(wrapped.sealed, _associated_data(player))


def master_file(folder: Path, version: int) -> Path:
    """The file of this version of the master key."""
    name = "master.key" if version == _FIRST_VERSION else f"master-{version}.key"
    return folder / name


def commitment(key: bytes, content: bytes) -> str:
    """The hex of a keyed hash: it binds to the content and tells nothing of it without the key."""
    return hmac.new(key, content, sha256).hexdigest()


def _derived(key: bytes, purpose: str) -> bytes:
    info = f"fairdraw vault, {purpose}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(key)


def _blind(key: bytes, field: str, normalised: str) -> bytes:
    return hmac.new(key, f"{field}/{normalised}".encode(), sha256).digest()


def _associated_data(player: int) -> bytes:
    return f"member-key/{player}".encode()
