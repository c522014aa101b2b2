// The search page works without this. With it, an answer changes the pictures in place, keys answer,
// the next pictures are loaded ahead, and a lost connection is waited for.
"use strict";

const main = document.querySelector("main");
const spoken = document.querySelector("#spoken"); // what a screen reader reads aloud
let busy = false;

const question = () => main.querySelector("[data-question]");
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function say(words) {
  spoken.textContent = words;
}

function loadAhead() {
  for (const address of (question()?.dataset.ahead ?? "").split(" ").filter(Boolean)) new Image().src = address;
}

// The same answer may be sent again: the server counts it once.
async function send(form, data) {
  for (let pause = 500; ; pause = Math.min(2 * pause, 8000)) {
    let rest = pause;
    try {
      const answer = await fetch(form.action, { method: "POST", body: data, headers: { "X-Fragment": "1" } });
      if (answer.status !== 429 && answer.status < 500) return answer;
      rest = Math.max(pause, 1000 * Number(answer.headers.get("Retry-After")) || 0);
    } catch { /* no connection */ }
    const note = main.querySelector("#offline");
    if (note) note.hidden = false;
    say(note?.textContent ?? "");
    await wait(rest * (1 + Math.random() / 2)); // not all visitors at one moment
  }
}

async function submit(form, button) {
  if (busy) return;
  busy = true;
  main.classList.add("busy");
  const focused = document.activeElement?.dataset.key;
  if (button.classList.contains("picture")) button.classList.add("is-chosen");
  const data = new URLSearchParams(new FormData(form));
  data.append(button.name, button.value);
  const answer = await send(form, data);
  const next = answer.headers.get("X-Go-To");
  if (next || !answer.ok) {
    location.assign(next ?? location.pathname);
    return;
  }
  await put(await questionIn(answer), focused);
  main.classList.remove("busy");
  busy = false;
}

async function questionIn(answer) {
  return new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-question]");
}

// Shows a question. A later one is a new entry of the browser's history, any other takes the place of this one.
async function put(fresh, focused) {
  await Promise.race([wait(250), ...[Promise.all([...fresh.querySelectorAll(".card img")].map((one) => one.decode?.().catch(() => {})))]]);
  const isLater = Number(fresh.dataset.number) > Number(question().dataset.number);
  question().replaceWith(document.adoptNode(fresh));
  if (location.pathname + location.search !== fresh.dataset.address) {
    history[isLater ? "pushState" : "replaceState"](null, "", fresh.dataset.address);
  }
  fresh.classList.add("new");
  document.title = fresh.dataset.title;
  say(fresh.dataset.spoken);
  if (focused) (fresh.querySelector(`[data-key='${focused}']`) ?? fresh.querySelector(".picture"))?.focus({ preventScroll: true });
  loadAhead();
}

// Back shows the question before with its answer, and changes nothing; forward goes on again.
addEventListener("popstate", async () => {
  const address = location.pathname + location.search;
  if (!question() || address === question().dataset.address) return;
  const answer = busy ? null : await fetch(address, { headers: { "X-Fragment": "1" } }).catch(() => null);
  const fresh = answer?.ok ? await questionIn(answer) : null;
  if (location.pathname + location.search !== address) return; // went further meanwhile
  if (fresh) await put(fresh);
  else location.reload();
});

document.addEventListener("submit", (event) => {
  if (!event.submitter || !(event.target.id === "answer" || "inPlace" in event.target.dataset)) return;
  event.preventDefault();
  submit(event.target, event.submitter);
});

// Who dictates, or leans on the keyboard, can turn the keys off; the browser remembers it.
const keysOn = document.querySelector("#keys-on");
if (keysOn) {
  try { keysOn.checked = localStorage.getItem("keys") !== "off"; } catch { /* no storage: for this page only */ }
  keysOn.closest("label").hidden = false;
  keysOn.addEventListener("change", () => {
    try { localStorage.setItem("keys", keysOn.checked ? "on" : "off"); } catch { /* as above */ }
  });
}

document.addEventListener("keydown", (event) => {
  if (keysOn && !keysOn.checked) return;
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT|AUDIO)$/.test(event.target.tagName)) return;
  if (event.key === "?") {
    const keys = document.querySelector("#keys");
    if (keys) keys.open = !keys.open;
    return;
  }
  // Digits by their place on the keyboard, since Shift makes other signs of them; letters as they are typed.
  const key = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1] ?? event.key.toLowerCase();
  if (!/^[0-9abcu]$/.test(key)) return;
  const button = main.querySelector(`[data-key='${event.shiftKey && /[1-9abc]/.test(key) ? "shift+" : ""}${key}']`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// A page that comes back from the browser's memory may show an old question.
addEventListener("pageshow", (event) => event.persisted && location.reload());
// Where the clipboard is closed to pages, the link leads to the page to share.
document.querySelector("[data-copy]")?.addEventListener("click", async (event) => {
  if (!navigator.clipboard) return;
  event.preventDefault();
  await navigator.clipboard.writeText(event.target.href);
  event.target.textContent = event.target.dataset.copy;
});
loadAhead();
