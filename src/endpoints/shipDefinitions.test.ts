import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { demoProjects } from '../demo/generate.ts';
import { SqlEndpointStore } from '../stores/sql/sqlEndpointStore.ts';
import type { TwoConnections } from '../stores/sql/twoConnections.fixture.ts';
import { openTwice } from '../stores/sqlite/openTwice.fixture.ts';
import { EndpointDirectory } from './endpointDirectory.ts';
import { loadDefinitionFiles } from './loadDefinitionFiles.ts';
import { parseDefinition } from './parseDefinition.ts';
import { shipDefinitions } from './shipDefinitions.ts';

const shipped = loadDefinitionFiles(join(import.meta.dirname, '../../definitions'));
const logsAll = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const retention = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const accept = (): void => {};
const at = (nowMicros: number) => ({ nowMicros, release: '1.9.0', keepsLater: false });
const nothing = { created: [], updated: [], leftAlone: [] };

let connections: TwoConnections;
/** The server's store, and the store of another process. */
let store: SqlEndpointStore;
let other: SqlEndpointStore;
beforeEach(async () => {
  connections = await openTwice();
  store = new SqlEndpointStore(connections.first);
  other = new SqlEndpointStore(connections.second);
});
afterEach(() => connections.close());

const own = (id: string, name: string, query = 'select 1') => parseDefinition({ id, name, query }, { label: name });

describe('shipDefinitions', () => {
  it('creates all four on first start, with the base logs.all primary, and nothing later', async () => {
    expect((await shipDefinitions(store, shipped, accept, at(5))).created).toHaveLength(4);
    expect((await store.findPrimary('logs.all'))?.id).toBe(logsAll);
    expect(await store.findById(retention)).toMatchObject({ name: 'logs.all', primary: false, version: 1 });
    expect(await shipDefinitions(other, shipped, accept, at(6))).toEqual(nothing);
  });

  it('never changes an existing one, and never restores a deleted one', async () => {
    await shipDefinitions(store, shipped, accept, at(5));
    await store.change(own(logsAll, 'logs.all', 'select 2'), 6);
    await store.setPrimary(retention);
    await store.delete('237f3997-c471-488d-af16-2dc9a4cda4a0', 7);
    await shipDefinitions(store, shipped, accept, at(8));
    expect(await store.findById(logsAll)).toMatchObject({ version: 2, query: 'select 2', primary: false });
    expect((await store.findPrimary('logs.all'))?.id).toBe(retention);
    expect(await store.findPrimary('usage.api-counts')).toBeUndefined();
  });

  const inNextRelease = shipped.map((file) =>
    file.definition.id === logsAll ? { ...file, definition: { ...file.definition, maxRows: 7 } } : file,
  );

  it('updates unchanged definitions to a new release, once, as a new version', async () => {
    await shipDefinitions(store, shipped, accept, at(5));
    const { created, updated, leftAlone } = await shipDefinitions(other, inNextRelease, accept, at(6));
    expect([created, leftAlone]).toEqual([[], []]);
    expect(updated).toMatchObject([{ id: logsAll, version: 2, maxRows: 7, author: '#shipped', note: 'Logmill 1.9.0' }]);
    expect((await store.findPrimary('logs.all'))?.version).toBe(2);
    expect(await shipDefinitions(store, inNextRelease, accept, at(7))).toEqual(nothing);
    expect((await shipDefinitions(store, shipped, accept, at(8))).updated).toMatchObject([{ version: 3 }]);
  });

  it('keeps what a later release shipped, where nodes of it use the store', async () => {
    await shipDefinitions(store, shipped, accept, at(5));
    const later = { nowMicros: 6, release: '1.10.0', keepsLater: true };
    expect((await shipDefinitions(other, inNextRelease, accept, later)).updated).toHaveLength(1);
    expect(await shipDefinitions(store, shipped, accept, { ...at(7), keepsLater: true })).toEqual(nothing);
    expect((await shipDefinitions(store, shipped, accept, { ...later, release: '1.10.1' })).updated).toHaveLength(1);
  });

  it('updates definitions from before authors were recorded', async () => {
    for (const { definition } of shipped) await store.create(definition, 4);
    expect((await shipDefinitions(store, inNextRelease, accept, at(6))).updated).toMatchObject([{ id: logsAll }]);
  });

  it('keeps changed definitions, and reports them if the release ships a new form', async () => {
    await shipDefinitions(store, shipped, accept, at(5));
    const definition = { ...own(logsAll, 'logs.all'), maxRows: 9 };
    const by = { nowMicros: 6, author: 'k3y', note: '' };
    await store.apply([{ kind: 'change', definition, expected: 1 }], by);
    expect(await shipDefinitions(store, shipped, accept, at(7))).toEqual(nothing);
    expect(await shipDefinitions(store, inNextRelease, accept, at(8))).toMatchObject({
      ...nothing,
      leftAlone: [{ id: logsAll, version: 2, maxRows: 9 }],
    });
    expect((await store.findById(logsAll))?.version).toBe(2);
  });

  it('does not take over the name of an existing definition', async () => {
    await store.create(own('00000000-0000-4000-8000-000000000001', 'logs.all'), 4);
    await shipDefinitions(store, shipped, accept, at(5));
    expect((await store.findPrimary('logs.all'))?.id).toBe('00000000-0000-4000-8000-000000000001');
  });

  it('creates none if one does not compile', async () => {
    const check = ({ name }: { readonly name: string }): void => {
      if (name === 'usage.api-counts') throw new ServiceError('definition.invalid', 'does not compile');
    };
    await expect(shipDefinitions(store, shipped, check, at(5))).rejects.toThrow('does not compile');
    expect(await store.list()).toEqual([]);
  });
});

