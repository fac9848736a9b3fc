import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { median } from '../../percentile.ts';
import { byTurns, timed } from '../byTurns.ts';
import { type Figure, figure } from '../figure.ts';
import type { PartContext } from '../partContext.ts';
import { type PreparedEvents, sealedFiles } from '../preparedEvents.ts';
import { manyEvents, target } from '../targets.ts';

/**
 * The least that any program with this engine and these files does: it starts Node, loads the engine and opens the files.
 */
const bareProgram = `
import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const [n, file] of process.argv.slice(1).entries()) await connection.run(\`ATTACH '\${file}' AS f\${n} (READ_ONLY)\`);
`;

/** Measures the time from the start of the process to its ready line, after a clean stop. */
export async function measureStartUp(context: PartContext, prepared: PreparedEvents): Promise<readonly Figure[]> {
  const dataDir = context.copyOf(prepared);
  const files = sealedFiles(dataDir).map((name) => join(dataDir, 'events', name));
  const times = await byTurns(
    {
      service: async () => {
        const service = await context.start(dataDir);
        await service.stop();
        return service.startMs;
      },
      bare: timed(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', bareProgram, ...files], {
          cwd: import.meta.dirname,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const [code] = await once(child, 'exit');
        if (code !== 0) throw new Error(`opening the files bare ended with ${code}`);
      }),
    },
    { rounds: context.effort.starts, warmRounds: 1 },
  );
  const startMs = median(times.service);
  return [
    figure({
      part: 'start and memory',
      events: prepared.events,
      what: 'start to ready, after a clean stop',
      measured: startMs,
      unit: 'ms',
      beside: { what: 'Node that opens the files', value: median(times.bare) },
      target: prepared.events >= manyEvents ? target('start', startMs / 1000) : null,
    }),
  ];
}
