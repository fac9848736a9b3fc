import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtinSources } from '../../../../sources/builtin.ts';
import { tableLayout } from '../../files/tableLayout.ts';
import { EngineConnection } from '../../host/engineConnection.ts';
import { EngineDied } from '../../host/engineFailure.ts';
import { defaultDuckDbSettings } from '../../settings.ts';

const tables = builtinSources.map(tableLayout);

const made = { tables, createdMicros: 1, identities: [] };

let folder: string;
let engine: EngineConnection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logmill-attach-'));
  engine = new EngineConnection(1);
  await engine.call('open', {
    ...defaultDuckDbSettings,
    hasScripted: false,
    eventsDir: folder,
    spillDir: join(folder, 'spill'),
  });
});

afterEach(async () => {
  engine.kill();
  await engine.ended;
  await rm(folder, { recursive: true });
});

it('ends the process where it holds the file itself under a name that nobody asks for, and says why', async () => {
  const path = join(folder, 'active-1.duckdb');
  await engine.call('createActive', { alias: 'left_behind', path, kind: 'active', ...made });
  await expect(engine.call('attach', { alias: 'active_1', path, kind: 'active' })).rejects.toThrow(EngineDied);
  expect(await engine.ended).toMatch(/held by an ATTACH that failed/);
});

it('opens a file again that was let go', async () => {
  const file = { alias: 'active_1', path: join(folder, 'active-1.duckdb'), kind: 'active' } as const;
  await engine.call('createActive', { ...file, ...made });
  await engine.call('detach', { alias: 'active_1' });
  await engine.call('attach', file);
  expect(engine.hasEnded).toBe(false);
});

it('creates, opens and lets go of files that are asked for at the same time, each whole', async () => {
  const fileOf = (n: number) =>
    ({ alias: `active_${n}`, path: join(folder, `active-${n}.duckdb`), kind: 'active' }) as const;
  const create = async (n: number) => {
    await engine.call('createActive', { ...fileOf(n), tables, createdMicros: n, identities: [] });
  };
  const numbers = Array.from({ length: 12 }, (_, n) => n);
  await Promise.all(numbers.slice(0, 6).map(create));
  // Files that leave, come and are made anew, as beside merging and deleting.
  await Promise.all([
    ...numbers.slice(0, 6).map(async (n) => await engine.call('detach', { alias: `active_${n}` })),
    ...numbers.slice(6).map(create),
  ]);
  await Promise.all([
    ...numbers.slice(0, 6).map(async (n) => await engine.call('attach', fileOf(n))),
    ...numbers.slice(6).map(async (n) => await engine.call('detach', { alias: `active_${n}` })),
  ]);
  for (const n of numbers.slice(6)) await engine.call('attach', fileOf(n));
  for (const n of numbers) {
    const { createdMicros, outdated } = (await engine.call('readActive', { alias: `active_${n}`, tables })).gives;
    expect({ n, createdMicros: Number(createdMicros), outdated }).toEqual({ n, createdMicros: n, outdated: [] });
  }
});
