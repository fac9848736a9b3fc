import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { Callers } from './callers.ts';

const from = (remoteAddress: string, headers: IncomingHttpHeaders = {}) => ({ headers, socket: { remoteAddress } });
const one = { publicId: 'one' };

it('counts invented credentials for their network, also those that come after a valid one', () => {
  const callers = new Callers();
  callers.admitted(from('192.0.2.1', { 'x-api-key': 'valid' }), one);
  const invented = Array.from({ length: 20 }, (_, i) => [
    from('192.0.2.1', { 'x-api-key': `invented ${i}` }),
    from('192.0.2.1', { authorization: `Bearer invented ${i}` }),
    from('192.0.2.1', { cookie: `logmill_session=invented${i}` }),
    from('192.0.2.1'),
  ]).flat();
  const names = new Set(invented.map((request) => callers.of(request)));
  expect(names.size).toBe(1);
  expect(names).not.toContain(callers.of(from('192.0.2.1', { 'x-api-key': 'valid' })));
  expect(names).not.toContain(callers.of(from('192.0.2.2', { 'x-api-key': 'invented 1' })));
});

it('tells tokens apart, wherever their requests come from and whatever else these have', () => {
  const callers = new Callers();
  const ofOne: IncomingHttpHeaders[] = [
    { 'x-api-key': 'secret' },
    { authorization: 'Bearer secret' },
    { cookie: 'other=1; logmill_session=secret' },
    // With the token in the URL.
    { authorization: 'Digest 1' },
    { authorization: 'Digest 2' },
  ];
  const ofTwo = { 'x-api-key': 'another' };
  for (const headers of ofOne) callers.admitted(from('192.0.2.1', headers), one);
  callers.admitted(from('192.0.2.1', ofTwo), { publicId: 'two' });
  const names = ofOne.map((headers) => callers.of(from('2001:db8::1', headers)));
  expect(new Set(names).size).toBe(1);
  expect(names).not.toContain(callers.of(from('192.0.2.1', ofTwo)));
});

it('a request without a credential makes none known', () => {
  const callers = new Callers();
  callers.admitted(from('192.0.2.1'), one);
  expect(callers.of(from('192.0.2.1'))).not.toBe(callers.of(from('192.0.2.2')));
});
