#!/usr/bin/env python3
"""Watches prices in gamedex and says when games get cheaper. README.md explains it."""

import argparse, json, os, sys, time

import gamedex

SEARCH_AGAIN = 86400  # seconds until a title that was not found is searched again
NOT_FOUND = "not found; only games of active regions are served, and the log of the service names the other regions"


def log(text):
    print(text, file=sys.stderr, flush=True)


class State:
    """What is known about each title, in a file that is always whole.

    games: title -> {"ids": the cards of the title, "searched": when, in seconds}
    reported: id -> {channel: the price that was reported there, in hundredths}
    prices: id -> the price at the last look, in hundredths
    country: "code" -> the country of these prices"""

    def __init__(self, path):
        self.path, self.data = path, {"games": {}, "reported": {}, "prices": {}, "country": {}}
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
    return lambda text: gamedex.send(url, {"chat_id": os.environ["TELEGRAM_CHAT"], "text": text[:4000]})


def discord():
    url = os.environ["DISCORD_WEBHOOK"]
    return lambda text: gamedex.send(url, {"content": text[:2000]})


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
        self.client = gamedex.Client(args.api)
        country = {"code": args.country.upper()}
        if self.state.country not in ({}, country):  # its prices do not compare
            self.state.data.update(reported={}, prices={})
        self.state.data["country"] = country

    def find(self, titles):
        """Searches the titles that have no ids, and keeps what it finds."""
        games = self.state.games
        for title in set(games) - set(titles):
            del games[title]
        for title in titles:
            game = games.setdefault(title, {"ids": [], "searched": 0})
            if game["ids"] or time.time() - game["searched"] < SEARCH_AGAIN:
                continue
            similar = False
            try:
                answer = self.client.search(title, platform=self.args.platform, limit=1, lang="en")
                found, similar = answer["data"]["results"], {"corrected", "relaxed"} & set(answer["meta"])
            except gamedex.GamedexError as error:
                if error.status != 400:
                    raise
                log(f"{title!r}: {error}")  # too short, for example
                found = []
            game.update(ids=[result["id"] for result in found], searched=time.time())
            self.state.save()
            what = f"watching {found[0]['title']} ({found[0]['id']})" if found else NOT_FOUND
            if found and similar:
                what += ", the most similar title: check that it is meant"
            log(f"{title}: {what}")

    def prices(self):
        """Returns the games by id. Ids that have moved are replaced, and titles whose games are gone are
        searched again."""
        watched = [id for game in self.state.games.values() for id in game["ids"]]
        found = self.client.prices(watched, regions=self.args.country, include="url", currency=self.args.currency, lang="en")
        if found.moved or found.gone:
            self.replace(found.moved, found.gone)
        return found.games

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

    def look(self):
        """Looks at all prices once, and reports those that are low."""
        titles = wanted(self.args)
        self.find(titles)
        items, watched = self.prices(), set()
        for title, game in self.state.games.items():
            watched.update(game["ids"])
            for id in game["ids"]:
                if id in items:
                    self.compare(items[id], titles[title])
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
            except gamedex.GamedexError as error:
                log(f"{name}: {error}; it is sent again at the next look")
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
    parser.add_argument("--api", default="", help="or GAMEDEX_API (default: http://127.0.0.1:8080)")
    parser.add_argument("--country", default="US", help="whose prices (default: %(default)s)")
    parser.add_argument("--currency", help="of the maximums (default: that of the country)")
    parser.add_argument("--platform", default="all", choices=["all", "consolestore", "pcstore"])
    parser.add_argument("--state", default="price-alert.json", help="its memory (default: %(default)s)")
    parser.add_argument("--every", type=int, default=900, metavar="SECONDS", help="default: %(default)s")
    parser.add_argument("--once", action="store_true", help="look once and end")
    args = parser.parse_args()
    for name, address in os.environ.items():
        if name in ("TELEGRAM_API", "DISCORD_WEBHOOK") and not address.startswith("http"):
            parser.error(f"{name}: {address!r} does not begin with http:// or https://")
    if not args.country.isalpha():
        parser.error(f"--country {args.country!r} is not the code of one country, such as UA")
    try:
        watcher = Watcher(args)
    except ValueError as error:
        sys.exit(str(error))
    while True:
        try:
            watcher.look()
        except gamedex.GamedexError as error:
            if args.once or not error.temporary:
                sys.exit(str(error))
            log(f"{error}; next look in {args.every} s")
        if args.once:
            return
        time.sleep(max(args.every, 1))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
