/** A body of so many bytes takes some ten times as much memory while its events are read. */
export const largeBytes = 2 * 1024 * 1024;

/**
 * Lets large bodies be read one after another, in the order in which they came. Side by side they would all be
 * done later and take the memory of all of them. Others do not wait.
 */
export class LargeBodies {
  #last: Promise<unknown> = Promise.resolve();

  async takeTurn<T>(bytes: number, read: () => Promise<T>): Promise<T> {
    if (bytes < largeBytes) return await read();
    const turn = this.#last.then(read);
    this.#last = turn.catch(() => {
      // The caller has the error; the next body is read all the same.
    });
    return await turn;
  }
}
