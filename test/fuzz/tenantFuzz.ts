import { inspect } from 'node:util';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import {
  alder,
  birch,
  failingEvents,
  plainEvents,
  poisonedEvents,
  type Tenant,
} from '../integration/tenants/tenantEvents.ts';
import { at } from '../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../support/wholeService.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { type TenantCall, TenantCalls } from './tenantQuery.ts';

const nowMicros = at('2026-05-01T12:34:56.789Z') + 321;
const cedar: Tenant = { project: 'tenant-cedar', tag: 'CEDAR', digits: 6_664_000 };

/** What stands in values of the other tenants only. */
const foreign = /BIRCH|CEDAR|tenant-birch|tenant-cedar|\b888[23]\d{3}\b|\b6664\d{3}\b/;

/** A new value each time that it is asked for. */
const differsEachTime = /\b(?:rand|generate_uuid)\s*\(/i;

/** Which projects the token of a call reaches: every one, the tenant's, or this one and one without events. */
export type Reach = 'every' | 'one' | 'two';

interface Side {
  readonly service: WholeService;
  /** By how far they reach. */
  readonly tokens: Readonly<Record<Reach, string>>;
}

/**
 * Asks one tenant's calls of two services: one that holds nothing but this tenant's events, and one
 * that holds those of two other tenants as well, which are made to fail wherever they are looked at.
 * The answers must be the same to the byte, whether they are rows or errors.
 */
export class TenantFuzz {
  readonly #alone: Side;
  readonly #shared: Side;
  readonly #log: FuzzLog;

  private constructor(alone: Side, shared: Side, log: FuzzLog) {
    this.#alone = alone;
    this.#shared = shared;
    this.#log = log;
  }

  static async open(log: FuzzLog): Promise<TenantFuzz> {
    return new TenantFuzz(await openSide([]), await openSide([birch, cedar]), log);
  }

  async close(): Promise<void> {
    await this.#alone.service.close();
    await this.#shared.service.close();
  }

  async check(call: TenantCall, reach: Reach): Promise<void> {
    if (differsEachTime.test(call.parameters.sql ?? '')) return;
    const ask = async ({ service, tokens }: Side) => {
      const headers = { 'x-api-key': tokens[reach] };
      return await service.call(call.endpoint, call.parameters, { method: 'POST', headers });
    };
    const [alone, shared] = await Promise.all([ask(this.#alone), ask(this.#shared)]);
    const kind = call.parameters.lql === undefined ? call.endpoint.slice(0, 9) : 'lql';
    this.#log.count(`${kind} ${alone.status} ${alone.body.code ?? ''}`);
    const input = JSON.stringify({ ...call, reach });
    if (shared.status >= 500) {
      const detail = `${seen(shared).slice(0, 500)}\n${causeOf(this.#shared, shared)}`;
      this.#log.add({ rule: 'a call is not answered with a fault of the service', input, detail });
    }
    if (foreign.test(seen(shared))) {
      this.#log.add({ rule: 'no answer holds a value of another tenant', input, detail: seen(shared).slice(0, 1000) });
    }
    if (seen(alone) === seen(shared) || (isOwnFailure(alone) && isOwnFailure(shared))) return;
    const detail = `alone: ${seen(alone).slice(0, 1500)}\nshared: ${seen(shared).slice(0, 1500)}`;
    this.#log.add({ rule: 'an answer is the same without the events of others', input, detail });
  }
}

/** Everything that a caller sees, without what differs from call to call. */
function seen({ status, text }: Answer): string {
  const body = text.replace(/"elapsed_ms":[\d.]+/, '"elapsed_ms":0').replace(/"request_id":"[^"]*"/, '"request_id":""');
  return `${status} ${body}`;
}

/** What the log of the service says of a failure, each cause after what it caused. */
function causeOf({ service }: Side, { headers }: Answer): string {
  const failed = service.observations.find(
    (seen) => seen.kind === 'request.failed' && seen.requestId === headers.get('x-request-id'),
  );
  const causes: string[] = [];
  for (let at = failed?.kind === 'request.failed' ? failed.cause : undefined; at instanceof Error; at = at.cause) {
    causes.push(inspect(at, { depth: 3 }).slice(0, 1000));
  }
  return causes.join('\n');
}

type Events = (tenant: Tenant, nowMicros: number, count: number) => ReadonlyMap<string, readonly object[]>;

/** A query that fails on the tenant's own events may do so at another place: which one is looked at first is open. */
function isOwnFailure({ status, body }: Answer): boolean {
  return status === 400 && body.code === 'sql.data';
}

async function openSide(others: readonly Tenant[]): Promise<Side> {
  const service = await startWholeService({ nowMicros });
  const send = async (tenant: Tenant, kinds: readonly Events[]) => {
    for (const events of kinds) {
      for (const [stream, batch] of events(tenant, nowMicros, 12)) {
        // More than an engine looks at in one go, so that it may change the order of what it computes.
        await service.send(stream, tenant === alder ? batch : Array.from({ length: 40 }, () => batch).flat());
      }
    }
  };
  const [before, after] = others;
  // The tenant's own events lie between those of the others, as they do in a running service.
  if (before !== undefined) await send(before, [plainEvents, failingEvents, poisonedEvents]);
  await send(alder, [plainEvents]);
  if (after !== undefined) await send(after, [failingEvents, plainEvents, poisonedEvents]);
  const tokens = {
    every: await service.makeToken(['query']),
    one: await service.makeToken(['query'], [alder.project]),
    two: await service.makeToken(['query'], [alder.project, 'tenant-without-events']),
  };
  service.clock.advanceMs(1000);
  return { service, tokens };
}

/** Calls of the typed grammar until the time is over. */
export async function fuzzTenants({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const log = new FuzzLog(found);
  const fuzz = await TenantFuzz.open(log);
  let inputs = 0;
  try {
    const random = new SeededRandom(`${seed} tenants`);
    const calls = new TenantCalls(random);
    for (; !isOver(); inputs++) await fuzz.check(...tenantInput(calls, random));
  } finally {
    await fuzz.close();
  }
  return { name: 'tenants', inputs, counts: log.counts, findings: log.findings };
}

/** A call of the tenant with a token. Only a restricted one may use a pattern that finds everything. */
export function tenantInput(calls: TenantCalls, random: SeededRandom): [TenantCall, Reach] {
  const reach = random.pick(['every', 'one', 'two'] as const);
  const own = `^https://${alder.tag}\\.`;
  return [calls.call(alder.project, reach === 'every' ? own : random.pick(['.', '^', own])), reach];
}
