import { setTimeout as sleep } from "node:timers/promises";

const base = "https://games.example/api/v1";
const url = `${base}/catalog/prices?ids=2FBCCD98,elden-ring`;
const interval = Number(process.env.POLL_SECONDS ?? 900);

const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };
while (true) {
  let wait = interval;
  const response = await fetch(url, { headers });
  if (response.status === 200) {
    headers["If-None-Match"] = response.headers.get("ETag");
    for (const game of (await response.json()).data.items) {
      for (const [region, price] of Object.entries(game.regions)) {
        console.log(game.title, region, price.currentText);
      }
    }
  } else if (response.status === 304) {
    console.log("no change");
  } else if (response.status === 429 || response.status === 503) {
    wait = Number(response.headers.get("Retry-After"));
    console.log(`wait ${wait} s`);
  } else {
    throw new Error(await response.text());
  }
  await sleep(wait * 1000);
}
