import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { edgeBatch, TestStorage } from './storage.fixture.ts';

let test: TestStorage;
beforeEach(async () => {
  test = await TestStorage.open();
});
afterEach(async () => await test.close());

const append = async (id: string) => await test.storage.eventLog.append(edgeBatch([id]));
/** As somebody does who clears the folder up while the service runs. */
function remove(): void {
  for (const name of readdirSync(test.eventsDir)) {
    if (name.startsWith('active-')) rmSync(join(test.eventsDir, name));
  }
}

describe('the file that receives events, removed while the service runs', () => {
  it('is told of at the next batch, and what the engine has of it is kept in another', async () => {
    await append('a');
    remove();
    await append('b');
    expect(await test.observed('file.missing')).toMatchObject({ file: 'active-1.duckdb', events: 1 });
    await test.observed('file.sealed');
    await test.killEngine();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b']);
    await test.reopen();
    expect([...(await test.ids())].sort()).toEqual(['a', 'b']);
  });

  it('is told of as lost where the engine has ended since, and keeps no events out', async () => {
    await append('a');
    remove();
    await test.killEngine();
    expect(await test.observed('file.damaged')).toMatchObject({ file: 'active-1.duckdb' });
    await append('b');
    expect(await test.ids()).toEqual(['b']);
    expect(test.observations.filter(({ kind }) => kind === 'engine.killed')).toEqual([]);
  });
});
