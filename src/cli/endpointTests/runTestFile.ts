import * as z from 'zod';
import { isJsonArray, isJsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { writeJson } from '../../core/writeJson.ts';
import { CliError } from '../cliError.ts';
import { sentDefinition } from '../definitionPaths.ts';
import { askJson } from '../managedEndpoints.ts';
import { renderProblem } from '../problemDocument.ts';
import { readAnswer } from '../resultTable.ts';
import { callService, type ServiceAddress } from '../serviceClient.ts';
import { compareRows } from './compareRows.ts';
import { loadTestFile, type TestFile, TestFileError } from './loadTestFile.ts';
import type { EndpointTest } from './testFileFields.ts';
import type { ThrowAwayServices } from './throwAwayServices.ts';

export interface TestOutcome {
  readonly name: string;
  /** The difference from what was expected; null if the test passed. */
  readonly failure: string | null;
  readonly durationMs: number;
}

export interface FileOutcome {
  readonly path: string;
  /** Why the file is invalid and no test was run; null if it is valid. */
  readonly problem: string | null;
  readonly tests: readonly TestOutcome[];
  readonly durationMs: number;
}

/** Runs the tests of a file against a new service that contains only its events. */
export async function runTestFile(path: string, services: ThrowAwayServices): Promise<FileOutcome> {
  const startedMs = performance.now();
  const outcome = (result: Pick<FileOutcome, 'problem' | 'tests'>): FileOutcome => ({
    path,
    ...result,
    durationMs: performance.now() - startedMs,
  });
  try {
    const file = loadTestFile(path);
    const tests = await services.with(file.nowMicros, (address) => runTests(file, address));
    return outcome({ problem: null, tests });
  } catch (error) {
    if (!(error instanceof TestFileError)) throw error;
    return outcome({ problem: error.message, tests: [] });
  }
}

const deployedSchema = z.looseObject({ result: z.tuple([z.looseObject({ id: z.string() })]) });

async function runTests(file: TestFile, address: ServiceAddress): Promise<readonly TestOutcome[]> {
  const id = await deploy(file, address);
  for (const [source, events] of Object.entries(file.events)) await send(file, address, source, events);
  const tokens = new Map<string, Promise<string>>();
  const outcomes: TestOutcome[] = [];
  for (const test of file.tests) {
    const startedMs = performance.now();
    const restrictions = JSON.stringify(test.token ?? {});
    const token = tokens.get(restrictions) ?? makeToken(address, test);
    tokens.set(restrictions, token);
    const failure = await runTest(test, id, { ...address, token: await token });
    outcomes.push({ name: test.name, failure, durationMs: performance.now() - startedMs });
  }
  return outcomes;
}

async function deploy({ definition }: TestFile, address: ServiceAddress): Promise<string> {
  try {
    const body = { definitions: [sentDefinition(definition)] };
    const deployed = await askJson(address, '/api/endpoints/deploy?allow_breaking=true', deployedSchema, { body });
    return deployed.result[0].id;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new TestFileError(`${definition.file}: ${error.message}`, { cause: error });
  }
}

async function send(
  file: TestFile,
  address: ServiceAddress,
  source: string,
  events: readonly JsonValue[],
): Promise<void> {
  if (events.length === 0) return;
  const path = `/api/logs?strict=true&source=${encodeURIComponent(source)}`;
  const answer = await callService(address, path, {
    body: writeJson(events),
    headers: { 'content-type': 'application/json' },
  });
  if (answer.kind === 'success') return;
  if (answer.kind === 'unreachable' || answer.kind === 'broken')
    throw new Error(`The service that runs the tests ended: ${answer.reason}.`);
  const [first] = answer.problem.errors ?? [];
  const index = first?.index === undefined ? [] : [String(first.index)];
  const reason = (index.length > 0 && first?.message) || answer.problem.error.message;
  throw file.fail({ path: ['events', source, ...index], problem: `was rejected: ${reason.replace(/\.$/, '')}` });
}

const tokenSchema = z.looseObject({ token: z.string() });

async function makeToken(address: ServiceAddress, { token = {} }: EndpointTest): Promise<string> {
  const body = { scopes: ['query'], restrictions: token };
  return (await askJson(address, '/api/tokens', tokenSchema, { body })).token;
}

/** Runs a test. Returns the difference from what it expects, as text for people; null if there is none. */
async function runTest(test: EndpointTest, id: string, address: ServiceAddress): Promise<string | null> {
  const answer = await callService(address, `/api/endpoints/query/${id}`, {
    body: JSON.stringify(test.call),
    headers: { 'content-type': 'application/json' },
  });
  if (answer.kind === 'unreachable' || answer.kind === 'broken')
    throw new Error(`The service that runs the tests ended: ${answer.reason}.`);
  if (answer.kind === 'problem') {
    const { status, problem } = answer;
    const { error } = test;
    if (error !== undefined && error.code === problem.code && (error.status ?? status) === status) return null;
    const expected = error === undefined ? 'rows' : errorText(error.status, error.code);
    const query = test.call.sql ?? test.call.lql;
    const shown = renderProblem(problem, typeof query === 'string' ? query : undefined);
    return `expected ${expected}\ngot ${errorText(status, problem.code)}\n${shown}`;
  }
  const body = parseJson(answer.body);
  const { columns, rows } = readAnswer(body);
  if (test.error !== undefined) {
    const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
    return `expected ${errorText(test.error.status, test.error.code)}\ngot ${count}`;
  }
  const differences = [compareRows(test.result ?? [], rows, columns), compareNotices(test, body)];
  const found = differences.filter((difference) => difference !== null);
  return found.length === 0 ? null : found.join('\n');
}

function errorText(status: number | undefined, code: string): string {
  return status === undefined ? `the error ${code}` : `the error ${code} (${status})`;
}

function compareNotices({ notices }: EndpointTest, body: JsonValue): string | null {
  if (notices === undefined) return null;
  const meta = isJsonObject(body) && isJsonObject(body.meta) ? body.meta : {};
  const given = isJsonArray(meta.notices) ? meta.notices.filter(isJsonObject) : [];
  const [expected, got] = [notices, given.flatMap(({ code }) => (typeof code === 'string' ? [code] : []))].map(
    (codes) => [...codes].sort().join(', ') || 'none',
  );
  return expected === got ? null : `expected notices: ${expected}\ngot notices: ${got}`;
}
