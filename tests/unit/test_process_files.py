"""Procfile, docker-compose.yml and deploy/ start the same processes, and each of them is complete."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from celery.bin.beat import beat
from celery.bin.worker import worker
from flower.options import options as flower_options

from hmind import settings as settings_module
from hmind.local.supervisor import GRACE_S, read_procfile

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "deploy"
PROCFILE = {name: tuple(shlex.split(command)) for name, command in read_procfile(TOP / "Procfile").items()}
WORKERS = ("intake", "boundary", "analysis", "promotion")
PASSWORDS = {"POSTGRES_PASSWORD": "first", "VALKEY_PASSWORD": "second"}


def compose(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Docker Compose on our file, by whichever name it is installed; without any, the test fails."""
    plugin = (
        subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0
        if (shutil.which("docker"))
        else False
    )
    program = ["docker", "compose"] if plugin else ["docker-compose"]
    if not plugin and not shutil.which("docker-compose"):
        pytest.fail("docker-compose is missing. Run: apt-get install docker-compose (no container engine is needed).")
    clean = {key: value for key, value in os.environ.items() if key not in PASSWORDS}
    return subprocess.run(
        [*program, "-f", str(TOP / "docker-compose.yml"), *arguments],
        env=clean | env,
        capture_output=True,
        text=True,
        check=False,
        cwd=DEPLOY,
    )


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    """docker-compose.yml as Compose itself understands it."""
    made = compose("config", env=PASSWORDS)
    assert made.returncode == 0, made.stderr
    return yaml.safe_load(made.stdout)["services"]


def words(command: str | list[str]) -> tuple[str, ...]:
    return tuple(shlex.split(command)) if isinstance(command, str) else tuple(command)


def kubernetes() -> dict[str, dict[str, Any]]:
    """The pod templates of deploy/kubernetes by component."""
    found = {}
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document["kind"] in ("Deployment", "Job"):
                found[document["metadata"]["labels"]["app.kubernetes.io/component"]] = document["spec"]
    return found


def systemd_command(unit: Path) -> tuple[str, ...]:
    (line,) = re.findall(r"^ExecStart=(.+)$", unit.read_text(), flags=re.MULTILINE)
    program, *rest = shlex.split(line.replace("%%", "%"))
    assert program.startswith("/opt/hmind/.venv/bin/")
    return (Path(program).name, *rest)


def test_every_queue_has_a_worker_and_every_worker_a_name_of_its_own() -> None:
    queues = ",".join(PROCFILE[name][PROCFILE[name].index("-Q") + 1] for name in WORKERS)
    assert sorted(queues.split(",")) == ["analysis", "boundary", "intake", "promotion", "upkeep"]
    assert [PROCFILE[name][PROCFILE[name].index("-n") + 1] for name in WORKERS] == [f"{name}@%h" for name in WORKERS]
    assert set(PROCFILE) == {*WORKERS, "beat", "flower"}
    assert all(command[:3] == ("celery", "-A", "tasks") for command in PROCFILE.values())


@pytest.mark.parametrize("name", sorted(PROCFILE))
def test_the_options_are_ones_that_celery_and_flower_know(name: str) -> None:
    known = {
        "worker": {option for parameter in worker.params for option in parameter.opts},
        "beat": {option for parameter in beat.params for option in parameter.opts},
        "flower": {f"--{option}" for option in flower_options.as_dict()},
    }[PROCFILE[name][3]]
    used = {word.partition("=")[0] for word in PROCFILE[name][4:] if word.startswith("-")}
    assert used
    assert used - known == set()


def test_compose_starts_the_same_commands(composed: dict[str, Any]) -> None:
    ours = {name: words(service["command"]) for name, service in composed.items() if service["image"] == "hmind:latest"}
    assert ours.pop("migrate") == ("hmind", "migrate")
    assert ours.pop("beat-standby") == PROCFILE["beat"]
    # Inside a container the loopback interface cannot be published; what is published is checked below.
    assert ours.pop("flower") == tuple(word.replace("=127.0.0.1", "=0.0.0.0") for word in PROCFILE["flower"])
    assert ours == {name: command for name, command in PROCFILE.items() if name != "flower"}


def test_compose_publishes_flower_alone_and_on_the_loopback_interface_alone(composed: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in composed.items() if service.get("ports")}
    assert list(published) == ["flower"]
    (port,) = published["flower"]
    address = port if isinstance(port, str) else f"{port['host_ip']}:{port['published']}:{port['target']}"
    assert address.removesuffix("/tcp") == "127.0.0.1:5555:5555"


