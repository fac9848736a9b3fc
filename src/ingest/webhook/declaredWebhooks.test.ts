import { expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { DeclaredWebhooks } from './declaredWebhooks.ts';
import { webhookOf } from './webhook.fixture.ts';

const hook = (name: string, header: string, secrets: number) =>
  webhookOf(
    { name },
    Array.from({ length: secrets }, (_, n) => Buffer.from(`secret number ${n} of ${name}`)),
    header,
  );
const shop = hook('shop', 'x-shop', 1);
const bank = hook('bank', 'x-bank', 2);
const webhooks = new DeclaredWebhooks(
  new Map([shop, bank].map((each) => [each.name, each])),
  systemRandomness,
  systemClock,
);

it('gives each other name a copy of a declared webhook with secrets that nobody has', () => {
  const known = [shop, bank].flatMap(({ signature }) => signature.secrets.map(String));
  const names = Array.from({ length: 64 }, (_, n) => `other ${n}`);
  const copied = names.map((name) => {
    const found = webhooks.find(name);
    expect(found).toMatchObject({ isDeclared: false });
    expect(webhooks.find(name)).toEqual(found);
    const { name: of = '', signature } = found?.webhook ?? {};
    const original = of === 'shop' ? shop : bank;
    expect({ ...signature, secrets: [] }).toEqual({ ...original.signature, secrets: [] });
    expect(signature?.secrets.map(({ length }) => length)).toEqual(
      original.signature.secrets.map(({ length }) => length),
    );
    for (const secret of signature?.secrets ?? []) expect(known).not.toContain(String(secret));
    return of;
  });
  expect(new Set(copied)).toEqual(new Set(['shop', 'bank']));
  expect(webhooks.find('shop')).toEqual({ webhook: shop, isDeclared: true });
});

it('has no copies if no webhooks are declared', () => {
  expect(new DeclaredWebhooks(new Map(), systemRandomness, systemClock).find('shop')).toBeUndefined();
});
