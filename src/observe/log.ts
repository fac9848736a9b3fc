import pino from 'pino';
import type { Observe } from '../core/observation.ts';
import { readableLine } from './readableLine.ts';
import { type LogEntry, type LogLevel, levelOf, writtenObservation } from './writtenObservation.ts';

/** Most bytes that wait for a slow reader of the log. Further lines are dropped and counted. */
const waitingBytesMax = 8 * 1024 * 1024;

export interface Log {
  readonly observe: Observe;
  /**
   * Resolves when every line so far is written, or the reader has gone. Await it before the process ends. It waits for a
   * slow reader without a limit.
   */
  flush(): Promise<void>;
}

export type LogFormat = 'json' | 'text';

export interface LogSettings {
  readonly level: LogLevel | 'silent';
  /** JSON lines for machines, or text lines for people. Default: JSON. */
  readonly format?: LogFormat;
  /** A file descriptor. Default: standard error. */
  readonly fd?: number;
}

/**
 * Writes observations as lines to standard error. Never blocks: if the reader is too slow, lines are dropped, and the next
 * line says how many.
 */
export function createLog(settings: LogSettings): Log {
  const destination = pino.destination({ dest: settings.fd ?? 2, sync: false, maxLength: waitingBytesMax });
  let dropped = 0;
  destination.on('drop', () => {
    dropped++;
  });
  // 'drain' shows that all lines were written.
  let isDrained = true;
  destination.on('drain', () => {
    isDrained = true;
  });
  // The reader has gone, so the line is lost. The service continues, as with a slow reader.
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
