# The query is too short: status 400, and the answer says why. --retry repeats
# what may succeed later: 429, 5xx, no answer, and half of one.
curl -i --retry 7 --retry-all-errors \
  -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/catalog/search?q=a'
