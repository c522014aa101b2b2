// The page works without this. With it, keys tick the items, and Enter goes on.
"use strict";

const form = document.querySelector("#teach");
let sent = false;

form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault(); // one answer for each screen
  else if (event.submitter?.name || form.querySelector("input:checked")) sent = true;
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "AUDIO") return;
  if (event.key === "Enter" && event.target.type === "checkbox") {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (event.key === "Enter" && event.target === document.body) {
    form.requestSubmit();
    return;
  }
  const key = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1] ?? event.key.toLowerCase();
  if (!/^[0-9abcu]$/.test(key)) return;
  const pressed = form.querySelector(`[data-key='${key}']`);
  if (!pressed) return;
  event.preventDefault();
  pressed.click();
});

// A page that comes back from the browser's memory shows a screen that has been answered.
addEventListener("pageshow", (event) => event.persisted && location.reload());
