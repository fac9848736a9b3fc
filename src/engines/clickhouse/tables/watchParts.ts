import type { Observe } from '../../../core/observation.ts';
import type { Timer } from '../../../core/timer.ts';
import type { ClickHouseServers } from '../connection/clickhouseServers.ts';
import { quoteText } from '../sqlText.ts';
import type { TablePlace } from './tableLayout.ts';

export interface WatchPartsOptions {
  readonly servers: ClickHouseServers;
  readonly place: TablePlace;
  /** Parts of one partition from which on the server is behind. */
  readonly partsMax: number;
  readonly timer: Timer;
  readonly observe: Observe;
}

export interface WatchedParts {
  /** Whether any server has so many parts of one partition that inserts would soon be slowed down. */
  readonly isBehind: boolean;
  /** Active parts of all tables on all servers that answered. */
  readonly count: number;
  close(): void;
}

const everyMs = 5_000;
const answerMs = 4_000;

export function partsStatement({ database }: TablePlace): string {
  return `SELECT max(parts), sum(parts) FROM (SELECT count() AS parts FROM system.parts WHERE active AND database = ${quoteText(database)} GROUP BY table, partition_id) FORMAT TabSeparated`;
}

/** Looks regularly how many parts the servers have. A server that does not answer counts for nothing. */
export function watchParts({ servers, place, partsMax, timer, observe }: WatchPartsOptions): WatchedParts {
  let largest = 0;
  let count = 0;
  let wasBehind = false;
  let isClosed = false;
  const look = async () => {
    const found = await Promise.allSettled(
      servers.all.map(
        async (server) => await server.text({ statement: partsStatement(place) }, AbortSignal.timeout(answerMs)),
      ),
    );
    const rows = found.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.trim().split('\t').map(Number)] : [],
    );
    largest = Math.max(0, ...rows.map(([parts = 0]) => parts));
    count = rows.reduce((sum, [, parts = 0]) => sum + parts, 0);
    const isBehind = largest >= partsMax;
    if (isBehind && !wasBehind) {
      observe({
        kind: 'warning',
        message: `ClickHouse has ${largest} parts of one partition and is behind with merging; events are refused until they are fewer than ${partsMax}`,
      });
    }
    wasBehind = isBehind;
  };
  const again = () => {
    if (isClosed) return;
    void look().finally(() => {
      stop = timer.after(everyMs, again);
    });
  };
  let stop = timer.after(everyMs, again);
  return {
    get isBehind() {
      return largest >= partsMax;
    },
    get count() {
      return count;
    },
    close: () => {
      isClosed = true;
      stop();
    },
  };
}
