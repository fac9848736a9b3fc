import { dirname, join, normalize } from 'node:path';
import { importsOf } from './importsOf.ts';
import { moduleStateProblems } from './moduleState.ts';

const linesMax = 500;

/**
 * The rooms of src/ in layers; a room may import itself and every earlier layer, never a sibling
 * of its own layer (docs/architecture.md). `engines/duckdb` is a room of its own; other engines may run statements with it.
 */
const layers: readonly (readonly string[])[] = [
  ['core'],
  ['audit', 'files'],
  ['sources'],
  ['googlesql', 'retention'],
  ['ports'],
  ['lql', 'endpoints', 'tokens', 'redact', 'demo', 'formats'],
  ['cache', 'sessions'],
  ['invoke', 'ingest'],
  ['manage', 'backup', 'exports'],
  ['engines/duckdb'],
  ['engines/clickhouse', 'stores', 'http', 'observe'],
  ['start'],
  ['cli'],
];

/** Imports against the order that are intended: the importing file, the imported room and the reason. */
export const importExceptions: readonly { readonly file: string; readonly room: string; readonly why: string }[] = [];

/** Import cycles that are intended, with the reason. Type imports count. */
export const importCircles: readonly { readonly files: readonly string[]; readonly why: string }[] = [
  {
    files: ['expressionNodes', 'nodes', 'pipeNodes', 'typeNodes'].map((name) => `src/googlesql/syntax/${name}.ts`),
    why: 'the nodes of a recursive grammar hold one another',
  },
];

/**
 * Product files outside an engine that may import it, with the reason: everything else knows only the port
 * (ports/storageEngine.ts).
 */
export const engineImporters: readonly { readonly file: string; readonly why: string }[] = [
  { file: 'src/start/openEngine.ts', why: 'it chooses the engine' },
  { file: 'src/start/openClickHouse.ts', why: 'it opens one of the engines, for openEngine.ts' },
  { file: 'src/start/duckDbSettingsOf.ts', why: 'it reads the settings of the engine' },
  { file: 'src/start/standbyEngine.ts', why: 'it starts the process of the engine ahead' },
  { file: 'src/start/countEvents.ts', why: 'it reads event files that no service has open' },
  { file: 'src/start/doctor/clickhouseCheck.ts', why: 'it asks the servers of one of the engines' },
  { file: 'src/start/doctor/machine.ts', why: 'it says how much memory the engine may take' },
  { file: 'src/start/doctor/readThrough.ts', why: 'it reads event files that no service has open' },
];

/** Files outside src/start/ that may read process.env, with the reason. */
export const environmentReaders: readonly { readonly file: string; readonly why: string }[] = [
  { file: 'src/http/openapi/codeSamples.ts', why: 'it writes examples that read it' },
];

/**
 * Product files that open databases of the data folder with libsql. Each uses only this library: if other code closes a
 * descriptor of such a file, every lock of this process on it is lost (decision 54).
 */
export const databaseOpeners: readonly { readonly file: string; readonly why: string }[] = [
  { file: 'src/stores/sqlite/storeFile.ts', why: 'it opens the store, and makes its file' },
  { file: 'src/stores/sqlite/storeThread.ts', why: 'it opens the store for changes, on a thread of its own' },
  { file: 'src/stores/sqlite/storeError.ts', why: 'it knows the errors of the library' },
  { file: 'src/stores/sqlite/copyDatabase.ts', why: 'it copies the store on a thread of its own' },
  { file: 'src/files/fileLock.ts', why: 'a lock is a transaction of a database' },
  { file: 'src/start/folderLock.ts', why: 'it asks whether the lock of the folder is held' },
];

/** Product files that name the store's file or ask for its path, and open other files. */
export const otherFilesOpened: readonly { readonly file: string; readonly why: string }[] = [
  { file: 'src/stores/sqlite/storeFile.ts', why: 'it makes the file where there is none' },
  { file: 'src/stores/sqlite/copyDatabase.ts', why: 'it makes the copy, and flushes it to the device' },
  { file: 'src/start/liveBackup.ts', why: 'it reads the copy' },
  { file: 'src/start/folderLock.ts', why: 'it writes who holds the lock, into a file beside it' },
];

/**
 * Checks the rules of docs/architecture.md that the text of the sources shows. `sources` maps paths in the package to
 * texts. Returns one sentence for each violation.
 */
export function architectureProblems(sources: ReadonlyMap<string, string>): readonly string[] {
  const problems: string[] = [];
  const graph = new Map<string, readonly string[]>();
  for (const [file, text] of sources) {
    problems.push(...textProblems(file, text), ...storeFileProblems(file, text));
    if (file.startsWith('src/') && !isTest(file)) problems.push(...moduleStateProblems(file, text));
    const imported: string[] = [];
    for (const { specifier } of importsOf(text)) {
      const target = normalize(join(dirname(file), specifier));
      const isLocal = specifier.startsWith('.');
      const found = [specifierProblem(file, specifier), isLocal ? importProblem(file, target) : undefined];
      problems.push(...found.filter((problem) => problem !== undefined));
      if (isLocal) imported.push(target);
    }
    graph.set(file, imported);
  }
  for (const circle of circles(graph)) {
    if (importCircles.some(({ files }) => circle.every((file) => files.includes(file)))) continue;
    problems.push(`import circle, types included: ${circle.toSorted().join(', ')}`);
  }
  return problems;
}

