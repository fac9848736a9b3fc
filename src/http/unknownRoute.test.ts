import { describe, expect, it } from 'vitest';
import { explainUnmatched } from './unknownRoute.ts';

const routes = [
  { methods: ['GET'], path: '/docs' },
  { methods: ['GET'], path: '/livez' },
] as const;

it('splits a path only as far as the longest route', () => {
  let looks = 0;
  const counted = Array.from({ length: 100 }, (_, n) => ({
    methods: ['GET'] as const,
    get path() {
      looks++;
      return `/api/${n}/:id`;
    },
  }));
  const started = process.cpuUsage();
  const { error } = explainUnmatched('GET', '/'.repeat(120_000), counted);
  const { user } = process.cpuUsage(started);
  expect(error.code).toBe('route.unknown');
  // Of every route, all of the path: some 24 million parts, and seconds.
  expect(user).toBeLessThan(100_000);
  expect(looks).toBeLessThan(1_000);
});

describe('an unknown path', () => {
  it.each([
    ['/livezz', 'There is nothing under /livezz. Did you mean /livez?'],
    ['/somewhere/else', 'There is nothing under /somewhere/else.'],
  ])('is answered with the nearest one: %s', (path, message) => {
    expect(explainUnmatched('GET', path, routes).error.message).toBe(message);
  });
});
