import { Readable } from 'node:stream';
import type { CliContext } from '../../src/cli/cliContext.ts';
import { runCli } from '../../src/cli/runCli.ts';
import { ManualClock } from '../../src/core/clock.ts';
import { systemRandomness } from '../../src/core/ids.ts';

export interface CommandResult {
  /** The exit code. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command of the CLI in this process against a service, with empty standard input and without a terminal, unless
 * `given` says otherwise.
 */
export async function runCommandLine(
  service: { readonly url: string; readonly adminToken: string },
  args: readonly string[],
  token = service.adminToken,
  given: Partial<CliContext> = {},
): Promise<CommandResult> {
  return await runIn({ LOGMILL_URL: service.url, LOGMILL_TOKEN: token }, args, 0, given);
}

/** Like `runCommandLine`, without the address of a service and a token. */
export async function runOffline(
  args: readonly string[],
  nowMicros: number,
  environment: Readonly<Record<string, string>> = {},
  given: Partial<CliContext> = {},
): Promise<CommandResult> {
  return await runIn(environment, args, nowMicros, given);
}

async function runIn(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  nowMicros: number,
  given: Partial<CliContext> = {},
): Promise<CommandResult> {
  const written = { out: '', err: '' };
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const code = await runCli(args, {
    environment,
    stdin: Readable.from([]),
    out: (text) => {
      written.out += text;
    },
    outBytes: (bytes) => {
      written.out += decoder.decode(bytes, { stream: true });
    },
    err: (text) => {
      written.err += text;
    },
    progress: (text) => {
      written.err += `\r${text}`;
    },
    isTerminal: false,
    columns: undefined,
    delay: async () => undefined,
    onInterrupt: () => () => undefined,
    canAsk: false,
    changesOf: async function* () {},
    clock: new ManualClock(nowMicros),
    randomness: systemRandomness,
    ...given,
  });
  return { code, ...written };
}
