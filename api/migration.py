"""`python -m api.migration`: brings the database up to date as its owner, then exits.

A server whose environment lacks DATABASE_OWNER_URL never has the owner's password. This program
then migrates, with DATABASE_OWNER_URL, before a new version of the server starts.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.runtime.log import rights, schema
from engine.runtime.postgres.embedded_postgres import database
from engine.runtime.postgres.files import PostgresError


def main(arguments: Sequence[str] | None = None) -> int:
    """Migrate the database, and check the rights of the application's role."""
    parser = argparse.ArgumentParser(
        prog="python -m api.migration", description="Bring the database up to date."
    )
    usual = Path(os.environ.get("FAIRDRAW_DATA") or ".data")
    parser.add_argument("--data", type=Path, default=usual, metavar="DIR")
    data = parser.parse_args(arguments).data
    url, owner_url = os.environ.get("DATABASE_URL"), os.environ.get("DATABASE_OWNER_URL")
    try:
        with database(data, url, owner_url=owner_url) as conninfos:
            schema.create(conninfos.owner)
            rights.check(conninfos.app, demo=False)
    except (PostgresError, OSError) as error:
        print(f"fairdraw: {error}", file=sys.stderr)
        return 1
    print("the database is up to date, and the application's role can only append to the log")
    return 0


if __name__ == "__main__":
    sys.exit(main())
