const base = "https://games.example/api/v1";
const headers = {
  Authorization: `Bearer ${process.env.GAMEDEX_KEY}`,
  "Content-Type": "application/json",
};

// Bulk prices: replace the ids that have moved, and store the list again.
let ids = ["ABCD0000", "elden-ring"];
const prices = await fetch(`${base}/catalog/prices`, {
  method: "POST",
  headers,
  body: JSON.stringify({ ids, regions: "UA" }),
});
const answer = await prices.json();
if (!answer.ok) throw new Error(answer.error.message);
const moved = answer.data.moved ?? {};
ids = ids.flatMap((old) => moved[old] ?? [old]);
console.log("ids:", ...ids);

// One card: the 404 names the cards that have its listings now.
const response = await fetch(`${base}/catalog/games/ABCD0000`, { headers });
const card = await response.json();
if (card.ok) {
  console.log("card:", card.data.title);
} else if (response.status === 404) {
  console.log("successors:", ...(card.error.details.successors ?? []));
} else {
  throw new Error(card.error.message);
}
