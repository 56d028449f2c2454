"""`scripts/backup` and `scripts/restore`: encrypted backups of a house, and its way back.

Both exit with 0 if all is well, 1 if a backup is damaged or something is missing from it, 2 if the
command could not run; the reason is one line on standard error.
"""

DAMAGED = 1
COULD_NOT_RUN = 2


class BackupError(Exception):
    """The command cannot do it; the message is one line that says why and what to do."""


class UnreachableError(BackupError):
    """The database does not answer, or refuses the login."""


class DamagedError(Exception):
    """A file of a backup is missing or differs from what was stored; the message names it."""
