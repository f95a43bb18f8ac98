/* Hands clicks inside our HTML to Python, and does what needs no server: copying, the theme, the language link. */
(() => {
  const root = document.documentElement;

  window.evForward = (element, trigger) => {
    element.evTrigger = trigger;
    element.dataset.listens = "";
    element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-act]");
      if (button && element.contains(button)) {
        event.preventDefault();
        trigger("click", { act: button.dataset.act, id: button.dataset.id });
      }
    });
  };

  /* A click on a point of a figure speaks through the panel below it. The last of a point's customdata is its id. plotly
     tells of clicks only to listeners of its own, and drops them whenever it draws anew; so they are set when the mouse
     or a finger comes near. */
  const LEADS = { graph: "entity", "timeline-plot": "open" };
  const heed = (event) => {
    const figure = event.target.closest?.(".js-plotly-plot");
    const does = figure && LEADS[figure.closest("#graph, #timeline-plot")?.id];
    if (!does || !figure.on || figure.evHeard === figure.on) return;
    figure.evHeard = figure.on;
    const lead = ({ points }) => {
      const id = points[0]?.customdata?.at(-1);
      const panel = figure.closest("[role=tabpanel]").querySelector("[data-listens]");
      if (id && panel) panel.evTrigger("click", { act: does, id });
    };
    figure.on("plotly_click", lead);
    figure.on("plotly_hover", () => figure.classList.add("on-point"));
    figure.on("plotly_unhover", () => figure.classList.remove("on-point"));
  };
  for (const kind of ["pointerover", "pointerdown"]) document.addEventListener(kind, heed, true);

  /* By key, a list is one stop: arrows lead from one to the next, Tab past the list. */
  const LISTS = ["#talk-log .bubble .link", "#cards .item", "#people .item", "#turn-list .item"];
  document.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const list = step && LISTS.find((one) => event.target.matches?.(one));
    if (!list) return;
    const all = [...document.querySelectorAll(list)].filter((one) => one.offsetParent);
    const next = all[all.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus({ preventScroll: true });
    next.closest("li, .bubble").scrollIntoView({ block: "nearest" });
  });

  /* The list that a dropdown opens is no stop of its own: Tab leads on to the next control. */
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") document.querySelectorAll("ul[role=listbox]").forEach((list) => { list.tabIndex = -1; });
  }, true);

  const dark = () => document.body.classList.contains("dark");
  const setDark = (on) => {
    document.body.classList.toggle("dark", on);
    root.style.colorScheme = on ? "dark" : "light";
  };

  const setTheme = () => {
    let kept = null;
    try { kept = localStorage.getItem("ev-theme"); } catch (error) { /* storage is off: follow the system */ }
    const asked = new URLSearchParams(location.search).get("__theme");
    const choice = asked === "dark" || asked === "light" ? asked : kept;
    setDark(choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  };

  const viewNow = () => {
    const tab = document.querySelector("#views button[role=tab][aria-selected=true]");
    return tab ? tab.dataset.tabId : "";
  };
  const personaNow = () => document.querySelector("#whose input")?.value || "";

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const said = copy.textContent;
      navigator.clipboard.writeText(copy.parentElement.querySelector("code").textContent).then(() => {
        copy.textContent = copy.dataset.done;
        setTimeout(() => { copy.textContent = said; }, 1500);
      });
    }
    if (event.target.closest("[data-theme]")) {
      setDark(!dark());
      try { localStorage.setItem("ev-theme", dark() ? "dark" : "light"); } catch (error) { /* storage is off */ }
    }
    const other = event.target.closest("a[data-switch]");
    if (other) {
      const place = new URLSearchParams({ whose: personaNow(), view: viewNow() });
      other.href = `${other.pathname}?${place}`;
    }
  });

  /* A turn that is looked at comes into sight inside its own list, without moving the page. */
  const bringUp = (list) => {
    const here = list.querySelector(".turn.here");
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 3;
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open) event.target.querySelectorAll(".turns").forEach(bringUp);
  }, true);
  window.evShow = (element) => {
    element.querySelectorAll(".turns").forEach(bringUp);
    const item = element.querySelector(".detail")?.dataset.item;
    if (item && item !== element.dataset.shown) {
      element.closest(".aside")?.scrollTo(0, 0);
      if (innerWidth < 900) element.scrollIntoView({ behavior: "smooth", block: "start" });
    }
    element.dataset.shown = item || "";
  };

  const start = () => {
    root.lang = location.pathname.startsWith("/zh") ? "zh-CN" : "en";
    setTheme();
    /* On a phone the weights start folded, so that the hits come first. A click before the button listens is lost. */
    if (innerWidth < 700) {
      const fold = () => {
        const head = document.querySelector("#weights > button.label-wrap");
        if (head && !head.classList.contains("open")) return;
        head?.click();
        setTimeout(fold, 300);
      };
      fold();
    }
  };
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();
})();
