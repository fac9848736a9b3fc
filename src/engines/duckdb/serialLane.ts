/** Runs tasks one after another, in the order in which they came. */
export class SerialLane {
  #last: Promise<unknown> = Promise.resolve();

  async run<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => {
      // The caller of the failed task has the error; the next task starts all the same.
    });
    return await turn;
  }
}
