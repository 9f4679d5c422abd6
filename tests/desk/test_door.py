"""The page's door: tokens that work once, sessions, slow clients, labellers' keys and TLS."""

import html
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import pytest

from matchbound.audits.book import Book
from matchbound.audits.ledger import read_ledger
from matchbound.desk.door import Door
from matchbound.desk.keys import LIFETIME, Keys
from matchbound.desk.site import Site
from support.audits import contents, run
from support.desks import Client, make_desk, next_address, running, serving

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="needs openssl")


def few_files():
    """Let a server open no more files than macOS does by default."""
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return make_desk(tmp_path_factory.mktemp("door") / "data")[0]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    audit, _ = make_desk(tmp_path_factory.mktemp("client") / "data")
    with serving(audit, preexec_fn=few_files) as client:
        client.audit = audit
        yield client


def refused(audit, capsys, *options):
    """The sentence with which `label` refuses these options; nothing may have changed."""
    data, before = audit.parent, contents(audit)
    given = ["--records", data / "people.csv", "--against", data / "right.csv", "--no-browser"]
    with mock.patch("uvicorn.Server.run", side_effect=AssertionError("it is served")):
        assert run("label", audit, *given, *options) == 2
    assert contents(audit) == before
    return capsys.readouterr().err


BROWSER = """#!{python}
import json, os, pathlib, sys
from urllib.parse import unquote, urlsplit
there, opened = pathlib.Path(__file__).parent, pathlib.Path(unquote(urlsplit(sys.argv[1]).path))
seen = dict(
    command=pathlib.Path("/proc/self/cmdline").read_text(),
    path=str(opened),
    modes=[oct(place.stat().st_mode & 0o777) for place in (opened, opened.parent)],
    page=opened.read_text() if opened.is_file() else "",
)
(there / "seen.tmp").write_text(json.dumps(seen))
os.rename(there / "seen.tmp", there / "seen")
"""


def wait_for(path):
    for _ in range(1000):
        if path.exists():
            return json.loads(path.read_text())
        time.sleep(0.02)
    raise AssertionError(f"{path} did not come")


@pytest.mark.skipif(not os.path.exists("/proc/self/cmdline"), reason="needs /proc")
def test_no_token_on_the_browser_s_command_line(audit, tmp_path):
    browser, temporary = tmp_path / "browser", tmp_path / "temporary"
    browser.write_text(BROWSER.replace("{python}", sys.executable))
    browser.chmod(0o700)
    temporary.mkdir()
    surroundings = os.environ | {"BROWSER": str(browser), "TMPDIR": str(temporary)}
    with running(audit, env=surroundings, umask=0) as process:
        printed = next_address(process)
        seen = wait_for(tmp_path / "seen")
        assert printed.partition("token=")[2] not in seen["command"]
        assert seen["modes"] == ["0o600", "0o700"]
        address = html.unescape(re.search('href="(.*)"', seen["page"])[1])
        token = address.partition("token=")[2]
        assert token
        assert token not in seen["command"]
        path = Path(seen["path"])
        assert path.exists()
        assert Client(address, process).get("start")
        assert not path.exists()
        assert Client(printed, process).get("start")  # a token of its own
    assert list(temporary.iterdir()) == []


def test_a_token_works_once(client):
    used = f"/?token={client.token}"
    status, _, body = client.ask("GET", used, headers={"Cookie": None})
    assert status == 403
    assert json.loads(body)["error"].startswith("The token is missing or was used")
    assert client.ask("GET", used)[0] == 200  # a tab that was restored, in an open session
    other = Client(client.new_address(), client.process)
    assert other.cookie != client.cookie
    assert other.get("start")
    assert client.get("start")


def test_the_entrance_asks_for_nothing_that_is_not_there(client):
    """Without an icon of its own, a browser asks for favicon.ico, and complains."""
    token = urlsplit(client.new_address()).query
    status, headers, body = client.ask("GET", f"/?{token}")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    named = re.findall('(?:href="|url=)([^"]*)"', body.decode())
    assert sorted(named) == ["/", "/", "/icon.svg"]
    assert {client.ask("GET", path)[0] for path in named} == {200}


