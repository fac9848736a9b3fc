import { describe, expect, it } from 'vitest';
import { corsOrigins, originsOf } from './corsOrigins.ts';

describe('the setting of origins', () => {
  it.each([
    ['*', ['*']],
    ['https://a.example', ['https://a.example']],
    [' https://a.example , http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
    ['', []],
    [undefined, []],
  ])('%j names the origins %j', (text, origins) => {
    expect(corsOrigins.safeParse(text).success).toBe(true);
    expect(originsOf(text)).toEqual(origins);
  });

  it.each([
    'null',
    'a.example',
    'https://a.example/',
    'https://a.example/path',
    'https://A.example',
    'https://a.example:443',
    'https://*.a.example',
    'https://a.example,*',
    'https://a.example,',
    'https://user@a.example',
    'ftp://a.example',
  ])('%j is refused, as no browser sends it or it would allow more than it says', (text) => {
    expect(corsOrigins.safeParse(text).success).toBe(false);
  });
});
