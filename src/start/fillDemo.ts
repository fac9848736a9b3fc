import { writeJson } from '../core/writeJson.ts';
import type { DemoEvent } from '../demo/demoEvent.ts';
import { demoProjects, generate } from '../demo/generate.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { type DemoState, demoDayMicros, writeDemoState } from './demoState.ts';

const hourMicros = 3_600_000_000;

/** After a longer pause, only this much is filled in; filling in years would take hours. */
const pauseFilledMicros = 3 * demoDayMicros;

const batchEventsMax = 1000;

/** Progress so far: events, and the time up to which they are stored. */
export interface DemoProgress {
  readonly events: number;
  readonly toMicros: number;
}

export interface DemoFill {
  readonly events: number;
  readonly fromMicros: number;
  readonly toMicros: number;
}

/**
 * Extends the sample data of a folder to the present. Uses ordinary ingestion, so the stored events are like those of
 * any shipper. Survives a stop at any point: the folder's mark announces each piece, and the batches carry idempotency
 * keys, so a second attempt stores nothing twice. Calls `onPiece` after each piece, which covers at most an hour.
 */
export async function fillDemo(
  dataDir: string,
  state: DemoState,
  ingest: Pick<Ingest, 'accept'>,
  nowMicros: number,
  onPiece: (progress: DemoProgress) => void = () => undefined,
): Promise<DemoFill> {
  let events = 0;
  let filledTo = state.filledToMicros;
  if (state.pendingToMicros !== null) {
    events += await storePiece(ingest, filledTo, state.pendingToMicros);
    filledTo = state.pendingToMicros;
  }
  const fromMicros = Math.max(filledTo, nowMicros - pauseFilledMicros);
  for (let at = fromMicros; at < nowMicros; ) {
    const end = Math.min(nowMicros, (Math.floor(at / hourMicros) + 1) * hourMicros);
    writeDemoState(dataDir, { filledToMicros: at, pendingToMicros: end });
    events += await storePiece(ingest, at, end);
    at = end;
    onPiece({ events, toMicros: end });
  }
  writeDemoState(dataDir, { filledToMicros: Math.max(fromMicros, nowMicros), pendingToMicros: null });
  return { events, fromMicros, toMicros: nowMicros };
}

async function storePiece(ingest: Pick<Ingest, 'accept'>, fromMicros: number, toMicros: number): Promise<number> {
  const bySource = new Map<string, DemoEvent[]>();
  let count = 0;
  for (const event of generate(demoProjects, fromMicros, toMicros)) {
    const own = bySource.get(event.source);
    if (own === undefined) bySource.set(event.source, [event]);
    else own.push(event);
    count++;
  }
  const batches = [...bySource].flatMap(([source, events]) =>
    Array.from({ length: Math.ceil(events.length / batchEventsMax) }, (_, index) =>
      storeBatch(
        ingest,
        source,
        events.slice(index * batchEventsMax, (index + 1) * batchEventsMax),
        `${fromMicros}-${toMicros}-${index}`,
      ),
    ),
  );
  await Promise.all(batches);
  return count;
}

async function storeBatch(
  ingest: Pick<Ingest, 'accept'>,
  source: string,
  events: readonly DemoEvent[],
  key: string,
): Promise<void> {
  await ingest.accept({
    tokenId: 'demo',
    maySend: () => true,
    projects: null,
    sourceCandidates: [{ place: 'the sample data', name: source }],
    contentType: 'application/x-ndjson',
    contentEncoding: undefined,
    body: Buffer.from(events.map(({ event }) => writeJson(event)).join('\n')),
    idempotencyKey: `demo-${key}`,
    strict: true,
  });
}
