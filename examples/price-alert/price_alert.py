#!/usr/bin/env python3
"""Watches prices in gamedex and says when games get cheaper. README.md explains it."""

import argparse, json, os, sys, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

TRIES = 8  # of one request: with pauses of 1, 2, 4 … seconds, two minutes
LONGEST_PAUSE = 86400  # seconds that the program waits, whatever Retry-After says
MOST_IDS = 1000  # of one request for prices
SEARCH_AGAIN = 86400  # seconds until a title that was not found is searched again
NOT_FOUND = "not found; only games of active regions are served, and the log of the service names the other regions"


def log(text):
    print(text, file=sys.stderr, flush=True)


def send(url, body=None, headers={}):
    """Returns the JSON of an answer, or None without content.

    While the other side restarts or is busy, it tries again, after growing pauses or
    when Retry-After says."""
    data = None if body is None else json.dumps(body).encode()
    # Discord refuses the name that Python gives itself.
    headers = {"Content-Type": "application/json", "User-Agent": "price-alert/1", **headers}
    host = url.split("/")[2]  # the rest of the address may be a secret
    for attempt in range(TRIES):
        try:
            with urlopen(Request(url, data, headers), timeout=60) as response:
                text = response.read()
                return json.loads(text) if text else None
        except (OSError, HTTPException, ValueError) as error:
            # Without a status there was no answer, or only a part of it.
            status = getattr(error, "code", 500)
            if attempt == TRIES - 1 or status < 500 and status != 429:
                raise
            wait = pause(error, 2**attempt)
            log(f"{host}: {error}; again in {wait} s")
            time.sleep(wait)


def pause(error, otherwise):
    """Returns what Retry-After asks for, seconds or a date, but at most a day."""
    try:
        value = error.headers["Retry-After"]
        try:
            seconds = float(value)
        except ValueError:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        return min(max(int(seconds + 1), 1), LONGEST_PAUSE)
    except (AttributeError, OverflowError, TypeError, ValueError):
        return otherwise


def reason(error):
    """Returns why a request has failed, in the words of the other side if it has any."""
    try:
        answer = json.load(error)
        said = answer.get("description") or answer.get("message") or answer["error"]["message"]
        return f"{error}: {said}"
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return str(error)


class State:
    """What is known about each title, in a file that is always whole.

    games: title -> {"ids": the cards of the title, "searched": when, in seconds}
    reported: id -> {channel: the price that was reported there, in hundredths}
    prices: id -> the price at the last look, in hundredths"""

    def __init__(self, path):
        self.path, self.data = path, {"games": {}, "reported": {}, "prices": {}}
        try:
            with open(path, encoding="utf-8") as file:
                self.data |= dict(json.load(file))
            if not all(isinstance(value, dict) for value in self.data.values()):
                raise ValueError("it has other values")
        except FileNotFoundError:
            pass
        except (ValueError, TypeError) as error:
            sys.exit(f"{path} is not a state file ({error}); delete it to begin anew")

    def __getattr__(self, name):
        return self.data[name]

    def save(self):
        part = self.path + ".part"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(self.data, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)


def telegram():
    api = os.environ.get("TELEGRAM_API", "https://api.telegram.org")
    url = f"{api}/bot{os.environ['TELEGRAM_TOKEN']}/sendMessage"
    return lambda text: send(url, {"chat_id": os.environ["TELEGRAM_CHAT"], "text": text[:4000]})


def discord():
    url = os.environ["DISCORD_WEBHOOK"]
    return lambda text: send(url, {"content": text[:2000]})


def channels():
    """Returns where alerts go: functions by name."""
    found = {"terminal": lambda text: print(text, flush=True)}
    if "TELEGRAM_TOKEN" in os.environ:
        if "TELEGRAM_CHAT" not in os.environ:
            sys.exit("TELEGRAM_TOKEN is set, so TELEGRAM_CHAT must name the chat")
        found["telegram"] = telegram()
    if "DISCORD_WEBHOOK" in os.environ:
        found["discord"] = discord()
    return found


