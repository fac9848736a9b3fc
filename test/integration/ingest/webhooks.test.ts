import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const nowMicros = Date.parse('2026-11-27T12:00:00Z') * 1000;
const secrets = { old: 'the secret that was before', current: 'the secret of this webhook' } as const;
const declared = `
webhooks:
  shop:
    source: edge_logs
    project: shop-project
    time: created_at
    message: [text, "first.line"]
    id: id
    delivery_id_header: X-Delivery
    signature: &signature
      header: X-Signature
      prefix: sha256=
      secret_files: [current.secret, old.secret]
  many:
    source: edge_logs
    project_from: tenant.name
    projects: [many-a, many-b]
    events: data.events
    time: at
    message: what
    signature: *signature
  function:
    source: function_edge_logs
    project: function-project
    signature: *signature
  functions:
    source: function_edge_logs
    project_from: team
    projects: [many-a, many-b]
    signature: *signature
  other:
    source: edge_logs
    project: other-project
    signature:
      header: X-Other
      secret_files: [current.secret]
  timed:
    source: edge_logs
    project: timed-project
    message: text
    signature:
      header: X-Signature
      prefix: sha256=
      signed: '{timestamp}.{body}'
      timestamp_header: X-Time
      secret_files: [current.secret, old.secret]
  numbered:
    source: edge_logs
    project: numbered-project
    message: text
    delivery_id_header: X-Delivery
    signature:
      header: X-Signature
      prefix: sha256=
      signed: '{timestamp}.{body}'
      timestamp_header: X-Time
      secret_files: [old.secret, current.secret]
`;

let folder: string;
let service: WholeService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-webhooks-'));
  const webhooksFile = join(folder, 'webhooks.yaml');
  writeFileSync(webhooksFile, declared);
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, `${name}.secret`), `${secret}\n`);
  service = await startWholeService({ nowMicros, settings: { webhooksFile } });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

