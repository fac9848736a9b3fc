import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { parseDefinition } from '../../../src/endpoints/parseDefinition.ts';
import { settingsSchema } from '../../../src/start/settings.ts';
import { startService } from '../../../src/start/startService.ts';
import { SqlEndpointStore } from '../../../src/stores/sql/sqlEndpointStore.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';

const id = '0ee00000-0000-4000-8000-000000000001';
const logsAll = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
let root: string;
let endpointsDir: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'logmill-start-'));
  endpointsDir = mkdtempSync(join(root, 'endpoints-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Starts the service on the folder and ends it; gives what it told and what the store holds afterwards. */
async function started(more: Readonly<Record<string, unknown>> = { endpointsDir }) {
  const dataDir = join(root, 'data');
  const observations: Observation[] = [];
  const service = await startService({
    settings: settingsSchema.parse({ port: 0, dataDir, logLevel: 'silent', ...more }),
    clock: new ManualClock(Date.UTC(2026, 4, 1) * 1000),
    randomness: systemRandomness,
    observe: (observation) => observations.push(observation),
    demo: false,
    progress: () => undefined,
  });
  await service.close('end of the test');
  const told = observations.flatMap((each): readonly unknown[] => {
    if (each.kind === 'warning') return [each.message];
    return each.kind === 'endpoints.deployed' ? [each] : [];
  });
  return { told, store: await withStore((store) => store.findById(id)) };
}

async function withStore<T>(work: (store: SqlEndpointStore) => Promise<T>): Promise<T> {
  const database = await openDatabase(join(root, 'data'));
  try {
    return await work(new SqlEndpointStore(database));
  } finally {
    await database.destroy();
  }
}

const write = (query: string) =>
  writeFileSync(join(endpointsDir, 'one.yaml'), `id: ${id}\nname: start.one\nquery: ${query}\n`);

it('deploys the folder of definitions at each start, and tells what it made and what breaks callers', async () => {
  write('select 1 as one');
  const first = await started();
  expect(first.told).toEqual([
    { kind: 'endpoints.deployed', from: 'product', endpoints: expect.arrayContaining(['logs.all (version 1)']) },
    { kind: 'endpoints.deployed', from: 'folder', endpoints: ['start.one (version 1)'] },
  ]);
  expect(first.store).toMatchObject({ author: '#files', note: 'Deployed at start', version: 1 });
  expect((await started()).told).toEqual([]);

  write('select 1 as two');
  const changed = await started();
  expect(changed.told).toEqual([
    { kind: 'endpoints.deployed', from: 'folder', endpoints: ['start.one (version 2)'] },
    expect.stringContaining('The column one (INT64) is gone.'),
  ]);
});

it('does not start with a folder that cannot be deployed, and deploys nothing of it', async () => {
  write('select nothing');
  writeFileSync(
    join(endpointsDir, 'two.yaml'),
    'id: 0ee00000-0000-4000-8000-000000000002\nname: start.two\nquery: select 1\n',
  );
  await expect(started()).rejects.toThrow(
    /\(one\.yaml\) cannot be deployed\. .*nothing.* In the files: one\.yaml:3:15\./,
  );
  expect(await withStore((store) => store.findPrimary('start.two'))).toBeUndefined();
  await expect(started({ endpointsDir: join(root, 'nowhere') })).rejects.toThrow(/cannot be read/);
  writeFileSync(join(endpointsDir, 'two.yaml'), 'id: &x [*x]');
  await expect(started()).rejects.toThrow(/two\.yaml .*\(line 1, column 9\) has an alias "x" within its own anchor/);
  writeFileSync(join(endpointsDir, 'two.yaml'), 'id: [');
  await expect(started()).rejects.toThrow(/two\.yaml/);
});

it('brings a shipped definition up to date, and leaves alone what the operator has changed', async () => {
  // As an earlier release would have left them: one that it shipped in another form, one that somebody changed.
  await withStore(async (store) => {
    const [base, counts] = [await store.findById(logsAll), await store.findPrimary('usage.api-counts')];
    if (base === undefined || counts === undefined) throw new Error('the shipped definitions are not there');
    const change = (author: string, definition: typeof base, maxRows: number) =>
      store.apply([{ kind: 'change', definition: { ...definition, maxRows }, expected: null }], {
        nowMicros: 1,
        author,
        note: '',
      });
    await change('#shipped', base, 7);
    await change('#shipped', counts, 8);
    await change('operator', counts, 9);
  });
  const { told } = await started({});
  expect(told).toEqual([
    { kind: 'endpoints.deployed', from: 'product', endpoints: ['logs.all (version 3)'] },
    expect.stringMatching(/usage\.api-counts .* keeps the changes that you made/),
  ]);
  expect(await withStore((store) => store.findById(logsAll))).toMatchObject({ maxRows: 1000, author: '#shipped' });
  expect(await withStore((store) => store.findPrimary('usage.api-counts'))).toMatchObject({ maxRows: 9 });
});

it('moves an endpoint off an id of the service itself, and says where it went', async () => {
  const calls = 'cfee81bc-c614-4c21-aff5-62da7df0e53d';
  const definition = { id: calls, name: 'usage.mine', query: 'select 1 as a' };
  const namesake = { id: '0ee00000-0000-4000-8000-000000000009', name: 'usage.mine', query: 'select 2 as a' };
  await withStore(async (store) => {
    for (const each of [definition, namesake]) await store.create(parseDefinition(each, { label: each.name }), 1);
  });
  const { told } = await started({});
  const to = await withStore((store) => store.findPrimary('usage.mine'));
  expect(to).toMatchObject({ query: 'select 1 as a', version: 1, author: '#shipped' });
  expect(to?.id).not.toBe(calls);
  expect(told).toContainEqual(expect.stringContaining(`usage.mine had the ID ${calls}`));
  expect(told).toContainEqual(expect.stringContaining(`its ID is now ${to?.id}`));
  expect(await withStore((store) => store.findById(calls))).toBeUndefined();
  expect((await started({})).told).not.toContainEqual(expect.stringContaining('had the ID'));
});

it('leaves an endpoint deleted that its file would bring back, and starts', async () => {
  const folder = mkdtempSync(join(root, 'deleted-'));
  const deleted = '0ee00000-0000-4000-8000-000000000009';
  writeFileSync(join(folder, 'nine.yaml'), `id: ${deleted}\nname: start.nine\nquery: select 9\n`);
  await started({ endpointsDir: folder });
  await withStore((store) => store.delete(deleted, 1));
  expect((await started({ endpointsDir: folder })).told).toContainEqual(
    expect.stringMatching(/^the endpoint start\.nine \(.*\) was deleted, so its definition file is ignored; .*restore/),
  );
  expect(await withStore((store) => store.findById(deleted))).toBeUndefined();
});
