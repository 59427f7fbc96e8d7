// The program uses the TypeScript types that a test makes of the OpenAPI document, in
// api.ts beside it. It prints what it finds, a line for each request.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };

const [, , server, key] = process.argv;
const client = createClient<paths>({ baseUrl: server, headers: { Authorization: `Bearer ${key}` } });

const found = await client.GET("/catalog/search", {
  params: { query: { q: "elden ring", platform: "consolestore", includeRelated: true } },
});
const first = found.data?.data.results[0];
if (!found.data || !first) throw new Error(`search: ${JSON.stringify(found.error)}`);
console.log("search", found.data.data.total, first.id, first.title, first.price?.value);

const card = await client.GET("/catalog/games/{gameId}", { params: { path: { gameId: first.id } } });
if (!card.data) throw new Error(`card: ${JSON.stringify(card.error)}`);
console.log("card", card.data.data.id, card.data.data.publisher, card.data.data.variants.length);

const prices = await client.POST("/catalog/prices", { body: { ids: [first.id, "no-such-game"], regions: "UA,TR" } });
const item = prices.data?.data.items[0];
if (!prices.data || !item) throw new Error(`prices: ${JSON.stringify(prices.error)}`);
console.log("prices", item.regions["UA"]?.current, item.cheapest?.usd, Date.parse(item.updatedAt), prices.data.data.notFound[0]);

const missing = await client.GET("/catalog/games/{gameId}", { params: { path: { gameId: "00000000" } } });
const problem = missing.error?.error;
if (!problem || !("details" in problem) || !("gameId" in problem.details)) throw new Error("the missing card is not an error");
console.log("error", missing.response.status, problem.code, problem.details.gameId);
