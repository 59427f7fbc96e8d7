import { setTimeout as sleep } from "node:timers/promises";

const base = "https://games.example/api/v1";
const headers = {
  Authorization: `Bearer ${process.env.GAMEDEX_KEY}`,
  "Content-Type": "application/json",
};

// Returns an answer. Tries again while the service restarts or is busy.
async function send(path, options) {
  for (let attempt = 0; ; attempt++) {
    let wait = 2 ** attempt;
    let problem;
    try {
      const signal = AbortSignal.timeout(30_000);
      const request = { headers, signal, ...options };
      const response = await fetch(base + path, request);
      const busy = response.status === 429 || response.status >= 500;
      if (!busy || attempt === 7) return [response, await response.json()];
      problem = `status ${response.status}`;
      wait = pause(response, wait);
    } catch (error) {
      if (attempt === 7) throw error;
      problem = error.cause ?? error; // no answer, or only a part of it
    }
    console.error(`${problem}; again in ${wait} s`);
    await sleep(wait * 1000);
  }
}

// Returns what Retry-After asks for, seconds or a date, up to a day.
function pause(response, otherwise) {
  const value = response.headers.get("Retry-After");
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1000;
  return Math.min(Math.max(seconds || otherwise, 1), 86400);
}

// Bulk prices: replace the ids that have moved, and store the list again.
let ids = ["ABCD0000", "elden-ring"];
const body = JSON.stringify({ ids, regions: "UA" });
const [, prices] = await send("/catalog/prices", { method: "POST", body });
if (!prices.ok) throw new Error(prices.error.message);
const moved = prices.data.moved ?? {};
ids = ids.flatMap((old) => moved[old] ?? [old]);
console.log("ids:", ...ids);

// One card: the 404 names the cards that have its listings now.
const [response, card] = await send("/catalog/games/ABCD0000");
if (card.ok) {
  console.log("card:", card.data.title);
} else if (response.status === 404) {
  console.log("successors:", ...(card.error.details.successors ?? []));
} else {
  throw new Error(card.error.message);
}
