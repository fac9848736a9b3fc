import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pause } from '../core/concurrency/turns.ts';
import { INT64, JSON_TYPE, STRING } from '../googlesql/types.ts';
import { encodeResult, formatColumns } from './encodeResult.ts';
import type { ChosenFormat, FormatName } from './resultFormat.ts';
import { rowEncoder } from './rowEncoder.ts';

const types = [STRING, INT64, JSON_TYPE] as const;
const row = fc.record({
  text: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })),
  number: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  // As another program may have stored it: with line ends between its tokens.
  json: fc.constantFrom('{"a": [1,\n2]}', '"x"', 'null', '{"b":"\\n"}', '[\r\n]'),
});
const names = fc.constantFrom('v', '@logmill', 'a "b"');
const frames = fc.array(fc.array(row, { minLength: 1, maxLength: 5 }), { maxLength: 5 });

const streamed = (name: FormatName): ChosenFormat => ({ name, isGuarded: false, hasMark: false });

function endsOf(rows: readonly string[]): Uint8Array {
  let end = -1;
  const ends = rows.map((text) => {
    end += Buffer.byteLength(text) + 1;
    return end;
  });
  return new Uint8Array(Uint32Array.from(ends).buffer);
}

describe('rows that are encoded frame by frame', () => {
  it.each(['ndjson', 'csv', 'tsv'] as const)('are the %s of all rows together', async (format) => {
    await fc.assert(
      fc.asyncProperty(frames, names, fc.boolean(), async (all, name, hasEnds) => {
        const columns = types.map((type, i) => ({ name: i === 0 ? name : `c${i}`, type }));
        const texts = all.map((rows) =>
          rows.map(
            ({ text, number, json }) =>
              `{${JSON.stringify(name)}:${JSON.stringify(text)},"c1":${number ?? 'null'},"c2":${json}}`,
          ),
        );
        const pause = new Pause();
        const encoder = await rowEncoder(columns, streamed(format), '{}');
        const parts: Uint8Array[] = [];
        for (const rows of texts) {
          const frame = {
            kind: 'json' as const,
            rows: Buffer.from(rows.join(',')),
            ends: hasEnds ? endsOf(rows) : null,
          };
          parts.push(...(await encoder.rows(frame, pause)));
        }
        const rowCount = texts.flat().length;
        parts.push(...(await encoder.end(`"status":"complete","rows":${rowCount},"meta":{}`, pause)));
        const whole = await encodeResult(
          {
            endpointName: 'e',
            columns: formatColumns({ name: format }, columns),
            rows: Buffer.from(texts.flat().join(',')),
            rowCount,
            asOfMicros: 0,
            meta: '{}',
            remarks: [],
          },
          streamed(format),
          pause,
        );
        expect(Buffer.concat(parts).toString()).toBe(whole.toString());
      }),
    );
  });

  it('are one Arrow stream, whose first rows come at once', async () => {
    const columns = [{ name: 'n', type: INT64 }];
    const pause = new Pause();
    const encoder = await rowEncoder(columns, streamed('arrow'), '{"request_id":"r"}');
    const parts: Uint8Array[] = [];
    const first = await encoder.rows({ kind: 'json', rows: Buffer.from('{"n":0}'), ends: null }, pause);
    expect(first.length).toBeGreaterThan(0);
    parts.push(...first);
    const rowsOf = (from: number) =>
      Buffer.from(Array.from({ length: 5_000 }, (_, i) => `{"n":${from + i}}`).join(','));
    for (let from = 1; from < 50_000; from += 5_000)
      parts.push(...(await encoder.rows({ kind: 'json', rows: rowsOf(from), ends: null }, pause)));
    // Without its end, which only a complete result has.
    const isCut = Buffer.concat(parts);
    parts.push(...(await encoder.end('', pause)));
    const table = tableFromIPC(Buffer.concat(parts));
    expect(table.numRows).toBe(50_001);
    expect(table.schema.metadata.get('logmill')).toBe('{"request_id":"r"}');
    expect(Array.from(table.getChild('n') ?? [], Number)).toEqual(Array.from({ length: 50_001 }, (_, i) => i));
    expect(isCut.subarray(-8).equals(Buffer.concat(parts).subarray(-8))).toBe(false);
  });

  it('of a result without rows have what the format begins and ends with', async () => {
    const columns = [{ name: 'n', type: INT64 }];
    const endOf = async (format: FormatName) => {
      const encoder = await rowEncoder(columns, streamed(format), '{}');
      return Buffer.concat(await encoder.end('"status":"complete"', new Pause()));
    };
    expect((await endOf('csv')).toString()).toBe('"n"\r\n');
    expect((await endOf('tsv')).toString()).toBe('n\n');
    expect((await endOf('ndjson')).toString()).toBe('{"@logmill":{"status":"complete"}}\n');
    expect(tableFromIPC(await endOf('arrow')).numRows).toBe(0);
  });
});
