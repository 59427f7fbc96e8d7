import json, os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}

query = urlencode({"q": "elden ring", "limit": 3})
request = Request(f"{BASE}/catalog/search?{query}", headers=HEADERS)
with urlopen(request, timeout=30) as response:
    answer = json.load(response)
for game in answer["data"]["results"]:
    price = game["price"]["formatted"] if game["price"] else "no price"
    print(f"{game['id']}: {game['title']}, {price}")