function textProblems(file: string, text: string): readonly string[] {
  const problems: string[] = [];
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (lines > linesMax) problems.push(`${file}: ${lines} lines; a file has at most ${linesMax}`);
  const inProduct = file.startsWith('src/') && !isTest(file);
  if (inProduct && /\bprocess\.env\b|\benv\b[^;]*from 'node:process'/.test(text) && !file.startsWith('src/start/')) {
    if (!environmentReaders.some((reader) => reader.file === file)) {
      problems.push(`${file}: reads process.env; only src/start/ does`);
    }
  }
  const base = file.slice(file.lastIndexOf('/') + 1).replace(/\..*$/, '');
  if (/^(utils?|helpers?|common|misc)$/i.test(base))
    problems.push(`${file}: has a name that says nothing; name it after its main export`);
  return problems;
}

const opening =
  /\b(?:open|read|write|append|truncate|copy)(?:Sync)?\b|\b(?:readFile|writeFile|appendFile|copyFile|cp|createReadStream|createWriteStream|openAsBlob|lchmod|fchmod)(?:Sync)?\b/;

/** Only the store's library may open the store's files (decision 54). */
function storeFileProblems(file: string, text: string): readonly string[] {
  if (!file.startsWith('src/') || isTest(file)) return [];
  const problems: string[] = [];
  const isListed = (list: readonly { readonly file: string }[]) => list.some((each) => each.file === file);
  if (/from 'libsql'|resolve\('libsql'\)|import\('libsql'\)/.test(text.replaceAll(/^import type .*$/gm, ''))) {
    if (!isListed(databaseOpeners)) problems.push(`${file}: imports libsql; the store is opened by storeFile.ts`);
  }
  const names = /'store\.sqlite|\bpathOfStore\b|\bstoreFileNames\b|'lock'/.test(text);
  const fromFs = [...text.matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g)].map(([, all = '']) => all);
  if (names && fromFs.some((imported) => opening.test(imported)) && !isListed(otherFilesOpened)) {
    problems.push(`${file}: names the store's file and opens files; only its library may open that one`);
  }
  return problems;
}

function specifierProblem(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    if (!/\.(tsx?|mjs|json)$/.test(specifier)) return `${file}: "${specifier}" lacks its .ts suffix`;
    return undefined;
  }
  const [name = specifier] = specifier.split('/');
  if (nodeModules.has(name)) return `${file}: "${specifier}" lacks the node: prefix`;
  return undefined;
}

const nodeModules = new Set(
  'assert async_hooks buffer child_process crypto dns events fs http http2 https net os path perf_hooks process readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib'.split(
    ' ',
  ),
);

function importProblem(file: string, target: string): string | undefined {
  if (file.startsWith('test/acceptance/') && target.startsWith('src/')) {
    return `${file}: imports ${target}; acceptance tests are black box and import nothing of src`;
  }
  if (file.startsWith('console/') && !target.startsWith('console/')) {
    return `${file}: imports ${target}; the console knows the service by the types of its API only (console/src/api/types.ts)`;
  }
  if (!file.startsWith('src/')) return undefined;
  if (!target.startsWith('src/')) {
    return isTest(file) ? undefined : `${file}: imports ${target}, which lies outside src`;
  }
  const from = roomOf(file);
  const to = roomOf(target);
  if (from === undefined) return `${file}: is in no known room`;
  if (to === undefined) return `${file}: imports ${target}, which is in no known room`;
  if (!isTest(file) && isTest(target)) return `${file}: imports the test file ${target}`;
  if (from.name === to.name) return undefined;
  if (to.name.startsWith('engines/') && to.layer < from.layer) return engineProblem(file, target);
  if (to.layer < from.layer) return undefined;
  if (importExceptions.some((exception) => exception.file === file && exception.room === to.name)) return undefined;
  // A unit test may use a real adapter, for example a real engine.
  if (isTest(file)) return undefined;
  return `${file}: ${from.name} may not import ${to.name} (${target})`;
}

function engineProblem(file: string, target: string): string | undefined {
  if (file.startsWith('src/engines/')) return undefined;
  if (isTest(file) || engineImporters.some((importer) => importer.file === file)) return undefined;
  return `${file}: imports ${target}; an engine is known through its port, and chosen in src/start/openEngine.ts`;
}

function roomOf(file: string): { readonly name: string; readonly layer: number } | undefined {
  for (const [layer, names] of layers.entries()) {
    for (const name of names) if (file.startsWith(`src/${name}/`)) return { name, layer };
  }
  return undefined;
}

function isTest(file: string): boolean {
  return /\.(test|contract|fixture|bench)\.tsx?$/.test(file) || /\/(testing|fixtures)\//.test(file);
}

/** Sets of files that all reach each other by imports (Tarjan's strongly connected components). */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  /** Visited, and not yet known to be in another cycle than the files visited now. */
  const open: string[] = [];
  /** Returns the position in `order` of the first file that this one reaches and that reaches it. */
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let first = own;
    for (const target of graph.get(file) ?? []) {
      const known = order.get(target);
      if (known === undefined) first = Math.min(first, visit(target));
      else if (open.includes(target)) first = Math.min(first, known);
    }
    if (first === own) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) found.push(circle);
    }
    return first;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}