def test_looking_uses_no_token_up(client):
    address = client.new_address()
    token = urlsplit(address).query
    for method, path in [("HEAD", f"/?{token}"), ("GET", f"/page.js?{token}"), ("GET", "/?token=")]:
        assert client.ask(method, path, headers={"Cookie": None})[0] == 403
    assert client.ask("GET", f"/?{token}", headers={"Host": "evil.example"})[0] == 403
    assert Client(address, client.process).get("start")


@pytest.mark.parametrize("other", ['x={"a":1}', "a b=(c", 'q="unclosed', "=", "", "ü=ü", "x=y"])
def test_cookies_of_other_sites_lock_nobody_out(client, other):
    for cookies in (f"{other}; {client.cookie}", f"{client.cookie};{other}"):
        headers = {"Cookie": cookies.encode()}
        assert client.ask("GET", "/api/start", headers=headers)[0] == 200


def test_the_cookie_is_not_the_token(client):
    name, _, secret = client.cookie.partition("=")
    assert name == f"matchbound-{client.port}"
    assert client.token not in client.set_cookie
    assert len(secret) >= 43
    kept = "; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict"
    assert client.set_cookie == client.cookie + kept
    by_token = {"Cookie": f"{name}={client.token}"}
    assert client.ask("GET", "/api/start", headers=by_token)[0] == 403


def test_a_session_is_of_one_address(client):
    try:
        status, _, _ = client.ask("GET", "/api/start", source=("127.0.0.2", 0))
    except OSError:
        pytest.skip("needs a second address of this machine")
    assert status == 403
    posing = {"X-Forwarded-For": "127.0.0.2"}
    assert client.ask("GET", "/api/start", headers=posing)[0] == 200
    assert client.ask("GET", "/api/start", headers=posing, source=("127.0.0.2", 0))[0] == 403


def test_a_session_ends():
    now = [1000.0]
    keys = Keys(now=lambda: now[0])
    secret, _ = keys.enter(keys.token("ana", print), "10.0.0.1")
    now[0] += LIFETIME - 1
    assert keys.session(secret, "10.0.0.1").labeller == "ana"
    assert keys.session(secret, "10.0.0.2") is None
    now[0] += 1
    assert keys.session(secret, "10.0.0.1") is None
    assert LIFETIME == 12 * 3600


HALVES = {
    "nothing": b"",
    "half a header": b"GET /api/start HTTP/1.1\r\nHost: x",
    "half a body": b"POST /api/label HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n"
    b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
}


def crowd(client, sent, count=200):
    """So many connections on which no whole request comes."""
    with ExitStack() as stack:
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", client.port), 5))
            one.sendall(sent)
        return stack.pop_all()


@pytest.mark.parametrize("half", HALVES)
def test_two_hundred_half_open_connections(client, half):
    names = {b"{host}": client.host, b"{cookie}": client.cookie}
    sent = HALVES[half]
    for name, value in names.items():
        sent = sent.replace(name, value.encode())
    with crowd(client, sent), crowd(client, b"", 50):
        for _ in range(10):
            assert client.ask("GET", "/api/start", timeout=8)[0] == 200


