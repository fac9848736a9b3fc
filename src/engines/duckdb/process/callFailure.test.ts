import { expect, it } from 'vitest';
import { CancelledCall, callFailure, RefusedFrame } from './callFailure.ts';

it.each([
  [
    new Error('Invalid Input Error: logmill:3:14:no: really\n\nLINE 1: x'),
    { kind: 'data', message: 'no: really', line: 3, column: 14 },
  ],
  [
    new Error("Conversion Error: Could not convert string 'logmill:1:1:secret' to INT32"),
    { kind: 'data', message: null },
  ],
  [
    new Error("Conversion Error: Could not convert 'a\nInvalid Input Error: logmill:1:1:secret'"),
    { kind: 'data', message: null },
  ],
  [
    new Error('Out of Range Error: Overflow in multiplication of INTERVAL (secret * 2)!'),
    { kind: 'data', message: 'The result of an arithmetic operation is out of range.', line: 0 },
  ],
  [
    new Error('Invalid Input Error: missing ): ('),
    { kind: 'data', message: 'A regular expression is not valid (RE2 syntax).' },
  ],
  [
    new Error('Invalid Input Error: Cannot change configuration option - the configuration has been locked'),
    { kind: 'engine' },
  ],
  [new Error('Out of Memory Error: failed to allocate'), { kind: 'memory', message: null }],
  [
    new Error('Failed to append: could not allocate block of size 2.0 KiB (103.2 MiB/96.0 MiB used)'),
    { kind: 'memory', message: null },
  ],
  [
    new Error(
      'TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (39.9 MiB/40.0 MiB used)',
    ),
    { kind: 'memory', message: null },
  ],
  [
    new Error(
      `IO Error: Detached database 'copy_1', but CHECKPOINT during DETACH failed. \nCheckpoint failed for database "copy_1". The database has been invalidated. Original error: could not allocate block of size 256.0 KiB (524.5 MiB/512.0 MiB used)`,
    ),
    { kind: 'memory', message: null },
  ],
  [
    new Error(
      `IO Error: Detached database 'copy_1', but CHECKPOINT during DETACH failed. \nCheckpoint failed for database "copy_1". The database has been invalidated. Original error: Could not write file`,
    ),
    { kind: 'engine' },
  ],
  [
    new Error(
      'TransactionContext Error: Failed to commit: Could not write file "/e/a.duckdb": No space left on device',
    ),
    { kind: 'disk', message: null },
  ],
  [new Error('IO Error: Cannot open file "/e/copy-1.duckdb": Read-only file system'), { kind: 'disk', message: null }],
  [new Error('IO Error: Could not write file "/e/duckdb_temp_storage": Disk quota exceeded'), { kind: 'disk' }],
  [new Error('ENOSPC: no space left on device, fsync'), { kind: 'disk', message: null }],
  [new Error("Conversion Error: 'IO Error: Could not write file: No space left on device'"), { kind: 'data' }],
  [
    new Error(
      "Out of Memory Error: failed to offload block\nThis limit was set by the 'max_temp_directory_size' setting",
    ),
    { kind: 'memory' },
  ],
  [
    new Error(
      'Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: IO Error: Could not write file "/e/duckdb_temp": No space left on device',
    ),
    { kind: 'disk', message: null },
  ],
  [
    new Error(
      'Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: Out of Memory Error: failed',
    ),
    { kind: 'memory', message: null },
  ],
  [
    new Error('Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result'),
    { kind: 'engine', message: null },
  ],
  [
    new Error('Invalid Input Error: logmill-fault:memory:Array buffer allocation failed'),
    { kind: 'memory', message: null },
  ],
  [new Error('Invalid Input Error: logmill-fault:engine:a tag is not running'), { kind: 'engine', message: null }],
  [new Error("Conversion Error: 'Invalid Input Error: logmill-fault:engine:x'"), { kind: 'data', message: null }],
  [new Error('INTERRUPT Error: Interrupted!'), { kind: 'interrupted' }],
  [new CancelledCall(), { kind: 'interrupted' }],
  [new RefusedFrame('Invalid Input Error: logmill:1:1:x'), { kind: 'engine', message: null }],
  [new Error('Binder Error: no such column'), { kind: 'engine', message: null }],
  ['thrown text', { kind: 'engine', detail: 'thrown text' }],
])('sorts %s', (error, expected) => {
  expect(callFailure(error)).toMatchObject(expected);
});

it('takes the bound of what is spilled for the device where that is what holds it', () => {
  const error = new Error(
    "Out of Memory Error: failed to offload data block of size 256.0 KiB (9.9 MiB/10.0 MiB used).\nThis limit was set by the 'max_temp_directory_size' setting.",
  );
  expect(callFailure(error, true)).toMatchObject({ kind: 'disk' });
  expect(callFailure(new Error('Out of Memory Error: failed to pin block'), true)).toMatchObject({ kind: 'memory' });
});
