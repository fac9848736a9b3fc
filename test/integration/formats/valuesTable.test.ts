import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FormatName, formatNames } from '../../../src/formats/resultFormat.ts';
import { engineUnderTest } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { arrowColumn, jsonCells, parquetColumn, prometheusRows, textCells } from './readCells.ts';
import {
  arrowDescription,
  comparable,
  expected,
  fromParquet,
  jsonForm,
  nullForm,
  parquetDescription,
  prometheusForm,
  textForm,
} from './valueClaims.ts';
import { valueSamples } from './valueSamples.ts';

/** The tables of docs/guides/result-formats.md, whose claims hold for the bytes of real answers. */
const page = readFileSync(join(import.meta.dirname, '../../../docs/guides/result-formats.md'), 'utf8');

/** The rows of the table below a heading, without links. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const below = page.split(`${heading}\n`)[1] ?? '';
  const lines =
    below
      .slice(below.indexOf('\n| ') + 1)
      .split('\n\n', 1)[0]
      ?.split('\n') ?? [];
  const cells = (line: string) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').split(' | ');
  return lines.filter((line) => !line.startsWith('| ---')).map((line) => cells(line.slice(2, -2)));
}

const formatsIn = (cell: string): readonly FormatName[] => formatNames.filter((name) => cell.includes(`\`${name}\``));

const [header = [], ...claims] = tableBelow('## Values');
const [, ...columns] = header.map(formatsIn);
const types = claims.filter(([type]) => type !== 'NULL').map(([type = '']) => type.replace(/,.*/, ''));
const claimOf = (type: string, format: FormatName): string => {
  const row = claims.find(([first]) => first === type || first?.startsWith(`${type},`));
  const claim = row?.[1 + columns.findIndex((formats) => formats.includes(format))];
  if (claim === undefined) throw new Error(`the page has no claim on ${type} in ${format}`);
  return claim.startsWith('as ') ? claimOf(claim.slice('as '.length), format) : claim;
};

const [, ...listed] = tableBelow('--format markdown\n```');
const now = at('2026-05-01T23:00:00Z');

describe('the page on formats', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ nowMicros: now });
    for (const [i, type] of types.entries()) {
      await service.define({ id: idOf(i), name: `values.${type.toLowerCase()}`, query: queryOf(type) });
    }
  });
  afterAll(async () => await service.close());

  const answer = async (type: string, format: FormatName, headers: Readonly<Record<string, string>> = {}) => {
    const path = `${service.url}/api/endpoints/query/${idOf(types.indexOf(type))}?format=${format}`;
    const response = await fetch(path, { headers: { 'x-api-key': service.adminToken, ...headers } });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${type} in ${format}: ${response.status} ${body.toString()}`);
    return { body, mediaType: response.headers.get('content-type') ?? '' };
  };

  it('has a row for each type of which there are samples, and a column for each format', () => {
    expect(types.toSorted()).toEqual(Object.keys(valueSamples).toSorted());
    expect(columns.flat().toSorted()).toEqual([...formatNames].toSorted());
    expect(listed.map(([name = '']) => formatsIn(name))).toEqual(formatNames.map((name) => [name]));
  });

  it.each(listed)('names the media type of %s: %s', async (name, mediaType) => {
    const format = formatsIn(name ?? '')[0] ?? 'json';
    expect((await answer('INT64', format)).mediaType).toMatch(String(mediaType).replaceAll('`', ''));
  });

  describe.each(types)('says of %s', (type) => {
    const samples = valueSamples[type]?.values ?? [];
    const written = samples.map(([, json]) => json);

    it.each(['json', 'ndjson'] as const)('what it is in %s', async (format) => {
      const cells = jsonCells(format, (await answer(type, format)).body.toString());
      expect(cells).toEqual([...written, claimOf('NULL', format).replaceAll('`', '')]);
      const records = { 'svc-endpoint-values': 'records' };
      const inRecords = jsonCells(format, (await answer(type, format, records)).body.toString());
      expect(jsonForm(claimOf(type, format), { cells: written, inRecords: inRecords.slice(0, -1) })).toBe('as claimed');
    });

    it.each(['csv', 'tsv', 'markdown'] as const)('what it is in %s', async (format) => {
      const cells = textCells(format, (await answer(type, format)).body.toString());
      const nothing = cells.at(-1) ?? { text: null, raw: 'no cell', isQuoted: false };
      expect(nullForm(claimOf('NULL', format), format, nothing)).toBe('as claimed');
      expect(textForm(claimOf(type, format), { cells: cells.slice(0, -1), json: written })).toBe('as claimed');
    });

    it('its type and value in arrow', async () => {
      const { column, values } = arrowColumn((await answer(type, 'arrow')).body);
      expect(arrowDescription(column)).toBe(claimOf(type, 'arrow'));
      expect(claimOf('NULL', 'arrow')).toBe(String(values.at(-1)));
      expect(values.slice(0, -1).map(comparable)).toEqual(written.map((json) => expected(type, json)));
    });

    it.runIf(engineUnderTest.states.parquet)('its type and value in parquet', async () => {
      const { column, values } = await parquetColumn((await answer(type, 'parquet')).body);
      expect(parquetDescription(column, values)).toBe(claimOf(type, 'parquet'));
      expect(claimOf('NULL', 'parquet')).toBe(String(values.at(-1)));
      expect(values.slice(0, -1).map((value) => fromParquet(type, value))).toEqual(written);
    });

    it('what it is in prometheus', async () => {
      const { bucket, ofRow } = prometheusRows((await answer(type, 'prometheus')).body.toString());
      const rows = samples.map((_, i) => ofRow(`row${i}`));
      expect(prometheusForm(claimOf(type, 'prometheus'), { rows, bucket, json: written })).toBe('as claimed');
      expect(claimOf('NULL', 'prometheus')).toBe('no sample, no label');
      const { gauges, labels } = ofRow('nothing');
      expect([gauges, labels]).toEqual([
        { v: null, w: null },
        { v: null, w: null },
      ]);
    });
  });
});

const idOf = (i: number): string => `5d0c8a3e-2b1f-4a57-8c55-0f4a6f2e90${String(i).padStart(2, '0')}`;

function queryOf(type: string): string {
  const { sqlType = '', values = [] } = valueSamples[type] ?? {};
  const rows = values.map(([sql], i) => `select 'row${i}' as k, ${i} as i, ${sql} as v, ${sql} as w`);
  const nothing = `cast(null as ${sqlType})`;
  return `${[...rows, `select 'nothing', 99, ${nothing}, ${nothing}`].join(' union all ')} order by i`;
}
