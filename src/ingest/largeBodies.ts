/** Bodies from this size are large: reading their events takes about ten times as much memory. */
export const largeBytes = 2 * 1024 * 1024;

/**
 * Reads large bodies one at a time, in order of arrival. In parallel, all would finish later and need memory at the
 * same time. Smaller bodies do not wait.
 */
export class LargeBodies {
  #last: Promise<unknown> = Promise.resolve();

  async takeTurn<T>(bytes: number, read: () => Promise<T>): Promise<T> {
    if (bytes < largeBytes) return await read();
    const turn = this.#last.then(read);
    this.#last = turn.catch(() => {
      // The caller gets the error; the next body is read anyway.
    });
    return await turn;
  }
}
