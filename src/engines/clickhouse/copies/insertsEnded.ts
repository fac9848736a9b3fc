import { setTimeout as delay } from 'node:timers/promises';
import type { Timer } from '../../../core/timer.ts';
import type { ClickHouseServer } from '../connection/clickhouseServer.ts';
import { quoteIdentifier, quoteText } from '../sqlText.ts';

export interface InsertsEndedOptions {
  readonly servers: readonly Pick<ClickHouseServer, 'text'>[];
  readonly database: string;
  readonly timer: Timer;
  /** How long to wait at most. Longer than any INSERT may run. Milliseconds. */
  readonly withinMs: number;
}

const lookEveryMs = 200;
const answerMs = 5_000;

/**
 * Waits until no INSERT of our user into the database runs. One that a killed command has sent goes on, and would store its
 * events after the next command has deleted them in order to copy them again. A server that cannot say it is not waited for,
 * because the comparison at the end of a copy finds such events.
 */
export async function insertsEnded({ servers, database, timer, withinMs }: InsertsEndedOptions): Promise<void> {
  const untilMs = timer.nowMs() + withinMs;
  const begins = `INSERT INTO ${quoteIdentifier(database)}.`;
  const statement = `SELECT count() FROM system.processes WHERE user = currentUser() AND startsWith(query, ${quoteText(begins)}) FORMAT TabSeparated`;
  for (const server of servers) {
    while (timer.nowMs() < untilMs) {
      const running = await server.text({ statement }, AbortSignal.timeout(answerMs)).catch(() => '0');
      if (Number(running.trim()) === 0) break;
      await delay(lookEveryMs);
    }
  }
}
