/**
 * Product files with mutable state at module level, with the reason. A memo by an immutable tree counts: its value
 * depends only on the tree and the rest of its key (listed in test/structure/caches.test.ts), and it is freed with the
 * tree.
 */
export const moduleStates: readonly { readonly file: string; readonly name: string; readonly why: string }[] = [
  { file: 'src/core/ids.ts', name: 'poolAt', why: 'a buffer of the random bytes of the system, each given once' },
  {
    file: 'src/engines/duckdb/emit/writtenStatements.ts',
    name: 'written',
    why: 'memo by plan, of few statements; the key holds what else decides them',
  },
  {
    file: 'src/engines/duckdb/emit/writtenStatements.ts',
    name: 'rememberedOf',
    why: 'the sizes of that memo by query, to bound it',
  },
  {
    file: 'src/engines/duckdb/host/launcher.ts',
    name: 'launcher',
    why: 'one for the whole process: it must start before anything makes the process large',
  },
  {
    file: 'src/engines/duckdb/process/engineMain.ts',
    name: 'isClosed',
    why: 'entry of a process: its state is that of the process',
  },
  {
    file: 'src/engines/duckdb/process/scripted/regexpInstr.ts',
    name: 'compiled',
    why: 'memo by pattern, bounded, in the engine process',
  },
  { file: 'src/googlesql/plan/joinSize.ts', name: 'sizes', why: 'memo by relation' },
  { file: 'src/googlesql/plan/projectParameters.ts', name: 'found', why: 'memo by relation' },
  { file: 'src/googlesql/plan/repeatableRows.ts', name: 'found', why: 'memo by relation' },
  { file: 'src/googlesql/resolve/aggregateDepth.ts', name: 'depths', why: 'memo by relation' },
  {
    file: 'src/googlesql/resolve/calls.ts',
    name: 'aliasesWithout',
    why: 'memo by aliases; the key holds which calls are left out',
  },
  { file: 'src/googlesql/resolve/exprKey.ts', name: 'known', why: 'memo by expression' },
  { file: 'src/googlesql/resolve/named.ts', name: 'indexes', why: 'memo by list of columns or fields' },
  { file: 'src/googlesql/resolve/treeMeasure.ts', name: 'measured', why: 'memo by expression or relation' },
  { file: 'src/googlesql/resolve/treeMeasure.ts', name: 'ofTables', why: 'memo by relation' },
  { file: 'src/googlesql/resolve/typeMeasure.ts', name: 'measured', why: 'memo by type' },
  {
    file: 'src/googlesql/callerTables.ts',
    name: 'remembered',
    why: 'memo by map of sources, bounded; the key holds what else decides the tables',
  },
  { file: 'src/invoke/answerBody.ts', name: 'columnsTexts', why: 'memo by the columns of a resolved query' },
  { file: 'src/invoke/redactionAtScan.ts', name: 'readingNamed', why: 'memo by query' },
  { file: 'src/invoke/redactionAtScan.ts', name: 'known', why: 'memo by query; what else decides it is compared' },
  { file: 'src/invoke/entityTag.ts', name: 'digests', why: 'memo by rows, which never change' },
  { file: 'src/invoke/redaction.ts', name: 'known', why: 'memo by query' },
  { file: 'src/redact/detectors/secretNames.ts', name: 'known', why: 'memo by view of a text' },
  {
    file: 'src/redact/thread/redactingMain.ts',
    name: 'parts',
    why: 'entry of a thread: its state is that of the thread',
  },
  {
    file: 'src/stores/sqlite/storeThread.ts',
    name: 'prepared',
    why: 'text of a thread: its state is that of the thread',
  },
  {
    file: 'src/stores/sqlite/storeThread.ts',
    name: 'database',
    why: 'text of a thread: its state is that of the thread',
  },
  {
    file: 'src/stores/sqlite/storeThread.ts',
    name: 'waitedMs',
    why: 'text of a thread: its state is that of the thread',
  },
];

const variable = /^(?:export )?(?:let|var) (\w+)/gm;
const collection =
  /^(?:export )?const (\w+)(?:: ([^=]+?))? =\s+(?:Object\.freeze\()?new (?:Map|Set|WeakMap|WeakSet|LRUCache|FinalizationRegistry)\b/gm;

/**
 * Finds variables and collections at module level that are not listed, and entries of the list that match nothing. A
 * collection of declared type `ReadonlyMap` or `ReadonlySet` is a table. Expects formatted text, in which statements
 * start a line.
 */
export function moduleStateProblems(file: string, text: string): readonly string[] {
  const tables = /^Readonly(?:Map|Set)</;
  const collections = [...text.matchAll(collection)].filter(([, , type = '']) => !tables.test(type));
  const found = [...text.matchAll(variable), ...collections].map(([, name = '']) => name);
  const listed = moduleStates.filter((state) => state.file === file).map(({ name }) => name);
  const missing = found.filter((name) => !listed.includes(name));
  const gone = listed.filter((name) => !found.includes(name));
  return [
    ...missing.map(
      (name) =>
        `${file}: ${name} is mutable state at module level; give it to an object, declare a table as ReadonlyMap or ReadonlySet, or list it with its reason in scripts/moduleState.ts`,
    ),
    ...gone.map((name) => `${file}: ${name} is listed in scripts/moduleState.ts, but is not state at module level`),
  ];
}
