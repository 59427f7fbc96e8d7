// What the script adds to the API reference.
"use strict";

// <input type="radio" data-remember> keeps the choice of its group for the next page.
for (const radio of document.querySelectorAll("input[data-remember]")) {
  try {
    radio.checked ||= localStorage.getItem(radio.name) === radio.value;
    radio.addEventListener("change", () => localStorage.setItem(radio.name, radio.value));
  } catch {
    break; // the visitor stores nothing
  }
}
