const base = "https://games.example/api/v1";
const headers = { Authorization: `Bearer ${process.env.GAMEDEX_KEY}` };

// The query is too short.
const response = await fetch(`${base}/catalog/search?q=a`, { headers });
const { ok, error } = await response.json();
if (!ok) {
  console.log("status:", response.status);
  console.log("code:", error.code);
  if (error.code === "INVALID_PARAMS") {
    console.log("field:", error.details.field, error.details.constraint);
  }
  if (response.status >= 500) {
    console.log("request id:", response.headers.get("X-Request-Id"));
  }
}
