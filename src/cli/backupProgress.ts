import type { CliContext } from './cliContext.ts';

/** Makes a callback that shows each file on a terminal, such as `copying 3 of 12: …`. */
export function backupProgress(
  verb: string,
  context: CliContext,
): (file: { readonly name: string; readonly bytes: number }, index: number, count: number) => void {
  return ({ name, bytes }, index, count) => {
    if (context.isTerminal) context.err(`${verb} ${index + 1} of ${count}: ${name} (${sizeText(bytes)})\n`);
  };
}

/** A size for people, such as `12.3 MiB`. */
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
