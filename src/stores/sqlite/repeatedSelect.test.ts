import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepeatedSelect } from '../sql/repeatedSelect.ts';
import type { StoreDatabase } from '../sql/schema.ts';
import { openDatabase } from './database.ts';

let folder: string;
let database: StoreDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-repeated-select-'));
  database = await openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true });
});

const count = (at: StoreDatabase, subject: 'tokens' | 'endpoints', generation: number) =>
  at.insertInto('generations').values({ subject, generation }).execute();

function generationOf(at: StoreDatabase) {
  return new RepeatedSelect(at, at.selectFrom('generations').select('generation').where('subject', '=', ''));
}

describe('a repeated select', () => {
  it('gives the row of each value', async () => {
    await count(database, 'tokens', 3);
    await count(database, 'endpoints', 5);
    const select = generationOf(database);
    expect(await select.first('tokens')).toEqual({ generation: 3 });
    expect(await select.first('endpoints')).toEqual({ generation: 5 });
    expect(await select.first('nothing')).toBeUndefined();
    await expect(select.first()).rejects.toThrow('a select of 1 values was given 0');
  });

  it('sees what another connection has committed since it ran, and a table that has changed', async () => {
    const select = generationOf(database);
    expect(await select.first('tokens')).toBeUndefined();
    const other = await openDatabase(folder);
    await count(other, 'tokens', 7);
    expect(await select.first('tokens')).toEqual({ generation: 7 });
    await sql`alter table generations add column note text`.execute(other);
    await sql`update generations set generation = 8`.execute(other);
    expect(await select.first('tokens')).toEqual({ generation: 8 });
    await other.destroy();
  });

  it('leaves the connection free for changes, also when it has failed', async () => {
    const select = generationOf(database);
    await count(database, 'tokens', 1);
    await select.first('tokens');
    await sql`alter table generations rename to moved`.execute(database);
    await expect(select.first('tokens')).rejects.toThrow('no such table');
    await sql`alter table moved rename to generations`.execute(database);
    await database.updateTable('generations').set({ generation: 2 }).execute();
    expect(await select.first('tokens')).toEqual({ generation: 2 });
  });
});
