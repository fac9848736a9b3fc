import { closeSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ServiceError } from '../../../core/errors.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

const ids = Array.from({ length: 400 }, (_, n) => `event-${String(n).padStart(4, '0')}`);
const message = (id: string) => `${id} `.repeat(30);

let test: TestStorage | undefined;
afterEach(async () => {
  await test?.close();
  test = undefined;
});

/** A closed store with all of its events in one sealed segment; returns the path of the file. */
async function sealedStore(): Promise<{ readonly store: TestStorage; readonly path: string }> {
  const store = await TestStorage.open();
  test = store;
  const events = ids.flatMap((id) => edgeBatch([id], { eventMessage: message(id) }).events);
  await store.storage.log.append({ ...edgeBatch([]), events });
  await store.storage.sealNow();
  await store.closeStorage();
  const [name] = readdirSync(store.eventsDir).filter((each) => /^sealed-\d+\.duckdb$/.test(each));
  if (name === undefined) throw new Error('nothing was sealed');
  return { store, path: join(store.eventsDir, name) };
}

/** Every event as read, or the code of the error. */
async function readAll(store: TestStorage): Promise<readonly (readonly unknown[])[] | string> {
  try {
    return await store.values('SELECT id, event_message FROM {edge_logs} ORDER BY id');
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

// The start of the file, its headers, and positions in its blocks.
it.each([0, 4096, 8192 + 16, 0.2, 0.4, 0.6, 0.85])(
  'a byte that changed in a sealed file is never answered with other events: at %d',
  async (place) => {
    const { store, path } = await sealedStore();
    const at = place < 1 && place > 0 ? Math.floor(place * statSync(path).size) : place;
    const file = openSync(path, 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 0x10]), 0, 1, at);
    closeSync(file);
    await store.reopen();
    const read = await readAll(store);
    const isNamed = store.observations.some((each) => each.kind === 'file.damaged');
    if (typeof read === 'string') expect(read).toBe('engine.failed');
    // Quarantined and reported; or the byte was unused.
    else if (isNamed) expect(read).toEqual([]);
    else expect(read).toEqual(ids.map((id) => [id, message(id)]));
    // Whatever became of the file, new events are stored and read.
    const later = await store.storage.log.append(edgeBatch(['later'], { project: 'other' }));
    expect(later).toEqual({ kind: 'stored' });
  },
);
