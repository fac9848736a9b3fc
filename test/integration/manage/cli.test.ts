import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadDefinitionFiles } from '../../../src/endpoints/loadDefinitionFiles.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { type ManagedService, startManagedService } from './managedService.ts';

let managed: ManagedService;
let root: string;
let folder: string;
beforeAll(async () => {
  managed = await startManagedService();
  root = mkdtempSync(join(tmpdir(), 'logmill-definitions-'));
});
afterAll(async () => {
  await managed.close();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'files-'));
});

const ids = {
  deleted: '7d3c3a1e-9d0c-4a65-8a51-0d3f57a9f0d1',
  hits: '0cc00000-0000-4000-8000-000000000001',
  other: '0cc00000-0000-4000-8000-000000000002',
  third: '0cc00000-0000-4000-8000-000000000003',
  namesake: '0cc00000-0000-4000-8000-000000000004',
} as const;

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

const endpoints = (...args: readonly string[]) => runCommandLine(managed.service, ['endpoints', ...args]);

const hits = (query: string) =>
  `id: ${ids.hits}\nname: cli.hits\nsandbox: true\nparameters:\n  n: { type: int64, required: true }\nquery: |\n  ${query}\n`;

describe('logmill endpoints check', () => {
  it('is 0 where every file compiles, and shows columns', async () => {
    write('hits.yaml', hits('select @n as hits'));
    const { code, out } = await endpoints('check', folder);
    expect([code, out]).toEqual([0, expect.stringMatching(/^ok .*hits\.yaml: cli\.hits \(hits INT64\)\n$/)]);
  });

  it('is 1 and tells every file that is wrong, with the place', async () => {
    write('a.yaml', hits('select @n as hits, nothing'));
    write('b.yaml', 'id: x\nname: b\nquery: select 1\ncolour: red\n');
    write('c.yaml', hits('select @n as hits'));
    const { code, out, err } = await endpoints('check', folder);
    expect(code).toBe(1);
    expect(out).toMatch(/error {2}.*a\.yaml: .*nothing[\s\S]*select @n as hits, nothing\n +\^/);
    expect(out).toMatch(/error {2}.*b\.yaml: .*colour \(line 4, column 1\)/);
    expect(err).toBe('2 of 3 definitions are invalid.\n');
    const json = await endpoints('check', '--json', join(folder, 'a.yaml'));
    expect(JSON.parse(json.out)[0]).toMatchObject({ valid: false, errors: [{ line: 1, column: 20 }] });
  });

  it('is 2 where nothing is there to be checked', async () => {
    expect((await endpoints('check', folder)).code).toBe(2);
    expect((await endpoints('check', join(folder, 'no.yaml'))).code).toBe(2);
  });
});

