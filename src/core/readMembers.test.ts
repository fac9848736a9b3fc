import { expect, it } from 'vitest';
import * as z from 'zod';
import { ServiceError } from './errors.ts';
import { readMembers } from './readMembers.ts';

const schema = z.strictObject(
  {
    name: z.string('must be text'),
    rate: z.strictObject({ requests: z.number('must be a number'), seconds: z.number('must be a number') }).optional(),
    tags: z.array(z.string('must be text')).default([]),
  },
  'must be a JSON object',
);

function refusalOf(input: unknown): Pick<ServiceError, 'code' | 'message' | 'errors'> {
  try {
    readMembers(schema, input, { code: 'source.invalid', sentence: 'The source is not valid' });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

it('returns the parsed input', () => {
  const refusal = { code: 'source.invalid', sentence: 'The source is not valid' } as const;
  expect(readMembers(schema, { name: 'a' }, refusal)).toEqual({ name: 'a', tags: [] });
});

it.each([
  [{ nme: 'a' }, 'nme is not a member; allowed: name, rate, tags. Did you mean name?', 'nme'],
  [{}, 'name is missing.', 'name'],
  [{ name: 5 }, 'name must be text.', 'name'],
  [{ name: 'a', tags: ['b', 6] }, 'tags.1 must be text.', 'tags.1'],
  [{ name: 'a', rate: { requests: 5 } }, 'rate.seconds is missing.', 'rate.seconds'],
  [
    { name: 'a', rate: { requests: 5, second: 1 } },
    'rate.second is not a member; allowed: requests, seconds. Did you mean seconds?',
    'rate.second',
  ],
  [[], 'it must be a JSON object.', undefined],
  [null, 'it must be a JSON object.', undefined],
])('names the error in %j', (input, told, parameter) => {
  const { code, message, errors } = refusalOf(input);
  expect([code, message]).toEqual(['source.invalid', `The source is not valid: ${told}`]);
  expect(errors[0]?.parameter).toBe(parameter);
});

it('names at most ten members, and shortens long names', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}${'x'.repeat(1000)}`, 1]));
  const { errors } = refusalOf(many);
  expect(errors).toHaveLength(10);
  expect(errors[0]?.parameter).toHaveLength(64);
});
