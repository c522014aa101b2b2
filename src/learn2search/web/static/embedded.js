// Inside the frame: tells the page around it how tall the search is, what was answered and what was found.
// It speaks only with the page that has greeted it, and only if that is on the owner's list.
"use strict";

(() => {
  const friends = document.body.dataset.friends.split(" ");
  let origin = null; // of the page around this one
  const kept = []; // what there is to tell before it has greeted

  function tell(message) {
    if (origin) parent.postMessage({ learn2search: 1, ...message }, origin);
    else kept.push(message);
  }
  const size = () => tell({ kind: "size", height: Math.ceil(document.body.getBoundingClientRect().height) });
  const item = (element) => ({
    item: Number(element.dataset.item),
    key: element.dataset.itemKey,
    title: element.dataset.itemTitle,
    picture: element.querySelector("img")?.src ?? null,
  });

  addEventListener("message", (event) => {
    if (event.source !== parent || !friends.includes(event.origin) || event.data?.learn2search !== 1) return;
    origin = event.origin;
    tell({ kind: "ready" });
    kept.splice(0).forEach(tell);
    size();
    const end = document.querySelector("[data-found]");
    if (end) tell({ kind: "found", search: end.dataset.found, ...item(end), link: new URL(end.dataset.link, location.href).href });
  });

  // Before the listener of the search page, which sends the answer.
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target.id !== "answer" || !button) return;
    const card = button.closest("[data-item]");
    tell({ kind: "answer", answer: button.name, ...(card ? item(card) : { item: null, key: null, title: null, picture: null }) });
  }, true);

  new ResizeObserver(size).observe(document.body);
})();