def wanted(args):
    """Returns the titles of the arguments and of the file, each with its maximum or None."""
    lines = [(f"title {n}", text) for n, text in enumerate(args.titles, 1)]
    if args.file:
        try:
            with open(args.file, encoding="utf-8") as file:
                lines += [(f"{args.file}:{n}", text) for n, text in enumerate(file, 1)]
        except (OSError, ValueError) as error:
            sys.exit(f"{args.file}: {error}")
    titles = {}
    for where, text in lines:
        title, bar, maximum = (part.strip() for part in text.partition("|"))
        if not title or title.startswith("#"):
            continue
        try:
            titles[title] = float(maximum) if bar else None
        except ValueError:
            sys.exit(f"{where}: {maximum!r} is no price; write: {title} | 19.99")
    if not titles:
        sys.exit("no titles: name some, or a file with one a line (--file)")
    return titles


class Watcher:
    def __init__(self, args):
        self.args, self.state, self.channels = args, State(args.state), channels()
        self.unsold = set()  # ids whose lack of a price was said
        key = os.environ.get("GAMEDEX_KEY") or sys.exit("GAMEDEX_KEY must have an API key")
        self.headers = {"Authorization": "Bearer " + key}

    def api(self, path, body=None):
        return send(self.args.api + path, body, self.headers)

    def find(self, titles):
        """Searches the titles that have no ids, and keeps what it finds."""
        games = self.state.games
        for title in set(games) - set(titles):
            del games[title]
        for title in titles:
            game = games.setdefault(title, {"ids": [], "searched": 0})
            if game["ids"] or time.time() - game["searched"] < SEARCH_AGAIN:
                continue
            query = {"q": title, "platform": self.args.platform, "limit": 1, "lang": "en"}
            try:
                found = self.api("/catalog/search?" + urlencode(query))["data"]["results"]
            except HTTPError as error:
                if error.code != 400:
                    raise
                log(f"{title!r}: {reason(error)}")  # too short, for example
                found = []
            game.update(ids=[result["id"] for result in found], searched=time.time())
            self.state.save()
            what = f"watching {found[0]['title']} ({found[0]['id']})" if found else NOT_FOUND
            log(f"{title}: {what}")

    def prices(self, ids):
        """Returns the items of one request by id. Ids that have moved are replaced, and
        titles whose games are gone are searched again."""
        body = {"ids": ids, "regions": self.args.country, "include": "url", "lang": "en"}
        if self.args.currency:
            body["currency"] = self.args.currency
        answer = self.api("/catalog/prices", body)
        moved = answer["data"].get("moved", {})
        # A store that cannot be read hides its games; they are not gone.
        gone = [] if answer["meta"].get("unavailable") else answer["data"]["notFound"]
        if moved or gone:
            self.replace(moved, gone)
        return {item["id"]: item for item in answer["data"]["items"]}

    def replace(self, moved, gone):
        for game in self.state.games.values():
            before = game["ids"]
            kept = [new for old in before for new in moved.get(old, [] if old in gone else [old])]
            game["ids"] = list(dict.fromkeys(kept))
            if before and not kept:
                game["searched"] = 0
        for old, successors in moved.items():
            for by_id in (self.state.reported, self.state.prices):
                if old in by_id:
                    value = by_id.pop(old)
                    by_id.update({new: value for new in successors if new not in by_id})
        self.state.save()

    def amount(self, price):
        """Returns a price in units of the currency that was chosen, or None."""
        if self.args.currency:
            price = price.get("converted") or {"value": None}
            return None if price["value"] is None else price["value"] / 100
        return None if price["current"] is None else price["current"] / 100

    def watched(self):
        return {id: None for game in self.state.games.values() for id in game["ids"]}

    def look(self):
        """Looks at all prices once, and reports those that are low."""
        titles = wanted(self.args)
        self.find(titles)
        items, asked = {}, set()
        while ids := [id for id in self.watched() if id not in asked][:MOST_IDS]:
            asked.update(ids)
            items.update(self.prices(ids))
        for title, game in self.state.games.items():
            for id in game["ids"]:
                if id in items:
                    self.compare(items[id], titles[title])
        watched = self.watched()
        for by_id in (self.state.reported, self.state.prices):
            for id in set(by_id) - set(watched):
                del by_id[id]
        self.state.save()

    def compare(self, item, maximum):
        id, price = item["id"], next(iter(item["regions"].values()), None)
        if not price and id not in self.unsold:
            self.unsold.add(id)
            log(f"{item['title']}: no price in {self.args.country}; --country chooses another")
        if not price or price["current"] is None or price["isTrial"] or price["isSubPlus"]:
            return  # not sold in the country, or not for everybody
        current = price["current"]
        if maximum is None:
            low = price["discountPercent"] or current < self.state.prices.get(id, current)
        elif (amount := self.amount(price)) is None:
            log(f"{item['title']}: no rate for {self.args.currency}, so it cannot be compared")
            return
        else:
            low = amount <= maximum
        if not low:
            self.state.reported.pop(id, None)  # the next time it is news again
        if not low or self.report(item, price):
            self.state.prices[id] = current

    def report(self, item, price):
        """Sends an alert to each channel that has not had one for a price as low as this.
        Reports whether all have had it."""
        text, complete = message(item, price), True
        done = self.state.reported.setdefault(item["id"], {})
        for name, alert in self.channels.items():
            if name in done and done[name] <= price["current"]:
                continue
            try:
                alert(text)
            except (OSError, HTTPException, ValueError) as error:
                log(f"{name}: {reason(error)}; it is sent again at the next look")
                complete = False
                continue
            done[name] = price["current"]
            self.state.save()
        return complete


