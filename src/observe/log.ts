import pino from 'pino';
import type { Observe } from '../core/observation.ts';
import { type LogLevel, levelOf, writtenObservation } from './writtenObservation.ts';

/** Bytes that may wait for a slow reader of the log; beyond them lines are dropped and counted. */
const waitingBytesMax = 8 * 1024 * 1024;

export interface Log {
  readonly observe: Observe;
  /** Writes what waits. To be called before the process ends. */
  flush(): void;
}

export interface LogSettings {
  readonly level: LogLevel | 'silent';
  /** A file descriptor; standard error where it is left out. */
  readonly fd?: number;
}

/**
 * Writes observations as JSON lines to standard error. Never blocks: where the reader is slower
 * than the service, lines are dropped, and the next one written says how many.
 */
export function createLog(settings: LogSettings): Log {
  const destination = pino.destination({ dest: settings.fd ?? 2, sync: false, maxLength: waitingBytesMax });
  let dropped = 0;
  destination.on('drop', () => {
    dropped++;
  });
  // Without a reader there is nobody left to tell; the service goes on, as it does under a slow one.
  destination.on('error', () => {
    dropped++;
  });
  const logger = pino({ level: settings.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    observe(observation) {
      if (dropped > 0) {
        const lines = dropped;
        dropped = 0;
        logger.warn({ kind: 'log.dropped', lines }, 'log lines were dropped because their reader is too slow');
      }
      if (!logger.isLevelEnabled(levelOf(observation))) return;
      const { level, fields, message } = writtenObservation(observation);
      logger[level](fields, message);
    },
    flush: () => destination.flushSync(),
  };
}
