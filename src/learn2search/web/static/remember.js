// Counts down and begins the search. Without this, or when more time is wanted, there is the button "Begin".
"use strict";

const clock = document.querySelector("#clock");
const moreTime = document.querySelector("#more-time");
const spoken = document.querySelector("#spoken"); // what a screen reader reads aloud
let left = Number(clock.dataset.seconds);

clock.hidden = moreTime.hidden = false;
spoken.textContent = clock.textContent;
const tick = setInterval(() => {
  left -= 1;
  clock.querySelector("b").textContent = Math.max(left, 0);
  if (left > 0) return;
  clearInterval(tick);
  document.querySelector("#begin").requestSubmit();
}, 1000);

moreTime.addEventListener("click", () => {
  clearInterval(tick);
  clock.hidden = moreTime.hidden = true;
  document.querySelector("#begin button").focus();
});
// A page that comes back from the browser's memory would show it again: ask the site, which knows whether it has begun.
addEventListener("pageshow", (event) => event.persisted && location.reload());
