# In bulk prices, data.moved names the new ids.
curl --retry 7 --retry-all-errors \
  -H "Authorization: Bearer $GAMEDEX_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"ids": ["ABCD0000", "elden-ring"], "regions": "UA"}' \
  'https://games.example/api/v1/catalog/prices'

# For a card, error.details.successors of the 404 names them.
curl --retry 7 --retry-all-errors \
  -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/catalog/games/ABCD0000'
