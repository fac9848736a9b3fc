import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchedService } from './benchedService.ts';
import type { BatchPlace, EventFile } from './eventFile.ts';
import { generateEvents } from './generateEvents.ts';
import { ingestOverHttp } from './ingestOverHttp.ts';
import { median } from './percentile.ts';

/**
 * npm run bench -- crash: fills the active segment almost to its limit, ends the service with SIGKILL, and measures the
 * next start. Each start has its own copy of the folder. Prints its numbers as lines of JSON.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '600000' },
    rounds: { type: 'string', default: '5' },
  },
});

/** Batches that are sent between two looks at the folder. */
const batchesEach = 10;

const folder = mkdtempSync(join(tmpdir(), 'logmill-crash-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const dataDir = join(folder, 'data');
  const file = generateEvents(folder, Number(options.events), Date.now() * 1000);
  await fillActive(dataDir, file);
  file.close();
  const events = join(dataDir, 'events');
  const left = readdirSync(events).flatMap((name) => {
    const { size } = statSync(join(events, name));
    return size > 1e6 ? [`${name} ${Math.round(size / 1e6)} MB`] : [];
  });
  console.log(JSON.stringify({ what: 'left by the crash', left }));
  const times: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const copy = join(folder, 'copy');
    cpSync(dataDir, copy, { recursive: true });
    const service = await BenchedService.start(copy);
    times.push(service.startMs);
    console.log(
      JSON.stringify({ startMs: Math.round(service.startMs), processorMs: Math.round(service.processorMs()) }),
    );
    await service.stop();
    rmSync(copy, { recursive: true });
  }
  console.log(JSON.stringify({ what: 'start to ready after a crash', medianMs: Math.round(median(times)) }));
}

/** Sends events until an active segment is rotated, then almost as many again, and kills the service. */
async function fillActive(dataDir: string, file: EventFile): Promise<void> {
  const service = await BenchedService.start(dataDir);
  let sent = 0;
  /** Batches of the first segment, when it was rotated. */
  let full: number | null = null;
  const first = highestActive(dataDir);
  for (;;) {
    const share: readonly BatchPlace[] = file.batches.slice(sent, sent + batchesEach);
    if (share.length === 0) throw new Error('too few events to fill two segments');
    await ingestOverHttp(service.url, file, share);
    sent += share.length;
    if (full === null && highestActive(dataDir) > first) full = sent;
    // The first rotation may have come early in its last share.
    if (full !== null && sent >= 2 * full - 2 * batchesEach) break;
  }
  await service.kill();
}

function highestActive(dataDir: string): number {
  return Math.max(
    ...readdirSync(join(dataDir, 'events')).map((name) => Number(/^active-(\d+)\.\w+$/.exec(name)?.[1] ?? 0)),
  );
}
