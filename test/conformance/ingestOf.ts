import { systemRandomness } from '../../src/core/ids.ts';
import { createIngest, defaultIngestLimits } from '../../src/ingest/ingest.ts';
import { sourceDirectory } from '../../src/ingest/sourceDirectory.ts';
import type { StorageHarness } from '../../src/ports/storageHarness.contract.ts';
import { builtinSources } from '../../src/sources/builtin.ts';

/** Sends a JSON body through ingestion into a storage with the built-in sources; one bad event fails it. */
export function ingestOf(
  test: Pick<StorageHarness, 'engine' | 'clock'>,
): (source: string, body: Uint8Array) => Promise<void> {
  const ingest = createIngest({
    eventLog: test.engine.log,
    sources: sourceDirectory(builtinSources),
    clock: test.clock,
    randomness: systemRandomness,
    observe: () => undefined,
    defaultProject: null,
    limits: defaultIngestLimits,
  });
  return async (source, body) => {
    await ingest.accept({
      tokenId: 't',
      maySend: () => true,
      projects: null,
      sourceCandidates: [{ place: 'query', name: source }],
      contentType: 'application/json',
      contentEncoding: undefined,
      body,
      idempotencyKey: undefined,
      strict: true,
    });
  };
}
