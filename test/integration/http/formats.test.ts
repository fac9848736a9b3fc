import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatNames, resultFormat } from '../../../src/formats/resultFormat.ts';
import { type ExampleService, startExampleService } from './exampleService.ts';

// How a call chooses its format, and what comes with it. What the formats write is in src/formats.

let service: ExampleService;
beforeAll(async () => {
  service = await startExampleService({ requestsPerMinute: 100_000 });
});
afterAll(() => service.server.close());

const path = '/api/endpoints/query/example.rows';
const form = 'application/x-www-form-urlencoded';

async function get(query: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await service.call(`${path}?${query}`, { method, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, type: response.headers.get('content-type'), text };
}

const typeOf = (name: (typeof formatNames)[number]) => resultFormat(name).mediaType;

describe('the format of an answer', () => {
  it.each([
    ['', '', 'json'],
    ['', '*/*', 'json'],
    ['', 'text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['', 'application/json, text/plain, */*', 'json'],
    ['', 'text/plain, */*;q=0.1', 'json'],
    ['', 'text/*, */*;q=0.1', 'json'],
    ['', 'text/csv', 'csv'],
    ['', 'text/csv;q=0.5, application/json;q=0.4', 'csv'],
    ['', 'text/csv;q=0.4, application/json;q=0.5', 'json'],
    ['', 'TEXT/CSV', 'csv'],
    ['', 'text/csv;charset=utf-8, */*;q=0.1', 'csv'],
    ['', 'text/*', 'csv'],
    ['', 'application/x-ndjson', 'ndjson'],
    ['', 'text/tab-separated-values', 'tsv'],
    ['', 'text/markdown', 'markdown'],
    ['&format=csv', 'application/json', 'csv'],
    ['&format=Csv', 'image/png', 'csv'],
    ['&format=json', 'text/csv', 'json'],
    ['&format=', 'text/csv', 'csv'],
    ['&format=tsv', '', 'tsv'],
  ] as const)('of %j with Accept %j is %s', async (query, accept, name) => {
    const { status, type } = await get(`project=p${query}`, accept === '' ? {} : { accept });
    expect([status, type]).toEqual([200, typeOf(name)]);
  });

  it.each(['image/png', 'text/plain', 'text/csv;header=absent', '*/*;q=0'])(
    'is refused with Accept %j: 406 with all formats',
    async (accept) => {
      const { status, text } = await get('project=p', { accept });
      expect([status, JSON.parse(text).code]).toEqual([406, 'request.not_acceptable']);
      expect(JSON.parse(text).errors[0].allowed).toHaveLength(formatNames.length);
    },
  );

  it('is chosen by POST too, in a JSON or form body', async () => {
    for (const [type, body] of [
      ['application/json', '{"project":"p","format":"csv","csv_guard":true,"bom":true}'],
      [form, 'project=p&format=csv&csv_guard=true&bom=1'],
    ] as const) {
      const response = await service.call(path, { method: 'POST', headers: { 'content-type': type }, body });
      expect(response.headers.get('content-type')).toBe(typeOf('csv'));
      expect(Buffer.from(await response.arrayBuffer()).toString()).toBe('\ufeff"project"\r\n"p"\r\n');
    }
  });

  it('does not change errors and dry runs', async () => {
    const failed = await get('project=divide&format=csv');
    expect([failed.status, failed.type]).toEqual([400, 'application/problem+json']);
    const response = await service.call(`${path}?project=p&format=csv&dry_run=true`, { token: 'explain-token' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, typeOf('json')]);
    await response.text();
  });

  it('is refused before the query runs if the engine does not write it: 501', async () => {
    const runs = service.engine.runs.length;
    const { status, text } = await get('project=p', { accept: 'application/vnd.apache.parquet' });
    expect([status, JSON.parse(text).code]).toEqual([501, 'format.unsupported']);
    expect(service.engine.runs.length).toBe(runs);
  });

  it('has options only where it has them: elsewhere they are ignored, which the answer says', async () => {
    for (const format of ['json', 'ndjson', 'markdown', 'arrow']) {
      const { headers, text } = await get(`project=p&csv_guard=true&bom=true&format=${format}`);
      const notices = format === 'json' ? JSON.parse(text).meta.notices : JSON.parse(headers.get('x-notices') ?? '[]');
      expect(notices, format).toMatchObject([
        { code: 'format.option_ignored', parameter: 'csv_guard', message: expect.stringContaining('csv and tsv only') },
        { code: 'format.option_ignored', parameter: 'bom' },
      ]);
    }
    for (const query of ['csv_guard=false', 'csv_guard=true&format=csv', 'bom=1&format=tsv']) {
      const { headers, text } = await get(`project=p&${query}`);
      expect(text, query).not.toContain('ignored');
      expect(headers.get('x-notices'), query).toBeNull();
    }
  });

  it('says how many cells are guarded', async () => {
    const { headers, text } = await get(`project=${encodeURIComponent('=1')}&csv_guard=true&format=csv`);
    expect(text).toBe(`"project"\r\n"'=1"\r\n`);
    expect(JSON.parse(headers.get('x-notices') ?? '')).toMatchObject([
      { code: 'format.cells_guarded', message: expect.stringMatching(/^1 cell has ' before the text/) },
    ]);
  });
});

describe('an answer in another format', () => {
  it('has the metadata in headers, and a name for a file', async () => {
    const { headers, text } = await get('project=rows-9&format=csv&ref=x');
    expect(text).toBe(`"project"\r\n${'"rows-9"\r\n'.repeat(5)}`);
    expect(headers.get('x-row-count')).toBe('5');
    expect(headers.get('x-truncated')).toBe('max_rows');
    expect(JSON.parse(headers.get('x-notices') ?? '')).toMatchObject([{ code: 'parameter.unknown', parameter: 'ref' }]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="example\.rows-\d{8}T\d{4}Z\.csv"$/);
    expect((await get('project=p&format=csv')).headers.get('x-truncated')).toBe('false');
  });

  it('ends NDJSON with the same metadata as JSON', async () => {
    const varying = { request_id: null, query: null, cache: null };
    const json = JSON.parse((await get('project=rows-9')).text);
    const lines = (await get('project=rows-9&format=ndjson')).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, -1)).toEqual(json.result);
    const { status, rows, meta } = lines.at(-1)['@logmill'];
    expect([status, rows]).toEqual(['complete', 5]);
    expect({ ...meta, ...varying }).toEqual({ ...json.meta, ...varying });
  });

  it('is a representation of its own: entity tags, HEAD and coding', async () => {
    const queries = [
      '',
      '&format=csv',
      '&format=csv&bom=true',
      '&format=csv&csv_guard=true',
      '&format=tsv',
      '&format=markdown',
      '&format=ndjson',
    ];
    const tags = new Set<string | null>();
    for (const query of queries) {
      const { headers, text } = await get(`project=p${query}`);
      const tag = headers.get('etag') ?? '';
      tags.add(tag);
      const again = await get(`project=p${query}`, { 'if-none-match': tag });
      expect([again.status, again.text, again.type]).toEqual([304, '', null]);
      const head = await get(`project=p${query}`, { 'accept-encoding': 'identity' }, 'HEAD');
      expect([head.headers.get('etag'), head.headers.get('x-row-count')]).toEqual([tag, headers.get('x-row-count')]);
      // A last record has the request ID and times.
      if (!/^(|.*ndjson)$/.test(query))
        expect(head.headers.get('content-length')).toBe(
          String(Buffer.byteLength(text) + (query.includes('bom') ? 3 : 0)),
        );
    }
    expect(tags.size).toBe(queries.length);
    const coded = await get(`project=p&format=csv`, { 'accept-encoding': 'gzip, identity;q=0' });
    expect([coded.headers.get('content-encoding'), coded.text]).toEqual(['gzip', '"project"\r\n"p"\r\n']);
  });

  it('comes from the same cached result as JSON, again and again', async () => {
    const cached = '/api/endpoints/query/example.cached?project=cached-formats';
    const runs = service.engine.runs.length;
    const ask = async (format: string) => {
      const response = await service.call(`${cached}&format=${format}`);
      return [
        response.headers.get('cache-status')?.slice(0, 12),
        response.headers.get('content-type'),
        await response.text(),
      ];
    };
    await ask('json');
    const csv = ['Logmill; hit', typeOf('csv'), '"project"\r\n"cached-formats"\r\n'];
    for (let call = 0; call < 3; call++) {
      expect(await ask('csv')).toEqual(csv);
      expect((await ask('tsv'))[2]).toBe('project\ncached-formats\n');
      expect((await ask('json'))[1]).toBe(typeOf('json'));
    }
    expect(service.engine.runs.length).toBe(runs + 1);
  });

  it('has plain values except in JSON and NDJSON, so that a table has one form of times', async () => {
    const profileFor = async (format: string) => {
      await get(`project=p&format=${format}`, { 'svc-endpoint-values': 'records' });
      return service.engine.runs.at(-1)?.request.profile;
    };
    const profiles: unknown[] = [];
    for (const format of ['ndjson', 'csv', 'json']) profiles.push(await profileFor(format));
    expect(profiles).toEqual(['records', 'plain', 'records']);
    expect((await get('project=p&format=csv', { 'svc-endpoint-values': 'pretty' })).status).toBe(400);
  });
});

it('is refused while it is made if too many answers are held, in each format', async () => {
  const small = await startExampleService({ answerBytesHeldMax: 100, requestsPerMinute: 100_000 });
  try {
    for (const format of ['json', 'csv', 'ndjson', 'arrow']) {
      const response = await small.call(`${path}?project=${'p'.repeat(200)}&format=${format}`);
      expect([format, response.status, JSON.parse(await response.text()).code]).toEqual([
        format,
        503,
        'query.overloaded',
      ]);
    }
  } finally {
    await small.server.close();
  }
});
