import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const file = join(import.meta.dirname, '..', '..', 'console', 'src', 'styles', 'tokens.css');

const schemes = ['light', 'dark'] as const;
const surfaces = ['bg', 'panel', 'hover', 'selected'];

/** Colours of text, the surfaces that it stands on, and the least contrast (WCAG 2.2, 1.4.3 and 1.4.11). */
const pairs: readonly (readonly [colours: readonly string[], on: readonly string[], least: number])[] = [
  [['text', 'muted', 'accent', 'debug', 'info', 'warning', 'error', 'critical'], surfaces, 4.5],
  [['text', 'muted', 'accent'], ['warning-bg', 'error-bg'], 4.5],
  [['text'], ['match'], 4.5],
  [['on-accent'], ['accent'], 4.5],
  [['control'], surfaces, 3],
  // Bars and lines of charts, which stand on the page itself.
  [Array.from({ length: 8 }, (_, index) => `series-${index}`), ['bg'], 3],
];

describe('the colours of the console', () => {
  const tokens = coloursOf(readFileSync(file, 'utf8'));

  it.each(schemes)('can be told from what they stand on in the scheme %s', (scheme) => {
    const faint = pairs.flatMap(([colours, on, least]) =>
      colours.flatMap((colour) =>
        on
          .map((surface) => ({ colour, surface, contrast: contrast(hexOf(colour, scheme), hexOf(surface, scheme)) }))
          .filter((pair) => !(pair.contrast >= least)),
      ),
    );
    expect(faint).toEqual([]);
  });

  it('have the contrasts that the standard defines', () => {
    expect(contrast('ffffff', '000000')).toBeCloseTo(21);
    expect(contrast('777777', 'ffffff')).toBeCloseTo(4.48, 2);
  });

  function hexOf(name: string, scheme: (typeof schemes)[number]): string {
    const colour = tokens.get(name)?.[scheme];
    if (colour === undefined) throw new Error(`tokens.css has no colour --${name}.`);
    return colour;
  }
});

/** Six hexadecimal digits of each `light-dark(#…, #…)`, by name. */
function coloursOf(text: string): ReadonlyMap<string, { readonly light: string; readonly dark: string }> {
  const found = text.matchAll(/--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)/g);
  return new Map([...found].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]));
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of an sRGB colour, as WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
