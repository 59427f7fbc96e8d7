"""A client of gamedex in one file. It needs Python 3.9 or later and nothing else.

    import gamedex

    client = gamedex.Client("https://games.example")  # the key is in GAMEDEX_KEY
    for game in client.prices(["elden-ring"], regions="all").games.values():
        print(game["title"], game["cheapest"])

A method with the name of an operation of the reference (/docs) sends one request, and returns the
answer as the reference shows it. Parameters have the names of the reference in Python's spelling:
min_discount is minDiscount. prices, changes, each and resolve_all send as many requests as needed.

What fails only for now is sent again, when Retry-After says or after growing pauses. All other
failures are a GamedexError. A client may be used by several threads.
"""

from __future__ import annotations

import base64, binascii, gzip, hashlib, hmac, json, logging, os, random, re, threading, time, zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from email.message import Message as Headers
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import (Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, TypedDict,
                    Union)
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

log = logging.getLogger("gamedex")

Answer = Dict[str, Any]  # of an operation, as the reference shows it
Names = Union[str, Sequence[str]]  # "UA,TR" or ["UA", "TR"]
Some = Optional[Names]
Text = Optional[str]
Count = Optional[int]
Flag = Optional[bool]
Items = Sequence[Union[str, Mapping[str, Any]]]  # to resolve: titles, ids, links, or objects of the reference

DEFAULT_API = "http://127.0.0.1:8080"  # a service that hands out this file puts its own address here
AGENT = "gamedex-python/1"
BULK = 1000  # ids, or items to resolve, of one request
BULK_EDITIONS = 200  # ids of one request that includes editions
LONGEST_PAUSE = 60.0  # seconds between two tries that Retry-After does not set
CACHED_ANSWERS, CACHED_BYTES = 64, 1 << 20  # answers that are kept with their ETag, and the longest one


class GamedexError(Exception):
    """A request that failed. status is 0 if there was no whole answer, and code is then NO_ANSWER.

    field and constraint name the parameter that is wrong. retry_after is in seconds. The operator of
    the service finds the request in its log by request_id."""

    def __init__(self, status: int, code: str, message: str, details: Optional[Dict[str, Any]] = None,
                 retry_after: Optional[float] = None, request_id: str = "") -> None:
        super().__init__(status, code, message)
        self.status, self.code, self.message = status, code, message
        self.details: Dict[str, Any] = details or {}
        self.field: str = str(self.details.get("field") or "")
        self.constraint: str = str(self.details.get("constraint") or "")
        self.retry_after, self.request_id = retry_after, request_id

    def __str__(self) -> str:
        return f"{self.status or ''} {self.code}: {self.message}".strip()

    @property
    def temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status == 429 or self.status >= 500


class WebhookError(ValueError):
    """A message that does not come from the service, or is too old."""


class Price(TypedDict, total=False):
    """What one region shows. base, current and converted.value are hundredths of their currency."""

    alpha2: str
    currency: str
    base: Optional[int]
    current: Optional[int]
    baseText: str
    currentText: str
    discountPercent: Optional[int]
    discountEndAt: Optional[str]
    usd: Optional[float]
    converted: Optional[Dict[str, Any]]
    isFree: bool
    isTrial: bool
    isSubPlus: bool
    edition: Optional[str]
    pricedAt: str
    storeUrl: Optional[str]
    lows: Optional[Dict[str, Any]]


class Game(TypedDict, total=False):
    """A game in bulk prices. The keys of regions are those of the store; join on alpha2."""

    id: str
    platform: str
    title: str
    regions: Dict[str, Price]
    cheapest: Optional[Dict[str, Any]]
    updatedAt: str
    requestedIds: List[str]


@dataclass
class Changes:
    """What prices and changes have found. Apply moved, then gone, then games."""

    games: Dict[str, Game] = field(default_factory=dict)  # by the id asked for; each replaces the one before
    gone: List[str] = field(default_factory=list)  # ids that no game has
    moved: Dict[str, List[str]] = field(default_factory=dict)  # ids that were replaced, by their successors
    unavailable: List[str] = field(default_factory=list)  # stores that cannot be read; no id is gone meanwhile
    unchanged: int = 0  # games left out, because they have not changed
    cursor: str = ""  # where to go on: save it after games


@dataclass(frozen=True)
class Message:
    """A verified message of a webhook. Ignore an id that you have seen."""

    id: str
    type: str
    data: Dict[str, Any]


