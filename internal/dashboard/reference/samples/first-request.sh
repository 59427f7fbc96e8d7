curl -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/catalog/search?q=elden+ring&limit=3'
