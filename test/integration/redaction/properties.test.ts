import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/redact/createRedactor.ts';
import { RedactionCounts } from '../../../src/redact/redactionCounts.ts';
import { storageVariants } from '../../conformance/storageVariants.ts';
import { onEngine } from '../../support/enginesUnderTest.ts';
import { RedactedStore } from './redactedStore.ts';

const secrets = [
  '203.0.113.7',
  '2001:db8::7:1',
  'jane.doe@example.com',
  'sb_secret_9f8e7d6c5b4a39281706f5e4d3c2b1a0',
  'J. Doe',
];
const personal = ['x_real_ip', 'X-Real-IP', 'user_email', 'cookie', 'latitude'];

/** A text with a secret in one of many coats, or without one. What is personal by its name only stands below such a name. */
const text = fc.oneof(
  fc.constantFrom('', 'GET', '/rest/v1/todos', '2026-05-01T10:00:00Z', 'null', '[1,2', '"', '\\', 'ä\u0000€'),
  fc
    .tuple(
      fc.constantFrom('', 'from ', '{"a":"', 'ip=', '\\n', '[', '/x/', '"'),
      fc.constantFrom(...secrets.slice(0, 4)),
      fc.constantFrom('', ' ok', '"}', ':443', '\n', ']', '/y', ','),
    )
    .map((parts) => parts.join('')),
);
const name = fc.constantFrom('a', 'request', 'headers', 'path', 'method', 'cf', 'n.o', '*', 'ü', ...personal);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.oneof(fc.integer(), fc.constantFrom(1.5, -0.25, 1e300), fc.boolean(), fc.constant(null)),
    text.map((inner) => JSON.stringify({ user_email: 'J. Doe', inner })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const below = fc
  .constantFrom(...personal)
  .chain((key) => fc.constantFrom('J. Doe', 24.9384, ['J. Doe', { x: 'J. Doe' }]).map((v) => ({ [key]: v })));
const metadata = fc
  .tuple(fc.dictionary(name, value, { maxKeys: 5 }), below)
  .map(([any, hidden]) => ({ ...any, ...hidden }));
const event = fc.record({ event_message: text, metadata });

describe.each(storageVariants)(onEngine('events of any form behind the barrier ($title)'), (variant) => {
  it('are what the redactor makes of them, hold no secret, and pass the second redaction unchanged', async () => {
    const redactor = createRedactor();
    const counts = new RedactionCounts();
    const events = fc.sample(event, 400).map((each, i) => ({ ...each, id: `e${i}` }));
    const store = await RedactedStore.open(events, variant);
    try {
      const sql = 'select id, event_message, metadata from logs order by timestamp limit 1000';
      const shown = await store.rows(sql);
      expect(JSON.parse(shown)).toEqual(
        JSON.parse(redactor.redactJson(await store.rows(sql, { isRaw: true }), counts)),
      );
      for (const secret of [...secrets, '24.9384']) expect(shown).not.toContain(secret);
      expect(redactor.redactJson(shown, counts)).toBe(shown);
      const members = await store.rows(
        `select id, m.request.path as p, m.request.headers.x_real_ip as x, m.user_email as u, m.latitude as l, m.a as a, m.request as r, m.cookie as c,
           to_json_string(m.request.headers) as h, reverse(event_message) as e
         from logs cross join unnest(metadata) as m order by timestamp limit 1000`,
      );
      for (const secret of [...secrets, '24.9384']) {
        expect(members).not.toContain(secret);
        expect(members).not.toContain([...secret].reverse().join(''));
      }
    } finally {
      await store.close();
    }
  });
});