class Reply(NamedTuple):
    """A successful answer: value is its JSON, None if text is empty."""

    headers: Headers
    text: bytes
    value: Any


class _NoRedirects(HTTPRedirectHandler):
    """Refuses redirects, so that the key goes nowhere else."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def send(url: str, body: Any = None, headers: Mapping[str, str] = {}, *, method: str = "", timeout: float = 60,
         tries: int = 8, patience: float = 900, once: bool = False) -> Reply:
    """Sends a request, with body as JSON, until it succeeds or has failed for good.

    It is sent at most tries times. A pause that Retry-After asks for is made if it is at most patience
    seconds. With once it is sent again only if the other side has refused it (429, 503). Logs name
    only the host of the URL. A 304 succeeds, with an empty text."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "Accept-Encoding": "gzip", "User-Agent": AGENT, **headers}
    method = method or ("GET" if data is None else "POST")
    for attempt in range(tries):
        request = Request(url, data, method=method)
        for name, text in sent.items():
            request.add_unredirected_header(name, text)
        try:
            return _exchange(request, timeout)
        except GamedexError as error:
            pause = error.retry_after
            if pause is None:
                pause = random.uniform(0.5, 1) * min(2.0**attempt, LONGEST_PAUSE)
            refused = error.status in (429, 503)
            if attempt + 1 >= tries or not error.temporary or pause > patience or (once and not refused):
                raise
            log.warning("%s: %s; again in %.1f s", urlsplit(url).netloc, error, pause)
            time.sleep(pause)
    raise ValueError("tries must be at least 1")


def _exchange(request: Request, timeout: float) -> Reply:
    """Sends a request once."""
    try:
        try:
            with _opener.open(request, timeout=timeout) as response:
                text = _unzip(response.headers, response.read())
                return Reply(response.headers, text, json.loads(text) if text else None)
        except HTTPError as error:
            with error:
                if error.code == 304:
                    return Reply(error.headers, b"", None)
                raise _refusal(error) from None
    except (OSError, HTTPException, ValueError, EOFError, RecursionError, zlib.error) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise GamedexError(0, "NO_ANSWER", str(reason) or type(reason).__name__) from error


def _unzip(headers: Headers, text: bytes) -> bytes:
    return gzip.decompress(text) if headers.get("Content-Encoding") == "gzip" else text


def _refusal(error: HTTPError) -> GamedexError:
    """Returns the error that an answer describes, which may be one of a proxy or of another service."""
    headers = error.headers
    try:
        answer: Answer = dict(json.loads(_unzip(headers, error.read())))
    except (OSError, HTTPException, ValueError, TypeError, EOFError, zlib.error):
        answer = {}
    said: Answer = answer["error"] if isinstance(answer.get("error"), dict) else answer
    message = str(said.get("message") or said.get("description") or error.reason)
    if 300 <= error.code < 400:
        message = f"redirects are not followed; use the address {headers.get('Location')}"
    details: Answer = said["details"] if isinstance(said.get("details"), dict) else {}
    return GamedexError(error.code, str(said.get("code") or "HTTP"), message, details,
                        _retry_after(headers.get("Retry-After") or ""), headers.get("X-Request-Id") or "")


def _retry_after(value: str) -> Optional[float]:
    """Returns the seconds of a Retry-After, which may be a date; a little more, so that clients spread."""
    try:
        seconds = float(int(value)) if value.isdigit() else parsedate_to_datetime(value).timestamp() - time.time()
        return max(seconds, 0) + random.uniform(0.1, 0.5)
    except (IndexError, OverflowError, TypeError, ValueError):
        return None


