/** Prints a step of a benchmark with the time. */
export const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);
