// Of all sounds of a page, one plays at a time. Without this, several can.
"use strict";

document.addEventListener("play", (event) => {
  for (const other of document.querySelectorAll("audio")) if (other !== event.target) other.pause();
}, true); // "play" does not bubble
