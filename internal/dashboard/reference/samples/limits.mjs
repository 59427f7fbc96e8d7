import { setTimeout as sleep } from "node:timers/promises";

const base = "https://games.example/api/v1";
const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };

// Returns an answer. Waits for as long as the service asks for.
async function get(path) {
  while (true) {
    const response = await fetch(base + path, { headers });
    if (response.ok) {
      const left = response.headers.get("X-RateLimit-Remaining-Minute");
      console.log(`${left} requests left in this minute`);
      return response.json();
    }
    if (response.status !== 429 && response.status !== 503) {
      throw new Error(await response.text());
    }
    const wait = Number(response.headers.get("Retry-After"));
    console.log(`wait ${wait} s`);
    await sleep(wait * 1000);
  }
}

const usage = (await get("/account/usage")).data;
console.log(`${usage.day.remaining} requests left today`);
