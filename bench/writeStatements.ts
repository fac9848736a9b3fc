import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTableSql, tableLayout } from '../src/engines/duckdb/files/tableLayout.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { BareEngine } from './bareEngine.ts';
import { benchedQueries } from './benchedQueries.ts';
import { prepareEvents } from './suite/preparedEvents.ts';
import { sharedFolder } from './suite/scratch.ts';

/**
 * npm run bench -- statements: writes the statements that the engine gets for the largest project, and the tables they
 * run on, into statements.sql.
 */
mkdirSync(sharedFolder, { recursive: true });
const prepared = await prepareEvents(sharedFolder, 200_000, console.log);
const bare = await BareEngine.open(prepared.path);
const parts = builtinSources.map((source) => `${createTableSql('sealed_1', tableLayout(source), 'sealed')};`);
for (const query of benchedQueries.filter(({ title }) => title.endsWith('large'))) {
  const statements = await bare.statementsOf(query);
  parts.push(`-- ${query.title} ${JSON.stringify(query.parameters)}`, ...statements.map((sql) => `${sql};`));
}
bare.close();
writeFileSync(join(import.meta.dirname, 'statements.sql'), `${parts.join('\n\n')}\n`);
