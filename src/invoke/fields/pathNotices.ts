import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../core/errors.ts';
import { memberOf } from '../../core/jsonValue.ts';
import { nearestName } from '../../core/nearestName.ts';
import { membersRead, sourcesRead } from '../../googlesql/plan/columnsRead.ts';
import { fieldsParameter } from '../../googlesql/resolve/informationSchema.ts';
import type { Notice, ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import { printIdentifier } from '../../googlesql/syntax/printText.ts';
import { shapeAt } from '../../sources/shape.ts';
import { contextOf } from '../callContext.ts';
import { namesOf, pathText } from './memberPath.ts';
import { allTime, sampleTable } from './sampleTable.ts';
import { type ReadingCall, type RowReaderServices, TableReader } from './tableRows.ts';

/** Keys of questions whose paths are remembered. */
const rememberedMax = 500;

/** Paths of one question. Further ones get no notice. */
const pathsMax = 20;

/** How long a notice is repeated without another look at the events. */
const repeatedMicros = 60_000_000;

/** Longest run of each query here, milliseconds. */
const lookMsMax = 1_000;

interface MemberRead {
  readonly table: string;
  readonly path: readonly string[];
}

/** A caller query that ran, and on whose behalf. */
export interface PathQuestion {
  readonly query: ResolvedQuery;
  readonly call: ReadingCall;
  /** The cache key of the run (cache/cacheKey.ts): everything that decides which rows the query can read, and more. */
  key(): string;
  /** Whether the rows come from the cache: then notices do too. */
  readonly isRepeated: boolean;
}

interface Known {
  readonly notices: readonly Notice[];
  readonly atMicros: number;
}

/**
 * Notices for members that no row has (googlesql.md, section 2). Members that a source declares are not looked for.
 * Events decide, read on behalf of the caller, so a notice names only members that the caller could select.
 */
export class PathNotices {
  readonly #services: RowReaderServices;
  readonly #lookMsMax: number;
  readonly #members = new WeakMap<ResolvedQuery, readonly MemberRead[]>();
  readonly #known = new LRUCache<string, Known>({ max: rememberedMax });

  /** `longestMs`: time limit of each query; higher in tests, which also run on slow machines. */
  constructor(services: RowReaderServices, longestMs: number = lookMsMax) {
    this.#services = services;
    this.#lookMsMax = longestMs;
  }

  /** Forgets all notices: events were removed. */
  forget(): void {
    this.#known.clear();
  }

  /** Whether the query can have notices. They can change with the events even while its rows stay the same. */
  concern(query: ResolvedQuery, call: ReadingCall): boolean {
    return !query.parameters.has(fieldsParameter) && this.#undeclared(query, call).length > 0;
  }

  /** Never fails: without an answer of the engine in time, there is no notice. */
  async of({ query, call, isRepeated, ...question }: PathQuestion): Promise<readonly Notice[]> {
    if (query.parameters.has(fieldsParameter)) return [];
    const members = this.#undeclared(query, call);
    if (members.length === 0) return [];
    const key = question.key();
    const known = this.#known.get(key);
    const nowMicros = this.#services.clock.nowMicros();
    if (known !== undefined && (isRepeated || nowMicros - known.atMicros < repeatedMicros)) return known.notices;
    if (isRepeated) return [];
    try {
      const notices = await this.#look(members, call);
      this.#known.set(key, { notices, atMicros: nowMicros });
      return notices;
    } catch (error) {
      // The rows are complete without notices, so a full queue or a slow engine must not fail the call.
      if (error instanceof ServiceError && error.code !== 'internal') return [];
      throw error;
    }
  }

  /** By query, because finding them walks its whole tree. Sources are only ever added, and never change. */
  #undeclared(query: ResolvedQuery, { endpoint }: ReadingCall): readonly MemberRead[] {
    const before = this.#members.get(query);
    if (before !== undefined) return before;
    const { sources } = contextOf(endpoint, this.#services.sources);
    const shapes = sourcesRead(query).flatMap(({ name }) => sources.get(name)?.shape ?? []);
    const found = membersRead(query)
      .filter(({ path: [, ...names] }) => !shapes.some((shape) => shapeAt(shape, names) !== undefined))
      .slice(0, pathsMax);
    this.#members.set(query, found);
    return found;
  }

  async #look(members: readonly MemberRead[], call: ReadingCall): Promise<readonly Notice[]> {
    const timeoutMs = Math.min(call.timeoutMs, this.#lookMsMax);
    const reader = new TableReader({ ...call, timeoutMs }, this.#services);
    const notices: Notice[] = [];
    for (const [table, paths] of byTable(members)) {
      const missing = await missingPaths(table, paths, reader);
      if (missing.length > 0) notices.push(...(await noticesOf(table, missing, reader)));
    }
    return notices;
  }
}

function byTable(members: readonly MemberRead[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const tables = new Map<string, (readonly string[])[]>();
  for (const { table, path } of members) tables.set(table, [...(tables.get(table) ?? []), path]);
  return tables;
}

/** The paths that are NULL in every row of the table. The engine stops at the first row that has one. */
async function missingPaths(table: string, paths: readonly (readonly string[])[], reader: TableReader) {
  const name = printIdentifier({ name: table, quoted: true });
  const looks = paths.map((path, i) => `exists(select 1 from ${name} where ${pathText(path)} is not null) as p${i}`);
  const values = { _after: 0, _until: 0, _first: 0, _width: 1 };
  const { rows } = await reader.read(`select ${looks.join(', ')}`, values, { rowsMax: 1, bytesMax: 64 * 1024 });
  const [row = {}] = rows;
  return paths.filter((_, i) => memberOf(row, `p${i}`) === false);
}

async function noticesOf(
  tableName: string,
  paths: readonly (readonly string[])[],
  reader: TableReader,
): Promise<readonly Notice[]> {
  const table = (await reader.tables()).find(({ name }) => name === tableName);
  if (table === undefined) return [];
  // All columns, because the caller may mean the same name in another one.
  const { rows, members } = await sampleTable(table, { window: allTime }, reader);
  // Without rows, every path is NULL, and none is wrong.
  if (rows === 0) return [];
  const names = members.map(({ path }) => namesOf(path));
  const known = new Set(names.map(keyOf));
  const arrays = new Set(members.flatMap(({ path, types }) => (types.includes('ARRAY') ? [keyOf(namesOf(path))] : [])));
  return paths.flatMap((path) => {
    // A member can be NULL in every row, and an element of an array can have a member that the array has not.
    const isBelowArray = path.some((_, i) => arrays.has(keyOf(path.slice(0, i + 1))));
    if (known.has(keyOf(path)) || isBelowArray) return [];
    const nearest = nearestPath(path, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${pathText(nearest)}?`;
    const shown = pathText(path).slice(0, 200);
    return [
      { code: 'sql.path_unknown' as const, message: `No row of ${tableName} has ${shown}, so it is NULL.${hint}` },
    ];
  });
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

/** The nearest name beside the missing one, else the same name elsewhere, else the nearest whole path. */
function nearestPath(path: readonly string[], known: readonly (readonly string[])[]): readonly string[] | undefined {
  const parent = keyOf(path.slice(0, -1));
  const last = path.at(-1) ?? '';
  const beside = known.filter((each) => each.length === path.length && keyOf(each.slice(0, -1)) === parent);
  const near = nearestName(
    last,
    beside.map((each) => each.at(-1) ?? ''),
  );
  if (near !== undefined) return beside.find((each) => each.at(-1) === near);
  const below = known.filter((each) => each.length > 1);
  const same = below.find((each) => each.at(-1)?.toLowerCase() === last.toLowerCase());
  if (same !== undefined) return same;
  const texts = new Map(below.map((each) => [pathText(each), each]));
  const text = nearestName(pathText(path), texts.keys());
  return text === undefined ? undefined : texts.get(text);
}
