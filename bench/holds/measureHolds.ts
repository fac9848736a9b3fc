import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { BenchedService } from '../benchedService.ts';
import { bodyCases } from './bodyCases.ts';
import { callCases } from './callCases.ts';
import { HoldClient } from './holdClient.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-holds-'));
const file = join(folder, 'holds');
appendFileSync(file, '');
const probe = pathToFileURL(join(import.meta.dirname, '..', '..', 'test', 'support', 'holdProbe.mjs')).href;
const service = await BenchedService.start(join(folder, 'data'), { HOLDS_FILE: file, LOGMILL_DEFAULT_PROJECT: 'own' }, [
  '--import',
  probe,
]);
const client = new HoldClient(service.url);
const only = process.argv[2] === undefined ? /./ : new RegExp(process.argv[2]);
try {
  for (const { name, prepare, run } of [...bodyCases, ...callCases]) {
    if (!only.test(name)) continue;
    await prepare?.(client);
    await delay(50);
    const before = readFileSync(file, 'utf8').length;
    const start = performance.now();
    const answer = await run(client).catch((e) => ({ status: 0, code: String(e), bytes: 0 }));
    const took = performance.now() - start;
    await delay(50);
    const holds = readFileSync(file, 'utf8')
      .slice(before)
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ').map(Number));
    const own = holds.map(([, held = 0, waited = 0]) => held - waited);
    const worst = holds.reduce<readonly number[]>(
      (a, b) => ((b[1] ?? 0) - (b[2] ?? 0) > (a[1] ?? 0) - (a[2] ?? 0) ? b : a),
      [],
    );
    console.log(
      `${Math.max(0, ...own)
        .toFixed(0)
        .padStart(
          6,
        )} ms  x${String(own.filter((each) => each > 50).length).padEnd(3)} wall ${String(worst[1] ?? 0).padEnd(7)} gc ${String(worst[3] ?? 0).padEnd(7)} took ${took.toFixed(0).padStart(6)}  ${answer.status} ${answer.code} ${answer.bytes}  ${name}`,
    );
  }
} finally {
  client.end();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
