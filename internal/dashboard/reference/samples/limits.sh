# -i prints the X-RateLimit headers; --retry waits as Retry-After says.
curl -i --retry 5 -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/account/usage'