def message(item, price):
    parts = [f"{item['title']}: {price['currentText']}"]
    if price.get("converted"):
        parts.append(f"({price['converted']['formatted']})")
    parts.append(f"in {price['alpha2']}")
    if price["discountPercent"]:
        parts.append(f"instead of {price['baseText']}, -{price['discountPercent']}%")
    if price["discountEndAt"]:
        parts.append(f"until {price['discountEndAt'][:10]}")
    if price.get("storeUrl"):
        parts.append(price["storeUrl"])
    return " ".join(parts)


def main():
    parser = argparse.ArgumentParser(description="Says when games get cheaper. Needs an API key in GAMEDEX_KEY.")
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="a title, or 'TITLE | MAXIMUM'")
    parser.add_argument("--file", help="a file with one TITLE or TITLE | MAXIMUM a line")
    api = os.environ.get("GAMEDEX_API", "http://127.0.0.1:8080/api/v1")
    parser.add_argument("--api", default=api, help="or GAMEDEX_API (default: %(default)s)")
    parser.add_argument("--country", default="US", help="whose prices (default: %(default)s)")
    parser.add_argument("--currency", help="of the maximums (default: that of the country)")
    parser.add_argument("--platform", default="all", choices=["all", "consolestore", "pcstore"])
    parser.add_argument("--state", default="price-alert.json", help="its memory (default: %(default)s)")
    parser.add_argument("--every", type=int, default=900, metavar="SECONDS", help="default: %(default)s")
    parser.add_argument("--once", action="store_true", help="look once and end")
    args = parser.parse_args()
    for name, address in {"--api": args.api, **os.environ}.items():
        if name in ("--api", "TELEGRAM_API", "DISCORD_WEBHOOK") and not address.startswith("http"):
            parser.error(f"{name}: {address!r} does not begin with http:// or https://")
    if not args.country.isalpha():
        parser.error(f"--country {args.country!r} is not the code of one country, such as UA")
    watcher = Watcher(args)
    while True:
        try:
            watcher.look()
        except (OSError, HTTPException, ValueError) as error:
            if args.once or 400 <= getattr(error, "code", 500) < 500 and error.code != 429:
                sys.exit(reason(error))
            log(f"{reason(error)}; next look in {args.every} s")
        if args.once:
            return
        time.sleep(max(args.every, 1))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
