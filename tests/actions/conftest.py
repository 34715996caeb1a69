"""Pull requests made in a temporary directory, and `act` to run a workflow on them without a network.

Everything that a real workflow would fetch is replaced by a folder: the action under test is a copy of ours,
checkout is a `git fetch` from the temporary repository, and an upload is a copy of files into `artifacts`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
USED = re.compile(r"^\s*-?\s*uses:\s*([\w./-]+)@(\S+)", re.M)
#: What the README writes for our own action.
OURS = "OWNER/envbounty/actions/verify"

CHECKOUT = """
name: checkout stand-in
inputs: {fetch-depth: {default: "1"}, persist-credentials: {default: "true"}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {DEPTH: "${{ inputs.fetch-depth }}"}
      run: |
        git init -q .
        git remote add origin "file://$FIXTURE_REPOSITORY"
        if [ "$DEPTH" = 0 ]; then git fetch -q origin; else depth="--depth $DEPTH"; fi
        git fetch -q $depth origin HEAD
        git checkout -q FETCH_HEAD
"""

UPLOAD = """
name: upload stand-in
inputs: {name: {}, path: {}, sarif_file: {}, category: {}, if-no-files-found: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name || 'code-scanning' }}", FILES: "${{ inputs.path || inputs.sarif_file }}"}
      run: |
        mkdir -p "$FIXTURE_ARTIFACTS/$NAME"
        while IFS= read -r file; do
          if [ -n "$file" ]; then cp "$file" "$FIXTURE_ARTIFACTS/$NAME"; fi
        done <<<"$FILES"
"""


def readme_workflow() -> str:
    """The workflow that the action's README tells people to use."""
    found = re.search(r"```yaml\n(.*?)```", (ROOT / "actions/verify/README.md").read_text(), re.S)
    assert found
    return found[1]


@dataclass
class Run:
    """What one run of the workflow left behind."""

    status: int
    log: str
    outputs: dict[str, str]
    artifacts: Path

    def report(self) -> Any:
        return json.loads((self.artifacts / "envbounty-verify/report.json").read_text())

    def sarif(self) -> Any:
        return json.loads((self.artifacts / "envbounty-verify/report.sarif").read_text())


