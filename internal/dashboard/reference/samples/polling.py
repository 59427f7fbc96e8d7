import json, os, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
URL = BASE + "/catalog/prices?ids=2FBCCD98,elden-ring"
INTERVAL = int(os.environ.get("POLL_SECONDS", 900))

headers = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}
while True:
    wait = INTERVAL
    try:
        with urlopen(Request(URL, headers=headers), timeout=30) as response:
            items = json.load(response)["data"]["items"]
            headers["If-None-Match"] = response.headers["ETag"]
        for game in items:
            for region, price in game["regions"].items():
                print(game["title"], region, price["currentText"])
    except HTTPError as error:
        if error.code == 304:
            print("no change")
        elif error.code in (429, 503):
            wait = int(error.headers["Retry-After"])
            print(f"wait {wait} s")
        else:
            raise
    time.sleep(wait)
