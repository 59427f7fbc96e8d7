"""Tests of the client that need no service: python3 -m unittest. TestPythonClient in cmd/gamedex has
those against the service."""

import ast, base64, gzip, hashlib, hmac, json, logging, os, threading, time, unittest
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest import mock

import gamedex

KEY = "gdx_secret"


class Server(HTTPServer):
    """Gives one answer after the other: (status, headers, body). The last one is repeated."""

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests = list(answers), []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.command, self.path, dict(self.headers), json.loads(body or b"null")))
        answers = self.server.answers
        status, headers, text = answers.pop(0) if len(answers) > 1 else answers[0]
        text = text if isinstance(text, bytes) else json.dumps(text).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, *args):
        pass


def failure(status, code, **details):
    return status, {}, {"ok": False, "error": {"code": code, "message": "it failed", "details": details}}


def prices(items, cursor, **more):
    data = {"items": items, "notFound": more.pop("notFound", []), **more}
    return 200, {}, {"ok": True, "counts": {"unchanged": 0}, "data": data, "meta": {"cursor": cursor}}


class ClientTest(unittest.TestCase):
    def serve(self, *answers, **options):
        self.server = Server(*answers)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        return gamedex.Client(self.server.url, KEY, **options)

    def setUp(self):
        logging.getLogger("gamedex").setLevel(logging.ERROR)
        self.pauses = []
        patch = mock.patch.object(gamedex.time, "sleep", self.pauses.append)
        patch.start()
        self.addCleanup(patch.stop)

    def test_syntax_of_python_3_9(self):
        with open(gamedex.__file__, encoding="utf-8") as file:
            ast.parse(file.read(), feature_version=(3, 9))

    def test_tries_again(self):
        cut = gzip.compress(b'{"ok":true}')[:-9]
        client = self.serve((502, {}, b"<h1>Bad Gateway</h1>"), (200, {"Content-Encoding": "gzip"}, cut),
                            (200, {}, b'{"ok":tr'), (200, {"Content-Length": "99"}, b'{"ok":true}'),
                            (429, {"Retry-After": "7"}, b""), (503, {"Retry-After": formatdate(time.time() + 60)}, b""),
                            (200, {"Content-Encoding": "gzip"}, gzip.compress(b'{"ok":true}')))
        self.assertEqual(client.me(), {"ok": True})
        growing = [(0.5, 1), (1, 2), (2, 4), (4, 8), (7, 8), (50, 61)]
        self.assertEqual(len(self.pauses), len(growing))
        for pause, (least, most) in zip(self.pauses, growing):
            self.assertTrue(least <= pause <= most, self.pauses)

    def test_gives_up(self):
        client = self.serve((503, {}, b""), tries=3)
        with self.assertRaises(gamedex.GamedexError) as caught:
            client.me()
        self.assertEqual((caught.exception.status, len(self.server.requests)), (503, 3))
        client = self.serve((429, {"Retry-After": "86000", "X-Request-Id": "r1"}, failure(429, "rate_limit_day")[2]))
        with self.assertRaises(gamedex.GamedexError) as caught:
            client.me()
        self.assertEqual((caught.exception.code, caught.exception.request_id), ("rate_limit_day", "r1"))
        self.assertGreaterEqual(caught.exception.retry_after, 86000)
        client = self.serve((502, {}, b""))  # perhaps it was made all the same
        with self.assertRaises(gamedex.GamedexError):
            client.create_webhook("https://receiver.example", ["elden-ring"])
        self.assertEqual(len(self.server.requests), 1)

    def test_errors(self):
        for answer, want in [
            (failure(400, "INVALID_PARAMS", field="q", constraint="minLength:2"), (400, "INVALID_PARAMS", "q", "minLength:2")),
            ((404, {}, b"<h1>"), (404, "HTTP", "", "")), ((404, {}, b"[1]"), (404, "HTTP", "", "")),
            ((404, {}, b'{"error":"no"}'), (404, "HTTP", "", "")), ((404, {}, b'{"error":{"details":[]}}'), (404, "HTTP", "", "")),
        ]:
            with self.assertRaises(gamedex.GamedexError) as caught:
                self.serve(answer).search("a")
            error = caught.exception
            self.assertEqual((error.status, error.code, error.field, error.constraint), want)
            self.assertEqual((len(self.server.requests), self.pauses), (1, []))
        nobody = gamedex.Client("http://127.0.0.1:1", KEY, tries=1)
        with self.assertRaises(gamedex.GamedexError) as caught:
            nobody.me()
        self.assertEqual((caught.exception.status, caught.exception.temporary), (0, True))

    def test_key_stays_secret(self):
        other = Server((200, {}, {"ok": True}))
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        for status in (301, 302, 307, 308):
            client = self.serve((status, {"Location": other.url + "/api/v1/account/me"}, b""))
            with self.assertRaisesRegex(gamedex.GamedexError, "redirects are not followed"):
                client.me()
            self.assertEqual(self.server.requests[0][2]["Authorization"], "Bearer " + KEY)
            self.assertNotIn(KEY, repr(client) + self.server.requests[0][1])
        self.assertEqual(other.requests, [])
        with mock.patch.dict(os.environ, clear=True):
            for api, key in [("", ""), ("", "gdx_secret x"), ("", "gdx_secret\r\nx: y"), ("games.example", KEY), ("http://a b", KEY)]:
                with self.assertRaises(ValueError) as caught:
                    gamedex.Client(api, key)
                self.assertNotIn("gdx_secret", str(caught.exception))

    def test_cache(self):
        tag = {"ETag": 'W/"1"'}
        client = self.serve((200, tag, {"data": [1]}), (304, tag, b""), (304, tag, b""), (200, {"ETag": 'W/"2"'}, {"data": [2]}))
        client.platforms()["data"].append("mine")
        self.assertEqual([client.platforms()["data"], client.platforms()["data"], client.platforms()["data"]], [[1], [1], [2]])
        self.assertEqual([request[2].get("If-None-Match") for request in self.server.requests], [None] + ['W/"1"'] * 3)
        for n in range(2 * gamedex.CACHED_ANSWERS):
            client.search("ab", limit=n)
        self.assertEqual(len(client._cache), gamedex.CACHED_ANSWERS)

    def test_pages(self):
        def page(**data):
            return 200, {}, {"data": {"total": 3, **data}}
        client = self.serve(page(results=[1, 2], offset=0), page(results=[3], offset=2))
        self.assertEqual(list(client.each(client.search, q="ab", publishers=["A, B", "C"])), [1, 2, 3])
        self.assertIn("offset=2&publishers=A%2C+B%3BC", self.server.requests[1][1])
        client = self.serve(page(items=[1, 2], nextCursor="c"), page(items=[3], nextCursor=None))
        self.assertEqual(list(client.each(client.deals, real=True, max_usd=9.5)), [1, 2, 3])
        self.assertIn("maxUsd=9.5&real=true&cursor=c", self.server.requests[1][1])
        client = self.serve(page(items=[1]))
        self.assertEqual(len(list(client.resolve_all(["t"] * 2001))), 3)
        self.assertEqual([len(request[3]["items"]) for request in self.server.requests], [1000, 1000, 1])

    def test_changes(self):
        a, b, c, d = ({"id": id, "title": id} for id in "ABCD")
        client = self.serve(
            prices([a], "1"), prices([b], "2", notFound=["X"]), failure(404, "HTTP"),  # and it ends in the middle
            prices([], "3", notFound=["A"], moved={"A": ["C", "D"]}), prices([c, d], "4"), prices([b], "5"), failure(404, "HTTP"),
            prices([], "6", notFound=["C"], moved={"C": ["A"]}), prices([{**a, "requestedIds": ["A"]}, d], "7"))
        with mock.patch.object(gamedex, "BULK", 2):
            found = []
            with self.assertRaises(gamedex.GamedexError):
                self.until_error(client, found, "A A2, A B;X")
            self.assertEqual([list(change.games) for change in found], [["A"], ["B"]])
            self.assertEqual([change.gone for change in found], [[], ["X"]])
            with self.assertRaises(gamedex.GamedexError):
                self.until_error(client, found, "A A2 B;X", found[-1].cursor)
            self.assertEqual(found[2].moved, {"A": ["C", "D"]})
            again = next(client.changes("A A2 B;X", found[-1].cursor))
        self.assertEqual((again.moved, list(again.games)), ({"C": ["A"]}, ["A", "D"]))
        sent = [(request[3]["ids"], request[3].get("changedSince")) for request in self.server.requests]
        self.assertEqual(sent[0], (["A", "A2"], None))
        self.assertEqual(sent[3], (["A", "A2"], "1"))
        self.assertEqual(sent[4], (["C", "D"], None))  # what follows is in other slices now
        for bad in ("x", "[]", "{}", '{"cursors":1,"moved":2}'):
            with self.assertRaisesRegex(ValueError, "since is no cursor"):
                next(client.changes("A", bad))

    def until_error(self, client, found, *arguments):
        for change in client.changes(*arguments):
            found.append(change)

    def test_changes_wait_for_an_outage(self):
        client = self.serve(failure(429, "rate_limit_day"), prices([], "1"), tries=1)
        self.assertEqual(next(client.changes("A", every=30)).games, {})
        self.assertTrue(29 < self.pauses[0] <= 30, self.pauses)
        with self.assertRaises(gamedex.GamedexError):
            self.serve(failure(503, "SERVICE_UNAVAILABLE"), tries=1).prices("A")
        answer = prices([], "1", notFound=["A"])
        answer[2]["meta"]["unavailable"] = ["consolestore"]
        self.assertEqual(self.serve(answer).prices("A").gone, [])

    def test_verify(self):
        key, body, now = b"secret of this test", b'{"type":"ping","data":{}}', int(time.time())
        secret = "whsec_" + base64.b64encode(key).decode()

        def headers(at=now, body=body, version="v1"):
            mac = hmac.new(key, f"msg_1.{at}.".encode() + body, hashlib.sha256).digest()
            signature = f"v1,AAAA {version},{base64.b64encode(mac).decode()}"
            return {"Webhook-Id": "msg_1", "webhook-timestamp": str(at), "WEBHOOK-SIGNATURE": signature}

        self.assertEqual(gamedex.verify(secret, headers(), body), gamedex.Message("msg_1", "ping", {}))
        for wrong in (headers(at=now - 301), headers(at=now + 302), headers(version="v2"), headers(body=b"{}"), {},
                      {**headers(), "Webhook-Id": "msg_2"}, {**headers(), "WEBHOOK-SIGNATURE": "v1,é"},
                      {**headers(), "webhook-timestamp": "9" * 5000}):
            with self.assertRaises(gamedex.WebhookError):
                gamedex.verify(secret, wrong, body)
        with self.assertRaisesRegex(ValueError, "secret"):
            gamedex.verify("whsec_?", headers(), body)
        key = b""  # a setting that is missing: anybody can sign
        for empty in ("", "whsec_"):
            with self.assertRaisesRegex(ValueError, "secret"):
                gamedex.verify(empty, headers(), body)

    def test_answers_of_others(self):
        for text in (b"", b"[]", b"null", b"[" * 200_000):
            with self.assertRaises(gamedex.GamedexError):
                self.serve((200, {}, text), tries=1).prices("A")

    def test_absurd_pause(self):
        client = self.serve((503, {"Retry-After": "9" * 30}, b""), prices([], "1"), tries=1)
        self.assertEqual(next(client.changes("A")).games, {})
        self.assertLessEqual(self.pauses[0], 86400)


if __name__ == "__main__":
    unittest.main()
