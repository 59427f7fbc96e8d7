// What the script adds to pages that work without it. Each part looks for its
// attribute in the page and does nothing where there is none.
"use strict";

// <body data-person="/person">: the page is the same for everybody. What belongs to the visitor is
// fetched: the header and the choice of a language, and <… data-person hidden> is shown.
const person = document.body.dataset.person;
if (person) {
  fetch(person + "?page=" + encodeURIComponent(location.pathname + location.search)).then(async (answer) => {
    if (answer.status !== 200) return; // nobody is signed in
    const parts = document.createRange().createContextualFragment(await answer.text());
    const market = document.querySelector(".market");
    if (market) parts.querySelector(".brand").after(market); // it is that of the page
    for (const part of [...parts.children]) {
      document.querySelector(part.matches(".top") ? ".top" : ".languages").replaceWith(part);
    }
    for (const part of document.querySelectorAll("[data-person][hidden]")) part.hidden = false;
  }).catch(() => {}); // the page works without
}

// Times are written in UTC; show them in the visitor's own time, in the same
// form: "25 Nov 2026, 11:32 UTC+2". The title keeps UTC.
const language = document.documentElement.lang;
const localTime = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "shortOffset",
});
for (const time of document.querySelectorAll("time[datetime*=T]")) {
  const at = new Date(time.dateTime);
  if (!isNaN(at)) {
    time.textContent = localTime.format(at).replace(/\s[гр]\./, "").replace(/GMT(\+0$)?/, "UTC");
  }
}

// <button data-copy="#id" data-copied="Copied"> copies the text of an element,
// <button data-copy-from="address" …> the answer of an address of this server.
for (const button of document.querySelectorAll("button[data-copy], button[data-copy-from]")) {
  button.hidden = false;
  const label = button.textContent;
  const source = button.dataset.copy && document.querySelector(button.dataset.copy);
  const text = async () => source ? source.textContent : (await fetch(button.dataset.copyFrom)).text();
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(await text());
    } catch {
      // Without the permission or HTTPS: select it, so that the visitor can copy it.
      if (source) {
        getSelection().selectAllChildren(source);
      } else {
        location.assign(button.dataset.copyFrom);
      }
      return;
    }
    button.dispatchEvent(new Event("copied", { bubbles: true }));
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

// <div data-leave-warning>: what it shows cannot be seen again, so the browser
// asks before the visitor leaves, unless it was copied or marked as saved.
for (const part of document.querySelectorAll("[data-leave-warning]")) {
  const ask = (event) => event.preventDefault();
  const done = () => removeEventListener("beforeunload", ask);
  addEventListener("beforeunload", ask);
  part.addEventListener("copied", done);
  part.addEventListener("copy", done);
  for (const link of part.querySelectorAll("[data-leave]")) {
    link.addEventListener("click", done);
  }
}

// <input data-chooses="name=value"> belongs to one radio button of a group:
// entering something chooses it, and another choice clears the input.
for (const input of document.querySelectorAll("input[data-chooses]")) {
  const [name, value] = input.dataset.chooses.split("=");
  for (const radio of input.form.elements[name]) {
    if (radio.value === value) {
      input.addEventListener("input", () => { radio.checked ||= input.value !== ""; });
    } else {
      radio.addEventListener("change", () => { input.value = ""; });
    }
  }
}

// Signing in: <label data-reveals="#id" hidden> with a checkbox shows what is
// typed into a password field. It becomes a password field again when the form
// is sent, for the browser's password manager.
for (const label of document.querySelectorAll("label[data-reveals]")) {
  const field = document.querySelector(label.dataset.reveals);
  const box = label.querySelector("input");
  label.hidden = false;
  box.addEventListener("change", () => { field.type = box.checked ? "text" : "password"; });
  field.form.addEventListener("submit", () => { field.type = "password"; box.checked = false; });
}

// <form data-apply>: a choice takes effect at once and adds a page to the history; the focus stays
// where it was. It waits briefly, because arrow keys pass several options.
for (const form of document.querySelectorAll("form[data-apply]")) {
  let timer, changed;
  form.addEventListener("change", (event) => {
    changed = event.target.type !== "search"; // that has a button
    clearTimeout(timer);
    if (changed) timer = setTimeout(() => form.requestSubmit(), 300);
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    if (changed) sessionStorage.setItem("applied", document.activeElement.id + " " + scrollY);
  });
  addEventListener("pageshow", (event) => { if (event.persisted) form.reset(); });
  try {
    const [id, top] = (sessionStorage.getItem("applied") || "").split(" ");
    sessionStorage.removeItem("applied");
    if (id) document.getElementById(id)?.focus({ preventScroll: true }), scrollTo(0, top);
  } catch {} // a browser that stores nothing loses the focus
}

// <input data-suggest="/address"> suggests while the visitor types: a combobox with a
// list below it. data-label names the list, data-count begins "Suggestions: 3".
for (const input of document.querySelectorAll("input[data-suggest]")) {
  const list = document.createElement("ul");
  list.id = input.id + "-list";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.dataset.label);
  const said = document.createElement("p");
  said.className = "hidden-text";
  said.setAttribute("role", "status");
  input.after(list, said);
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) {
    input.setAttribute(name, value);
  }
  let chosen = -1, timer = 0, asking = null;

  const choose = (n) => {
    chosen = n;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === n)));
    if (n < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[n].id);
  };
  const stop = () => {
    clearTimeout(timer);
    asking?.abort();
  };
  const close = () => {
    stop();
    choose(-1);
    list.hidden = true;
    said.textContent = "";
    input.setAttribute("aria-expanded", "false");
  };
  const show = (found) => {
    list.replaceChildren(...found.map((game, i) => {
      const option = document.createElement("li");
      option.id = list.id + i;
      option.setAttribute("role", "option");
      option.dataset.address = game.address;
      for (const text of [game.title, game.versions]) {
        option.appendChild(document.createElement("span")).textContent = text;
      }
      return option;
    }));
    choose(-1);
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    said.textContent = input.dataset.count + " " + found.length;
  };
  const ask = async () => {
    asking = new AbortController();
    const address = new URL(input.dataset.suggest, location.href);
    address.searchParams.set("q", input.value);
    const platform = input.form.elements.platform;
    if (platform?.value) address.searchParams.set("platform", platform.value);
    try {
      const answer = await fetch(address, { signal: asking.signal, redirect: "error" });
      if (answer.ok) show(await answer.json());
    } catch {
      // The visitor typed on, or the server is down: the search will report it.
    }
  };
  input.addEventListener("input", () => {
    stop();
    if ([...input.value.trim()].length < 2) close();
    else timer = setTimeout(ask, 150);
  });
  input.addEventListener("keydown", (event) => {
    const n = list.children.length;
    if (list.hidden || event.isComposing) return;
    if (event.key.startsWith("Arrow")) stop(); // the list stays while one chooses
    if (event.key === "ArrowDown") choose(chosen + 1 < n ? chosen + 1 : -1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? n - 1 : chosen - 1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  input.form.addEventListener("submit", (event) => {
    if (chosen < 0) return;
    event.preventDefault();
    location.assign(list.children[chosen].dataset.address);
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) location.assign(option.dataset.address);
  });
  input.addEventListener("blur", close);
}
