import { expect, it } from 'vitest';
import { appliedPreference, asyncPreference } from './prefer.ts';

it.each([
  [undefined, null],
  ['', null],
  ['wait=5', null],
  ['return=minimal', null],
  ['respond-async', 'respond-async'],
  ['Respond-Async', 'respond-async'],
  ['respond-async, wait=5', 'respond-async, wait=5'],
  ['wait="5" , respond-async; x=y', 'respond-async, wait=5'],
  ['respond-async, wait=5, wait=7', 'respond-async, wait=5'],
  ['respond-async, wait=100000', 'respond-async, wait=30'],
  ['respond-async, wait=soon', 'respond-async'],
  ['respond-async, wait=-1', 'respond-async'],
] as const)('Prefer %j is applied as %j', (header, applied) => {
  const preference = asyncPreference(header);
  expect(preference === null ? null : appliedPreference(preference)).toBe(applied);
});