describe('EndpointDirectory', () => {
  const id = '00000000-0000-4000-8000-000000000001';
  let clock: ManualClock;
  let directory: EndpointDirectory;
  beforeEach(() => {
    clock = new ManualClock(1_777_000_000_000_000);
    directory = new EndpointDirectory(store);
  });

  it('finds by id in any case, by name the primary, and lists all', async () => {
    await shipDefinitions(store, shipped, accept, at(5));
    expect((await directory.findById(retention.toUpperCase(), clock.nowMicros()))?.id).toBe(retention);
    expect((await directory.findByName('logs.all', clock.nowMicros()))?.id).toBe(logsAll);
    expect(await directory.findByName('LOGS.ALL', clock.nowMicros())).toBeUndefined();
    expect(await directory.findById('logs.all', clock.nowMicros())).toBeUndefined();
    expect(await directory.list(clock.nowMicros())).toHaveLength(4);
  });

  it('shows a change by its own process at once', async () => {
    expect(await directory.list(clock.nowMicros())).toEqual([]);
    await store.create(own(id, 'a'), 5);
    expect((await directory.findByName('a', clock.nowMicros()))?.version).toBe(1);
    await store.change(own(id, 'b'), 6);
    expect(await directory.findByName('a', clock.nowMicros())).toBeUndefined();
    expect((await directory.findByName('b', clock.nowMicros()))?.version).toBe(2);
  });

  it('shows a change by another process within half a second, and does not read the store before', async () => {
    await store.create(own(id, 'a'), 5);
    expect((await directory.findById(id, clock.nowMicros()))?.version).toBe(1);
    await other.change(own(id, 'a', 'select 2'), 6);
    clock.advanceMs(499);
    expect((await directory.findById(id, clock.nowMicros()))?.version).toBe(1);
    clock.advanceMs(1);
    expect((await directory.findById(id, clock.nowMicros()))?.version).toBe(2);
  });

  it('finds old versions, with the current state of the endpoint', async () => {
    await store.create(own(id, 'a'), 5);
    await store.change(own(id, 'b', 'select 2'), 6);
    const find = (version: number) => directory.findVersion(id.toUpperCase(), version, clock.nowMicros());
    expect(await find(1)).toMatchObject({ version: 1, name: 'a', query: 'select 1', primary: true });
    expect(await find(3)).toBeUndefined();
    await store.create(own('00000000-0000-4000-8000-000000000002', 'b'), 7);
    await store.setPrimary('00000000-0000-4000-8000-000000000002');
    expect((await find(1))?.primary).toBe(false);
    expect((await directory.findById(id, clock.nowMicros()))?.primary).toBe(false);
    await store.delete(id, 8);
    expect(await find(1)).toBeUndefined();
  });

  it('keeps definitions in memory while nothing changes', async () => {
    await store.create(own(id, 'a'), 5);
    const first = await directory.findById(id, clock.nowMicros());
    clock.advanceMs(10_000);
    expect(await directory.findById(id, clock.nowMicros())).toBe(first);
  });
});

it('shows a project of the sample data as an example, so that examples have rows', () => {
  const examples = shipped.flatMap(({ definition }) =>
    definition.parameters.flatMap(({ name, example }) => (name === 'project' ? [example] : [])),
  );
  expect(new Set(examples)).toEqual(new Set([demoProjects[0]]));
});
