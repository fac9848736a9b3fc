import { describe, expect, it } from 'vitest';
import { isDamage } from '../damage/fileDamage.ts';
import { EngineFailure } from '../host/engineFailure.ts';
import { isNewerFile } from './newerEventFile.ts';

const failed = (detail: string) => new EngineFailure({ kind: 'failed', sort: '', detail } as never);

describe('a file that the engine cannot open', () => {
  // As the engine words it in `MainHeader::Read` and `WriteAheadLogDeserializer`.
  it.each([
    'IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 67.',
    'IO Error: Failed to read WAL of version 9 - can only read version 1, 2 and 3',
  ])('is newer, and not damaged: %s', (detail) => {
    expect([isNewerFile(failed(detail)), isDamage(failed(detail))]).toEqual([true, false]);
  });

  it.each([
    'IO Error: The file "x" exists, but it is not a valid DuckDB database file!',
    'IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 0',
  ])('is damaged, and not newer: %s', (detail) => {
    expect([isNewerFile(failed(detail)), isDamage(failed(detail))]).toEqual([false, true]);
  });
});
