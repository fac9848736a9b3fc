import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { loadDefinitionFiles } from './loadDefinitionFiles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-definitions-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

function refusal(): ServiceError {
  try {
    loadDefinitionFiles(folder);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('was loaded');
}

describe('loadDefinitionFiles', () => {
  it('reads the query from the file itself, from the named file, or from the file with the same name', () => {
    write('1.yaml', `id: ${uuid(1)}\nname: a\nquery: select 1\n`);
    write('2.yml', `id: ${uuid(2)}\nname: b\nquery_file: other.sql\nprimary: true\n`);
    write('other.sql', 'select 2\n');
    write('three.free.name.yaml', `id: ${uuid(3)}\nname: c\n`);
    write('three.free.name.sql', 'select 3');
    write('README.md', 'not a definition');
    write('1.test.yaml', 'not a definition either');
    expect(
      loadDefinitionFiles(folder).map(({ file, primary, definition }) => [
        file,
        primary,
        definition.name,
        definition.query,
      ]),
    ).toEqual([
      ['1.yaml', null, 'a', 'select 1'],
      ['2.yml', true, 'b', 'select 2\n'],
      ['three.free.name.yaml', null, 'c', 'select 3'],
    ]);
  });

  it('locates a place in the query, whatever form the query has', () => {
    write('a.yaml', `id: ${uuid(1)}\nname: a\n`);
    write('a.sql', '\ufeffselect 1\nfrom nosuch\n');
    write('b.yaml', `id: ${uuid(2)}\nname: b\nquery: |\n\n  select 1\n    from nosuch\nmax_rows: 5\n`);
    write('c.yaml', `id: ${uuid(3)}\nname: c\nquery: "select nosuch"\n`);
    write('d.yaml', `id: ${uuid(4)}\nname: d\nquery: >\n  select\n  nosuch\n`);
    const [a, b, c, d] = loadDefinitionFiles(folder);
    expect(a?.placeOf({ line: 2, column: 6 })).toEqual({ file: 'a.sql', line: 2, column: 6 });
    expect(b?.placeOf({ line: 3, column: 8 })).toEqual({ file: 'b.yaml', line: 6, column: 10 });
    expect(c?.placeOf({ line: 1, column: 8 })).toEqual({ file: 'c.yaml', line: 3, column: 16 });
    expect(d?.placeOf({ line: 1, column: 8 })).toMatchObject({ file: 'd.yaml', line: 3 });
  });

  it.each([
    ['an alias that contains itself', 'description: &a [*a]', 'alias "a" within its own anchor', 3, 18],
    ['one in a map', 'parameters: &a {p: {allowed: *a}}', 'alias "a" within its own anchor', 3, 30],
    ['an alias of nothing', 'description: *a', 'Unresolved alias "a"; no anchor before it', 3, 14],
    ['levels without end', `description: ${'['.repeat(100_000)}`, 'more than 64 levels deep', 3, 77],
    ['lists in one line', `description:\n  ${'- '.repeat(100_000)}`, 'more than 64 levels deep', 4, undefined],
    ['indents', deep(100), 'more than 64 levels deep', 67, undefined],
    ['a key twice', 'description: a\ndescription: b', 'Map keys must be unique', 4, 1],
    ['a key that is not text', '7: b', 'key that is not text', 3, 1],
    ['a key that is a list', '? [a]\n: b', 'key that is not text', 3, 3],
    ['a key that stands for a map', 'parameters: &a {}\n*a : b', 'key that is not text', 4, 1],
    ['half of a surrogate pair', 'description: "\\uD800 x"', 'half of a surrogate pair', 3, 14],
    ['no key', ': b', 'key that is not text', 3, undefined],
    [
      'aliases that grow',
      `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join('')}`,
      'alias',
      undefined,
      undefined,
    ],
  ])('refuses %s with its place', (_, text, message, line, column) => {
    write('1.yaml', `id: ${uuid(1)}\nname: a\n${text}\n`);
    write('1.sql', 'select 1');
    const { message: told, errors } = refusal();
    expect(told).toContain('1.yaml');
    expect(told).toContain(message);
    expect(errors[0]).toMatchObject({
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    });
  });

  it('accepts harmless aliases', () => {
    write('1.yaml', `id: ${uuid(1)}\nname: a\nquery: select @p, @q\nparameters:\n  p: &p {type: string}\n  q: *p\n`);
    expect(loadDefinitionFiles(folder)[0]?.definition.parameters).toHaveLength(2);
  });

  it('reads only files of the folder, and only UTF-8', () => {
    write('1.yaml', `id: ${uuid(1)}\nname: a\n`);
    const outside = join(mkdtempSync(join(tmpdir(), 'logmill-outside-')), 'secret.sql');
    writeFileSync(outside, 'select 1');
    symlinkSync(outside, join(folder, '1.sql'));
    expect(refusal().message).toContain('1.sql is a symbolic link that leads out of its folder');
    rmSync(join(folder, '1.sql'));
    execFileSync('mkfifo', [join(folder, '1.sql')]);
    expect(refusal().message).toContain('1.sql is a pipe, not a file');
    rmSync(join(folder, '1.sql'));
    writeFileSync(join(folder, '1.sql'), Buffer.from("select '\xe9'\n", 'latin1'));
    expect(refusal().message).toContain('1.sql is not UTF-8: the byte 0xE9 at byte 8 (line 1)');
    writeFileSync(join(folder, '1.sql'), Buffer.from('\ufeffselect 1', 'utf16le'));
    expect(refusal().message).toContain('1.sql is UTF-16');
    writeFileSync(join(folder, '1.sql'), ' '.repeat(2 ** 20 + 1));
    expect(refusal().message).toContain('1.sql has more than 1048576 bytes, the most that are read');
    write('1.sql', 'select 1');
    mkdirSync(join(folder, '2.yaml'));
    expect(refusal().message).toContain('2.yaml is not valid. It is a folder');
  });

  it('reads values as YAML 1.2 does: no dates, no yes and no', () => {
    write(
      '1.yaml',
      `id: ${uuid(1)}\nname: no\nquery: select 1\nparameters:\n  p: {type: enum, allowed: [1day, no, 2026-05-01]}\n`,
    );
    expect(loadDefinitionFiles(folder)[0]?.definition).toMatchObject({
      name: 'no',
      parameters: [{ allowed: ['1day', 'no', '2026-05-01'] }],
    });
  });

  it.each<[string, string, { line: number; column: number; nearest?: string; token?: string }]>([
    [
      'an unknown key',
      `id: ${uuid(1)}\nname: a\nquery: q\nmax_row: 5\n`,
      { line: 4, column: 1, nearest: 'max_rows', token: 'max_row' },
    ],
    [
      'an unknown key for files',
      `id: ${uuid(1)}\nname: a\nquery_fil: q.sql\n`,
      { line: 3, column: 1, nearest: 'query_file' },
    ],
    [
      'an unknown key of a parameter',
      `id: ${uuid(1)}\nname: a\nquery: q\nparameters:\n  p:\n    type: string\n    requird: true\n`,
      { line: 7, column: 5, nearest: 'required' },
    ],
    [
      'a value out of bounds',
      `id: ${uuid(1)}\nname: a\nquery: q\nmax_rows: 0\n`,
      { line: 4, column: 1, token: 'max_rows' },
    ],
    [
      'a contradiction',
      `id: ${uuid(1)}\nname: a\nquery: q\ncache_seconds: 10\nwarm_seconds: 10\n`,
      { line: 5, column: 1, token: 'warm_seconds' },
    ],
    [
      'a default that is not allowed',
      `id: ${uuid(1)}\nname: a\nquery: q\nparameters:\n  p: { type: enum, allowed: [a], default: b }\n`,
      { line: 5, column: 34 },
    ],
    ['a key given twice', `id: ${uuid(1)}\nname: a\nname: b\nquery: q\n`, { line: 3, column: 1 }],
    ['broken YAML', `id: ${uuid(1)}\nname: [a\nquery: q\n`, { line: 3, column: 1 }],
    ['two queries', `id: ${uuid(1)}\nname: a\nquery: q\nquery_file: q.sql\n`, { line: 4, column: 1 }],
    ['a query in another folder', `id: ${uuid(1)}\nname: a\nquery_file: ../q.sql\n`, { line: 3, column: 1 }],
    ['a query file that is not there', `id: ${uuid(1)}\nname: a\nquery_file: q.sql\n`, { line: 3, column: 1 }],
    ['a primary that is no boolean', `id: ${uuid(1)}\nname: a\nquery: q\nprimary: 1\n`, { line: 4, column: 1 }],
  ])('refuses %s and names the place', (_title, text, expected) => {
    write('x.yaml', text);
    const error = refusal();
    expect(error.code).toBe('definition.invalid');
    expect(error.message).toContain('x.yaml');
    expect(error.message).toContain(`line ${expected.line}, column ${expected.column}`);
    expect(error.errors[0]).toMatchObject(expected);
  });

  it('names the missing query file', () => {
    write('x.yaml', `id: ${uuid(1)}\nname: a\n`);
    expect(refusal().message).toContain('x.sql');
  });

  it.each(['', '- a\n', 'text', '# only a comment\n'])('refuses %j, which is not a map', (text) => {
    write('x.yaml', text);
    expect(refusal().message).toContain('map of fields');
  });

  it('refuses the same id in two files, and two primaries of the same name', () => {
    write('a.yaml', `id: ${uuid(1)}\nname: a\nquery: q\nprimary: true\n`);
    write('b.yaml', `id: ${uuid(1).toUpperCase()}\nname: b\nquery: q\n`);
    expect(refusal().message).toContain('also the ID of a.yaml');
    write('b.yaml', `id: ${uuid(2)}\nname: a\nquery: q\nprimary: true\n`);
    expect(refusal().message).toContain('true in a.yaml');
  });
});

/** Contract, section 2. */
describe('the shipped definitions', () => {
  const shipped = loadDefinitionFiles(join(import.meta.dirname, '../../definitions'));
  const byId = new Map(shipped.map((one) => [one.definition.id, one]));
  const parameters = (id: string) =>
    byId
      .get(id)
      ?.definition.parameters.map((p) => [
        p.name,
        p.type,
        p.required,
        p.default,
        p.onUnknown,
        p.allowed?.join(' ') ?? null,
      ]);

  const logsAll = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
  const retention = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
  const stats = '77eeb93b-4d5e-467a-96f7-53c59097216c';
  const counts = '237f3997-c471-488d-af16-2dc9a4cda4a0';

  it('are four, with their ids, names and primaries', () => {
    expect(shipped.map(({ definition, primary }) => [definition.id, definition.name, primary])).toEqual([
      [stats, 'functions.invocation-stats', true],
      [retention, 'logs.all', false],
      [logsAll, 'logs.all', true],
      [counts, 'usage.api-counts', true],
    ]);
  });

  it('have 1000 rows, a sandbox, no redaction, and caching if intended', () => {
    for (const { definition } of shipped) {
      const isCached = definition.name !== 'logs.all';
      expect(definition).toMatchObject({
        maxRows: 1000,
        sandbox: true,
        redactPii: false,
        staleIfErrorSeconds: 0,
        stream: null,
        cacheSeconds: isCached ? 900 : 0,
        warmSeconds: isCached ? 300 : null,
        values: null,
        timeoutMs: null,
        strictParameters: false,
      });
    }
  });

  it('declare the parameters of the contract', () => {
    const project = ['project', 'string', true, null, 'reject', null];
    const bounds = [
      ['iso_timestamp_start', 'timestamp', false, null, 'reject', null],
      ['iso_timestamp_end', 'timestamp', false, null, 'reject', null],
    ];
    const fill = ['fill', 'enum', false, 'none', 'reject', 'none zero'];
    expect(parameters(logsAll)).toEqual([project, ...bounds]);
    expect(parameters(retention)).toEqual([
      project,
      ...bounds,
      ['project_tier', 'enum', false, 'FREE', 'default', 'FREE PRO PAYG ENTERPRISE'],
    ]);
    expect(parameters(stats)).toEqual([
      ['interval', 'enum', true, '1day', 'default', '5min 15min 1hr 1day 7day'],
      project,
      ['function_id', 'string', false, null, 'reject', null],
      fill,
    ]);
    expect(parameters(counts)).toEqual([
      ['interval', 'enum', true, null, 'reject', 'minutely hourly daily 15min 30min 1hr 3hr 1day 3day 7day'],
      ['project', 'regex', true, null, 'reject', null],
      fill,
    ]);
  });

  it('declare a retention window only in the variant', () => {
    expect(byId.get(retention)?.definition.retention).toEqual({
      parameter: 'project_tier',
      start: 'iso_timestamp_start',
      days: { FREE: 1, PRO: 7, PAYG: 90, ENTERPRISE: 90 },
      otherwise: 1,
    });
    expect(byId.get(logsAll)?.definition.retention).toBeNull();
  });
});

/** Maps in each other, one a line. */
function deep(levels: number): string {
  return Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}k:`).join('\n');
}
