import { setTimeout as sleep } from "node:timers/promises";

const base = "https://games.example/api/v1";
const url = `${base}/catalog/prices?ids=2FBCCD98,elden-ring`;
const interval = Number(process.env.POLL_SECONDS ?? 900);

// Returns what Retry-After asks for, seconds or a date, up to a day.
function pause(response, otherwise) {
  const value = response.headers.get("Retry-After");
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1000;
  return Math.min(Math.max(seconds || otherwise, 1), 86400);
}

// Prints the prices if they have changed. Returns the response.
async function poll() {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(url, { headers, signal });
  if (response.status === 200) {
    const answer = await response.json();
    headers["If-None-Match"] = response.headers.get("ETag");
    for (const game of answer.data.items) {
      for (const [region, price] of Object.entries(game.regions)) {
        console.log(game.title, region, price.currentText);
      }
    }
  } else if (response.status === 304) {
    console.log("no change");
  }
  return response;
}

const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };
for (let failures = 0; ; ) {
  // An error means no answer, or only a part of it.
  const result = await poll().catch((error) => error.cause ?? error);
  let wait = interval;
  if (result.status === 200 || result.status === 304) {
    failures = 0;
  } else if (!result.status || result.status === 429 || result.status >= 500) {
    wait = Math.min(2 ** ++failures, interval);
    if (result.status) wait = pause(result, wait);
    console.error(`${result.status ?? result}; again in ${wait} s`);
  } else {
    throw new Error(await result.text());
  }
  await sleep(wait * 1000);
}
