import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../acceptance/startedService.ts';
import { EventsWalk } from './eventsWalk.ts';
import { SeededChance } from './seededChance.ts';
import { type SegmentKind, tamperEvents } from './tamperEvents.ts';
import { differences, eventsPerBatch, type FoundBatch, type State } from './walkedBatches.ts';

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
  `loses, doubles and revives no event in ${rounds} rounds of deletions, age rules, merging, backups, restores and kills`,
  async () => {
    for (let round = 0; round < rounds; round += 1) await walk.round();
    await walk.end();
    if (process.env.EVENTS_WALK_ROUNDS !== undefined) console.log(`seed ${seed}: ${JSON.stringify(walk.figures)}`);
    expect(walk.problems).toEqual([]);
    const { stored, deletions, deletionsBefore, rules, merges, restored } = walk.figures;
    expect(stored).toBeGreaterThan(5 * rounds);
    expect(Math.min(deletions + deletionsBefore, restored)).toBeGreaterThan(0);
    // A few rounds need not come to everything.
    if (rounds >= 20) expect(Math.min(deletions, deletionsBefore, rules, merges)).toBeGreaterThan(0);
  },
  rounds * roundMsMax,
);

describe('the walk', () => {
  it.each<[SegmentKind, number]>([
    ['sealed', 0],
    ['active', 3],
  ])('notices faults of events in %s segments: lost, doubled, altered, or in another project', async (kind, from) => {
    await walk.fill();
    const stored = walk.batches('stored');
    const of = (project: string) => stored.filter((name) => name.startsWith(`${project}/`)).slice(from, from + 3);
    const [one = '', whole = '', altered = ''] = of('walk-a');
    const [doubled = '', foreign = '', hidden = ''] = of('walk-b');
    const [revived = ''] = walk.batches('deleted');
    const copy = (as: string) =>
      `INSERT INTO edge_logs SELECT * REPLACE (${as}, (SELECT max(arrival_number) + 1 FROM edge_logs) AS arrival_number) FROM edge_logs`;
    const plant = (sql: string) => tamperEvents(walk.dataDir, kind, sql);
    const message = (batch: string, n: number | string) => `'${batch}/${n}'`;
    await plant(`DELETE FROM edge_logs WHERE event_message = ${message(one, 7)}`);
    await plant(`DELETE FROM edge_logs WHERE event_message LIKE ${message(whole, '%')}`);
    await plant(
      `UPDATE edge_logs SET event_message = ${message(altered, 99)} WHERE event_message = ${message(altered, 9)}`,
    );
    await plant(`${copy(`id || '-' AS id`)} WHERE event_message = ${message(doubled, 3)}`);
    await plant(`UPDATE edge_logs SET project = 'walk-a' WHERE event_message LIKE ${message(foreign, '%')}`);
    await plant(
      `${copy(`'walk-c' AS project, ${message(revived, 0)} AS event_message`)} WHERE event_message = ${message(doubled, 0)}`,
    );
    await plant(`${copy(`'walk-b/0d-0/0' AS event_message`)} WHERE event_message = ${message(hidden, 0)}`);
    await walk.end();
    // A sealed segment records twice whose an event is, so a wrong project shows it to nobody; nor does it show a project
    // again whose events were deleted since.
    const shown =
      kind === 'active'
        ? [
            `batch ${foreign} is shown to walk-a`,
            `batch ${revived} was deleted and is there again`,
            `batch ${revived} has 1 of 50 events`,
          ]
        : [`batch ${foreign} is lost`];
    expect(walk.problems.map((problem) => problem.replace(/^round 0: after the start: /, '')).toSorted()).toEqual(
      [
        `batch ${one} has 49 of 50 events`,
        `batch ${whole} is lost`,
        `batch ${altered} has other events than were sent`,
        `batch ${doubled} has 1 events twice`,
        ...shown,
        'batch walk-b/0d-0 was never sent',
      ].toSorted(),
    );
  });

  it('notices in a backup what was stored before and after it, and what was deleted before it', () => {
    const shown = (batch: string): FoundBatch => ({
      batch,
      project: 'walk-a',
      events: eventsPerBatch,
      messages: eventsPerBatch,
      numbers: 1225,
    });
    const [kept, deleted, late, gone] = ['walk-a/0d-1', 'walk-a/0d-2', 'walk-a/0d-3', 'walk-a/0d-4'] as const;
    const before = new Map<string, State>([
      [kept, 'stored'],
      [deleted, 'deleted'],
      [gone, 'stored'],
    ]);
    const after = new Map<string, State>([...before, [late, 'stored'], [gone, 'either']]);
    expect(differences([shown(kept)], { before, after })).toEqual([]);
    expect(differences([shown(kept), shown(late), shown(gone)], { before, after })).toEqual([]);
    expect(differences([shown(deleted)], { before, after })).toEqual([
      `batch ${kept} is lost`,
      `batch ${deleted} was deleted and is there again`,
    ]);
  });
});
