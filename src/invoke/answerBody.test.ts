import { describe, expect, it } from 'vitest';
import { INT64, TIMESTAMP } from '../googlesql/types.ts';
import { type ShapeInput, shapeAnswer } from './answerBody.ts';
import { formatMicros } from './formatMicros.ts';

const input: ShapeInput = {
  endpoint: { id: 'd9a2e433-3286-44d9-a3b2-96b88c809d76', name: 'logs.all', version: 3 },
  query: {
    columns: [
      { name: 'timestamp', column: { id: 1, name: 'timestamp', type: TIMESTAMP }, recordForm: 'object' },
      { name: 'n', column: { id: 2, name: 'n', type: INT64 }, recordForm: 'object' },
    ],
  },
  result: {
    rows: Buffer.from('{"timestamp":"2026-05-01T10:00:30.000123Z","n":9223372036854775807}'),
    rowCount: 1,
    hasMore: false,
    cutByBytes: false,
    rowsScanned: 1200,
    elapsedMs: 7.4,
  },
  truncatedBy: null,
  notices: [{ code: 'parameter.unknown', message: 'ref is not declared', parameter: 'ref' }],
  cache: { outcome: 'bypass', asOfMicros: Date.UTC(2026, 4, 1, 10) * 1000 + 5 },
  redaction: { applied: true, counts: { ip: 4 } },
  requestId: 'r-1',
};

describe('shapeAnswer', () => {
  it('writes exactly the documented envelope, result first', () => {
    expect(shapeAnswer(input).toString()).toBe(
      '{"result":[{"timestamp":"2026-05-01T10:00:30.000123Z","n":9223372036854775807}],"meta":' +
        '{"endpoint":{"id":"d9a2e433-3286-44d9-a3b2-96b88c809d76","name":"logs.all","version":3},' +
        '"columns":[{"name":"timestamp","type":"TIMESTAMP"},{"name":"n","type":"INT64"}],' +
        '"row_count":1,"truncated":false,' +
        '"notices":[{"code":"parameter.unknown","message":"ref is not declared","parameter":"ref"}],' +
        '"cache":{"outcome":"bypass","as_of":"2026-05-01T10:00:00.000005Z"},' +
        '"redaction":{"applied":true,"counts":{"ip":4}},' +
        '"query":{"elapsed_ms":7.4,"rows_scanned":1200},"request_id":"r-1"}}',
    );
  });

  it('says what cut the result, and leaves out what is not known', () => {
    const cut = JSON.parse(
      shapeAnswer({ ...input, truncatedBy: 'max_rows', result: { ...input.result, rowsScanned: null } }).toString(),
    );
    expect(cut.meta).toMatchObject({ truncated: true, truncated_by: 'max_rows' });
    expect(cut.meta.query).toEqual({ elapsed_ms: 7.4 });
  });

  it('is valid JSON without rows', () => {
    const none = { ...input, result: { ...input.result, rows: new Uint8Array(), rowCount: 0 } };
    expect(JSON.parse(shapeAnswer(none).toString()).result).toEqual([]);
  });
});

describe('formatMicros', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [1_777_629_630_000_123, '2026-05-01T10:00:30.000123Z'],
  ])('%s is %s', (micros, text) => {
    expect(formatMicros(micros)).toBe(text);
  });
});
