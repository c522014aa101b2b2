// A search inside any page: <learn2search-search site="https://find.example" collection="faces"></learn2search-search>
// Events: "answer" and "found", with event.detail {item, key, title, picture}, and {answer} or {link}.
"use strict";

(() => {
  const ours = document.currentScript?.src;
  const TALL = 640, LEAST = 120, MOST = 6000; // pixels
  const PATIENCE = 10_000; // milliseconds

  class Learn2SearchSearch extends HTMLElement {
    static observedAttributes = ["site", "collection"];

    connectedCallback() {
      this.listen = (event) => this.hear(event);
      addEventListener("message", this.listen);
      this.show();
    }

    disconnectedCallback() {
      removeEventListener("message", this.listen);
      clearTimeout(this.timer);
    }

    attributeChangedCallback() {
      if (this.isConnected && this.listen) this.show();
    }

    show() {
      clearTimeout(this.timer);
      this.told = null;
      const collection = this.getAttribute("collection") ?? "";
      let address;
      try { address = new URL(`/embed/${encodeURIComponent(collection)}`, this.getAttribute("site") || ours); } catch { /* below */ }
      if (!address || !/^https?:$/.test(address.protocol) || !collection) {
        console.error('learn2search-search needs site="https://..." and collection="...": what is between its tags is shown instead.');
        return;
      }
      this.origin = address.origin;
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("label") || "Search by comparison";
      frame.style.cssText = `display: block; width: 100%; height: ${TALL}px; border: 0; color-scheme: light dark;`;
      frame.setAttribute("sandbox", "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox");
      frame.referrerPolicy = "origin";
      frame.addEventListener("load", () => this.greet());
      frame.src = address.href;
      this.frame = frame;
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.replaceChildren(frame);
    }

    // Each page of the frame answers a greeting, if this page may show it.
    greet() {
      this.frame.contentWindow.postMessage({ learn2search: 1, kind: "hello" }, this.origin);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        console.warn(`${this.origin} does not let this page show its searches: its owner can add ${location.origin} to LEARN2SEARCH_EMBED_ORIGINS.`);
        this.shadowRoot.replaceChildren(document.createElement("slot")); // what is between the tags
        this.dispatchEvent(new CustomEvent("refused", { bubbles: true }));
      }, PATIENCE);
    }

    hear(event) {
      if (event.source !== this.frame?.contentWindow || event.origin !== this.origin || event.data?.learn2search !== 1) return;
      const { learn2search, kind, height, search, ...detail } = event.data;
      if (kind === "ready") clearTimeout(this.timer);
      if (kind === "size" && height > 0) this.frame.style.height = `${Math.min(Math.max(height, LEAST), MOST)}px`;
      if (kind === "answer") this.dispatchEvent(new CustomEvent("answer", { detail, bubbles: true }));
      if (kind === "found" && search !== this.told) {
        this.told = search;
        this.dispatchEvent(new CustomEvent("found", { detail, bubbles: true }));
      }
    }
  }

  if (!customElements.get("learn2search-search")) customElements.define("learn2search-search", Learn2SearchSearch);
})();
