import { watch } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { systemReason } from '../core/systemReason.ts';
import { processEnvironment } from '../start/processEnvironment.ts';
import { runCli } from './runCli.ts';

// A closed pipe (`logmill query … | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`Standard output cannot be written: ${systemReason(error)}.\n`);
  process.exit(1);
});

const exitCode = await runCli(process.argv.slice(2), {
  environment: processEnvironment(),
  stdin: process.stdin,
  out: (text) => process.stdout.write(text),
  outBytes: (bytes) => process.stdout.write(bytes),
  err: (text) => process.stderr.write(text),
  progress: (text) => process.stderr.write(`\r${text}\u001b[K`),
  isTerminal: process.stderr.isTTY === true,
  canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
  columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
  delay: (ms) => delay(ms),
  onInterrupt: (lastWords, isItsEnd = false) => {
    const ends = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
      const end = () => {
        process.stderr.write(lastWords());
        process.exit(isItsEnd && signal === 'SIGINT' ? 0 : 128 + constants.signals[signal]);
      };
      process.once(signal, end);
      return () => process.off(signal, end);
    });
    return () => {
      for (const undo of ends) undo();
    };
  },
  changesOf: (folder) => watch(folder),
  clock: systemClock,
  randomness: systemRandomness,
});
if (exitCode !== 0) process.exitCode = exitCode;
