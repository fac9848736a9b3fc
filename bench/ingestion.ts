import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchedService } from './benchedService.ts';
import { generateEvents } from './generateEvents.ts';
import { ingestRates, ingestRatesDefaults } from './ingestRates.ts';
import { mixedLoad, mixedLoadDefaults, mixedLoadEvents } from './mixedLoad.ts';
import { sealEverything } from './sealEverything.ts';

/**
 * npm run bench -- ingestion: measures the ingestion rate next to the bare engine, acknowledgements at half of it,
 * bytes stored, and queries of several clients during ingestion. Prints its numbers as lines of JSON.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '400000' },
    clients: { type: 'string', default: String(ingestRatesDefaults.clients) },
    'query-clients': { type: 'string', default: String(mixedLoadDefaults.queryClients) },
    'only-rates': { type: 'boolean', default: false },
  },
});

/** Events per request under mixed load: few, so that there are enough acknowledgements for a 99th percentile. */
const mixedBatchEvents = 200;

const folder = mkdtempSync(join(tmpdir(), 'logmill-ingestion-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const dataDir = join(folder, 'data');
  const file = generateEvents(folder, Number(options.events), Date.now() * 1000);
  const ingesting = await BenchedService.start(dataDir);
  const rates = await ingestRates(ingesting, folder, file, file.batches, {
    ...ingestRatesDefaults,
    clients: Number(options.clients),
  });
  await ingesting.stop();
  tell('ingest rates', rates);
  await sealEverything(dataDir);
  const sealedBytes = bytesOfEvents(dataDir);
  tell('stored', { rawBytes: file.bytes, sealedBytes, ratio: sealedBytes / file.bytes });
  file.close();
  if (options['only-rates']) return;
  const mixed = { ...mixedLoadDefaults, queryClients: Number(options['query-clients']) };
  const incoming = generateEvents(folder, mixedLoadEvents(mixed), Date.now() * 1000, mixedBatchEvents);
  const service = await BenchedService.start(dataDir);
  tell('mixed load', await mixedLoad(service.url, incoming, incoming.batches, mixed));
  await service.stop();
  incoming.close();
}

function bytesOfEvents(dataDir: string): number {
  const events = join(dataDir, 'events');
  return readdirSync(events)
    .filter((name) => name.startsWith('sealed-'))
    .reduce((sum, name) => sum + statSync(join(events, name)).size, 0);
}

function tell(what: string, numbers: object): void {
  console.log(JSON.stringify({ what, ...numbers }));
}
