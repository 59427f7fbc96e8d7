import json, os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {
    "Authorization": "Bearer " + os.environ["GAMEDEX_KEY"],
    "Content-Type": "application/json",
}


def call(path, body=None):
    data = json.dumps(body).encode() if body else None
    request = Request(BASE + path, data=data, headers=HEADERS)
    with urlopen(request, timeout=30) as response:
        return json.load(response)


# Bulk prices: replace the ids that have moved, and store the list again.
ids = ["ABCD0000", "elden-ring"]
data = call("/catalog/prices", {"ids": ids, "regions": "UA"})["data"]
moved = data.get("moved", {})
ids = [new for old in ids for new in moved.get(old, [old])]
print("ids:", *ids)

# One card: the 404 names the cards that have its listings now.
try:
    print("card:", call("/catalog/games/ABCD0000")["data"]["title"])
except HTTPError as error:
    if error.code != 404:
        raise
    details = json.load(error)["error"]["details"]
    print("successors:", *details.get("successors", []))
