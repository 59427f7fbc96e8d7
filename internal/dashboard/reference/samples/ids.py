import json, os, sys, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {
    "Authorization": "Bearer " + os.environ["GAMEDEX_KEY"],
    "Content-Type": "application/json",
}


def send(path, body=None):
    """Returns an answer. Tries again while the service restarts or is busy."""
    for attempt in range(8):
        try:
            request = Request(BASE + path, data=body, headers=HEADERS)
            with urlopen(request, timeout=30) as response:
                return response, json.load(response)
        except (OSError, HTTPException, ValueError) as error:
            # Without a status there was no answer, or only a part of it.
            status = getattr(error, "code", 500)
            if attempt == 7 or status < 500 and status != 429:
                raise
            wait = pause(error, 2**attempt)
            print(f"{error}; again in {wait} s", file=sys.stderr)
            time.sleep(wait)


def pause(error, otherwise):
    """Returns what Retry-After asks for, seconds or a date, up to a day."""
    try:
        value = error.headers["Retry-After"]
        if not value.isdigit():
            value = parsedate_to_datetime(value).timestamp() - time.time()
        return min(max(int(value), 1), 86400)
    except (AttributeError, TypeError, ValueError):
        return otherwise


# Bulk prices: replace the ids that have moved, and store the list again.
ids = ["ABCD0000", "elden-ring"]
body = json.dumps({"ids": ids, "regions": "UA"}).encode()
response, answer = send("/catalog/prices", body)
moved = answer["data"].get("moved", {})
ids = [new for old in ids for new in moved.get(old, [old])]
print("ids:", *ids)

# One card: the 404 names the cards that have its listings now.
try:
    response, answer = send("/catalog/games/ABCD0000")
    print("card:", answer["data"]["title"])
except HTTPError as error:
    if error.code != 404:
        raise
    details = json.load(error)["error"]["details"]
    print("successors:", *details.get("successors", []))
