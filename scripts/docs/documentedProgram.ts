import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';

/** The command `logmill` as the docs look at it; nothing is run. */
export async function documentedProgram(): Promise<Command> {
  return await createProgram({
    environment: {},
    stdin: process.stdin,
    out: () => undefined,
    err: () => undefined,
    outBytes: () => undefined,
    progress: () => undefined,
    isTerminal: false,
    columns: undefined,
    delay: async () => undefined,
    onInterrupt: () => () => undefined,
    canAsk: false,
    changesOf: async function* () {},
    clock: { nowMicros: () => 0 },
    randomness: { bytes: (count) => new Uint8Array(count) },
  });
}
