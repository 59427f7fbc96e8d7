import json, os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE = "https://games.example/api/v1"
HEADERS = {"Authorization": "Bearer " + os.environ["GAMEDEX_KEY"]}

try:
    # The query is too short.
    urlopen(Request(BASE + "/catalog/search?q=a", headers=HEADERS), timeout=30)
except HTTPError as response:
    error = json.load(response)["error"]
    print("status:", response.code)
    print("code:", error["code"])
    if error["code"] == "INVALID_PARAMS":
        details = error["details"]
        print("field:", details["field"], details["constraint"])
    if response.code >= 500:
        print("request id:", response.headers["X-Request-Id"])