def test_compose_waits_for_the_schema_and_the_broker(composed: dict[str, Any]) -> None:
    for name in (*PROCFILE, "beat-standby"):
        waits = {what: how["condition"] for what, how in composed[name]["depends_on"].items()}
        assert waits == {"migrate": "service_completed_successfully", "valkey": "service_healthy"}, name
        assert composed[name]["restart"] == "unless-stopped"
    assert composed["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert composed["migrate"]["restart"] == "no"


def test_compose_keeps_what_the_broker_holds(composed: dict[str, Any]) -> None:
    command = words(composed["valkey"]["command"])
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"
    assert options["--requirepass"] == "second"
    assert composed["postgres"]["image"] == "pgvector/pgvector:pg18"


def test_compose_refuses_to_start_without_passwords() -> None:
    made = compose("config", env={})
    assert made.returncode != 0
    assert "deploy/env.example" in made.stderr


def test_what_compose_and_the_example_pass_on_are_settings(composed: dict[str, Any]) -> None:
    environment = composed["intake"]["environment"]
    settings = settings_module.load(environment)
    assert settings.stores.redis_url.get_secret_value() == "redis://:second@valkey:6379/0"
    assert environment["REMAP_SIGTERM"] == "SIGQUIT"
    example = re.findall(r"^([A-Z_]+)=", (DEPLOY / "env.example").read_text(), flags=re.MULTILINE)
    assert set(PASSWORDS) <= set(example)
    settings_module.load({name: "" for name in example if name.startswith("HMIND_ANALYSIS")})


def test_systemd_starts_the_same_commands() -> None:
    folder = DEPLOY / "systemd"
    commands = {
        unit.parent.name.removeprefix("hmind@").removesuffix(".service.d"): systemd_command(unit)
        for unit in folder.glob("hmind@*.service.d/command.conf")
    }
    assert commands == PROCFILE
    wanted = re.findall(r"hmind@(\w+)\.service", (folder / "hmind.target").read_text().partition("[Unit]")[2])
    assert sorted(wanted) == sorted(PROCFILE)
    assert systemd_command(folder / "hmind-migrate.service") == ("hmind", "migrate")


def test_kubernetes_starts_the_same_commands() -> None:
    pods = kubernetes()
    commands = {name: tuple(spec["template"]["spec"]["containers"][0]["args"]) for name, spec in pods.items()}
    assert commands.pop("migrate") == ("hmind", "migrate")
    assert commands == PROCFILE
    assert pods["beat"]["replicas"] == 2
    listed = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    assert {*listed, "kustomization.yaml"} == {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")}


def test_a_worker_has_time_for_its_soft_shutdown_everywhere(composed: dict[str, Any]) -> None:
    grace = {float(composed[name]["stop_grace_period"].removesuffix("s")) for name in PROCFILE}
    grace |= {
        spec["template"]["spec"]["terminationGracePeriodSeconds"]
        for name, spec in kubernetes().items()
        if name in PROCFILE
    }
    unit = (DEPLOY / "systemd" / "hmind@.service").read_text()
    grace.add(float(re.findall(r"^TimeoutStopSec=(\d+)$", unit, flags=re.MULTILINE)[0]))
    assert grace == {GRACE_S} == {45.0}
    assert "REMAP_SIGTERM=SIGQUIT" in unit


def test_nothing_runs_as_root_or_holds_a_secret() -> None:
    for spec in kubernetes().values():
        pod = spec["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["containers"][0]["securityContext"]["allowPrivilegeEscalation"] is False
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users
    assert users[-1] not in ("root", "0")
    assert not any(re.search("PASSWORD|_KEY|SECRET|TOKEN", line) for line in lines)
    example = (DEPLOY / "env.example").read_text()
    assert re.findall(r"^\w*(?:PASSWORD|KEY)=(.+)$", example, flags=re.MULTILINE) == []


def test_make_lists_its_targets_and_each_says_what_it_does() -> None:
    listed = subprocess.run(
        ["make", "-C", str(TOP), "--no-print-directory"], capture_output=True, text=True, check=True
    )
    named = set(re.findall(r"^  make ([a-z-]+)\s+\S", listed.stdout, flags=re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (TOP / "Makefile").read_text(), flags=re.MULTILINE)
    assert named == set(phony.split())
    assert {"demo", "test", "up"} <= named


def test_make_says_what_to_do_when_python_is_too_old_or_missing(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "uv.lock"):
        shutil.copy(TOP / name, tmp_path / name)
    made = subprocess.run(
        ["make", "-C", str(tmp_path), "demo", "PYTHON=python-that-is-not-there"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode != 0
    assert "H-Mind needs Python 3.11 or newer" in made.stderr
    assert "make PYTHON=python3.12 demo" in made.stderr
    assert not (tmp_path / ".venv").exists()
