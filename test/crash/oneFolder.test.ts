import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { build } from '../acceptance/startedService.ts';
import { FolderWalk } from './folderWalk.ts';
import { SeededChance } from './seededChance.ts';

/** `WALK_ROUNDS=200 WALK_SEED=7 npm test -- test/crash/oneFolder.test.ts` walks longer, and differently. */
const rounds = Number(process.env.WALK_ROUNDS ?? 6);
const seed = Number(process.env.WALK_SEED ?? 20_261_123);
const roundMsMax = 120_000;

beforeAll(() => build());

let walk: FolderWalk;
let dataDir: string;

afterEach(async () => {
  await walk.close();
  await rm(dirname(dataDir), { recursive: true, force: true });
});

it(
  `loses no acknowledged change and revives no revoked token in ${rounds} rounds of service, commands and kills on one folder`,
  async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'logmill-walk-')), 'data');
    walk = new FolderWalk(dataDir, new SeededChance(seed));
    for (let round = 0; round < rounds; round += 1) await walk.round();
    // At whatever point the last round was killed.
    await walk.round();
    if (process.env.WALK_ROUNDS !== undefined) console.log(`seed ${seed}: ${JSON.stringify(walk.figures)}`);
    expect(walk.problems).toEqual([]);
    expect(walk.figures.changes).toBeGreaterThan(rounds);
  },
  rounds * roundMsMax,
);
