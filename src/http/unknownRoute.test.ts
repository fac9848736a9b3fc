import { describe, expect, it } from 'vitest';
import { explainUnmatched } from './unknownRoute.ts';

const routes = [
  { methods: ['GET'], path: '/docs' },
  { methods: ['GET'], path: '/livez' },
] as const;

describe('a path that there is not', () => {
  it.each([
    ['/livezz', 'There is nothing under /livezz. Did you mean /livez?'],
    ['/', 'There is nothing under /. Did you mean /docs?'],
    ['/somewhere/else', 'There is nothing under /somewhere/else.'],
  ])('is told with the nearest one: %s', (path, message) => {
    expect(explainUnmatched('GET', path, routes).error.message).toBe(message);
  });
});
