import { describe, expect, it } from 'vitest';
import { isOverTls, requireOwnPage } from './ownPage.ts';

const proxies = ['10.0.0.0/8'];
const request = (headers: Readonly<Record<string, string>>, method = 'POST', remoteAddress = '192.0.2.1') => ({
  method,
  headers: { host: 'logs.example:4000', 'x-logmill-console': '1', ...headers },
  socket: { remoteAddress },
});
const isAllowed = (...of: Parameters<typeof request>) => {
  try {
    requireOwnPage(request(...of), proxies);
    return true;
  } catch {
    return false;
  }
};

describe('a page of the service', () => {
  it.each([
    {},
    { origin: 'http://logs.example:4000' },
    { origin: 'https://LOGS.example:4000', 'sec-fetch-site': 'same-origin' },
    { host: 'logs.example', origin: 'https://logs.example' },
    { host: 'logs.example:443', origin: 'https://logs.example' },
    { host: '[::1]:4000', origin: 'http://[::1]:4000' },
  ])('is allowed: %j', (headers) => {
    expect(isAllowed(headers)).toBe(true);
  });

  it('is allowed to read what the user opened', () => {
    expect([isAllowed({ 'sec-fetch-site': 'none' }, 'GET'), isAllowed({ 'sec-fetch-site': 'none' })]).toEqual([
      true,
      false,
    ]);
  });

  it('may have another host behind a trusted proxy only', () => {
    const headers = { host: 'inner', origin: 'https://logs.example', 'x-forwarded-host': 'logs.example' };
    expect([isAllowed(headers, 'POST', '10.1.1.1'), isAllowed(headers)]).toEqual([true, false]);
  });
});

it.each([
  { 'x-logmill-console': '' },
  { 'x-logmill-console': '1, 1' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin, same-origin' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'http://logs.example' },
  { origin: 'http://logs.example:4001' },
  { origin: 'https://logs.example.evil:4000' },
  { origin: 'http://logs.example:4000@evil.example' },
  { origin: 'file://logs.example:4000' },
  { host: '', origin: 'http://logs.example:4000' },
  { host: 'a b', origin: 'http://logs.example:4000' },
])('a page of another site is refused: %j', (headers) => {
  for (const method of ['GET', 'POST', 'DELETE']) expect(isAllowed(headers, method)).toBe(false);
});

it('knows from trusted proxies alone that the connection is encrypted', () => {
  const of = (proto: string, address: string) =>
    isOverTls(request({ 'x-forwarded-proto': proto }, 'GET', address), proxies);
  expect([of('https', '10.1.1.1'), of('HTTPS, http', '10.1.1.1')]).toEqual([true, true]);
  expect([of('https', '192.0.2.1'), of('http', '10.1.1.1'), of('', '10.1.1.1')]).toEqual([false, false, false]);
});
