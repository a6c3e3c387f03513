"""The folder of the embedded services: who may enter it, and as whom PostgreSQL runs.

PostgreSQL refuses to run as root, so for root it runs as the user ``pgserver``, who must be able
to enter the folder. Nothing here ever changes the permissions of a folder that existed before:
a private one is refused, with the name of one that will do.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from hmind.errors import SettingsError

SERVER_USER = "pgserver"
ROOT_HOME = "/var/lib/hmind"


def private_folder(path: Path) -> Path | None:
    """The first folder on the way to ``path``, itself included, that other users cannot enter."""
    for folder in (*reversed(path.parents), path):
        if folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def prepare(home: Path, for_postgres: bool = True) -> Path:
    """Creates the folder of the embedded services and returns its real path.

    Others may enter it only where they must: when root starts PostgreSQL.

    Raises:
        SettingsError: it is no folder, cannot be written, or lies in root's private ones.
    """
    home = home.expanduser().resolve()
    shared = for_postgres and os.geteuid() == 0
    if shared and (private := private_folder(home)):
        raise SettingsError(
            f"HMIND_HOME: {home} cannot be used by root, because other users cannot enter {private} and PostgreSQL "
            f"has to run as one ({SERVER_USER}). Set HMIND_HOME={ROOT_HOME}, or run hmind as a user who is not root."
        )
    try:
        for folder in (*reversed(home.parents), home):
            with suppress(FileExistsError):  # it is there, or another process was faster
                folder.mkdir()
                folder.chmod(0o755 if shared else 0o700)
        if not home.is_dir():
            raise NotADirectoryError(20, "Not a directory")
        if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise SettingsError(
            f"HMIND_HOME: {home} cannot be written ({error.strerror}). Set HMIND_HOME to a folder of yours."
        ) from error
    return home


def server_user() -> pwd.struct_passwd | None:
    """The user that PostgreSQL runs as when we are root, created when missing; None when we are not.

    Raises:
        SettingsError: the user cannot be created.
    """
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(SERVER_USER)
    except KeyError:
        pass
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    advice = "Create it, run hmind as a user who is not root, or set HMIND_DATABASE_URL."
    if useradd is None:
        raise SettingsError(f"PostgreSQL needs the system user {SERVER_USER}, and useradd is not there. {advice}")
    command = [useradd, "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", SERVER_USER]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return pwd.getpwnam(SERVER_USER)
    except KeyError:
        raise SettingsError(
            f"PostgreSQL needs the system user {SERVER_USER}: {made.stderr.strip() or 'useradd failed'}. {advice}"
        ) from None
