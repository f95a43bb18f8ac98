/* In the log of the talk, arrows lead from message to message. */
document.addEventListener("keydown", (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const here = step && event.target.closest?.("#talk-log .bubble .link");
  if (!here) return;
  const all = [...document.querySelectorAll("#talk-log .bubble .link")];
  const next = all[all.indexOf(here) + step];
  if (!next) return;
  event.preventDefault();
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  next.closest(".bubble").scrollIntoView({ block: "nearest" });
});

/* The talk: the newest line stays in sight while the reader is at the end, and not when they have scrolled up to read. */
(() => {
  const NEAR = 120;
  let height = 0;
  window.evDown = () => {
    requestAnimationFrame(() => {
      const log = document.querySelector("#talk-log");
      if (!log) return;
      const atEnd = height === 0 || log.scrollTop + log.clientHeight >= height - NEAR;
      const sent = log.querySelector("#talk-now .dots");
      if (atEnd || sent) log.scrollTop = log.scrollHeight;
      height = log.scrollHeight;
    });
  };
})();