describe('definition files that cannot be deployed', () => {
  it('are named with the line in the file, each of them, and nothing is changed', async () => {
    write('good.yaml', hits('select @n as hits'));
    write('bad.yaml', `id: 0cc00000-0000-4000-8000-000000000011\nname: cli.bad\n`);
    write('bad.sql', 'select 1 as a,\n  nosuch\n');
    write(
      'inline.yaml',
      `id: 0cc00000-0000-4000-8000-000000000012\nname: cli.inline\nquery: |\n  select\n    missing\n`,
    );
    const { code, out, err } = await endpoints('deploy', folder);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^.*\/bad\.sql:2:3: .*nosuch.*\n {4}nosuch\n {4}\^$/m);
    expect(err).toMatch(/^.*\/inline\.yaml:5:5: .*missing/m);
    expect(err).not.toContain('good.yaml');
    const json = await endpoints('deploy', '--json', folder);
    expect(json.code).toBe(1);
    expect(json.out).toBe('');
    expect(JSON.parse(json.err)).toMatchObject({
      exit_code: 1,
      code: 'definition.invalid',
      errors: [
        {
          file: expect.stringMatching(/bad\.yaml$/),
          in_file: { file: expect.stringMatching(/bad\.sql$/), line: 2, column: 3 },
        },
        { file: expect.stringMatching(/inline\.yaml$/), in_file: { line: 5, column: 5 } },
      ],
    });
    expect((await endpoints('show', 'cli.hits')).code).toBe(1);
    const checked = await endpoints('check', '--json', folder);
    expect(JSON.parse(checked.out)[0].errors[0]).toMatchObject({ line: 2, column: 3, in_file: { line: 2, column: 3 } });
    expect((await endpoints('check', join(folder, 'inline.yaml'))).out).toContain('inline.yaml:5:5');
    // One alone, too, which the service tells without its number.
    expect((await endpoints('deploy', join(folder, 'bad.yaml'))).err).toContain('bad.sql:2:3: ');
  });

  it('are named also where they cannot be read, collide, or break callers', async () => {
    write('a.yaml', 'id: &x [*x]\nname: a\n');
    const unread = await endpoints('deploy', '--json', folder);
    expect([unread.code, unread.err]).toEqual([1, expect.stringContaining('a.yaml')]);
    expect(JSON.parse(unread.err).errors[0]).toMatchObject({ file: expect.stringMatching(/a\.yaml$/) });
    const checked = await endpoints('check', '--json', folder);
    expect([checked.code, JSON.parse(checked.out)[0].problem]).toEqual([
      1,
      expect.stringContaining('(line 1, column 9)'),
    ]);
    write('a.yaml', `id: 0cc00000-0000-4000-8000-000000000013\nname: cli.twice\nquery: select 1 as n, 2 as m\n`);
    write('b.yaml', `id: 0cc00000-0000-4000-8000-000000000013\nname: cli.other\nquery: select 1 as n\n`);
    expect((await endpoints('deploy', folder)).err).toMatch(/(a|b)\.yaml: /);
    rmSync(join(folder, 'b.yaml'));
    expect((await endpoints('deploy', folder)).code).toBe(0);
    write('a.yaml', `id: 0cc00000-0000-4000-8000-000000000013\nname: cli.twice\nquery: select 1 as n\n`);
    const breaking = await endpoints('deploy', folder);
    expect([breaking.code, breaking.err]).toEqual([1, expect.stringMatching(/a\.yaml: .*\bm\b/)]);
  });

  it('make no new version by a line end', async () => {
    write('end.yaml', `id: 0cc00000-0000-4000-8000-000000000014\nname: cli.end\n`);
    write('end.sql', 'select 1 as n');
    expect((await endpoints('deploy', folder)).err).toContain('1 created');
    for (const end of ['\n', '\n\n', '\r\n', '']) {
      write('end.sql', `select 1 as n${end}`);
      expect(await endpoints('diff', folder)).toMatchObject({ code: 0, out: '' });
      expect((await endpoints('deploy', folder)).err).toContain('1 unchanged');
    }
    write('end.sql', 'select 1 as n ');
    expect((await endpoints('deploy', folder)).err).toContain('1 unchanged');
  });

  it('are told of as JSON wherever JSON is asked for', async () => {
    for (const args of [
      ['deploy', '--json', join(folder, 'none.yaml')],
      ['show', '--json', 'no.such'],
      ['check', '--json', '--nosuch', folder],
      ['restore', '--json', 'no.such', '0'],
      ['show', '--json', ''],
    ]) {
      const { code, out, err } = await endpoints(...args);
      expect([args, code]).not.toEqual([args, 0]);
      expect(out).toBe('');
      const problem = JSON.parse(err);
      expect(problem).toMatchObject({ exit_code: code, detail: expect.any(String) });
      expect(problem.error).toMatchObject({ message: problem.detail });
    }
  });
});