interface Options {
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function deliver(name: string, payload: unknown, { secret = secrets.current, headers = {} }: Options = {}) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const response = await fetch(`${service.url}/webhooks/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      ...headers,
    },
    body,
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** The first status of the answer to the head of a delivery, whose body is not sent. */
function statusOf(name: string, headers: readonly string[], length: number): Promise<string | undefined> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const lines = [`POST /webhooks/${name} HTTP/1.1`, 'host: x', `content-length: ${length}`, ...headers];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1]);
    });
  });
}

async function rowsOf(project: string, table = 'edge_logs') {
  const sql = `select id, timestamp, event_message, metadata from ${table} order by event_message`;
  return (await service.call('logs.all', { project, sql })).body.result;
}

describe('a delivery', () => {
  const order = {
    id: 4711,
    created_at: '2026-11-27T11:59:00Z',
    text: { 'first.line': 'order placed' },
    project: 'another-project',
  };

  it('is stored as its declaration maps it, in the project of the declaration', async () => {
    const answer = await deliver('shop', order);
    expect(answer).toEqual({ status: 200, body: { message: 'Logged!', accepted: 1, rejected: [] } });
    expect(await rowsOf('shop-project')).toEqual([
      { id: '4711', timestamp: '2026-11-27T11:59:00.000000Z', event_message: 'order placed', metadata: order },
    ]);
    expect(await rowsOf('another-project')).toEqual([]);
  });

  it('that comes again with its ID is stored once', async () => {
    const payload = { text: { 'first.line': 'sent twice' } };
    const headers = { 'x-delivery': 'delivery-1' };
    expect((await deliver('shop', payload, { headers })).status).toBe(200);
    expect((await deliver('shop', payload, { headers, secret: secrets.old })).status).toBe(200);
    expect((await rowsOf('shop-project')).filter((row) => row.event_message === 'sent twice')).toHaveLength(1);
    expect((await deliver('shop', { other: 1 }, { headers })).body.code).toBe('ingest.key_reused');
  });

  it('can have many events, each with its own project of those that are allowed', async () => {
    const event = (what: string, tenant: string, at: unknown) => ({ what, tenant: { name: tenant }, at });
    const answer = await deliver('many', {
      data: {
        events: [
          event('digits', 'many-a', '1795780800'),
          event('fraction', 'many-b', '1795780800.25'),
          event('foreign', 'shop-project', 1795780800),
          'no object',
        ],
      },
    });
    expect(answer.body).toMatchObject({
      accepted: 2,
      rejected: [
        { index: 2, code: 'event.project_forbidden' },
        { index: 3, code: 'event.not_object' },
      ],
    });
    expect(await rowsOf('many-a')).toMatchObject([
      { event_message: 'digits', timestamp: '2026-11-27T12:00:00.000000Z' },
    ]);
    expect(await rowsOf('many-b')).toMatchObject([{ timestamp: '2026-11-27T12:00:00.250000Z' }]);
    expect((await rowsOf('shop-project')).map((row) => row.event_message)).not.toContain('foreign');
  });

  it('that would store a long text of its body with each of many events is refused', async () => {
    const events = Array.from({ length: 200 }, () => ({ tenant: { name: 'many-a' } }));
    const answer = await deliver('many', { what: 'x'.repeat(500_000), data: { events } });
    expect([answer.status, answer.body.code]).toEqual([413, 'request.too_large']);
  });

  it('cannot name another project in the member that its source matches', async () => {
    const answer = await deliver('function', [{ project_ref: 'another-project' }, { a: 1 }]);
    expect(answer.body).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: 'event.project_forbidden' }] });
    expect(await rowsOf('another-project', 'function_edge_logs')).toEqual([]);
    expect(await rowsOf('function-project', 'function_edge_logs')).toMatchObject([{ metadata: { a: 1 } }]);
    const own = [
      { team: 'many-a', project_ref: 'many-b' },
      { team: 'many-a', project_ref: 'many-a' },
      { team: 'many-b' },
    ];
    expect((await deliver('functions', own)).body).toMatchObject({
      accepted: 2,
      rejected: [{ index: 0, code: 'event.project_forbidden', message: expect.stringContaining('project_ref') }],
    });
    expect(await rowsOf('many-b', 'function_edge_logs')).toMatchObject([{ metadata: { team: 'many-b' } }]);
  });
});

describe('a delivery that is sent again with its signature', () => {
  const at = (
    seconds: number,
    text: string,
    by: readonly string[] = [secrets.current],
    { name = 'timed', ...more }: Readonly<Record<string, string>> = {},
  ) => {
    const body = JSON.stringify({ text });
    const signatures = by.map((each) => createHmac('sha256', each).update(`${seconds}.${body}`).digest('hex'));
    const headers = {
      'x-time': `${seconds}`,
      'x-signature': signatures.map((signature) => `sha256=${signature}`).join(' '),
      ...more,
    };
    return deliver(name, body, { headers });
  };
  const now = nowMicros / 1e6;

  it('and the time that it signs is stored once, whichever secret signs it', async () => {
    for (const by of [[secrets.current, secrets.old], [secrets.old], [secrets.current]]) {
      expect(await at(now, 'once', by)).toMatchObject({ status: 200, body: { accepted: 1 } });
    }
    expect(await at(now + 1, 'once')).toMatchObject({ status: 200 });
    expect(await at(now, 'another')).toMatchObject({ status: 200 });
    const texts = (await rowsOf('timed-project')).map((row) => row.event_message);
    expect(texts).toEqual(['another', 'once', 'once']);
  });

  it('is stored once also if it should have a delivery ID and has none', async () => {
    for (const id of [{}, { 'x-delivery': '' }, { 'x-delivery': ' ' }, { 'x-delivery': 'a' }, { 'x-delivery': 'a' }]) {
      expect(await at(now, 'once', undefined, { name: 'numbered', ...id })).toMatchObject({ status: 200 });
    }
    expect((await rowsOf('numbered-project')).length).toBe(2);
  });
});

describe('a delivery is refused', () => {
  it.each([
    ['without a signature', 'shop', { headers: { 'x-signature': '' } }, 401, 'auth.invalid'],
    ['with another secret', 'shop', { secret: 'a secret of someone else' }, 401, 'auth.invalid'],
    ['to a webhook that is not declared', 'shoq', {}, 401, 'auth.invalid'],
    ['as a form', 'shop', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, undefined],
  ] as const)('%s, and nothing is stored', async (_what, name, options, status, code) => {
    const before = await rowsOf('shop-project');
    const answer = await deliver(name, { text: { 'first.line': 'refused' } }, options);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code ?? 'request.unsupported_media_type');
    expect(await rowsOf('shop-project')).toEqual(before);
  });

  it('with a token instead of a signature', async () => {
    const headers = { 'x-api-key': service.adminToken, 'x-signature': '' };
    expect((await deliver('shop', {}, { headers })).status).toBe(401);
  });

  it('with the same answer whether its webhook exists or not, and the log says each reason once in a minute', async () => {
    const reasons = () =>
      service.observations.flatMap((each) =>
        each.kind === 'request.failed' && each.code === 'auth.invalid' ? [String(each.cause)] : [],
      );
    const refusals = [
      ['shop', {}, /no signature in the header x-signature/],
      ['shop', { 'x-signature': 'no signature' }, /no signature in the header x-signature/],
      ['timed', {}, /the header x-time must have the time/],
      ['other', {}, /the header x-other, with the signature, is missing/],
      ['shop', { 'x-signature': '' }, /the header x-signature, with the signature, is missing/],
      ['shoq', { 'x-signature': '' }, /no webhook has the name in the URL/],
      ['shoq', {}, /no webhook has the name in the URL/],
    ] as const;
    const answers = new Set<string>();
    for (const [name, headers, reason] of refusals) {
      const { status, body } = await deliver(name, { a: 1 }, { secret: 'a secret of someone else', headers });
      const { request_id: _, instance: __, ...rest } = body;
      answers.add(JSON.stringify([status, rest]));
      expect(reasons().filter((each) => reason.test(each))).toHaveLength(1);
    }
    expect(answers.size).toBe(1);
  });

  it.each(['shop', 'shoq'])('at the same size for the name %s', async (name) => {
    const tooLong = 17 * 1024 * 1024;
    // Nor does it tell which headers deliveries are signed with.
    for (const signature of ['x-signature: sha256=00', 'x-unknown: sha256=00']) {
      expect(await statusOf(name, [signature, 'expect: 100-continue'], tooLong)).toBe('413');
      expect(await statusOf(name, [signature, 'expect: 100-continue'], 1000)).toBe('100');
    }
  });

  it('if it is no JSON, or several values', async () => {
    expect((await deliver('shop', '{"a":')).body.code).toBe('request.malformed');
    expect((await deliver('shop', '{} {}')).body.code).toBe('request.malformed');
  });
});

it('shows no secret in the log', async () => {
  await deliver('shop', {}, { secret: 'a secret of someone else' });
  expect(JSON.stringify(service.observations)).not.toContain(secrets.current);
});
