"""A real browser looks at localhub's pages: hostile text runs nothing, links lead somewhere, nothing is cut off.

Chromium is spoken to over its own pipe (the DevTools protocol), so nothing has to be put into the pages, whose policy
would not let it run anyway.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

pytestmark = pytest.mark.browser

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    # No name but this machine's leads anywhere, so nothing that a page asks for ever leaves it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
#: What runs if any of it is taken for markup. `pwned` is looked for in the page.
EVIL = (
    "<script>pwned = 1; alert(1)</script><img src=http://evil.example/a.png onerror='pwned = 2'>"
    "<svg onload='pwned = 3'></svg>"
)
EVIL_MARKDOWN = f"""{EVIL}

[click](javascript:pwned=4) [again](JaVaScRiPt&#58;pwned=5) <a href="javascript:pwned=6">click</a>

![p](http://evil.example/b.png) [data](data:text/html,<script>pwned=7</script>) <http://evil.example/>

<iframe src="http://evil.example/c"></iframe><style>@import url(http://evil.example/d.css);</style>
<meta http-equiv=refresh content="0;url=http://evil.example/e"><form action=http://evil.example/f><button>go

```js"><script>pwned=8</script>
pwned = 9
```
"""
LONG = "a_name_without_any_place_to_break_" * 6
WIDTHS = {1280: 800, 390: 844}


class Browser:
    """One tab. What it did on its own is in `asked` (addresses), `dialogs` and `answers` (statuses of documents)."""

    def __init__(self, program: str, home: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def place() -> None:  # the browser reads from 3 and writes to 4; first aside, as either may lie in the way
            one, other = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(other, 4)

        command = [program, *FLAGS, f"--user-data-dir={home}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            command,
            preexec_fn=place,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TMPDIR": tempfile.gettempdir()},  # where it may write, which is not always /tmp
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, ""
        self.forget()
        (tab,) = [it for it in self.call("Target.getTargets")["targetInfos"] if it["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=tab["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def forget(self) -> None:
        self.asked: list[str] = []
        self.dialogs: list[str] = []
        self.answers: dict[str, int] = {}
        self._loaded = False

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = self._send(method, params)
        while True:
            message = self._next()
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return dict(message["result"])

    def go(self, url: str) -> None:
        """Open a page and wait until all of it is there."""
        self.forget()
        told = self.call("Page.navigate", url=url)
        assert not told.get("errorText"), (url, told)
        while not self._loaded:
            self._next()

    def js(self, expression: str) -> Any:
        """What an expression comes to in the page. The page's own policy does not bind us."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def size(self, width: int) -> None:
        wanted = {"width": width, "height": WIDTHS[width], "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **wanted)

    def trust_everything(self, yes: bool) -> None:
        """Whether pages may do what their Content-Security-Policy forbids."""
        self.call("Page.setBypassCSP", enabled=yes)

    def shoot(self, file: Path) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._number

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._read, 1 << 20)
            assert more, "the browser is gone"
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = dict(json.loads(line))
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Network.responseReceived" and params["type"] == "Document":
            self.answers[params["response"]["url"]] = params["response"]["status"]
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": True})  # a page stands still until it is answered
        elif method == "Page.loadEventFired":
            self._loaded = True
        return message


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium (Debian: chromium)")
    made = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    opened.size(1280)
    yield opened
    opened.trust_everything(False)


def ran(browser: Browser) -> list[str]:
    """Everything that a page did, or could do at a click, which none of ours does."""
    found = [f"dialog {text}" for text in browser.dialogs]
    found += [f"asked for {url}" for url in browser.asked if urlsplit(url).hostname not in ("127.0.0.1", None)]
    if value := browser.js("String(globalThis.pwned ?? '')"):
        found.append(f"script {value}")
    found += browser.js(
        """[...document.querySelectorAll("*")]
           .flatMap(it => [...it.attributes].map(one => [it.tagName, one.name, it[one.name]]))
           .filter(([tag, name, value]) => /^on/.test(name) || /^(javascript|data|vbscript):/i.test(value))
           .map(([tag, name, value]) => `${tag} ${name}=${value}`)"""
    )
    forbidden = "script, iframe, object, embed, img, svg, link, base, meta[http-equiv], style + style"
    return found + browser.js(f"[...document.querySelectorAll('{forbidden}')].map(it => it.outerHTML)")


def furnish(world: SimpleNamespace, title: str, text: str, file: str) -> Any:
    """A pull request with everything that a page can show, all of it in the words given. Returns it."""
    issue = world.eve.open_issue(world.repo, title, text)
    world.eve.comment(issue, text)
    world.max.label(issue, title[:50])
    content = "".join(f"{line}\n" for line in text.splitlines())
    pull = world.eve.open_pull(world.repo, {file: content}, title=title, body=text)
    world.eve.comment(pull, text)
    world.eve.comment_line(pull, file, 1, text)
    world.max.approve(pull, body=text)
    note = {"path": file, "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": text[:400]}
    output = {"title": title, "summary": text, "text": text, "annotations": [{**note, "title": title[:200]}]}
    body = {"name": title[:100], "head_sha": pull.head, "conclusion": "failure", "output": output}
    assert world.bot("POST", "/repos/acme/bounties/check-runs", body).status_code == 201
    sent = {"ref": "main", "inputs": {"job_id": title[:200], "pr": str(pull.number)}}
    path = "/repos/acme/bounties/actions/workflows/verify.yml/dispatches"
    assert world.bot("POST", path, sent).status_code in (200, 204)
    run = world.repo.runs[-1]
    run.end_job(run.start_job("sandbox"), "success", log=text)
    run.add_artifact(title[:60], b"zip")
    world.max.push(world.repo, "main", {f"docs/{file}": content, "README.md": text})
    return pull


def crawl(browser: Browser, hub: str) -> Iterator[str]:
    """Every page that links lead to from the front page, open in the browser. Asserts that each is there.

    Forks are left out, whose pages look like their parent's.
    """
    todo = [f"{hub}/", f"{hub}/apps/envbounty"]
    seen = set(todo)
    while todo:
        url = todo.pop(0)
        browser.go(url)
        assert list(browser.answers.values())[-1] == 200, url
        yield unquote(urlsplit(url).path)
        for link in browser.js("[...document.links].map(it => it.href)"):
            page = link.partition("#")[0]
            if page.startswith(f"{hub}/acme/") and page not in seen:
                seen.add(page)
                todo.append(page)


@pytest.mark.parametrize("policy", ["with the policy", "by the markup alone"])
def test_what_strangers_write_runs_nothing_on_any_page(world, browser: Browser, policy: str) -> None:
    file = "env/<img src=x onerror=pwned=1>.html"
    pull = furnish(world, EVIL, EVIL_MARKDOWN, file)
    browser.trust_everything(policy != "with the policy")
    pages = []
    for path in crawl(browser, world.hub.url):
        assert ran(browser) == [], path
        pages.append(path)
    at = f"/acme/bounties/pull/{pull.number}"
    assert {at, f"{at}/files", f"{at}/checks", "/acme/bounties/issues/1", "/acme/bounties/actions"} <= set(pages)
    for path in (f"/acme/bounties/raw/main/docs/{file}", f"{at}.diff"):
        browser.go(world.hub.url + quote(path))
        assert "<script>" in browser.js("document.body.innerText") and ran(browser) == [], path
    browser.go(f"{world.hub.url}{at}")
    assert "<script>pwned = 1" in browser.js("document.title") and "<script>" in browser.js("document.body.innerText")
    assert browser.js("[...document.querySelectorAll('a')].filter(it => it.innerText == 'click').length") == 0


def test_a_page_that_does_run_such_things_would_be_noticed(browser: Browser) -> None:
    browser.go("data:text/html," + quote(f"<body>{EVIL}<a href='javascript:pwned=4'>click</a>"))
    found = " ".join(ran(browser))
    for sign in ("dialog 1", "asked for http://evil.example/a.png", "script ", "A href=javascript:", "IMG onerror="):
        assert sign in found
    assert not browser.js("document.querySelector('a').click()") and browser.js("pwned") == 4


def test_a_pull_request_shows_its_checks_its_diff_and_what_was_said_beside_it(world, browser: Browser) -> None:
    pull = furnish(world, "A better sum", "Why **this** one?\n\nThe rest", "env/sum.py")
    at = f"{world.hub.url}/acme/bounties/pull/{pull.number}"
    browser.go(at)
    shown = browser.js("document.body.innerText")
    for text in ("A better sum", "eve wants to merge", "max approved", "env/sum.py:1", "+Why **this** one?", "failure"):
        assert text in shown, text
    assert browser.js("document.querySelectorAll('.box strong').length") >= 3
    # What is added is told apart by its colour, and the thread stands open.
    assert browser.js("getComputedStyle(document.querySelector('.add')).backgroundColor") == "rgb(218, 251, 225)"
    assert browser.js("document.querySelector('details').open && document.querySelector('.add').offsetHeight > 0")

    def click(text: str) -> str:
        links = f"[...document.links].filter(it => it.innerText == {json.dumps(text)})"
        url = browser.js(f"{links}[0].href")
        browser.go(url)
        return str(browser.js("document.body.innerText"))

    assert "+The rest" in click("Files")
    assert "env/sum.py:1" in click("Checks") and "warning" in browser.js("document.body.innerText")
    assert "eve wants to merge" in click("Conversation")
    assert "+The rest" in click(pull.head[:12])
    world.max.merge(pull)
    browser.go(at)
    assert "merged by max" in browser.js("document.body.innerText").replace("\n", " ")


#: How far the page is wider than the window, and what sticks out of it, where that cannot be scrolled into view.
WIDER = "document.scrollingElement.scrollWidth - innerWidth"
STICKS_OUT = """[...document.body.querySelectorAll("*")].filter(it => {
  for (let up = it; up; up = up.parentElement) if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return false;
  const at = it.getBoundingClientRect();
  return at.width && (at.right > innerWidth + 1 || at.left < -1);
}).map(it => it.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window(world, browser: Browser, width: int, tmp_path: Path) -> None:
    text = f"{LONG}\n\n| a | b | c |\n|---|---|---|\n| {LONG} | {'word ' * 40} | `{LONG}` |\n\n```\n{LONG * 3}\n```\n"
    furnish(world, f"{LONG} {'words ' * 20}", f"{text}\n\n[{LONG}](http://example.org/{LONG}) {'words ' * 99}", "e.md")
    world.ann.open_pull(world.repo, {f"env/{LONG[:100]}/{LONG[:90]}.py": "one\n"}, branch=LONG[:100])
    browser.size(width)
    for path in crawl(browser, world.hub.url):
        if browser.js(WIDER) > 0 or browser.js(STICKS_OUT):
            browser.shoot(tmp_path / "page.png")
            pytest.fail(f"{path} is too wide, see {tmp_path}/page.png: {browser.js(STICKS_OUT)[:5]}")
