import json, os, sys, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}


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


try:
    send("/catalog/search?q=a")  # the query is too short
except HTTPError as response:
    error = json.load(response)["error"]
    print("status:", response.code)
    print("code:", error["code"])
    if error["code"] == "INVALID_PARAMS":
        details = error["details"]
        print("field:", details["field"], details["constraint"])
    if response.code >= 500:
        print("request id:", response.headers["X-Request-Id"])
