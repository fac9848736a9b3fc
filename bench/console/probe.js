// Runs in the measured page before anything else. Records the times of keys, frames and rows.
globalThis.probe = (() => {
  /** How long to wait for the rows of a search. */
  const rowsMs = 60_000;

  /** There while a search runs, also if no rows are there that it could mark as old: the button then cancels. */
  const runs = '.search > button:not(.primary)';
  /** There when it has ended. */
  const shown = '.rows:not(.old) .row, .list .empty, .error-box';

  /** Resolves after the next frame is painted. */
  const painted = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      });
    });
  const long = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) long.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });

  /** Calls `seen` when a change of the page makes `is` true. */
  const whenever = (is, seen) => {
    const observer = new MutationObserver(() => {
      if (!is()) return;
      observer.disconnect();
      seen();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  };

  const state = { rows: null, keys: [] };
  addEventListener(
    'keydown',
    (event) => {
      const from = event.timeStamp;
      if (event.key !== 'Enter') {
        void painted().then((at) => state.keys.push(at - from));
        return;
      }
      state.rows = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`no new rows ${rowsMs} ms after Enter`)), rowsMs);
        let hasRun = false;
        whenever(
          () => {
            hasRun ||= document.querySelector(runs) !== null;
            return hasRun && document.querySelector(runs) === null && document.querySelector(shown) !== null;
          },
          () => {
            const inPage = performance.now() - from;
            const error = document.querySelector('.error-box');
            if (error !== null) reject(new Error(`in place of rows: ${error.textContent}`));
            void painted().then((at) => resolve({ inPage, painted: at - from }));
          },
        );
      });
    },
    true,
  );

  return {
    /** Milliseconds from Enter to the rows in the document, and painted. */
    rows: () => state.rows,
    /** Milliseconds from each other key to the frame that shows its effect. */
    keys: () => state.keys.splice(0),
    /** Tasks above 50 ms since the last call. */
    long: () => long.splice(0).map(({ duration }) => duration),
    /** Milliseconds between frames while the list scrolls down one screen per frame. */
    scroll: async (frames) => {
      const list = document.querySelector('.rows');
      const times = [];
      for (let frame = 0; frame < frames; frame++) {
        const from = performance.now();
        list.scrollTop += list.clientHeight;
        if (list.scrollTop + list.clientHeight >= list.scrollHeight - 2) list.scrollTop = 0;
        times.push((await painted()) - from);
      }
      return times;
    },
    /** Milliseconds from the start of the load until `selector` is there. */
    load: (selector) =>
      new Promise((resolve) => {
        const told = () => resolve(performance.now());
        if (document.querySelector(selector) !== null) told();
        else whenever(() => document.querySelector(selector) !== null, told);
      }),
  };
})();
