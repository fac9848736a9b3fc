import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { generateEvents } from '../generateEvents.ts';
import { ingestOverHttp } from '../ingestOverHttp.ts';
import { processorSeconds } from '../processorTime.ts';
import type { LoadedClickHouse } from './loadedClickHouse.ts';
import { startNode } from './nodes.ts';

export interface MeasuredIngestion {
  readonly events: number;
  /** Bytes of an event as it was sent. */
  readonly eventBytes: number;
  /** Processor time of an event: of the node, and of ClickHouse's process. */
  readonly nodeProcessorMicros: number;
  readonly clickhouseProcessorMicros: number;
}

const database = 'ingested';
/** Events that warm the node up. */
const warmEvents = 10_000;
const events = 60_000;

/** Sends events through a node into tables of their own. Only processor time counts: the stand-in runs one INSERT at a time. */
export async function measureIngestion(folder: string, { clickhouse }: LoadedClickHouse): Promise<MeasuredIngestion> {
  const dataDir = join(folder, 'ingesting');
  mkdirSync(dataDir);
  await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
  const enginePid = (await clickhouse.standIn?.state())?.enginePid ?? undefined;
  const node = await startNode(dataDir, clickhouse.url, { LOGMILL_CLICKHOUSE_DATABASE: database });
  const used = () => ({ node: node.processorMs() * 1000, clickhouse: processorSeconds(enginePid) * 1e6 });
  try {
    const warm = generateEvents(folder, warmEvents, Date.now() * 1000);
    await ingestOverHttp(node.url, warm, warm.batches);
    warm.close();
    const file = generateEvents(folder, events, Date.now() * 1000);
    const before = used();
    await ingestOverHttp(node.url, file, file.batches);
    const after = used();
    file.close();
    return {
      events: file.events,
      eventBytes: file.bytes / file.events,
      nodeProcessorMicros: (after.node - before.node) / file.events,
      clickhouseProcessorMicros: (after.clickhouse - before.clickhouse) / file.events,
    };
  } finally {
    await node.stop();
    await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
  }
}
