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
