// What the script adds to the page of a game.
"use strict";

// <figure data-past="#id of a table"> is a chart of the table's rows, which have their
// places in data-x and data-y (0 to 1000) and their line in data-line. The pointer or the
// arrow keys go from change to change; data-label names the control.
for (const figure of document.querySelectorAll("[data-past]")) {
  const area = figure.querySelector(".area");
  const rows = [...document.querySelectorAll(figure.dataset.past + " [data-x]")].reverse(); // oldest first
  const stops = [...new Set(rows.map((row) => +row.dataset.x))].sort((a, b) => a - b);
  const add = (name) => {
    const part = figure.appendChild(document.createElement("div"));
    part.className = name;
    part.hidden = true;
    part.setAttribute("aria-hidden", "true");
    return part;
  };
  const cursor = add("cursor"), tip = add("tip");
  let knobs = [], at = stops.length - 1;

  // The rows in force at a stop, one of each line.
  const inForce = (x) => {
    const lines = new Map();
    for (const row of rows) {
      if (+row.dataset.x <= x) lines.set(row.dataset.line, row);
    }
    return [...lines.values()].sort((a, b) => a.dataset.line - b.dataset.line);
  };
  const words = (row) => [...row.cells].slice(1).map((cell) => cell.innerText || cell.textContent).join(" ").replace(/\s+/g, " ").trim();
  const hide = () => { for (const part of [cursor, tip, ...knobs]) part.hidden = true; };
  const show = (n) => {
    at = Math.min(Math.max(n, 0), stops.length - 1);
    const frame = figure.getBoundingClientRect(), box = area.getBoundingClientRect();
    const left = box.left - frame.left + box.width * stops[at] / 1000, top = box.top - frame.top;
    const shown = inForce(stops[at]);
    const newest = shown.reduce((a, b) => (+b.dataset.x >= +a.dataset.x ? b : a));
    const texts = [newest.cells[0].textContent, ...shown.map(words)];
    tip.replaceChildren(...texts.map((text) => {
      const line = document.createElement("p");
      line.textContent = text;
      return line;
    }));
    knobs.forEach((knob) => knob.remove());
    knobs = shown.filter((row) => +row.dataset.y >= 0).map((row) => {
      const knob = add("knob");
      knob.style.left = left + "px";
      knob.style.top = top + box.height * row.dataset.y / 1000 + "px";
      return knob;
    });
    for (const part of [cursor, tip, ...knobs]) part.hidden = false;
    cursor.style.left = left + "px";
    cursor.style.top = top + "px";
    cursor.style.height = box.height + "px";
    const beside = left + 12 + tip.offsetWidth <= frame.width ? left + 12 : left - 12 - tip.offsetWidth;
    tip.style.left = Math.max(0, beside) + "px";
    slider.setAttribute("aria-valuenow", at);
    slider.setAttribute("aria-valuetext", texts.join(", "));
  };

  const slider = figure.querySelector(".stage"), plot = slider.firstElementChild;
  plot.setAttribute("aria-hidden", "true");
  for (const [name, value] of [["role", "slider"], ["tabindex", "0"], ["aria-label", figure.dataset.label + ". " + plot.getAttribute("aria-label")],
    ["aria-valuemin", "0"], ["aria-valuemax", stops.length - 1], ["aria-valuenow", at], ["aria-valuetext", words(rows[rows.length - 1])]]) {
    slider.setAttribute(name, value);
  }
  slider.addEventListener("focus", () => show(at));
  slider.addEventListener("blur", hide);
  slider.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 10, PageUp: at + 10, Home: 0, End: stops.length - 1 }[event.key];
    if (event.key === "Escape") hide();
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(to);
  });
  const point = (event) => {
    const box = area.getBoundingClientRect();
    const x = 1000 * (event.clientX - box.left) / box.width;
    let n = stops.findLastIndex((stop) => stop <= x); // what holds there
    show(n);
  };
  figure.addEventListener("pointermove", point);
  figure.addEventListener("pointerdown", point);
  figure.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
}
