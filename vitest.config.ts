import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { hasClickHouse } from './test/clickhouse/startClickHouse.ts';
import { compiledSources, loadedByNode } from './test/support/compiledSources.ts';
import { SlowestFirst } from './test/support/slowestFirst.ts';

const support = join(import.meta.dirname, 'test', 'support');

/** Tests that start no process and leave nothing behind: they share workers, which load what they test once. */
const units = [
  'src/!(engines|start|stores)/**/*.test.ts',
  'src/engines/duckdb/{emit,functions}/**/*.test.ts',
  'test/redaction/**/*.test.ts',
  'console/src/**/*.test.ts',
];

/**
 * Tests of whole services, each with folders and ports of its own: they share workers too, since a service is half a
 * thousand files to load and nothing of it is kept in a module. Not those that look at the process that they run in.
 */
const services = ['test/integration/{dashboard,dryRun,golden,http,lql,manage,openapi,redaction,tokens}/**/*.test.ts'];

/** Tests that look at the process that they run in, or change it: each file has one of its own. */
const alone = [
  'src/engines/duckdb/openDuckDbStorage.test.ts',
  'src/engines/duckdb/host/{engineStatements,functionProcess,processorTime,residentBytes,scarceMemory}.test.ts',
  'src/start/foreignFolder.test.ts',
  'src/stores/sqlite/storeThread.test.ts',
  'test/{crash,structure}/**/*.test.ts',
  'test/integration/operations/abuse.test.ts',
];

/** Tests of the console: one service and one browser for all of them. They run the built command. */
const inBrowser = ['test/console/**/*.test.ts'];

/**
 * What an engine is proved by, besides its contract suites, but for what takes long: run on the engine in memory too. All of
 * it runs on that one with TEST_ENGINE=memory (support/enginesUnderTest.ts).
 */
const ofEngines = [
  'test/conformance/!(functions|recorded|typedCasts|*.property).test.ts',
  'test/integration/{redaction,retention,tenants}/!(barrier|dryRunsAndLql|everyFunction|hiddenDictionaries|hiddenErrors|patterns|*.property).test.ts',
];

/** What takes rows in ways of its own, so that each engine with several ways proves it. */
const ofResults = ['test/integration/{pages,tail}/*.test.ts', 'test/integration/streams/streams.test.ts'];

/** Everything that takes an engine under test, also what takes long: recorded queries, shipped endpoints and properties. */
const allOfEngines = [
  'test/conformance/!(formattedQueries.property|functions|lateBoundTimes.property).test.ts',
  'test/integration/{golden,redaction,retention,tenants}/*.test.ts',
];

/** The part of it that runs on events in ClickHouse too: all with `npm run test:clickhouse` (decision 105). */
const ofClickHouse =
  process.env.CLICKHOUSE_SUITES === 'whole'
    ? [...allOfEngines, ...ofResults]
    : [
        'test/conformance/{pushdown,rewrites}.test.ts',
        // With a share of their cases (support/enginesUnderTest.ts).
        'test/integration/redaction/barrier.test.ts',
        'test/integration/tenants/tenants.property.test.ts',
        ...ofResults,
      ];

/** For tests that start processes or redaction threads: those that are built once for the run. The same for a PostgreSQL server. */
const withProcesses = {
  globalSetup: [join(support, 'builtProcesses.ts'), join(support, 'postgresForRun.ts')],
  alias: [
    { find: './engineCommand.ts', replacement: join(support, 'builtEngineCommand.ts') },
    { find: './redactingProgram.ts', replacement: join(support, 'builtRedactingProgram.ts') },
    { find: './standInArgs.ts', replacement: join(support, 'builtStandInArgs.ts') },
  ],
};

export default defineConfig({
  plugins: [...compiledSources],
  test: {
    server: { deps: { external: [...loadedByNode] } },
    // Far above what any test takes: a limit is for a hang, not for a busy machine. No test names one of its own that is lower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The same for a state that is waited for: one limit for all, so that none is named beside a poll.
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Two workers leave two cores idle for a fifth of a run, while they wait for processes and timers (decision 51).
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    setupFiles: [join(support, 'propertySeed.ts'), join(support, 'processAsFound.ts')],
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...units, ...services, ...alone, ...inBrowser],
          isolate: false,
          ...withProcesses,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, ...withProcesses } },
      { extends: true, test: { name: 'services', include: services, isolate: false, ...withProcesses } },
      { extends: true, test: { name: 'console', include: inBrowser } },
      { extends: true, test: { name: 'units', include: units, isolate: false } },
      {
        extends: true,
        test: {
          name: 'memory engine',
          include: ofEngines,
          isolate: false,
          env: { TEST_ENGINE: 'memory' },
          ...withProcesses,
        },
      },
      ...(hasClickHouse
        ? [
            {
              extends: true as const,
              test: {
                name: 'clickhouse engine',
                include: ofClickHouse,
                isolate: false,
                env: { TEST_ENGINE: 'clickhouse' },
                ...withProcesses,
              },
            },
          ]
        : []),
    ],
  },
});
