const base = "https://games.example/api/v1";
const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };

const query = new URLSearchParams({ q: "elden ring", limit: 3 });
const response = await fetch(`${base}/catalog/search?${query}`, { headers });
const answer = await response.json();
if (!answer.ok) throw new Error(answer.error.message);
for (const game of answer.data.results) {
  const price = game.price?.formatted ?? "no price";
  console.log(`${game.id}: ${game.title}, ${price}`);
}
