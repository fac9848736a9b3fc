/** Runs tasks one after another, in the order in which they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** `patience`: where it is aborted before the task has begun, the task never does; rejects with its reason then. */
  async run<T>(task: () => Promise<T>, patience?: AbortSignal): Promise<T> {
    let hasBegun = false;
    const turn = this.#last.then(async () => {
      patience?.throwIfAborted();
      hasBegun = true;
      return await task();
    });
    this.#last = turn.catch(() => {
      // The caller of the failed task has the error; the next task starts all the same.
    });
    if (patience === undefined) return await turn;
    return await new Promise((resolve, reject) => {
      const onAbort = () => {
        if (!hasBegun) reject(patience.reason);
      };
      patience.addEventListener('abort', onAbort, { once: true });
      turn.then(resolve, reject).finally(() => patience.removeEventListener('abort', onAbort));
    });
  }
}
