url='https://games.example/api/v1/catalog/prices?ids=2FBCCD98,elden-ring'

while true; do
  # --retry waits as Retry-After says, or for growing pauses.
  status=$(curl --no-progress-meter --retry 7 --retry-all-errors \
    -H "Authorization: Bearer $GAMEDEX_KEY" \
    --etag-compare etag.txt --etag-save new.txt \
    -o new.json -w '%{http_code}' "$url") || status="incomplete"
  case $status in
    200) mv new.json prices.json; mv new.txt etag.txt; echo "new prices" ;;
    304) echo "no change" ;;
    *)   echo "status $status" ;;
  esac
  sleep "${POLL_SECONDS:-900}"
done
