import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { build } from '../acceptance/startedService.ts';
import { EventsWalk } from './eventsWalk.ts';
import { SeededChance } from './seededChance.ts';

/** `EVENTS_WALK_ROUNDS=100 EVENTS_WALK_SEED=7 npm test -- test/crash/eventsWalk.test.ts` walks longer, and differently. */
const rounds = Number(process.env.EVENTS_WALK_ROUNDS ?? 4);
const seed = Number(process.env.EVENTS_WALK_SEED ?? 20_261_127);
const roundMsMax = 120_000;

beforeAll(() => build());

let root: string;
let walk: EventsWalk;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'logmill-events-walk-'));
  walk = new EventsWalk(root, new SeededChance(seed));
});

afterEach(async () => {
  await walk.close();
  await rm(root, { recursive: true, force: true });
});

it(
  `loses, doubles and revives no event in ${rounds} rounds of deletions, backups, restores and kills`,
  async () => {
    for (let round = 0; round < rounds; round += 1) await walk.round();
    await walk.end();
    if (process.env.EVENTS_WALK_ROUNDS !== undefined) console.log(`seed ${seed}: ${JSON.stringify(walk.figures)}`);
    expect(walk.problems).toEqual([]);
    const { stored, deletions, restored } = walk.figures;
    expect(stored).toBeGreaterThan(5 * rounds);
    expect(Math.min(deletions, restored)).toBeGreaterThan(0);
  },
  rounds * roundMsMax,
);
