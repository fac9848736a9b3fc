import { afterAll, beforeAll, expect } from 'vitest';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

export const hourMicros = 3_600_000_000;

/** A definition over no source, so that it gives a row without events. */
export const example = {
  name: 'example.sum',
  description: 'Adds one.',
  query: 'with numbers as (select @n as n)\nselect n + 1 as next, @label as label from numbers',
  parameters: { n: { type: 'int64', required: true }, label: { type: 'string' } },
  sandbox: true,
} as const;

export type Json = Readonly<Record<string, unknown>>;

export interface Managed {
  readonly status: number;
  readonly headers: Headers;
  /** Of whatever shape; tests look at what they expect there. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface ManagedService {
  readonly service: WholeService;
  /** Calls a path below `/api/endpoints` with the administration token, unless another is given. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Managed>;
  close(): Promise<void>;
}

/** The whole service, for tests of the management of endpoints. Must be closed. */
export async function startManagedService(): Promise<ManagedService> {
  const service = await startWholeService({ nowMicros: Date.UTC(2026, 4, 1) * 1000 });
  return {
    service,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(`${service.url}/api/endpoints${path}`, {
        method,
        headers: {
          'x-api-key': service.adminToken,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    close: () => service.close(),
  };
}

/** What the tests of one file ask of a service that runs as long as they do. */
export interface ManagedTests {
  readonly ask: ManagedService['ask'];
  readonly call: WholeService['call'];
  /** Creates an endpoint that is like `example`, except for the fields that are given. */
  create(fields: Json): Promise<{ readonly id: string; readonly tag: string }>;
  /** Only within a test. */
  managed(): ManagedService;
}

export function managedTests(): ManagedTests {
  let managed: ManagedService;
  beforeAll(async () => {
    managed = await startManagedService();
  });
  afterAll(() => managed.close());
  const ask: ManagedService['ask'] = (...args) => managed.ask(...args);
  return {
    ask,
    call: (...args) => managed.service.call(...args),
    async create(fields) {
      const { status, body, headers } = await ask('POST', '', { ...example, ...fields });
      expect(status, JSON.stringify(body)).toBe(201);
      return { id: body.endpoint.id, tag: headers.get('etag') ?? '' };
    },
    managed: () => managed,
  };
}
