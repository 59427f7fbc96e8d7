curl $API/health
curl -H "Authorization: Bearer $KEY" "$API/catalog/search?q=witcher+3&limit=3&lang=en"
curl -H "Authorization: Bearer $KEY" "$API/catalog/prices?ids=the-witcher-3-wild-hunt,cyberpunk-2077&regions=UA,TR,PL,IN,US&lang=en"
curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'      -d '{"ids":["the-witcher-3-wild-hunt"],"regions":"all","include":"editions,url","lang":"en"}' $API/catalog/prices
curl -H "Authorization: Bearer $KEY" "$API/catalog/deals?regions=UA,TR,PL,IN&types=game&minDiscount=50&maxUsd=20&low=allTime&limit=5&lang=en"
curl -H "Authorization: Bearer $KEY" $API/account/usage
