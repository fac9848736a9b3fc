import { describe, expect, it, test } from 'vitest';
import { Turns } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Delivery, verifySignature } from './verifySignature.ts';
import type { Webhook, WebhookSignature } from './webhook.ts';

const github: WebhookSignature = {
  header: 'x-hub-signature-256',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  secrets: [Buffer.from("It's a Secret to Everybody")],
  signed: [{ kind: 'body' }],
  timestamp: null,
};
const slack: WebhookSignature = {
  ...github,
  header: 'x-slack-signature',
  prefix: 'v0=',
  secrets: [Buffer.from('8f742231b10e8888abcd99yyyzzz85a5')],
  signed: [{ kind: 'text', text: 'v0:' }, { kind: 'timestamp' }, { kind: 'text', text: ':' }, { kind: 'body' }],
  timestamp: { header: 'x-slack-request-timestamp', prefix: null, toleranceSeconds: 300 },
};
const standard: WebhookSignature = {
  ...github,
  header: 'webhook-signature',
  encoding: 'base64',
  prefix: 'v1,',
  secrets: [Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')],
  signed: [
    { kind: 'delivery' },
    { kind: 'text', text: '.' },
    { kind: 'timestamp' },
    { kind: 'text', text: '.' },
    { kind: 'body' },
  ],
  timestamp: { header: 'webhook-timestamp', prefix: null, toleranceSeconds: 300 },
};
const stripe: WebhookSignature = {
  ...github,
  header: 'stripe-signature',
  prefix: 'v1=',
  secrets: [Buffer.from('whsec_a_secret_for_tests')],
  signed: [{ kind: 'timestamp' }, { kind: 'text', text: '.' }, { kind: 'body' }],
  timestamp: { header: 'stripe-signature', prefix: 't=', toleranceSeconds: 300 },
};
const paddle: WebhookSignature = {
  ...stripe,
  header: 'paddle-signature',
  prefix: 'h1=',
  secrets: [Buffer.from('pdl_ntfset_a_secret_for_tests')],
  signed: [{ kind: 'timestamp' }, { kind: 'text', text: ':' }, { kind: 'body' }],
  timestamp: { header: 'paddle-signature', prefix: 'ts=', toleranceSeconds: 300 },
};

/**
 * Deliveries that the senders' own documentation has, with their signatures. Stripe and Paddle print no secret, so their
 * signatures are computed (with hmac of Python) in the form that they document.
 */
const senders = {
  github: {
    signature: github,
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
    seconds: 0,
  },
  slack: {
    signature: slack,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    seconds: 1531420618,
  },
  'Standard Webhooks': {
    signature: standard,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1a,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    seconds: 1614265330,
  },
  Stripe: {
    signature: stripe,
    headers: {
      'stripe-signature': `t=1492774577,v1=${'00'.repeat(32)}, v1=d1dfcc0953fd7d5b0f871dcad363aa9e9cd7de553dd38e5505f3567d36f9582c,v0=6ffbb59b`,
    },
    body: '{"id":"evt_1","object":"event"}',
    seconds: 1492774577,
  },
  Paddle: {
    signature: paddle,
    headers: {
      'paddle-signature': 'ts=1671552777;h1=b4240db6d4f4fc43d62b4273049183fa0386e34b99feaf00d27974a01a6c79d6',
    },
    body: '{"id":"evt_1","object":"event"}',
    seconds: 1671552777,
  },
} as const;

interface Sent {
  readonly signature: WebhookSignature;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly seconds: number;
}

const allReports = { isDue: () => true };

function verify({ signature, headers, body, seconds }: Sent, reports = allReports): Promise<string | undefined> {
  const webhook: Webhook = {
    name: 'hook',
    source: 's',
    projectField: { kind: 'column' },
    project: { kind: 'fixed', project: 'p' },
    mapping: { events: null, time: null, message: null, id: null },
    signature,
    deliveryHeader: 'webhook-id',
  };
  const delivery: Delivery = { header: (name) => headers[name], body: Buffer.from(body) };
  return verifySignature({ webhook, isDeclared: true }, delivery, {
    nowMicros: seconds * 1e6,
    turns: new Turns(),
    reports,
  });
}

const refusedFor = (reason: RegExp) => ({
  code: 'auth.invalid',
  message: expect.not.stringMatching(reason),
  cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
});

describe.each(Object.entries<Sent>(senders))('a delivery of %s', (_name, sent) => {
  it('is accepted with the signature of its documentation, and another one has another digest', async () => {
    const digests = await Promise.all(Object.values<Sent>(senders).map((each) => verify(each)));
    expect(new Set(digests).size).toBe(digests.length);
    const digest = await verify(sent);
    expect(digests).toContain(digest);
    expect(digest === undefined).toBe(sent.signature.timestamp === null);
  });

  it('is refused with one byte more, with another secret, and without its signature', async () => {
    const { signature, headers } = sent;
    const other = { ...signature, secrets: [Buffer.from('another secret of the sender')] };
    await expect(verify({ ...sent, body: `${sent.body} ` })).rejects.toMatchObject({ code: 'auth.invalid' });
    await expect(verify({ ...sent, signature: other })).rejects.toMatchObject({ code: 'auth.invalid' });
    const unsigned = { ...headers, [signature.header]: ' ' };
    await expect(verify({ ...sent, headers: unsigned })).rejects.toMatchObject(refusedFor(/is missing/));
    const unlogged = verify({ ...sent, headers: unsigned }, { isDue: () => false });
    await expect(unlogged).rejects.toSatisfy((error) => error instanceof ServiceError && error.cause === undefined);
  });

  it('is accepted while its secret is replaced by another', async () => {
    const next = Buffer.from('the secret that comes next');
    const both = { ...sent.signature, secrets: [next, ...sent.signature.secrets] };
    expect(await verify({ ...sent, signature: both })).toBe(await verify(sent));
  });
});

describe('a signed time', () => {
  const sent = senders.slack;

  test.each([301, -301])('%s seconds away is refused', async (seconds) => {
    await expect(verify({ ...sent, seconds: sent.seconds + seconds })).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  test.each([300, -300])('%s seconds away is accepted', async (seconds) => {
    await expect(verify({ ...sent, seconds: sent.seconds + seconds })).resolves.toMatch(/^[\w-]{27,43}$/);
  });

  test.each(['', 'yesterday', '1531420618000'])('of the form %j is refused', async (time) => {
    const headers = { ...sent.headers, 'x-slack-request-timestamp': time };
    await expect(verify({ ...sent, headers })).rejects.toMatchObject(refusedFor(/seconds since 1970/));
  });

  it('is part of what is signed', async () => {
    const headers = { ...sent.headers, 'x-slack-request-timestamp': '1531420619' };
    await expect(verify({ ...sent, headers })).rejects.toMatchObject({ code: 'auth.invalid' });
  });
});

describe('a time in the header of the signature', () => {
  const sent = senders.Stripe;
  const header = sent.headers['stripe-signature'];

  test.each([301, -301])('%s seconds away is refused', async (seconds) => {
    await expect(verify({ ...sent, seconds: sent.seconds + seconds })).rejects.toMatchObject({ code: 'auth.invalid' });
  });

  it('is part of what is signed, and needed', async () => {
    const later = { 'stripe-signature': header.replace('t=1492774577', 't=1492774578') };
    await expect(verify({ ...sent, headers: later })).rejects.toMatchObject({ code: 'auth.invalid' });
    const without = { 'stripe-signature': header.replace('t=1492774577,', '') };
    await expect(verify({ ...sent, headers: without })).rejects.toMatchObject(
      refusedFor(/stripe-signature \(t=…\) must have the time/),
    );
  });

  it('counts once: one that is sent before it is the one that must be signed', async () => {
    const twice = { 'stripe-signature': `t=1492774578,${header}` };
    await expect(verify({ ...sent, headers: twice })).rejects.toMatchObject({ code: 'auth.invalid' });
  });
});

test.each(['757107', 'sha256=', 'sha256=zz', 'sha256=7571', `sha256=${'00'.repeat(32)}`, 'sha1=aa'])(
  'the signature %j is refused',
  async (value) => {
    const headers = { 'x-hub-signature-256': value };
    await expect(verify({ ...senders.github, headers })).rejects.toMatchObject({ code: 'auth.invalid' });
  },
);
