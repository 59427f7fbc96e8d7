url='https://games.example/api/v1/catalog/prices?ids=2FBCCD98,elden-ring'

while true; do
  # --retry waits for as long as Retry-After says.
  status=$(curl -sS --retry 5 -H "Authorization: Bearer $GAMEDEX_KEY" \
    --etag-compare etag.txt --etag-save etag.txt \
    -o new.json -w '%{http_code}' "$url")
  case $status in
    200) mv new.json prices.json; echo "new prices in prices.json" ;;
    304) echo "no change" ;;
    *)   echo "status $status" ;;
  esac
  sleep "${POLL_SECONDS:-900}"
done
