import pino from 'pino';
import type { Observe } from '../core/observation.ts';
import { readableLine } from './readableLine.ts';
import { type LogEntry, type LogLevel, levelOf, writtenObservation } from './writtenObservation.ts';

/** Bytes that may wait for a slow reader of the log; beyond them lines are dropped and counted. */
const waitingBytesMax = 8 * 1024 * 1024;

export interface Log {
  readonly observe: Observe;
  /**
   * Resolves when every line so far is written, or the reader is gone. To be awaited before the process
   * ends. Waits as long as the reader does not read.
   */
  flush(): Promise<void>;
}

export type LogFormat = 'json' | 'text';

export interface LogSettings {
  readonly level: LogLevel | 'silent';
  /** Lines of JSON for machines, or of text for people; JSON where it is left out. */
  readonly format?: LogFormat;
  /** A file descriptor; standard error where it is left out. */
  readonly fd?: number;
}

/**
 * Writes observations as lines to standard error. Never blocks: where the reader is slower
 * than the service, lines are dropped, and the next one written says how many.
 */
export function createLog(settings: LogSettings): Log {
  const destination = pino.destination({ dest: settings.fd ?? 2, sync: false, maxLength: waitingBytesMax });
  let dropped = 0;
  destination.on('drop', () => {
    dropped++;
  });
  // What is being written cannot be overtaken: the end of it is waited for, and tells that nothing is left.
  let isDrained = true;
  destination.on('drain', () => {
    isDrained = true;
  });
  // Without a reader there is nobody left to tell; the service goes on, as it does under a slow one.
  destination.on('error', () => {
    isDrained = true;
    dropped++;
  });
  const logger = pino({ level: settings.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const write = (entry: LogEntry) => {
    isDrained = false;
    if (settings.format === 'text') destination.write(readableLine(entry, Date.now()));
    else logger[entry.level](entry.fields, entry.message);
  };
  return {
    observe(observation) {
      if (dropped > 0 && logger.isLevelEnabled('warn')) {
        const fields = { kind: 'log.dropped', lines: dropped };
        dropped = 0;
        write({ level: 'warn', fields, message: 'log lines were dropped because their reader is too slow' });
      }
      if (logger.isLevelEnabled(levelOf(observation))) write(writtenObservation(observation));
    },
    async flush() {
      if (isDrained) return;
      await new Promise<void>((resolve) => {
        destination.once('drain', resolve);
        destination.once('error', () => resolve());
      });
    },
  };
}
