"""The labelling page's server: who may ask, what survives, who gets what."""

import json
import os
import sys
import threading
import time

import pytest

from support.audits import contents, read_csv, run, write_csv
from support.desks import make_desk, serving


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    audit, _ = make_desk(tmp_path_factory.mktemp("desk") / "data")
    with serving(audit, "--candidates", audit.parent / "candidates.csv") as client:
        client.audit = audit
        wait_for_search(client)
        yield client


def wait_for_search(client):
    while not client.get("start")["ready"]:
        time.sleep(0.05)


LABEL = b'{"labeller": "Ann", "place": 1, "matches": []}'
PATHS = ["/", "/page.js", "/page.css", "/api/start", "/api/search", "/api/node?place=1", "/nowhere"]


@pytest.mark.parametrize("path", [*PATHS, "/?token=", "/?token=x", "/api/node?token={token}"])
def test_without_the_token(client, path):
    path = path.format(token=client.token)
    status, _, body = client.ask("GET", path, headers={"Cookie": None})
    assert status == 403
    assert json.loads(body)["error"].startswith("The token is missing")


@pytest.mark.parametrize(
    "cookie", ["", "matchbound=x", "{name}=", "{name}=x", "{name}", "=;;=,\x01"]
)
def test_with_another_cookie(client, cookie):
    name = client.cookie.partition("=")[0]
    status, _, _ = client.ask("GET", "/api/start", headers={"Cookie": cookie.format(name=name)})
    assert status == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "", None, "evil.example:{port}"],
)
def test_with_another_host(client, host):
    given = host and host.format(port=client.port)
    status, _, body = client.ask("GET", "/api/start", headers={"Host": given, "Origin": None})
    assert status in (400, 403)
    assert b"fields" not in body


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://{host}", "http://127.0.0.1:1", "http://{host}.evil"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_with_another_origin(client, origin, method):
    path, body = ("/api/start?labeller=Ann", None) if method == "GET" else ("/api/label", LABEL)
    headers = {"Origin": origin.format(host=client.host)}
    status, _, body = client.ask(method, path, body, headers)
    assert status == 403
    assert json.loads(body)["error"].startswith("The Origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_from_another_site(client, site):
    headers = {"Sec-Fetch-Site": site, "Origin": None}
    status, _, _ = client.ask("GET", "/api/start?labeller=Ann", headers=headers)
    assert status == 403
    assert client.ask("GET", "/page.js", headers=headers)[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/page/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/page.html/../desk.py",
        "/__init__.py",
        "/labels.csv",
        "/page.js%00.html",
    ],
)
def test_with_a_traversal(client, path):
    status, _, body = client.ask("GET", path)
    assert status == 404
    assert json.loads(body)["error"].startswith("There is no such page")


@pytest.mark.parametrize("chunked", [False, True])
def test_with_ten_megabytes(client, chunked):
    body, headers = b" " * 10_000_000, {}
    if chunked:
        headers = {"Transfer-Encoding": "chunked"}
        body = b"".join(b"10000\r\n" + b" " * 0x10000 + b"\r\n" for _ in range(160)) + b"0\r\n\r\n"
    try:
        status, _, answer = client.ask("POST", "/api/label", body, headers)
        assert status == 413
        assert b"at most 100000 bytes" in answer
    except (BrokenPipeError, ConnectionResetError):
        pass  # refused before it was all sent
    assert client.get("start")["ready"]


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json"],
)
def test_with_a_wrong_content_type(client, kind):
    status, _, body = client.ask("POST", "/api/label", LABEL, {"Content-Type": kind})
    assert status == 415
    assert json.loads(body)["error"] == "A body must be application/json."


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 50_000, b'"x"'])
def test_with_a_bad_body(client, body):
    status, _, answer = client.ask("POST", "/api/label", body)
    assert status == 422
    assert json.loads(answer)["error"].startswith("the body must be a JSON object")


BAD = [
    ({"place": 99_999}, "place must be from 1 to"),
    ({"place": 7}, "nodes come in draw order"),
    ({"place": "x"}, "place must be a whole number"),
    ({"place": True}, "place must be a whole number"),
    ({"place": 1.5}, "place must be a whole number"),
    ({"matches": "b1"}, "matches must be a list"),
    ({"matches": [1]}, "matches must be a list"),
    ({"matches": {"b1": 1}}, "matches must be a list"),
    ({"matches": ["b1", "b1"]}, "each once"),
    ({"matches": ["nobody"]}, "matches must be records of"),
    ({"matches": [f"b{i}" for i in range(1001)]}, "at most 1000 ids"),
    ({"note": "x" * 2001}, "note must be text of at most 2000"),
    ({"note": 5}, "note must be text"),
    ({"note": "\ud800"}, "note must be text"),
    ({"labeller": ""}, "labeller must be a name"),
    ({"labeller": "x" * 81}, "labeller must be text of at most 80"),
    ({"labeller": "a\nb"}, "labeller must be a name"),
]


