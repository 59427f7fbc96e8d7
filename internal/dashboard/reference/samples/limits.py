import json, os, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}


def get(path):
    """Returns an answer. Waits for as long as the service asks for."""
    while True:
        try:
            request = Request(BASE + path, headers=HEADERS)
            with urlopen(request, timeout=30) as response:
                left = response.headers["X-RateLimit-Remaining-Minute"]
                print(left, "requests left in this minute")
                return json.load(response)
        except HTTPError as error:
            if error.code not in (429, 503):
                raise
            wait = int(error.headers["Retry-After"])
            print(f"wait {wait} s")
            time.sleep(wait)


usage = get("/account/usage")["data"]
print(usage["day"]["remaining"], "requests left today")