describe('logmill endpoints diff, deploy, versions, restore', () => {
  it('tell by exit codes whether something would change, and whether it would break callers', async () => {
    write('hits.yaml', hits('select @n as hits'));
    const first = await endpoints('diff', folder);
    expect([first.code, first.out]).toEqual([3, `would be created: cli.hits (${ids.hits}), version 1\n`]);
    const dry = await endpoints('deploy', '--dry-run', folder);
    expect([dry.out, dry.err]).toEqual([
      expect.stringMatching(/^would be created: /),
      expect.stringMatching(/1 created, .*nothing was changed/),
    ]);
    expect((await endpoints('show', 'cli.hits')).code).toBe(1);
    expect(await endpoints('deploy', '--note', 'first', folder)).toMatchObject({ code: 0 });
    expect(await endpoints('diff', folder)).toMatchObject({ code: 0, out: '' });

    write('hits.yaml', hits('select @n as hits, 1 as more'));
    const second = await endpoints('diff', folder);
    expect(second.code).toBe(3);
    expect(second.out).toBe(
      `would be changed: cli.hits (${ids.hits}), version 2\n  column more added: INT64\n  @@ -1,1 +1,1 @@\n  -select @n as hits\n  +select @n as hits, 1 as more\n`,
    );
    expect((await endpoints('deploy', folder)).code).toBe(0);

    write('hits.yaml', hits('select @n as count'));
    const third = await endpoints('diff', folder);
    expect([third.code, third.out]).toEqual([4, expect.stringContaining('breaks callers: The column hits')]);
    expect(third.out).toMatch(/called in the last 30 days by: nobody\n/);
    const refused = await endpoints('deploy', folder);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/definition\.breaking/)]);
    expect((await endpoints('deploy', '--allow-breaking', folder)).code).toBe(0);

    const versions = await endpoints('versions', 'cli.hits', '--json');
    expect(JSON.parse(versions.out)).toMatchObject([{ version: 3 }, { version: 2 }, { version: 1, note: 'first' }]);
    expect((await endpoints('show', 'cli.hits', '--at', '1')).out).toContain('select @n as hits\n');
    const restored = await endpoints('restore', 'cli.hits', '2', '--allow-breaking');
    expect([restored.code, restored.out]).toEqual([0, expect.stringMatching(/^changed cli\.hits .*, version 4\n/)]);
    expect((await endpoints('restore', 'cli.hits', 'x')).code).toBe(2);
    const unnamed = await endpoints('restore', 'cli.hits');
    expect(unnamed.code).toBe(2);
    expect(unnamed.err).toMatch(
      /not deleted, so say which version to restore: .*restore cli\.hits VERSION".*1 to \d+;/,
    );
    expect(unnamed.err).not.toContain('body');
    expect((await endpoints('restore', 'cli.hits', '9')).err).toContain('has no version 9');
  });

  it('deploy all files or none', async () => {
    write('a.yaml', `id: ${ids.other}\nname: cli.other\nquery: select 1 as one\n`);
    write('b.yaml', `id: ${ids.third}\nname: cli.third\nquery: select nothing\n`);
    expect((await endpoints('deploy', folder)).code).toBe(1);
    expect(JSON.parse((await endpoints('list', '--json', '--name', 'cli.other')).out)).toEqual([]);
  });
});

describe('logmill endpoints export', () => {
  it('writes files whose deployment changes nothing, the shipped endpoints and namesakes included', async () => {
    write('one.yaml', `id: ${ids.other}\nname: cli.shared\nquery_file: one.sql\nvalues: records\ntimeout_ms: 5\n`);
    write('one.sql', 'select 1 as one -- "quotes"\n\n');
    write(
      'two.yaml',
      `id: ${ids.third}\nname: cli.shared\nprimary: false\ndescription: "a: b # c\\n  ü"\nparameters:\n  p: { type: string, default: '007', pattern: '^\\d+$', example: '12' }\n  q: { type: enum, allowed: ['1', 'true', 'null'], default: 'true', on_unknown: default }\nquery: "select @p as p,\\r\\n  @q as q"\n`,
    );
    expect(await endpoints('deploy', folder)).toMatchObject({ code: 0 });
    const to = join(folder, 'exported');
    const { code, out } = await endpoints('export', '--to', to);
    expect(code).toBe(0);
    expect(readdirSync(to).filter((file) => file.endsWith('.yaml')).length).toBe(out.trim().split('\n').length);
    expect(readFileSync(join(to, 'cli.shared.sql'), 'utf8')).toBe('select 1 as one -- "quotes"\n\n');
    const loaded = loadDefinitionFiles(to);
    expect(loaded.map(({ definition }) => definition.id)).toEqual(
      expect.arrayContaining([ids.other, ids.third, 'd9a2e433-3286-44d9-a3b2-96b88c809d76']),
    );
    expect(await endpoints('diff', to)).toMatchObject({ code: 0, out: '' });
    expect((await endpoints('diff', to)).err).toMatch(/^0 created, 0 changed, \d+ unchanged/);
  });

  it('writes over the file that holds the endpoint, whatever its name, and no other', async () => {
    const to = join(folder, 'kept');
    mkdirSync(to);
    writeFileSync(join(to, 'mine.yaml'), 'id: 237f3997-c471-488d-af16-2dc9a4cda4a0\nname: old.name\nquery: select 1\n');
    writeFileSync(join(to, 'logs.all.yaml'), `id: ${ids.hits}\nname: logs.all\nquery: select 1\n`);
    const { out } = await endpoints('export', 'usage.api-counts', 'logs.all', '--to', to);
    expect(out.split('\n').sort().slice(1)).toEqual([
      join(to, 'logs.all.d9a2e433-3286-44d9-a3b2-96b88c809d76.yaml'),
      join(to, 'mine.yaml'),
    ]);
    expect((await endpoints('diff', join(to, 'mine.yaml'))).code).toBe(0);
  });
});