@dataclass
class PullRequest:
    """A bounty repository with a base commit and, on top of it, what a contributor proposes."""

    home: Path
    title: str = "Add an environment"
    base: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> Path:
        return self.home / "repository"

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        identity = ["-c", "user.name=Ada Example", "-c", "user.email=ada@example.org"]
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=cwd or self.files, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, path: str, text: str = "text\n") -> Path:
        file = self.files / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def sample(self, name: str, slug: str) -> Path:
        """One of the project's sample environments under another name."""
        target = self.files / "environments" / slug
        shutil.copytree(ROOT / "environments" / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        spec = target / "env.yaml"
        spec.write_text(re.sub(r"^name:.*$", f"name: {slug}", spec.read_text(), count=1, flags=re.M))
        return target

    def commit(self) -> str:
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", self.title)
        return self.git("rev-parse", "HEAD")

    def run(self, **inputs: str) -> Run:
        """Commit what is there as the head, and run the README's workflow on it as GitHub would."""
        self.commit()
        workflow = yaml.safe_load(readme_workflow())
        workflow["on"] = workflow.pop(True)  # YAML 1.1 reads the key `on` as true
        (job,) = workflow["jobs"].values()
        checkout, verify = job["steps"]
        depth = inputs.pop("fetch_depth", None)
        if depth:
            checkout["with"]["fetch-depth"] = depth
        verify["id"] = "verify"
        verify["with"] = {name.replace("_", "-"): value for name, value in inputs.items()}
        job["steps"].append(
            {
                "if": "always()",
                "shell": "bash",
                "env": {"OUTPUTS": "${{ toJSON(steps.verify.outputs) }}"},
                "run": 'printf %s "$OUTPUTS" >"$FIXTURE_OUTPUTS"',
            }
        )
        # act copies the directory it starts in to the runner, so that holds the workflow and nothing else.
        start = self.home / "start"
        (start / ".github/workflows").mkdir(parents=True)
        (start / ".github/workflows/verify.yml").write_text(yaml.safe_dump(workflow))
        self.git("init", "-q", cwd=start)
        self.git("commit", "-q", "--allow-empty", "-m", "act wants a repository", cwd=start)
        event = self.home / "event.json"
        event.write_text(json.dumps({"pull_request": {"base": {"sha": self.base}, "title": self.title}}))

        stand_ins = {
            OURS.removesuffix("/actions/verify"): self._folder("ours", {}),
            "actions/checkout": self._folder("checkout", {"action.yml": CHECKOUT}),
            "actions/upload-artifact": self._folder("upload", {"action.yml": UPLOAD}),
            "github/codeql-action": self._folder("codeql", {"upload-sarif/action.yml": UPLOAD}),
        }
        shutil.copytree(ROOT / "actions", stand_ins["OWNER/envbounty"] / "actions")
        options: list[str] = []
        text = readme_workflow() + (ROOT / "actions/verify/action.yml").read_text()
        for action, version in USED.findall(text):
            repository = "/".join(action.split("/")[:2])
            options += ["--local-repository", f"{repository}@{version}={stand_ins[repository]}"]

        artifacts = self.home / "artifacts"
        passed = {
            "FIXTURE_REPOSITORY": str(self.files),
            "FIXTURE_ARTIFACTS": str(artifacts),
            "FIXTURE_OUTPUTS": str(self.home / "outputs.json"),
            **self.environment,
        }
        for name, value in passed.items():
            options += ["--env", f"{name}={value}"]
        done = subprocess.run(
            [Path(sys.executable).parent / "act", "pull_request", "--platform", "ubuntu-24.04=-self-hosted"]
            + ["--no-cache-server", "--no-skip-checkout", "--eventpath", str(event), *options],
            cwd=start,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "XDG_CACHE_HOME": str(self.home / "cache"),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        outputs = self.home / "outputs.json"
        return Run(
            status=done.returncode,
            log=done.stdout,
            outputs=json.loads(outputs.read_text()) if outputs.exists() else {},
            artifacts=artifacts,
        )

    def _folder(self, name: str, files: dict[str, str]) -> Path:
        folder = self.home / "stand-ins" / name
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@pytest.fixture
def pull_request(tmp_path: Path) -> Callable[..., PullRequest]:
    """`pull_request(build)`: `build` fills the base commit; what is written afterwards becomes the head."""

    def make(build: Callable[[PullRequest], object], title: str = "Add an environment") -> PullRequest:
        request = PullRequest(tmp_path, title)
        request.files.mkdir()
        request.git("init", "-q", "-b", "main")
        build(request)
        request.base = request.commit()
        return request

    return make


@dataclass
class FakeCommand:
    """An `envbounty` that writes down how it was called, and does what the test says."""

    python: Path
    called: Path

    def arguments(self) -> list[str]:
        return self.called.with_suffix(".arguments").read_text().split("\0")[:-1]

    def paths(self) -> list[str]:
        arguments = self.arguments()
        return arguments[arguments.index("--") + 1 :]

    def option(self, name: str) -> str | None:
        """What follows the option, which may stand there once."""
        options = self.arguments()[: self.arguments().index("--")]
        assert options.count(name) <= 1, options
        return options[options.index(name) + 1] if name in options else None

    def variables(self) -> dict[str, str]:
        lines = self.called.with_suffix(".environment").read_text().split("\0")[:-1]
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., FakeCommand]:
    def make(
        status: int = 0, prints: str = "", writes: str = 'echo "{}" >"$3"; echo "{}" >"$5"'
    ) -> FakeCommand:
        called = tmp_path / "called"
        folder = tmp_path / "bin"
        folder.mkdir()
        script = folder / "envbounty"
        script.write_text(
            "#!/bin/bash\n"
            f"printf '%s\\0' \"$@\" >'{called}.arguments'\n"
            f"env -0 >'{called}.environment'\n"
            f"cat <<'END'\n{prints}\nEND\n"
            f"{writes}\n"
            f"exit {status}\n"
        )
        script.chmod(0o755)
        return FakeCommand(folder / "python", called)

    return make
