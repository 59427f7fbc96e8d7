import json, os, sys, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
URL = BASE + "/catalog/prices?ids=2FBCCD98,elden-ring"
INTERVAL = int(os.environ.get("POLL_SECONDS", 900))

def pause(error, otherwise):
    """Returns what Retry-After asks for, seconds or a date, up to a day."""
    try:
        value = error.headers["Retry-After"]
        if not value.isdigit():
            value = parsedate_to_datetime(value).timestamp() - time.time()
        return min(max(int(value), 1), 86400)
    except (AttributeError, TypeError, ValueError):
        return otherwise


headers = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}
failures = 0
while True:
    wait = INTERVAL
    try:
        with urlopen(Request(URL, headers=headers), timeout=30) as response:
            items = json.load(response)["data"]["items"]
            headers["If-None-Match"] = response.headers["ETag"]
        for game in items:
            for region, price in game["regions"].items():
                print(game["title"], region, price["currentText"])
        failures = 0
    except (OSError, HTTPException, ValueError) as error:
        # Without a status there was no answer, or only a part of it.
        status = getattr(error, "code", 500)
        if status == 304:
            print("no change")
            failures = 0
        elif status >= 500 or status == 429:
            failures += 1
            wait = pause(error, min(2**failures, INTERVAL))
            print(f"{error}; again in {wait} s", file=sys.stderr)
        else:
            raise
    time.sleep(wait)
