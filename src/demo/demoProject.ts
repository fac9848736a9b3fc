import { SeededRandom } from './seededRandom.ts';

export interface DemoFunction {
  readonly id: string;
  readonly slug: string;
  readonly medianMs: number;
  readonly version: string;
}

export interface DemoUser {
  readonly id: string;
  readonly email: string;
  readonly provider: 'email' | 'github' | 'phone';
  readonly address: string;
  readonly agent: string;
  readonly place: DemoPlace;
}

export interface DemoPlace {
  readonly country: string;
  readonly city: string;
  readonly colo: string;
  readonly continent: string;
  readonly latitude: string;
  readonly longitude: string;
  readonly postalCode: string;
  readonly timezone: string;
}

/** An invented application whose day the sample data shows. */
export interface DemoProject {
  readonly ref: string;
  readonly host: string;
  readonly region: string;
  readonly tables: readonly [string, ...string[]];
  readonly buckets: readonly [string, ...string[]];
  readonly functions: readonly [DemoFunction, ...DemoFunction[]];
  readonly users: readonly [DemoUser, ...DemoUser[]];
}

const places: readonly [DemoPlace, ...DemoPlace[]] = [
  place('FI', 'Helsinki', 'HEL', 'EU', '60.1699', '24.9384', '00100', 'Europe/Helsinki'),
  place('DE', 'Berlin', 'TXL', 'EU', '52.5200', '13.4050', '10115', 'Europe/Berlin'),
  place('US', 'Chicago', 'ORD', 'NA', '41.8781', '-87.6298', '60601', 'America/Chicago'),
  place('BR', 'Recife', 'REC', 'SA', '-8.0476', '-34.8770', '50000-000', 'America/Recife'),
  place('JP', 'Osaka', 'KIX', 'AS', '34.6937', '135.5023', '530-0001', 'Asia/Tokyo'),
];

function place(
  country: string,
  city: string,
  colo: string,
  continent: string,
  latitude: string,
  longitude: string,
  postalCode: string,
  timezone: string,
): DemoPlace {
  return { country, city, colo, continent, latitude, longitude, postalCode, timezone };
}

const agents: readonly [string, ...string[]] = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'orchard-app/2.4.1 (Android 14)',
  'node-fetch/3.3.2',
  'python-httpx/0.27.0',
];

const names: readonly [string, ...string[]] = [
  'ada',
  'bruno',
  'chidi',
  'dilnoza',
  'emre',
  'freya',
  'goro',
  'hana',
  'ines',
  'jonas',
];

const bornMicros = Date.UTC(2025, 0, 1) * 1000;

/**
 * Returns the same project for the same reference. Addresses are from the ranges for documentation (RFC 5737, RFC
 * 3849).
 */
export function demoProject(ref: string): DemoProject {
  const random = new SeededRandom(`project/${ref}`);
  const slugs = ['send-receipt', 'resize-image', 'nightly-report', 'webhook', 'search'] as const;
  const functions = slugs.map((slug) => ({
    id: random.uuid(bornMicros),
    slug,
    medianMs: random.integer(20, 400),
    version: String(random.integer(1, 40)),
  }));
  const users = Array.from({ length: 120 }, (_, index) => demoUser(random, index));
  return {
    ref,
    host: `${ref}.example.com`,
    region: random.pick(['eu-central-1', 'us-east-1', 'ap-northeast-1']),
    tables: ['todos', 'profiles', 'orders', 'order_items', 'messages'],
    buckets: ['avatars', 'invoices', 'photos'],
    functions: atLeastOne(functions),
    users: atLeastOne(users),
  };
}

function demoUser(random: SeededRandom, index: number): DemoUser {
  return {
    id: random.uuid(bornMicros),
    email: `${random.pick(names)}.${index}@example.com`,
    provider: random.weighted([
      ['email', 6],
      ['github', 3],
      ['phone', 1],
    ]),
    address: random.chance(0.15)
      ? `2001:db8:${random.hex(4)}::${random.hex(3)}`
      : `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.integer(1, 254)}`,
    agent: random.pick(agents),
    place: random.pick(places),
  };
}

function atLeastOne<T>(items: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error('a demo project needs at least one of each');
  return [first, ...rest];
}