def test_a_slow_client_is_let_go():
    """With a patience of a moment; the server's own is seconds."""
    program = (
        "import socket, matchbound.desk.connections as connections\n"
        "from uvicorn import Config, Server\n"
        "connections.PATIENCE = 0.5\n"
        "listening = socket.create_server(('127.0.0.1', 0))\n"
        "print(listening.getsockname()[1], flush=True)\n"
        "config = Config(None, http=connections.Connection, lifespan='off', log_level='critical')\n"
        "Server(config).run(sockets=[listening])\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = ("127.0.0.1", int(process.stdout.readline()))
            for half in (b"", b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-"):
                with socket.create_connection(address, 5) as one:
                    for byte in half:
                        one.sendall(bytes([byte]))
                    assert one.recv(1) == b""
        finally:
            process.terminate()


@pytest.mark.parametrize("ending", ["shutdown", pytest.param("close", marks=pytest.mark.slow)])
def test_a_body_shorter_than_announced_is_not_processed(client, ending):
    place, before = client.post("next")["place"], contents(client.audit)
    body = json.dumps({"labeller": "Ann", "place": place, "matches": []}).encode()
    head = (
        f"POST /api/label HTTP/1.1\r\nHost: {client.host}\r\nCookie: {client.cookie}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body) + 1}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", client.port), 5) as one:
        one.sendall(head.encode() + body)
        time.sleep(0.1)
        if ending == "shutdown":
            one.shutdown(socket.SHUT_WR)
            assert one.recv(100) == b""
    time.sleep(0.3)
    assert contents(client.audit) == before
    assert client.post("next")["place"] == place


EVERYWHERE = [
    *("0.0.0.0", "0", "0x0", "0.0", "0.0.0", "00000", "0x0.0", "000.0.0.0", "", "*", "::", "::0"),
    *("0::0", "0:0:0:0:0:0:0:0", "::0.0.0.0", "::ffff:0.0.0.0", "::ffff:0:0", "::FFFF:0.0.0.0"),
]


@pytest.mark.parametrize("listen", EVERYWHERE)
def test_all_addresses_at_once_are_refused(audit, capsys, listen):
    said = refused(audit, capsys, "--listen", listen)
    rule = "listen must be the one address that others reach this machine by"
    assert said.startswith(f"matchbound: {rule}, got {listen!r}. ")


WRONG = {
    "labellers must be given where other machines can reach": ["--listen", "192.0.2.1"],
    "labellers must be given where": ["--listen", "fd00::1234"],
    "labellers must be different names": ["--labellers", "ana,Ana"],
    "labeller must be a name": ["--labellers", "ana,"],
    "labeller must be text of at most 80": ["--labellers", "x" * 81],
    "listen must be an address of this machine": ["--listen", "no.such.name.invalid"],
    "listen must be an address of this machine, got '198.51.100.7'. Name one, such as 127.0.0.1.": [
        "--listen",
        "198.51.100.7",
        "--labellers",
        "ana",
    ],
    "tls_cert and tls_key must be given together": ["--tls-cert", "cert.pem"],
    "tls_cert must be a file, got 'no.pem'": ["--tls-cert", "no.pem", "--tls-key", "no.pem"],
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_refused_at_the_door(audit, capsys, sentence):
    said = refused(audit, capsys, *WRONG[sentence])
    assert said.startswith(f"matchbound: {sentence}"), said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("listen", "host"),
    [
        ("127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("LOCALHOST", "localhost"),
        ("0:0::1", "[::1]"),
    ],
)
def test_a_host_is_as_a_browser_writes_it(listen, host):
    assert Door(listen).place.host == host


@pytest.mark.parametrize(
    ("site", "host"),
    [
        (Site("127.0.0.1", 80), "127.0.0.1"),
        (Site("127.0.0.1", 80), "localhost:80"),
        (Site("[::1]", 443, is_secure=True), "[::1]"),
    ],
)
def test_the_usual_port_may_be_left_out(site, host):
    assert host in site.hosts
    assert Site(site.host, 8000).hosts.isdisjoint(site.hosts)


def own_address():
    """An address by which other machines reach this one, if there is one; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("203.0.113.1", 9))
        except OSError:
            return "127.0.0.1"
        return asking.getsockname()[0]


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Ana and Ben, each in a session of their own."""
    audit, _ = make_desk(tmp_path_factory.mktemp("named") / "data")
    with running(audit, "--listen", own_address(), "--labellers", "ana, ben") as process:
        lines = [process.stdout.readline().split(": ", 1) for _ in range(2)]
        assert [name for name, _ in lines] == ["ana", "ben"]
        people = [Client(address.strip(), process, name) for name, address in lines]
        for person in people:
            person.audit = audit
        yield people


def test_nobody_acts_under_another_s_name(named):
    ana, ben = named
    assert (ana.get("start")["labeller"], ben.get("start")["labeller"]) == ("ana", "ben")
    place, before = ana.post("next")["place"], contents(ana.audit)
    for name in ("next", "label", "undo", "answer"):
        refusal = ben.as_("ana").refusal(name, place=place, matches=[])
        assert refusal.startswith("labeller must be 'ben', whose address this browser opened, got")
    assert contents(ana.audit) == before
    assert ben.as_("").refusal("next").startswith("labeller must be a name")
    ana.post("label", place=place, matches=[])
    other = ben.post("next")["place"]
    ben.post("label", place=other, matches=[])
    assert ana.post("next")["state"]["mine"] == [place]
    assert ben.post("next")["state"]["mine"] == [other]
    book = Book.of(read_ledger(ana.audit).entries)
    assert [verdict.labeller for verdict in book.live.values()] == ["ana", "ben"]


def test_a_labeller_s_next_address_is_theirs_too(named):
    line = named[0].process.stdout.readline()
    address = named[0].host.partition(":")[0]
    assert line.startswith(f"Opened from {address}; for another browser, ana: http://{address}:")
    assert Client(line.split()[-1], named[0].process).get("start")["labeller"] == "ana"


def test_without_labellers_the_page_asks_for_a_name(client):
    assert client.get("start")["labeller"] is None
    assert client.as_("anybody").post("next")["place"]


def test_other_machines_reach_the_one_address_only(named):
    ana, _ = named
    if ana.host.startswith("127."):
        pytest.skip("needs an address that other machines can reach")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", ana.port), 5)


def make_pair(folder, name="page"):
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2"]
    names = ["-subj", "/CN=page", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-nodes", "-keyout", key, "-out", cert]
    subprocess.run([OPENSSL, "req", *kind, *names, *files], check=True, capture_output=True)
    return cert, key


@needs_openssl
def test_a_page_with_tls(audit, tmp_path):
    cert, key = make_pair(tmp_path)
    trusting = ssl.create_default_context(cafile=cert)
    options = ["--no-browser", "--tls-cert", cert, "--tls-key", key]
    with running(audit, *options, preexec_fn=few_files) as process:
        address = next_address(process)
        assert address.startswith("https://127.0.0.1:")
        client = Client(address, process, tls=trusting)
        assert client.get("start")
        assert client.set_cookie.endswith("; HttpOnly; SameSite=Strict; Secure")
        assert client.new_address().startswith("https://")
        plain = {"Origin": f"http://{client.host}"}
        assert client.ask("GET", "/api/start", headers=plain)[0] == 403
        with socket.create_connection(("127.0.0.1", client.port), 5) as one:
            one.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert b"HTTP" not in one.recv(100)
        hello = b"\x16\x03\x01\x02\x00\x01"
        with crowd(client, hello), crowd(client, b"", 50):
            assert client.ask("GET", "/api/start", timeout=8)[0] == 200


@needs_openssl
def test_files_that_are_no_pair(audit, tmp_path, capsys):
    cert, key = make_pair(tmp_path)
    _, other = make_pair(tmp_path, "other")
    locked = tmp_path / "locked.key"
    encrypt = [OPENSSL, "ec", "-in", key, "-out", locked, "-aes256", "-passout", "pass:x"]
    subprocess.run(encrypt, check=True, capture_output=True)
    text = tmp_path / "text.pem"
    text.write_text("not a certificate\n")
    for pair in [(cert, other), (cert, locked), (text, key), (cert, text), (key, cert)]:
        said = refused(audit, capsys, "--tls-cert", pair[0], "--tls-key", pair[1])
        assert said.startswith("matchbound: tls_cert and tls_key must be a certificate and its key")
        assert said.count("\n") == 1
    if os.geteuid():
        key.chmod(0)
        said = refused(audit, capsys, "--tls-cert", cert, "--tls-key", key)
        assert "tls_cert and tls_key must be" in said
