import { setTimeout as sleep } from "node:timers/promises";

const base = "https://games.example/api/v1";
const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };

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

const [response, answer] = await send("/account/usage");
if (!answer.ok) throw new Error(answer.error.message);
const left = response.headers.get("X-RateLimit-Remaining-Minute");
console.log(`${left} requests left in this minute`);
console.log(`${answer.data.day.remaining} requests left today`);