@pytest.mark.parametrize(("wrong", "sentence"), BAD)
def test_with_a_wrong_value(client, wrong, sentence):
    place, before = client.post("next")["place"], contents(client.audit)
    refused = client.refusal("label", **{"place": place, "matches": [], **wrong})
    assert sentence in refused
    assert contents(client.audit) == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_with_another_method(client, method):
    headers = {"Content-Type": "application/json"}
    assert client.ask(method, "/api/label", b"{}", headers)[0] == 405
    assert client.ask("POST", "/api/node", b"{}")[0] == 405


@pytest.mark.parametrize("path", ["/", "/page.js", "/api/start?labeller=Ann", "/nowhere"])
def test_every_answer_is_locked_down(client, path):
    _, headers, _ = client.ask("GET", path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_nothing_inline_and_nothing_from_elsewhere(client):
    for name in ("page.html", "page.css", "page.js", "table.js", "differences.js", "asking.js"):
        _, _, body = client.ask("GET", f"/{name}")
        text = body.decode()
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text
        assert "style=" not in text
        assert "onclick=" not in text


def test_a_second_server_on_the_same_audit(client, capsys):
    data = client.audit.parent
    before = contents(client.audit)
    arguments = ["label", client.audit, "--records", data / "people.csv", "--no-browser"]
    assert run(*arguments, "--against", data / "right.csv") == 2
    assert "must not be open on a labelling page" in capsys.readouterr().err
    assert contents(client.audit) == before
    assert client.get("start")["ready"]


@pytest.mark.skipif(not os.path.exists("/proc/self/net/tcp"), reason="needs /proc/net")
def test_only_this_machine_is_listened_to(client):
    with open(f"/proc/{client.process.pid}/net/tcp") as file:
        addresses = [line.split()[1] for line in file if f":{client.port:04X} " in line]
    assert f"0100007F:{client.port:04X}" in addresses
    assert all(not address.startswith("00000000") for address in addresses)


@pytest.mark.slow
def test_two_people_label_five_hundred_nodes(tmp_path):
    audit, truth = make_desk(tmp_path / "data", labels=500, train=0, nodes=900)
    given, refused = {}, []

    def work(client):
        try:
            while (shown := client.post("next"))["place"] is not None:
                node = shown["record"]["id"]
                given.setdefault(node, []).append(client.labeller)
                matches = [truth[node]] if node in truth else []
                client.post("label", place=shown["place"], matches=matches)
        except AssertionError as error:
            refused.append(error)

    with serving(audit) as client:
        wait_for_search(client)
        people = [threading.Thread(target=work, args=[client.as_(name)]) for name in ("Ann", "Ben")]
        for person in people:
            person.start()
        for person in people:
            person.join()
        assert client.post("next")["state"]["done"] == 500
    assert not refused
    assert len(given) == 500
    assert all(len(labellers) == 1 for labellers in given.values())
    assert {name for names in given.values() for name in names} == {"Ann", "Ben"}
    assert {(x, y) for x, y in read_csv(audit / "labels.csv")} == {
        (x, truth.get(x, "")) for x in given
    }


def test_what_a_user_may_get_wrong(client, tmp_path, capsys):
    taken = client.port
    audit, _ = make_desk(tmp_path / "data")
    data = audit.parent
    people, right = data / "people.csv", data / "right.csv"
    write_csv(data / "few.csv", ["id", "name"], [["a1", "x"]])
    write_csv(data / "twice.csv", ["id", "name"], [["b1", "x"], ["b1", "y"]])
    write_csv(data / "none.csv", ["id", "name"], [])
    wrong = {
        "against must be given": [people],
        "records must hold every drawn node": [data / "few.csv", "--against", right],
        "against must hold each id once": [people, "--against", data / "twice.csv"],
        "against must hold at least one record": [people, "--against", data / "none.csv"],
        "against must be a file": [people, "--against", data / "no.csv"],
        "port must be from 0": [people, "--against", right, "--port", 99999],
        "cannot listen on 127.0.0.1:": [people, "--against", right, "--port", taken],
        "twice must be from 0": [people, "--against", right, "--twice", -1],
        "threshold, target and clusters must come with": [
            people,
            "--against",
            right,
            "--target",
            "recall=0.9",
        ],
        "id must be a column of against": [people, "--against", right, "--id", "nobody"],
        "candidates must": [people, "--against", right, "--candidates", data / "few.csv"],
    }
    before = contents(audit)
    for sentence, arguments in wrong.items():
        assert run("label", audit, "--no-browser", "--records", *arguments) == 2, sentence
        said = capsys.readouterr().err
        assert said.startswith("matchbound: "), said
        assert sentence in said, said
    assert run("label", tmp_path, "--no-browser", "--records", people) == 2
    assert contents(audit) == before


def test_without_what_it_needs(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run("label", tmp_path, "--records", tmp_path / "people.csv") == 2
    assert "Run: pip install 'matchbound[label]'." in capsys.readouterr().err
