"""`python -m localhub`, as somebody uses it who has an App to try."""

import re
import signal
import subprocess
import sys

import httpx


def test_a_folder_becomes_a_repository(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("print(1)\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "big.js").write_text("x")
    command = [sys.executable, "-m", "localhub", str(tmp_path), "--port", "0", "--repo", "lab/thing"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        said = ""
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        api = re.search(r"API +(\S+)", said)[1]
        token = re.search(r"olga, owner: (\S+)", said)[1]
        headers = {"Authorization": f"Bearer {token}"}
        tree = httpx.get(f"{api}/repos/lab/thing/git/trees/main?recursive=1", headers=headers, trust_env=False).json()
        assert [one["path"] for one in tree["tree"] if one["type"] == "blob"] == ["src/a.py"]
        assert httpx.get(f"{api}/repos/lab/thing", headers=headers, trust_env=False).json()["permissions"]["admin"]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
