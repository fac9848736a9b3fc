/** A count with its noun in the right form, such as `1 file`, `1,000 files` or `2 queries`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
