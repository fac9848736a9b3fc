// npm run bench: installs what is missing, builds what is stale, measures the built product. Arguments go to bench/bench.ts,
// those after "growth" to bench/growth.ts, those after "cache" to bench/cacheHits.ts,
// those after "callers" to bench/callers.ts, those after "abuse" to bench/abuse.ts,
// those after "many" to bench/manyDefinitions.ts, those after "ingestion" to bench/ingestion.ts.
import { buildIfNeeded, installIfNeeded, requireNode, run, tool } from './project.mjs';

requireNode();
installIfNeeded();
buildIfNeeded();
const [first, ...rest] = process.argv.slice(2);
const others = {
  growth: 'bench/growth.ts',
  cache: 'bench/cacheHits.ts',
  callers: 'bench/callers.ts',
  abuse: 'bench/abuse.ts',
  many: 'bench/manyDefinitions.ts',
  ingestion: 'bench/ingestion.ts',
};
const what = first in others ? [others[first], ...rest] : ['bench/bench.ts', ...process.argv.slice(2)];
process.exit(run(tool('tsx'), what));
