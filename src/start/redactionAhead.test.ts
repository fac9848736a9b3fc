import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { ManualClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { systemRandomness } from '../core/ids.ts';
import type { Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlEndpointStore } from '../stores/sql/sqlEndpointStore.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { createToken } from '../tokens/createToken.ts';
import { redacting } from '../tokens/restrictions.ts';
import { RedactionAhead } from './redactionAhead.ts';

let folder: string;
let database: StoreDatabase;
let tokens: SqlTokenStore;
let endpoints: SqlEndpointStore;
let timer: ManualTimer;
let clock: ManualClock;
let prepared: number;
const observed: Observation[] = [];
let pages: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-ahead-'));
  database = await openDatabase(folder);
  tokens = new SqlTokenStore(database);
  endpoints = new SqlEndpointStore(database);
  timer = new ManualTimer();
  clock = new ManualClock(1_800_000_000_000_000);
  prepared = 0;
  pages = 0;
  observed.length = 0;
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const newAhead = (tokenStore: Pick<SqlTokenStore, 'generation' | 'page'> = tokens) =>
  new RedactionAhead({
    tokens: tokenStore,
    endpoints: {
      generation: () => endpoints.generation(),
      listPage: (page) => {
        pages++;
        return endpoints.listPage(page);
      },
    },
    prepare: () => prepared++,
    clock,
    timer,
    turns: new Turns(everyLookEndsTurn()),
    observe: (observation) => observed.push(observation),
  });

async function makeToken(isRedacted: boolean, expiresAtMicros: number | null = null): Promise<string> {
  const restrictions = isRedacted ? redacting(null) : null;
  const request = { description: '', scopes: [{ kind: 'query' as const }], restrictions, expiresAtMicros };
  return (await createToken(tokens, request, systemRandomness, clock.nowMicros())).record.publicId;
}

const define = async (name: string, isRedacted: boolean) =>
  await endpoints.create(
    parseDefinition({ id: randomUUID(), name, query: 'select 1 as a', redact_pii: isRedacted }, { label: name }),
    clock.nowMicros(),
  );

it('prepares nothing without a live token or an endpoint that redacts', async () => {
  await makeToken(false);
  await define('plain', false);
  await makeToken(true, clock.nowMicros() + 1);
  await tokens.revoke(await makeToken(true), clock.nowMicros());
  clock.advanceMs(1);
  await newAhead().look();
  expect(prepared).toBe(0);
});

it('finds a token behind many others, and one that was made later', async () => {
  for (let i = 0; i < 51; i++) await makeToken(false);
  const ahead = newAhead();
  await ahead.look();
  expect(prepared).toBe(0);
  await makeToken(true);
  await ahead.look();
  expect(prepared).toBe(1);
  await ahead.look();
  expect(prepared).toBe(1);
});

it('finds an endpoint behind many others, and reads endpoints only after a change', async () => {
  for (let i = 0; i < 51; i++) await define(`plain.${String(i).padStart(2, '0')}`, false);
  const ahead = newAhead();
  await ahead.look();
  await ahead.look();
  expect([prepared, pages]).toEqual([0, 2]);
  await define('private', true);
  await ahead.look();
  expect(prepared).toBe(1);
});

it('looks again after a failure, which it reports once, until it is stopped', async () => {
  let looks = 0;
  let looked = (): void => {};
  const failing = {
    page: tokens.page.bind(tokens),
    generation: async (): Promise<number> => {
      looks++;
      throw new Error('the store is away');
    },
  };
  const after = timer.after.bind(timer);
  timer.after = (delayMs, action) => {
    looked();
    return after(delayMs, action);
  };
  const waits = () => new Promise<void>((resolve) => (looked = resolve));
  const ahead = newAhead(failing);
  let next = waits();
  ahead.start();
  await next;
  next = waits();
  timer.advanceMs(1_000);
  await next;
  expect([looks, observed.length, timer.pendingCount]).toEqual([2, 1, 1]);
  ahead.stop();
  expect(timer.pendingCount).toBe(0);
});

it('prepares nothing after it was stopped', async () => {
  await makeToken(true);
  const ahead = newAhead();
  const look = ahead.look();
  ahead.stop();
  await look;
  expect(prepared).toBe(0);
});

it('reads a page in each turn of the event loop', async () => {
  const pageCount = 5;
  let left = pageCount;
  await makeToken(false);
  const [token] = await tokens.page({ limit: 1, after: null, state: 'live', nowMicros: clock.nowMicros() });
  if (token === undefined) throw new Error('there is no token');
  const atOnce = { generation: async () => 1, page: async () => (left-- > 0 ? new Array(50).fill(token) : []) };
  expect(await turnsTaken(() => newAhead(atOnce).look())).toBeGreaterThanOrEqual(pageCount);
});
