import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { chosenJson, type FormatName } from '../formats/resultFormat.ts';
import { tokenOf } from '../invoke/cachedCalls.fixture.ts';
import { restrictedTo } from '../tokens/restrictions.ts';
import { callOf, TestedExports } from './exports.fixture.ts';
import type { Exports } from './exports.ts';

const alice = tokenOf('alice');
const never = new AbortController().signal;

let folder: string;
let tested: TestedExports;
let exports: Exports;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exports-'));
  tested = new TestedExports(folder);
  exports = await tested.open();
});
afterEach(async () => {
  await exports.close();
  rmSync(folder, { recursive: true });
});

const begin = async (tokenId?: string, accepted?: FormatName) => await exports.begin(callOf(tokenId, accepted), never);
const stateOf = (id: string) => {
  const { state, failure } = exports.find(id, alice);
  return [state, failure?.code ?? null];
};
const ends = async (id: string, tokenId = 'alice') => {
  await expect.poll(() => exports.find(id, tokenOf(tokenId)).endedMicros).not.toBeNull();
};
async function textOf(id: string, format: FormatName = 'json'): Promise<string> {
  const data = await exports.read(id, alice, { ...chosenJson, name: format });
  return (await buffer(data.open(0, data.bytes - 1, async () => alice))).toString();
}

describe('an export', () => {
  it('names a column in the metadata of NDJSON as in its rows', async () => {
    tested.pages.column = '@logmill';
    const { id } = await begin();
    await ends(id);
    const lines = (await textOf(id, 'ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ '@logmill_1': '0-0' });
    expect(lines.at(-1)['@logmill'].meta).toMatchObject({
      columns: [{ name: '@logmill_1', type: 'STRING' }],
      row_count: 2,
      request_id: 'request-1',
    });
    expect(JSON.parse(await textOf(id)).meta.columns).toEqual([{ name: '@logmill', type: 'STRING' }]);
  });

  it('counts the cells of each file that are guarded, also after a restart', async () => {
    tested.pages.column = '=v';
    const { id } = await begin('alice', 'csv');
    await ends(id);
    const guarded = { ...chosenJson, name: 'csv' as const, isGuarded: true };
    await exports.read(id, alice, guarded);
    expect(exports.find(id, alice).guardedCells).toEqual({ 'csv.guard': 1 });
    await exports.close();
    exports = await tested.open();
    expect(exports.find(id, alice).guardedCells).toEqual({ 'csv.guard': 1 });
  });

  it('lets the exports of others have their turn after each page', async () => {
    tested.pages.pages = 6;
    let goOn = () => {};
    tested.pages.hold = new Promise((resolve) => (goOn = resolve));
    for (let n = 0; n < 3; n++) await begin('alice');
    const { id } = await begin('bob');
    goOn();
    await ends(id, 'bob');
    expect(tested.pages.order.indexOf('bob 1')).toBeGreaterThan(0);
    await expect.poll(() => tested.pages.order.filter((page) => page === 'alice 5')).toHaveLength(3);
    expect(tested.pages.order.indexOf('bob 1')).toBeLessThan(tested.pages.order.indexOf('alice 5'));
  });

  it('goes on after the store of tokens was away for a moment', async () => {
    tested.pages.pages = 2;
    const away = new ServiceError('service.store_unavailable', 'Away.', { retryAfterSeconds: 5 });
    let lookups = 0;
    tested.isLive = async () => {
      if (++lookups === 1) throw away;
      return true;
    };
    const { id } = await begin();
    await expect.poll(() => tested.timer.pendingCount).toBe(3);
    tested.timer.advanceMs(5000);
    await ends(id);
    expect([stateOf(id), lookups]).toEqual([['complete', null], 2]);
  });

  it('keeps its rows if others lose events of projects that it cannot have', async () => {
    const tokens = [['alder'], ['alder', 'birch'], ['birch'], null].map((projects, n) =>
      tokenOf(`token${n}`, { restrictions: projects === null ? null : restrictedTo(projects) }),
    );
    const begun = await Promise.all(
      tokens.map(async (token) => ({ token, id: (await exports.begin({ ...callOf(), token }, never)).id })),
    );
    const states = () => begun.map(({ token, id }) => exports.find(id, token).state);
    await expect.poll(states).toEqual(tokens.map(() => 'complete'));
    exports.dropAll(['alder']);
    await expect.poll(states).toEqual(['failed', 'failed', 'complete', 'failed']);
    exports.dropAll();
    await expect.poll(states).toEqual(tokens.map(() => 'failed'));
  });

  it('writes its file again if the engine restarts meanwhile', async () => {
    await exports.close();
    let attempts = 0;
    tested.parquet = {
      write: async () => {
        attempts++;
        throw new ServiceError('engine.restarting', 'Restarting.', { retryAfterSeconds: 5 });
      },
    };
    exports = await tested.open();
    const { id } = await begin('alice', 'parquet');
    await expect.poll(() => tested.timer.pendingCount).toBe(3);
    expect([stateOf(id), attempts]).toEqual([['running', null], 1]);
    tested.parquet.write = async (_table, _call, use) => {
      attempts++;
      const path = join(folder, 'whole.parquet');
      writeFileSync(path, 'PAR1');
      return await use(path);
    };
    tested.timer.advanceMs(5000);
    await ends(id);
    expect([stateOf(id), attempts]).toEqual([['complete', null], 2]);
    expect(await textOf(id, 'parquet')).toBe('PAR1');
  });
});
