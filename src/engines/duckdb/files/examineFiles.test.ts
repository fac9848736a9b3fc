import { expect, it } from 'vitest';
import { Quarantine } from '../damage/quarantine.ts';
import type { EngineConnection } from '../host/engineConnection.ts';
import { EngineDied, EngineFailure } from '../host/engineFailure.ts';
import type { EventFile } from './eventFiles.ts';

const failure = (detail: string) => new EngineFailure({ kind: 'engine', message: null, line: 0, column: 0, detail });
const damaged = failure('IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2');
const noMemory = failure('Out of Memory Error: failed to pin block');
const interrupted = failure('INTERRUPT Error: Interrupted!');
const noRight = failure('IO Error: Cannot open file "/events/sealed-1.duckdb": Permission denied');
const whole = null;

const file = { alias: 'sealed_1' } as EventFile;

/** A quarantine in which reading a file has these results, one after another. */
function scripted(script: readonly (Error | null)[], isThere = true) {
  const aside: string[] = [];
  const warnings: string[] = [];
  let reads = 0;
  const engine = {
    call: async () => {
      const outcome = script[reads++] ?? null;
      if (outcome !== null) throw outcome;
      return { gives: { events: 1 } };
    },
  } as unknown as EngineConnection;
  const files = new Quarantine({
    supervisor: { ready: async () => engine },
    putInQuarantine: async ({ alias }, reason) => {
      aside.push(`${alias}: ${reason}`);
      return true;
    },
    fileOf: () => (isThere ? file : null),
    warn: (message) => warnings.push(message),
  });
  return { files, aside, warnings, reads: () => reads };
}

it('sets a file aside that fails by its own bytes twice', async () => {
  const { files, aside } = scripted([damaged, damaged]);
  expect(await files.examine([file])).toBe(true);
  expect(aside).toEqual([`sealed_1: ${damaged.failure.detail}`]);
  expect(files.files).toEqual([file]);
});

it.each([
  ['that fails once only', [damaged, whole], 2],
  ['that is whole', [whole], 1],
  ['for which there is no memory', [noMemory], 1],
  ['for which there is no memory the second time', [damaged, noMemory], 2],
  ['whose reading is interrupted', [interrupted], 1],
  ['that may not be read', [noRight], 1],
])('leaves a file alone %s', async (_, script, reads) => {
  const examined = scripted(script);
  expect(await examined.files.examine([file])).toBe(false);
  expect(examined.aside).toEqual([]);
  expect(examined.files.files).toEqual([]);
  expect(examined.reads()).toBe(reads);
});

it('reads a file again under which the engine ended, and says where it could not find out', async () => {
  const died = scripted([new EngineDied('killed'), damaged, new EngineDied('killed'), damaged]);
  expect(await died.files.examine([file])).toBe(true);
  expect(died.reads()).toBe(4);
  const unknown = scripted([noMemory]);
  await unknown.files.examine([file]);
  expect(unknown.warnings).toEqual(['sealed_1 could not be verified and is assumed to be undamaged']);
});

it('gives up a file under which the engine ends again and again', async () => {
  const { files, aside, warnings, reads } = scripted(new Array(10).fill(new EngineDied('killed')));
  expect(await files.examine([file])).toBe(false);
  expect([aside, reads()]).toEqual([[], 3]);
  expect(warnings).toEqual(['sealed_1 could not be verified and is assumed to be undamaged']);
});

it('reads a file through once for all that ask at the same time', async () => {
  const { files, aside, reads } = scripted([damaged, damaged]);
  expect(await Promise.all([files.examine([file]), files.examine([file]), files.found(file, damaged)])).toEqual([
    true,
    true,
    true,
  ]);
  expect(aside).toHaveLength(1);
  expect(reads()).toBe(2);
});

it('has a query run again without a file that is not among the files any more', async () => {
  const { files, aside, reads } = scripted([], false);
  expect(await files.examine([file])).toBe(true);
  expect([aside, reads()]).toEqual([[], 0]);
});
