import type { CliContext } from './cliContext.ts';

/** Tells on a terminal which file is next. */
export function backupProgress(
  verb: string,
  context: CliContext,
): (file: { readonly name: string; readonly bytes: number }, index: number, count: number) => void {
  return ({ name, bytes }, index, count) => {
    if (context.isTerminal) context.err(`${verb} ${index + 1} of ${count}: ${name} (${sizeText(bytes)})\n`);
  };
}

/** Such as `12.3 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Such as `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
