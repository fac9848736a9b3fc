import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Every cache and memo of `src`, with its key and the inputs of its values. A value must not depend on anything that
 * its key leaves out. Add new caches here, and compare the two.
 */
const caches: Readonly<Record<string, { readonly key: string; readonly madeOf: string }>> = {
  'cache/redactedForms.ts': {
    key: 'number of an entry of the result cache, never given twice',
    madeOf: 'rows of that entry, its query, configuration of the process',
  },
  'cache/resultCache.ts': {
    key: 'cacheKey: id, version, stored text, caller query, parameters, projects, profile, caps, redaction',
    madeOf: 'a run of just that, at a moment or in a state of the events that is kept with it',
  },
  'cache/repeatedQuestions.ts': {
    key: 'hash of a cache key, which decides only whether memory is used',
    madeOf: 'that the question was asked, and in which state of the events',
  },
  'endpoints/endpointDirectory.ts': {
    key: 'id and version',
    madeOf: 'that row of the store, which no statement can change',
  },
  'googlesql/plan/queryPlan.ts': {
    key: 'resolved query (object), then parameters, projects, now, redaction, limits of the engine',
    madeOf: 'these; times that move are compared before a plan is used',
  },
  'engines/duckdb/emit/writtenStatements.ts': {
    key: 'plan (object), then profile, caps, redaction or none, what is known of the files, bounds',
    madeOf: 'these; bounds and tag are filled in for each call',
  },
  'engines/clickhouse/query/nestedMembers.ts': {
    key: 'resolved query (object), then the projects of the run',
    madeOf: 'that a run of it returned an object or an array; it decides only how members are fetched',
  },
  'engines/duckdb/host/engineStatements.ts': { key: 'connection (object)', madeOf: 'runs on that connection' },
  'engines/duckdb/host/engineSupervisor.ts': { key: 'connection (object)', madeOf: 'why that process was ended' },
  'engines/duckdb/host/functionProcess.ts': {
    key: 'connection (object), then path of a sealed file',
    madeOf: 'that this connection has attached that file, which never changes',
  },
  'engines/duckdb/damage/missingFiles.ts': { key: 'active file (object)', madeOf: 'what its folder last had of it' },
  'engines/duckdb/process/scripted/regexpInstr.ts': { key: 'pattern', madeOf: 'pattern' },
  'engines/duckdb/process/isolation/checkedStatements.ts': {
    key: 'projects and shape of the statement',
    madeOf: 'these: times and whole numbers, which the shape leaves out, decide no read of a table',
  },
  'engines/duckdb/host/spillRoom.ts': {
    key: 'connection (object)',
    madeOf: 'what that process was told last that it may spill',
  },
  'googlesql/plan/joinSize.ts': { key: 'relation (object)', madeOf: 'relation' },
  'googlesql/plan/lateBoundTimes.ts': {
    key: 'times of a call (object)',
    madeOf: 'these times, in a plan that owns the memo',
  },
  'googlesql/plan/projectParameters.ts': { key: 'relation (object)', madeOf: 'relation' },
  'googlesql/plan/repeatableRows.ts': { key: 'relation (object)', madeOf: 'relation' },
  'googlesql/resolve/aggregateDepth.ts': { key: 'relation (object)', madeOf: 'relation' },
  'googlesql/resolve/calls.ts': {
    key: 'aliases of a select list (object), then which calls are left out',
    madeOf: 'these, and the calls in that select list',
  },
  'googlesql/resolve/exprKey.ts': { key: 'expression (object)', madeOf: 'expression' },
  'googlesql/resolve/named.ts': { key: 'list of columns or fields (object, never changed)', madeOf: 'that list' },
  'googlesql/resolve/typeMeasure.ts': { key: 'type (object)', madeOf: 'type' },
  'googlesql/resolve/treeMeasure.ts': { key: 'expression or relation (object)', madeOf: 'expression or relation' },
  'googlesql/callerTables.ts': {
    key: 'sources (object), then text, types of parameters and limits of the engine',
    madeOf: 'these; sources that are added later are named by no text that compiled before',
  },
  'http/awaitedBodies.ts': { key: 'request (object)', madeOf: 'its response' },
  'http/callers.ts': {
    key: 'hash of a credential that was valid',
    madeOf: 'the public ID of its token, which is the same for ever; it tells whose turn a request takes, and no right',
  },
  'http/requestHeads.ts': { key: 'request (object)', madeOf: 'its method, target, version and header lines' },
  'http/requestTurns.ts': { key: 'request (object)', madeOf: 'how long it waited for its turn' },
  'http/openapi/apiDocuments.ts': {
    key: 'scopes and restrictions of a token; cleared when an endpoint changes',
    madeOf: 'these, endpoints, routes, configuration of the process',
  },
  'http/repeatedCalls.ts': {
    key: 'identity of the request: method, target, every header that the service can read',
    madeOf: 'these; token, definitions, result and rates are looked at again for each call',
  },
  'invoke/redactionAtScan.ts': {
    key: 'resolved query (object), stored text, fields of projects',
    madeOf: 'these',
  },
  'invoke/describedEndpoints.ts': {
    key: 'every field of the definition that is described, and whose sources it reads',
    madeOf: 'these',
  },
  'invoke/entityTag.ts': { key: 'rows (object, never written to)', madeOf: 'rows' },
  'invoke/memberReads.ts': {
    key: 'resolved query (object); for counts, source and member',
    madeOf: 'the query; a count is how often queries that read the member ran',
  },
  'invoke/fields/pathNotices.ts': {
    key: 'the whole key of the result cache; for members, the resolved query (object)',
    madeOf:
      'the query and the events that such a run could read, at most a minute ago; forgotten when events are removed',
  },
  'invoke/redaction.ts': { key: 'resolved query (object)', madeOf: 'resolved query' },
  'invoke/answerBody.ts': { key: 'columns (object)', madeOf: 'columns' },
  'invoke/statementCache.ts': {
    key: 'sources (object and their number), stored text, caller query, parameters, whether results are kept',
    madeOf: 'these, and the limits of the engine that the compiler was made for: it is given nothing else',
  },
  'invoke/queryQueue.ts': { key: 'token', madeOf: 'when that token was last given a slot' },
  'invoke/tail/tailReads.ts': {
    key: 'plan of the tails that have the same rows (object)',
    madeOf: 'how many arrival numbers of that plan the engine could fetch at once, and how long that took',
  },
  'invoke/tenantShares.ts': { key: 'tenant', madeOf: 'how long the runs of that tenant took' },
  'redact/detectors/secretNames.ts': { key: 'view of a text (object, never changed)', madeOf: 'that text' },
  'stores/postgres/postgresPool.ts': {
    key: 'connection (object)',
    madeOf: 'how often connections had broken when this one was opened',
  },
  'stores/sqlite/storeReader.ts': {
    key: 'text of a statement, of one connection',
    madeOf: 'that text on that connection',
  },
};

const root = join(import.meta.dirname, '../../src');
const isTested = (name: string) => name.endsWith('.ts') && !/\.(test|fixture|contract)\.ts$/.test(name);

it('knows every cache by its key and by what its values are made of', () => {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(isTested)
    .filter((file) => /new (LRUCache|WeakMap|WeakSet)\b/.test(readFileSync(join(root, file), 'utf8')));
  expect(found.sort()).toEqual(Object.keys(caches).sort());
});
