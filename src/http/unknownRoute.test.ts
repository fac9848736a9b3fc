import { describe, expect, it } from 'vitest';
import { processorMs } from '../../test/support/processorTime.ts';
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
  const tookMs = processorMs(() => {
    looks = 0;
    expect(explainUnmatched('GET', '/'.repeat(120_000), counted).error.code).toBe('route.unknown');
  });
  expect(looks).toBeLessThan(1_000);
  // Of every route, all of the path: some 24 million parts, and seconds.
  expect(tookMs).toBeLessThan(100);
});

describe('an unknown path', () => {
  it.each([
    ['/livezz', 'There is nothing under /livezz. Did you mean /livez?'],
    ['/somewhere/else', 'There is nothing under /somewhere/else.'],
  ])('is answered with the nearest one: %s', (path, message) => {
    expect(explainUnmatched('GET', path, routes).error.message).toBe(message);
  });
});
