import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Engine, EngineAnswer } from './engine.ts';
import { refusal } from './exceptions.ts';
import { isOn, type RequestParameters } from './requestParameters.ts';
import { readStatement, type Statement } from './statementText.ts';
import { roleOf, type User } from './users.ts';

/** Bytes in which the head of an INSERT must end. */
const headBytesMax = 2 ** 20;

/** Settings whose defaults the library has changed from those of a server. */
const serverDefaults = { implicit_select: '0', allow_introspection_functions: '0' };

/** One statement of a request: what runs in the engine, and the file of its result. */
export interface StatementRun {
  readonly id: string;
  readonly statement: Statement;
  /** The format of the result; empty if the statement returns no rows. */
  readonly format: string;
  /** The file that the result is written to, while the statement runs; null if it returns no rows. */
  readonly resultFile: string | null;
  readonly start: () => Promise<EngineAnswer>;
  /** Removes the files of the run. */
  readonly remove: () => void;
}

/** The text of a statement: the query of the URL, a line break, and the body. */
export function textOf(query: string, body: Buffer): Buffer {
  return query === '' ? body : Buffer.concat([Buffer.from(query), Buffer.from('\n'), body]);
}

/** Prepares a statement. Throws StatementError or ClickHouseError for what the HTTP interface refuses. */
export function prepareRun(
  engine: Engine,
  request: RequestParameters,
  user: User,
  text: Buffer,
  session: string | null,
): StatementRun {
  const id = randomUUID();
  const statement = statementOf(text);
  const files: string[] = [];
  const file = (purpose: string): string => {
    const path = engine.fileOf(id, purpose);
    files.push(path);
    return path;
  };
  const prelude = preludeOf(request, user, session !== null);
  const common = { id, session, prelude, settingsToRestore: [...request.settings.keys()], params: request.params };
  const run = (sql: string) => async () => await engine.run({ ...common, statement: utf8(sql) });
  const remove = () => {
    for (const path of files) rmSync(path, { force: true });
  };
  switch (statement.kind) {
    case 'rows': {
      const resultFile = file('out');
      const format = statement.format ?? request.format;
      const sql = `${statement.head}\nINTO OUTFILE '${resultFile}' COMPRESSION 'none'\nFORMAT ${format} ${statement.tail}`;
      return { id, statement, format, resultFile, start: run(sql), remove };
    }
    case 'insert': {
      const data = file('in');
      writeFileSync(data, text.subarray(statement.dataStart));
      const sql = `${statement.head}\nFROM INFILE '${data}' COMPRESSION 'none'\nFORMAT ${statement.format}`;
      return { id, statement, format: '', resultFile: null, start: async () => asInsert(await run(sql)()), remove };
    }
    case 'command':
      refuseEscape(statement.words, user);
      return { id, statement, format: '', resultFile: null, start: run(statement.text), remove };
    case 'kill':
      throw refusal(48, 'NOT_IMPLEMENTED', 'KILL QUERY does not run in the engine');
  }
}

/** A server counts the rows of an INSERT as read and as its result, too. */
function asInsert(answer: EngineAnswer): EngineAnswer {
  const { writtenRows, writtenBytes } = answer;
  const counts = { readRows: writtenRows, readBytes: writtenBytes, resultRows: writtenRows, resultBytes: writtenBytes };
  return { ...answer, ...counts };
}

function statementOf(text: Buffer): Statement {
  const begin = readStatement(text.toString('latin1', 0, headBytesMax));
  if (text.length <= headBytesMax || begin.kind === 'insert') return begin;
  return readStatement(text.toString('latin1'));
}

/** A user's rights are those of one role, so a statement must not choose another one. */
function refuseEscape(words: readonly string[], { name }: User): void {
  const isOther = words[0] === 'EXECUTE' || (words[0] === 'SET' && (words[1] === 'ROLE' || words[1] === 'DEFAULT'));
  if (isOther)
    throw refusal(497, 'ACCESS_DENIED', `${name}: Not enough privileges. The stand-in does not change roles`);
}

/**
 * What precedes a statement on its connection. The settings of the request come last, since `readonly` locks them. A session
 * keeps its database and settings, and cannot be locked, as the lock would outlive the request.
 */
function preludeOf(
  { database, settings, method }: RequestParameters,
  user: User,
  inSession: boolean,
): readonly string[] {
  const prelude = inSession && database === null ? [] : [`USE ${identifier(database ?? 'default')}`];
  prelude.push(`SET ROLE ${roleOf(user)}`);
  const profile: Record<string, string> = { ...serverDefaults, ...user.settings };
  if (method !== 'POST' && !isReadonly(profile.readonly)) profile.readonly = '2';
  if (inSession && (isReadonly(profile.readonly) || isReadonly(settings.get('readonly')))) {
    throw refusal(
      48,
      'NOT_IMPLEMENTED',
      'The stand-in cannot make one request of a session read-only: use POST without readonly',
    );
  }
  const setting = (pairs: Iterable<readonly [string, string]>) =>
    [...pairs].map(([name, value]) => `${settingName(name)} = ${literal(value)}`).join(', ');
  // One statement where it means the same: each costs a millisecond, which a server does not need for its profiles.
  if (!isReadonly(profile.readonly))
    return [...prelude, `SET ${setting(new Map([...Object.entries(profile), ...settings]))}`];
  prelude.push(`SET ${setting(Object.entries(profile))}`);
  if (settings.size > 0) prelude.push(`SET ${setting(settings)}`);
  return prelude;
}

function isReadonly(value: string | undefined): boolean {
  return isOn(value) || value === '2';
}

function settingName(name: string): string {
  if (!/^\w+$/.test(name)) throw refusal(115, 'UNKNOWN_SETTING', `Unknown setting '${name}'`);
  return name;
}

export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
