import { describe, expect, it } from 'vitest';
import type { CallFailure } from '../process/protocol.ts';
import { EngineFailure } from './engineFailure.ts';

const failure = (kind: CallFailure['kind'], detail: string, line = 0): EngineFailure =>
  new EngineFailure({ kind, message: null, line, column: line, detail });

describe('the message of an EngineFailure, which is logged,', () => {
  it.each([
    ['Conversion Error: Could not convert string "secret" to INT64', 'Conversion Error on data'],
    ['Out of Range Error: Overflow in multiplication of INT64 (secret)', 'Out of Range Error on data'],
    ['secret', 'Error on data'],
  ])('tells no more than the sort of a failure on data: %s', (detail, message) => {
    expect(failure('data', detail).message).toBe(message);
  });

  it('tells where one of our own sentences arose', () => {
    expect(failure('data', "Invalid Input Error: logmill:3:3:The path 'secret' is not valid.", 3).message).toBe(
      'Invalid Input Error on data at line 3, column 3',
    );
  });

  it.each([
    ['Binder Error: Referenced column "secret" not found', 'Binder Error: Referenced column "…" not found'],
    ["Binder Error: No function 'it's a secret' of 'that'", "Binder Error: No function '…'"],
    ['Parser Error: syntax error\n\nLINE 1: select secret from t\n               ^', 'Parser Error: syntax error'],
    [
      'Out of Memory Error: could not allocate block of size 73195862 (512 MB)',
      'Out of Memory Error: could not allocate block of size # (512 MB)',
    ],
    ['Not implemented Error: two\n"lines \'of" secret\' and "more"', 'Not implemented Error: two\n"…"'],
  ])('leaves out what the engine quotes otherwise: %s', (detail, message) => {
    expect(failure('engine', detail).message).toBe(message);
  });

  it('keeps what the engine says of files', () => {
    const detail = 'IO Error: Could not write to "/var/lib/logmill/events/active-1.duckdb": No space left on device';
    expect(failure('engine', detail).message).toBe(detail);
  });

  it('has the words of the engine apart', () => {
    expect(failure('engine', 'FATAL Error: "x"').failure.detail).toBe('FATAL Error: "x"');
  });
});