describe('logmill endpoints list, show, primary', () => {
  it('show which endpoint answers by a name, and switch it', async () => {
    const listed = JSON.parse((await endpoints('list', '--json', '--name', 'logs.all')).out);
    expect(listed).toHaveLength(2);
    const variant = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
    expect((await endpoints('primary', variant)).out).toBe(`Calls of logs.all now go to ${variant}.\n`);
    expect((await endpoints('show', 'logs.all')).out).toContain('project_tier');
    // The name alone is enough, because only one other endpoint shares it.
    const first = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
    expect((await endpoints('primary', 'logs.all')).out).toBe(`Calls of logs.all now go to ${first}.\n`);
    expect((await endpoints('show', 'logs.all')).out).not.toContain('project_tier');
    write('another.yaml', `id: ${ids.namesake}\nname: logs.all\nprimary: false\nquery: select 1 as one\n`);
    expect(await endpoints('deploy', folder)).toMatchObject({ code: 0 });
    const several = await endpoints('primary', 'logs.all');
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('2 endpoints named logs.all')]);
    expect(several.err).toContain(variant);
    expect(await endpoints('delete', ids.namesake, '--allow-breaking')).toMatchObject({ code: 0 });
    // The only one of its name is the primary.
    expect((await endpoints('primary', 'functions.invocation-stats')).code).toBe(0);
    const table = await endpoints('list');
    expect(table.out).toContain('functions.invocation-stats');
    expect((await endpoints('show', 'logs.nothing')).err).toContain('no endpoint named logs.nothing');
  });
});

describe('endpoints delete', () => {
  it('is refused with who called, deletes when it is allowed to, and restore brings the endpoint back by its name', async () => {
    write('del.yaml', `id: ${ids.deleted}\nname: cli.deleted\nquery: select 1 as one\n`);
    expect(await endpoints('deploy', folder)).toMatchObject({ code: 0 });
    const refused = await endpoints('delete', 'cli.deleted');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('--allow-breaking');
    const dry = await endpoints('delete', 'cli.deleted', '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: `would be deleted: cli.deleted (${ids.deleted}), version 1\n` });
    expect(await endpoints('delete', 'cli.deleted', '--allow-breaking')).toMatchObject({ code: 0 });
    expect((await endpoints('list')).out).not.toContain('cli.deleted');
    expect((await endpoints('list', '--deleted')).out).toContain(ids.deleted);
    expect((await endpoints('show', 'cli.deleted')).code).toBe(1);
    expect((await endpoints('show', 'cli.deleted', '--deleted')).out).toContain('select 1 as one');
    expect((await endpoints('versions', 'cli.deleted', '--deleted')).code).toBe(0);
    const back = await endpoints('restore', 'cli.deleted');
    expect(back).toMatchObject({ code: 0, out: `restored cli.deleted (${ids.deleted}), version 2\n` });
    expect((await endpoints('list')).out).toContain('cli.deleted');
    expect((await endpoints('restore', 'cli.nothing')).err).toContain('no deleted endpoint named cli.nothing');
  });
});
