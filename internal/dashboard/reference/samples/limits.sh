# -i prints the X-RateLimit headers; --retry waits as Retry-After says.
curl -i --retry 7 --retry-all-errors \
  -H "Authorization: Bearer $GAMEDEX_KEY" \
  'https://games.example/api/v1/account/usage'
