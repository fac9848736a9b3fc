import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtModule } from '../../../test/support/builtModule.ts';
import type { StoreDatabase } from './schema.ts';
import { SqlEndpointStore } from './sqlEndpointStore.ts';

/** A database that outlives the processes that change it. */
export interface LastingStore {
  readonly open: () => Promise<StoreDatabase>;
  /** Lines of a module that set `database` to the open store. */
  readonly openInScript: string;
  readonly remove: () => Promise<void>;
}

/**
 * Changes endpoints forever, and prints a line for each durable change. Each change creates two endpoints with one
 * name, makes the second one primary, and changes the first.
 */
const script = (seed: number, openInScript: string) => `
  import { randomUUID } from 'node:crypto';
  import { SqlEndpointStore } from ${builtModule('sqlEndpointStore')};
  import { parseDefinition } from ${builtModule('parseDefinition')};
  ${openInScript}
  const store = new SqlEndpointStore(database);
  for (let n = 0; ; n++) {
    const name = 'killed.' + (n % 3);
    const definition = () => parseDefinition({ id: randomUUID(), name, query: 'select 1' }, { label: name });
    const [a, b] = [definition(), definition()];
    const note = '${seed} ' + n;
    await store.apply([
      { kind: 'create', definition: a },
      { kind: 'create', definition: b },
      { kind: 'primary', id: b.id },
      { kind: 'change', definition: { ...a, maxRows: 7 }, expected: 1 },
    ], { nowMicros: n, author: 'k', note });
    console.log(JSON.stringify({ a: a.id, b: b.id, note }));
  }`;

interface Change {
  readonly a: string;
  readonly b: string;
}

/** Runs the script until it has printed `lines` lines, then kills it in the middle of the next change. */
async function changesUntilKilled(openInScript: string, seed: number, lines: number): Promise<readonly Change[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script(seed, openInScript)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const printed: Change[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(JSON.parse(line));
    if (printed.length === lines) child.kill('SIGKILL');
  }
  await closed;
  return printed;
}

/** A change is made as a whole or not at all, and what was acknowledged stays. */
export function killedChangesContract(name: string, make: () => Promise<LastingStore>): void {
  describe(`changes of a killed process in ${name}`, () => {
    let lasting: LastingStore;
    beforeAll(async () => {
      lasting = await make();
    });
    afterAll(() => lasting.remove());

    it('keeps exactly one primary per name and every acknowledged change whole, whenever the process is killed', async () => {
      for (const [seed, lines] of [1, 5, 12].entries()) {
        const acknowledged = await changesUntilKilled(lasting.openInScript, seed, lines);
        expect(acknowledged.length).toBeGreaterThanOrEqual(lines);
        const database = await lasting.open();
        const store = new SqlEndpointStore(database);
        const heads = await store.listHeads();
        for (const name of new Set(heads.map((head) => head.name))) {
          expect(heads.filter((head) => head.name === name && head.primary)).toHaveLength(1);
        }
        const notes = new Map<string, number[]>();
        for (const { id, version } of heads) {
          const versions = await store.listVersions(id);
          expect(versions.map((each) => each.version)).toEqual(Array.from({ length: version }, (_, i) => version - i));
          const note = versions[0]?.note ?? '';
          notes.set(note, [...(notes.get(note) ?? []), version]);
        }
        // Both endpoints of each change exist, one in its second version.
        for (const versions of notes.values()) expect(versions.toSorted()).toEqual([1, 2]);
        const ids = new Set(heads.map(({ id }) => id));
        for (const { a, b } of acknowledged) expect([ids.has(a), ids.has(b)]).toEqual([true, true]);
        await database.destroy();
      }
    });
  });
}
