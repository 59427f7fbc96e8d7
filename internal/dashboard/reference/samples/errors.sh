# The query is too short: status 400, and the answer says why.
curl -i -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/catalog/search?q=a'
