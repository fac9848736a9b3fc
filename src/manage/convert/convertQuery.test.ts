import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../core/clock.ts';
import { ServiceError } from '../../core/errors.ts';
import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { callerInSteps, compileCaller, storedInSteps } from '../../googlesql/compile.ts';
import type { CallableEndpoint } from '../../invoke/callableEndpoint.ts';
import { StatementCache } from '../../invoke/statementCache.ts';
import { compileLql, lqlInSteps } from '../../lql/compileLql.ts';
import { queryText } from '../../lql/testing/queryTexts.ts';
import { builtinSources } from '../../sources/builtin.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { parseScopes } from '../../tokens/scope.ts';
import { checkReport } from '../checkReport.ts';
import type { ParameterChoices } from './chosenParameters.ts';
import { createConvertQuery } from './convertQuery.ts';

const definitions = join(import.meta.dirname, '..', '..', '..', 'definitions');
const read = (file: string) => readFileSync(join(definitions, file), 'utf8');
const { query_file: _file, primary: _primary, ...fields } = parse(read('logs.all.yaml'));
const endpoint: CallableEndpoint = {
  ...parseDefinition({ ...fields, query: read('logs.all.sql') }, { label: 'logs.all' }),
  version: 1,
};
const sources = new Map(builtinSources.map((source) => [source.name, source]));
const context = { sources, parameters: new Map(endpoint.parameters.map(({ name, type }) => [name, type])) };
const newId = '99999999-9999-4999-8999-999999999999';

const convert = createConvertQuery({
  endpoints: {
    findById: async () => endpoint,
    findByName: async () => endpoint,
    findVersion: async () => undefined,
    list: async () => [endpoint],
    revision: () => endpoint,
  },
  sources,
  statements: new StatementCache({ storedInSteps, callerInSteps, lqlInSteps }, { entriesMax: 10, bytesMax: 1e7 }),
  clock: systemClock,
  queryTextBytesMax: 65_536,
  check: (definition) => checkReport(definition, newId, sources, new Map()),
});

const token = (...scopes: readonly string[]): AuthenticatedToken => ({
  publicId: 'aaaaaaaaaaaa',
  description: '',
  scopes: parseScopes(scopes),
  slot: null,
  restrictions: null,
  expiresAtMicros: null,
});
const manager = token('query', 'manage');
const ask = (language: 'sql' | 'lql', text: string, by = manager, choices: ParameterChoices | null = null) =>
  convert({
    token: by,
    idOrName: 'logs.all',
    entries: [[language, text]],
    name: 'slow.requests',
    description: '',
    choices,
  });

const names = (query: { readonly columns: readonly { readonly name: string }[] }) =>
  query.columns.map(({ name }) => name);

