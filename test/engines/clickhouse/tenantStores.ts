import { oddEvents } from '../../clickhouse/pushdown/oddEvents.ts';
import type { GivenEvent } from '../../clickhouse/pushdown/pushdownStore.ts';
import { failingEvents, poisonedEvents, type Tenant } from '../../integration/tenants/tenantEvents.ts';
import { duckdb, type ServedEngine } from '../../support/enginesUnderTest.ts';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { clickhouse } from './clickhouseEngine.ts';

export const own: Tenant = { project: 'tenant-alder', tag: 'ALDER', digits: 7_771_000 };
const before: Tenant = { project: 'tenant-birch', tag: 'BIRCH', digits: 8_882_000 };
const after: Tenant = { project: 'tenant-cedar', tag: 'CEDAR', digits: 6_664_000 };

/** What stands in values of the other tenants only. */
export const foreign = /BIRCH|CEDAR|tenant-birch|tenant-cedar|\b8882\d{3}\b|\b6664\d{3}\b/;

/** Above all times of odd events that a service takes. */
const nowMicros = at('2026-05-03T12:00:00Z') + 321;
const aheadMicrosMax = 86_400_000_000;
const sources = ['edge_logs', 'auth_logs', 'function_edge_logs'] as const;

/** A service with events in one of the stores, and its tokens by whom they are for. */
export interface TenantStore {
  readonly service: WholeService;
  readonly tokens: Readonly<Record<'one' | 'two' | 'every' | 'redacted', string>>;
}

export interface StoredTenants {
  /** Of the tenant's own odd events. */
  readonly seed: number;
  readonly isRegular: boolean;
  /** Whether there are events of two other tenants, at whose values functions fail. */
  readonly isShared: boolean;
}

export async function openClickHouseStore(stored: StoredTenants): Promise<TenantStore> {
  return await openStore(clickhouse, stored);
}

export async function openDuckDbStore(stored: StoredTenants): Promise<TenantStore> {
  return await openStore(duckdb, stored);
}

async function openStore(
  { openForService }: Pick<ServedEngine, 'openForService'>,
  { seed, isRegular, isShared }: StoredTenants,
): Promise<TenantStore> {
  const service = await startWholeService({ nowMicros, openEngine: openForService });
  // The tenant's own events lie between those of the others, as they do in a running service.
  if (isShared) await sendOthers(service, before, seed + 50_000);
  await sendOdd(service, own, seed, isRegular);
  if (isShared) await sendOthers(service, after, seed + 60_000);
  const scopes = ['query', 'query:fresh'];
  const tokens = {
    one: await service.makeToken(scopes, [own.project]),
    two: await service.makeToken(scopes, [own.project, 'tenant-without-events']),
    every: await service.makeToken(scopes),
    redacted: await service.makeToken(scopes, [own.project], true),
  };
  service.clock.advanceMs(1000);
  return { service, tokens };
}

async function sendOthers(service: WholeService, tenant: Tenant, seed: number): Promise<void> {
  for (const events of [failingEvents, poisonedEvents])
    for (const source of sources) await service.send(source, events(tenant, nowMicros).get(source) ?? []);
  await sendOdd(service, tenant, seed, false);
}

/** Odd events with the tag of the tenant in their IDs. */
async function sendOdd(
  service: WholeService,
  { project, tag }: Tenant,
  seed: number,
  isRegular: boolean,
): Promise<void> {
  for (const [i, source] of sources.entries()) {
    const events = oddEvents(seed + i * 1_000, 240, isRegular)
      .filter(({ timestampMicros }) => timestampMicros < nowMicros + aheadMicrosMax)
      .slice(0, 110);
    await send(
      service,
      source,
      events.map((event) => eventText({ ...event, project, id: `${tag}-${event.id}` })),
    );
  }
}

/** Metadata stays as it is written: a number such as 1.0 is not one that JavaScript writes. */
function eventText({ id, timestampMicros, project, eventMessage, metadata }: GivenEvent): string {
  const members = [
    ['id', JSON.stringify(id)],
    ['timestamp', JSON.stringify(timeText(timestampMicros))],
    ['project', JSON.stringify(project)],
    ['event_message', JSON.stringify(eventMessage)],
    ...(metadata === null ? [] : [['metadata', metadata]]),
  ];
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

function timeText(micros: number): string {
  const millis = Math.floor(micros / 1000);
  return new Date(millis).toISOString().replace('Z', `${String(micros - millis * 1000).padStart(3, '0')}Z`);
}

async function send({ url, adminToken }: WholeService, source: string, events: readonly string[]): Promise<void> {
  const response = await fetch(`${url}/api/logs?source=${source}`, {
    method: 'POST',
    headers: { 'x-api-key': adminToken, 'content-type': 'application/json' },
    body: `[${events.join(',')}]`,
  });
  const text = await response.text();
  if (response.status !== 200 || JSON.parse(text).accepted !== events.length)
    throw new Error(`the odd events of ${source} were not stored: ${text.slice(0, 1000)}`);
}

/** What a caller sees, in a form in which two stores say the same. */
export interface Seen {
  readonly status: number;
  /** Rows as they came, sorted unless the query orders them; null if an open choice of rows was cut, and for an error. */
  readonly rows: readonly string[] | null;
  /** The rest of the body, without what differs from call to call and between stores. */
  readonly rest: string;
}

/** A query that fails on its data may say at which of several places, which is open. */
export function seenOf({ status, text, body }: Answer, isOrdered: boolean): Seen {
  if (status !== 200) return { status, rows: null, rest: body.code };
  const [, result = '', meta = ''] = /^\{"result":\[(.*)\],"meta":(\{.*\})\}$/s.exec(text) ?? [];
  const rest = meta
    .replace(/"elapsed_ms":[\d.]+/, '')
    .replace(/"rows_scanned":\d+/, '')
    .replace(/"outcome":"(?:bypass|unchanged)"/, '')
    .replace(/"request_id":"[^"]*"/, '');
  // A row begins with its first member, so an object within a row is no beginning of one.
  const first = body.meta.columns[0]?.name ?? '';
  const rows = result === '' ? [] : result.split(new RegExp(`(?<=\\}),(?=\\{${JSON.stringify(first)}:)`));
  if (isOrdered) return { status, rows, rest };
  return { status, rows: body.meta.truncated ? null : rows.toSorted(), rest };
}