def verify(secret: str, headers: Union[Mapping[str, str], Headers], body: bytes, *,
           tolerance: float = 300) -> Message:
    """Returns the message of a webhook, or raises WebhookError. body is as it was received.

    tolerance is how many seconds the clocks may differ, and a message may have been under way."""
    got = {name.lower(): text for name, text in headers.items()}
    id, at, signatures = (got.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch("[0-9]{1,15}", at) or abs(time.time() - int(at)) > tolerance:
        raise WebhookError("the message has no time, or is too old or too new")
    try:
        key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:  # anybody can sign with an empty one
        raise ValueError("the secret of the webhook is not whsec_ and Base64")
    mac = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(mac)
    if not any([hmac.compare_digest(wanted, one.encode()) for one in signatures.split()[:20]]):
        raise WebhookError("the signature is wrong")
    message = json.loads(body)
    return Message(id, message["type"], message["data"])


class Client:
    """A client of the service at an address, by default that in GAMEDEX_API, else DEFAULT_API.

    The key is by default that in GAMEDEX_KEY. timeout is in seconds; tries and patience are as in send."""

    def __init__(self, api: str = "", key: str = "", *, timeout: float = 60, tries: int = 8,
                 patience: float = 900) -> None:
        api = (api or os.environ.get("GAMEDEX_API") or DEFAULT_API).rstrip("/")
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", api):
            raise ValueError(f"api: {api!r} is no address such as https://games.example")
        key = (key or os.environ.get("GAMEDEX_KEY") or "").strip()
        if not re.fullmatch("[!-~]+", key):
            raise ValueError("key: there is none, or it has spaces; set GAMEDEX_KEY")
        self.api = api if api.endswith("/api/v1") else api + "/api/v1"
        self.timeout, self.tries, self.patience = timeout, tries, patience
        self._key, self._lock = key, threading.Lock()
        self._cache: "OrderedDict[str, Reply]" = OrderedDict()  # by URL, the least used first

    def __repr__(self) -> str:
        return f"Client({self.api!r})"

    def _send(self, method: str, path: str, body: Any = None, once: bool = False) -> Answer:
        headers = {"Authorization": "Bearer " + self._key}
        with self._lock:
            cached = self._cache.get(path) if method == "GET" else None
            if cached:
                self._cache.move_to_end(path)
                headers["If-None-Match"] = cached.headers["ETag"]
        reply = send(self.api + path, body, headers, method=method, timeout=self.timeout, tries=self.tries,
                     patience=self.patience, once=once)
        answer: Answer = reply.value
        if cached and not reply.text:
            answer = json.loads(cached.text)  # a copy, because the caller may change it
        elif not isinstance(answer, dict):
            raise GamedexError(0, "NO_ANSWER", "the answer is not that of the service")
        elif method == "GET" and "ETag" in reply.headers and len(reply.text) <= CACHED_BYTES:
            with self._lock:
                self._cache[path] = reply._replace(value=None)
                if len(self._cache) > CACHED_ANSWERS:
                    self._cache.popitem(last=False)
        return answer

    def _get(self, path: str, query: Mapping[str, Any] = {}) -> Answer:
        given = {name: _joined(name, value) for name, value in _given(query).items()}
        return self._send("GET", path + "?" + urlencode(given) if given else path)

    def _post(self, path: str, body: Mapping[str, Any], once: bool = False) -> Answer:
        as_is = ("ids", "items", "amount", "deals")
        given = {name: value if name in as_is else _joined(name, value) for name, value in _given(body).items()}
        return self._send("POST", path, given, once)

    # The operations, in the order of the reference.

    def health(self) -> Answer:
        return self._get("/health")

    def me(self) -> Answer:
        return self._get("/account/me")

    def usage(self) -> Answer:
        return self._get("/account/usage")

    def webhooks(self) -> Answer:
        return self._get("/account/webhooks")

    def create_webhook(self, url: str, ids: Some = None, *, platform: Text = None, regions: Some = None,
                       when: Text = None, amount: Count = None,
                       deals: Optional[Mapping[str, Any]] = None) -> Answer:
        return self._post("/account/webhooks", locals(), once=True)

    def webhook(self, webhook_id: str) -> Answer:
        return self._get("/account/webhooks/" + quote(webhook_id, safe=""))

    def change_webhook(self, webhook_id: str, *, url: Text = None, active: Flag = None) -> Answer:
        body = _given({"url": url, "active": active})
        return self._send("PATCH", "/account/webhooks/" + quote(webhook_id, safe=""), body)

    def delete_webhook(self, webhook_id: str) -> Answer:
        return self._send("DELETE", "/account/webhooks/" + quote(webhook_id, safe=""))

    def ping_webhook(self, webhook_id: str) -> Answer:
        return self._send("POST", f"/account/webhooks/{quote(webhook_id, safe='')}/ping", once=True)

    def webhook_tries(self, webhook_id: str) -> Answer:
        return self._get(f"/account/webhooks/{quote(webhook_id, safe='')}/tries")

    def exchange_rates(self) -> Answer:
        return self._get("/catalog/exchange-rates")

    def platforms(self) -> Answer:
        return self._get("/catalog/platforms")

    def search(self, q: str, *, platform: Text = None, limit: Count = None, offset: Count = None,
               include_related: Flag = None, include_members: Flag = None, types: Some = None,
               platforms: Some = None, genres: Some = None, publishers: Some = None, distinct: Text = None,
               lang: Text = None) -> Answer:
        return self._get("/catalog/search", locals())

    def suggest(self, q: str, *, platform: Text = None, limit: Count = None, lang: Text = None) -> Answer:
        return self._get("/catalog/suggest", locals())

    def console_card(self, game_id: str, *, currency: Text = None, lang: Text = None) -> Answer:
        return self._get("/catalog/games/" + quote(game_id, safe=""), {"currency": currency, "lang": lang})

    def pc_card(self, slug: str, *, currency: Text = None, lang: Text = None) -> Answer:
        return self._get("/catalog/pcstore/games/" + quote(slug, safe=""), {"currency": currency, "lang": lang})

    def get_prices(self, ids: Names, *, platform: Text = None, regions: Some = None, include: Some = None,
                   currency: Text = None, lang: Text = None, changed_since: Text = None) -> Answer:
        return self._get("/catalog/prices", locals())

    def post_prices(self, ids: Names, *, platform: Text = None, regions: Some = None, include: Some = None,
                    currency: Text = None, lang: Text = None, changed_since: Text = None) -> Answer:
        return self._post("/catalog/prices", locals())

    def resolve(self, items: Items) -> Answer:
        return self._post("/catalog/resolve", locals())

    def get_history(self, ids: Names, *, platform: Text = None, regions: Some = None, since: Text = None,
                    until: Text = None, lang: Text = None) -> Answer:
        return self._get("/catalog/history", locals())

    def post_history(self, ids: Names, *, platform: Text = None, regions: Some = None, since: Text = None,
                     until: Text = None, lang: Text = None) -> Answer:
        return self._post("/catalog/history", locals())

    def deals(self, *, platform: Text = None, regions: Some = None, types: Some = None, platforms: Some = None,
              genres: Some = None, publishers: Some = None, min_discount: Count = None, max_discount: Count = None,
              max_price: Count = None, max_usd: Union[str, float, None] = None, low: Text = None,
              near_low: Count = None, real: Flag = None, ends_within: Text = None, started_within: Text = None,
              free: Text = None, subscription: Text = None, distinct: Text = None, sort: Text = None,
              limit: Count = None, cursor: Text = None, currency: Text = None, lang: Text = None) -> Answer:
        return self._get("/catalog/deals", locals())

    def browse(self, *, platform: Text = None, regions: Some = None, types: Some = None, platforms: Some = None,
               genres: Some = None, publishers: Some = None, released_from: Text = None, released_to: Text = None,
               added_after: Text = None, priced: Flag = None, distinct: Text = None, sort: Text = None,
               facets: Some = None, limit: Count = None, cursor: Text = None, lang: Text = None) -> Answer:
        return self._get("/catalog/browse", locals())

    # What takes several requests.

    def each(self, operation: Callable[..., Answer], **query: Any) -> Iterator[Answer]:
        """Yields what all pages of search, deals or browse list: each(client.deals, min_discount=50)."""
        while True:
            data = operation(**query)["data"]
            items = data["results"] if "results" in data else data["items"]
            yield from items
            if data.get("nextCursor"):
                query["cursor"] = data["nextCursor"]
            elif items and data.get("offset", data["total"]) + len(items) < data["total"]:
                query["offset"] = data["offset"] + len(items)
            else:
                return

    def resolve_all(self, items: Items) -> Iterator[Answer]:
        """Yields what each of any number of titles, ids and links is, in the order of items."""
        for start in range(0, len(items), BULK):
            yield from self.resolve(items[start:start + BULK])["data"]["items"]

    def prices(self, ids: Names, *, platform: Text = None, regions: Some = None, include: Some = None,
               currency: Text = None, lang: Text = None) -> Changes:
        """Returns the prices of any number of games. Ids that have moved are followed."""
        all = Changes()
        for part in self.changes(ids, every=None, platform=platform, regions=regions, include=include,
                                 currency=currency, lang=lang):
            all.games.update(part.games)
            all.moved.update(part.moved)
            all.gone += part.gone
            all.unavailable, all.cursor = part.unavailable, part.cursor
        return all

    def changes(self, ids: Names, since: str = "", *, every: Optional[float] = 900, platform: Text = None,
                regions: Some = None, include: Some = None, currency: Text = None,
                lang: Text = None) -> Iterator[Changes]:
        """Yields all games at first, and then every so many seconds those that have changed, without end.

        There is one part for each 1000 ids. since is the cursor of a part that you saved: it continues
        there, also with other ids or parameters, but then may have all games again. An outage is waited
        for. Without every it looks once, and an outage raises."""
        asked = {"platform": platform, "regions": regions, "include": include, "currency": currency, "lang": lang}
        names = [name for name in re.split(r"[,;\s]+", ids if isinstance(ids, str) else ";".join(ids)) if name]
        progress = _Progress(since)
        while True:
            began, pause = time.monotonic(), every or 0
            try:
                yield from self._look(names, progress, asked)
            except GamedexError as error:
                if every is None or not error.temporary:
                    raise
                pause = max(pause, min(error.retry_after or 0, 86400))
                log.warning("%s: %s; again in %.1f s", urlsplit(self.api).netloc, error, pause)
            if every is None:
                return
            time.sleep(max(began + pause - time.monotonic(), 0.1))

    def _look(self, names: List[str], progress: _Progress, asked: Dict[str, Any]) -> Iterator[Changes]:
        """Asks for each slice of names once, and for one with ids that have moved once more."""
        size = BULK_EDITIONS if "editions" in (asked["include"] or "") else BULK
        done: Set[str] = set()
        followed: Set[str] = set()
        while True:
            now = progress.current(names)
            slices = {_digest([now[i:i + size], asked]): now[i:i + size] for i in range(0, len(now), size)}
            mark = next((mark for mark in slices if mark not in done), None)
            if mark is None:
                return
            answer = self.post_prices(slices[mark], changed_since=progress.cursors.get(mark), **asked)
            data, unavailable = answer["data"], answer["meta"].get("unavailable", [])
            moved: Dict[str, List[str]] = data.get("moved", {})
            if not followed.issuperset(moved):
                progress.follow(names, {old: new for old, new in moved.items() if old not in followed})
                followed.update(moved)
                continue
            done.add(mark)
            progress.cursors[mark] = answer["meta"]["cursor"]
            progress.cursors = {mark: progress.cursors[mark] for mark in slices if mark in progress.cursors}
            found = Changes(moved=progress.news, unavailable=unavailable,
                            gone=[] if unavailable else [id for id in data["notFound"] if id not in moved],
                            unchanged=answer["counts"].get("unchanged", 0))
            for game in data["items"]:
                found.games.update((id, game) for id in game.get("requestedIds", [game["id"]]))
            progress.news = {}
            found.cursor = str(progress)
            yield found


class _Progress:
    """How far changes has come: the cursor of each slice, and the ids that replace those that moved."""

    def __init__(self, text: str) -> None:
        self.news: Dict[str, List[str]] = {}  # moves that no Changes has had yet
        self.cursors: Dict[str, str] = {}
        self.moved: Dict[str, List[str]] = {}
        try:
            if text:
                saved = json.loads(text)
                self.cursors, self.moved = dict(saved["cursors"]), dict(saved["moved"])
        except (KeyError, TypeError, ValueError):
            raise ValueError("since is no cursor of changes; begin without one") from None

    def __str__(self) -> str:
        return json.dumps({"cursors": self.cursors, "moved": self.moved})

    def current(self, names: List[str]) -> List[str]:
        return list(dict.fromkeys(new for name in names for new in self.moved.get(name, [name])))

    def follow(self, names: List[str], moves: Dict[str, List[str]]) -> None:
        def replaced(ids: List[str]) -> List[str]:
            return list(dict.fromkeys(new for old in ids for new in moves.get(old, [old])))

        self.news = {**{old: replaced(new) for old, new in self.news.items()}, **moves}
        now = {name: replaced(self.moved.get(name, [name])) for name in names}
        self.moved = {name: ids for name, ids in now.items() if ids != [name]}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _given(values: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the arguments that were given, by the names of the reference."""
    return {re.sub("_(.)", lambda match: match[1].upper(), name): value
            for name, value in values.items() if value is not None and name != "self"}


def _joined(name: str, value: Any) -> str:
    """Returns a value as a parameter has it. Names of genres and publishers may have commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    return (";" if name in ("genres", "publishers", "platforms") else ",").join(value)
