// npm run bench: installs what is missing, builds what is stale, measures the built product. Without the name of a
// part, the whole suite of bench/suite/suite.ts. What follows a name are arguments of its file; without one, of the
// suite.
import { buildIfNeeded, fail, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
const [first, ...rest] = process.argv.slice(2);
const parts = {
  growth: 'bench/growth.ts',
  cache: 'bench/cacheHits.ts',
  callers: 'bench/callers.ts',
  abuse: 'bench/abuse.ts',
  many: 'bench/manyDefinitions.ts',
  ingestion: 'bench/ingestion.ts',
  statements: 'bench/writeStatements.ts',
  page: 'bench/suite/page.ts',
};
if (first !== undefined && !first.startsWith('-') && !(first in parts)) {
  fail(`There is no part "${first}". Parts: ${Object.keys(parts).join(', ')}; none for the whole suite.`);
}
const what = first in parts ? [parts[first], ...rest] : ['bench/suite/suite.ts', ...process.argv.slice(2)];
process.exit(run(tool('tsx'), what));