describe('a search', () => {
  it('becomes GoogleSQL, its clauses, and an endpoint with parameters', async () => {
    const { sql, clauses, parameters, definition, problem } = await ask(
      'lql',
      'f:edge_logs m.response.status_code:>=500 m.level:error timeout t:last@1h',
    );
    expect(sql.split('\n')).toEqual([
      expect.stringMatching(/^SELECT /),
      'FROM edge_logs',
      'WHERE edge_logs.metadata.response.status_code >= 500',
      "  AND edge_logs.metadata.level = 'error'",
      expect.stringContaining("'timeout'"),
      expect.stringMatching(/^ {2}AND edge_logs.timestamp BETWEEN .*INTERVAL 1 hour/i),
      'ORDER BY edge_logs.timestamp DESC',
    ]);
    expect(clauses?.map(({ text }) => text)).toEqual([
      'f:edge_logs',
      'metadata.response.status_code:>=500',
      'metadata.level:error',
      'timeout',
      'timestamp:last@1hour',
    ]);
    expect(parameters.map(({ name, isOn }) => [name, isOn])).toEqual([
      ['minutes', true],
      ['end', true],
      ['status_code_min', true],
      ['level', true],
      ['event_message_text', false],
    ]);
    expect(problem).toBeNull();
    expect(definition?.fields).toMatchObject({
      name: 'slow.requests',
      sandbox: false,
      max_rows: 1000,
      parameters: {
        project: { type: 'string', required: true },
        iso_timestamp_start: { type: 'timestamp' },
        minutes: { type: 'int64', default: '60' },
        end: { type: 'timestamp' },
        status_code_min: { type: 'int64', default: '500' },
        level: { type: 'enum', default: 'error' },
      },
    });
    expect(definition?.fields).not.toHaveProperty('id');
    expect(definition?.sql).toContain('interval @minutes minute');
    expect(definition?.sql).toContain('ifnull(@end, current_timestamp())');
    expect(definition?.sql).toContain('>= @status_code_min');
    // Only the table that it reads.
    expect(definition?.sql.match(/sources\.\w+/g)).toEqual(['sources.edge_logs']);
    const again = parseDefinition(
      { id: newId, ...parse(definition?.yaml ?? ''), query: definition?.sql },
      { label: 'x' },
    );
    expect(again.parameters.map(({ name }) => name)).toContain('minutes');
  });

  it('has the parameters that were chosen, with their names, types and defaults', async () => {
    const lql = 'f:edge_logs m.response.status_code:>=500 m.level:error timeout t:last@1h';
    const { parameters, definition, problem } = await ask('lql', lql, manager, {
      minutes: { required: true },
      end: { on: false },
      status_code_min: { name: 'least', default: '400' },
      level: { type: 'string' },
      event_message_text: { on: true },
    });
    expect(problem).toBeNull();
    expect(parameters.filter(({ isOn }) => isOn).map(({ name }) => name)).toEqual([
      'minutes',
      'least',
      'level',
      'event_message_text',
    ]);
    expect(definition?.fields.parameters).toMatchObject({
      project: { required: true },
      minutes: { type: 'int64', required: true, min: '0' },
      least: { type: 'int64', default: '400' },
      level: { type: 'string', default: 'error' },
      event_message_text: { default: 'timeout' },
    });
    expect(definition?.fields).not.toHaveProperty('parameters.minutes.default');
    expect(definition?.fields).not.toHaveProperty('parameters.level.allowed');
    expect(definition?.sql).toContain('>= @least');
    expect(definition?.sql).not.toMatch(/@end|status_code_min/);
  });

  it('has no definition if what was chosen does not compile, and says why', async () => {
    const lql = 'f:edge_logs m.response.status_code:>=500 t:last@1h';
    const asked = await ask('lql', lql, manager, { status_code_min: { type: 'bool' } });
    expect(asked.definition).toBeNull();
    expect(asked.problem).toContain('status_code_min');
    expect(asked.parameters.filter(({ isOn }) => isOn)).toHaveLength(3);
    const refused = (choices: ParameterChoices) => expect(ask('lql', lql, manager, choices)).rejects;
    await refused({ status_min: { on: true } }).toMatchObject({ code: 'parameter.invalid' });
    await refused({ minutes: { name: 'Project' } }).toMatchObject({ code: 'parameter.invalid' });
    await refused({ minutes: { name: 'END' } }).toMatchObject({ code: 'parameter.invalid' });
  });

  it('with absolute times has @from and @to, and names that are reserved or taken get a number', async () => {
    const { parameters, definition } = await ask(
      'sql',
      `select id from edge_logs as e where timestamp >= timestamp '2026-05-01' and timestamp < timestamp '2026-05-02'
       and e.metadata.version = '3' and e.metadata.project = 'x' and e.metadata.a.version = '4'`,
    );
    expect(parameters.map(({ name }) => name)).toEqual(['from', 'to', 'version_2', 'project_2', 'version_3']);
    expect(definition?.sql).toContain('timestamp >= @from');
  });

  it('with many times gets a limited number of parameters, because each may have to be compiled', async () => {
    const times = Array.from(
      { length: 100 },
      (_, n) => `timestamp > timestamp_sub(current_timestamp(), interval ${n + 1} hour)`,
    );
    const { parameters, definition, problem } = await ask(
      'sql',
      `select id from edge_logs where ${times.join(' or ')}`,
    );
    expect([problem, parameters.length, parameters.every(({ isOn }) => isOn)]).toEqual([null, 13, true]);
    expect(definition?.sql).toContain('interval @minutes_12 minute');
    expect(definition?.sql).toContain('interval 13 hour');
  });

  it('with tables of its own keeps them, after those that they read', async () => {
    const { definition, problem } = await ask(
      'sql',
      '-- ids\nwith mine as (select id, event_message from auth_logs where id > "5") select * from mine order by id;',
    );
    expect(problem).toBeNull();
    expect(definition?.sql).toMatch(/^with auth_logs as \([\s\S]*\),\nmine as \(/);
    expect(definition?.sql).not.toContain('edge_logs');
  });

  it('that no definition can have is said to have none', async () => {
    const { definition, problem } = await ask('sql', 'select table_name from information_schema.tables');
    expect(definition).toBeNull();
    expect(problem).toContain('information_schema');
  });

  it('shows the stored query to managers of endpoints alone', async () => {
    const { sql, definition, problem } = await ask('sql', 'select id from edge_logs', token('query'));
    expect([sql, definition, problem]).toEqual(['select id from edge_logs', null, null]);
  });

  it('is refused as a call with it is', async () => {
    await expect(ask('sql', 'select * from sources.edge_logs')).rejects.toMatchObject({ code: 'sandbox.table' });
    await expect(ask('lql', 'f:edge_logs t:')).rejects.toMatchObject({ code: 'lql.syntax' });
    await expect(ask('sql', ' ')).rejects.toMatchObject({ code: 'parameter.missing' });
    const restricted = { ...manager, restrictions: { projects: null, callerQueries: false } as const };
    await expect(ask('sql', 'select 1', restricted)).rejects.toMatchObject({ code: 'auth.caller_query' });
    await expect(ask('sql', 'select 1', token('ingest'))).rejects.toMatchObject({ code: 'auth.scope' });
  });
});

it('gives every LQL query as GoogleSQL with the same columns, and as a definition that compiles', async () => {
  let converted = 0;
  const property = fc.asyncProperty(queryText, async (generated) => {
    const text = `f:edge_logs ${generated.replaceAll(/(?<=^|\s)(?:f|from):\S+/g, '')}`;
    let query: ReturnType<typeof compileLql>;
    try {
      query = compileLql(text, endpoint.query, context);
    } catch (error) {
      if (error instanceof ServiceError) return;
      throw error;
    }
    const { sql, literals, definition, problem } = await ask('lql', text);
    expect(names(compileCaller(sql, endpoint.query, context))).toEqual(names(query));
    for (const { pos, end, type, value } of literals)
      if (type === 'int64') expect(sql.slice(pos.offset, end)).toBe(value);
    expect([text, problem]).toEqual([text, null]);
    expect(definition).not.toBeNull();
    converted++;
  });
  await fc.assert(property, { numRuns: 150 });
  expect(converted).toBeGreaterThan(20);
});
