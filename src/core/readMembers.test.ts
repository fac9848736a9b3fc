import { expect, it } from 'vitest';
import { z } from 'zod';
import { ServiceError } from './errors.ts';
import { readMembers } from './readMembers.ts';

const schema = z.strictObject(
  {
    name: z.string('is a text'),
    rate: z.strictObject({ requests: z.number('is a number'), seconds: z.number('is a number') }).optional(),
    tags: z.array(z.string('is a text')).default([]),
  },
  'is no JSON object',
);

function refusalOf(input: unknown): Pick<ServiceError, 'code' | 'message' | 'errors'> {
  try {
    readMembers(schema, input, { code: 'source.invalid', sentence: 'The source is refused' });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

it('gives what the schema makes of the input', () => {
  const refusal = { code: 'source.invalid', sentence: 'The source is refused' } as const;
  expect(readMembers(schema, { name: 'a' }, refusal)).toEqual({ name: 'a', tags: [] });
});

it.each([
  [{ nme: 'a' }, 'nme is no member; members are name, rate, tags. Did you mean name?', 'nme'],
  [{}, 'name is missing.', 'name'],
  [{ name: 5 }, 'name is a text.', 'name'],
  [{ name: 'a', tags: ['b', 6] }, 'tags.1 is a text.', 'tags.1'],
  [{ name: 'a', rate: { requests: 5 } }, 'rate.seconds is missing.', 'rate.seconds'],
  [
    { name: 'a', rate: { requests: 5, second: 1 } },
    'rate.second is no member; members are requests, seconds. Did you mean seconds?',
    'rate.second',
  ],
  [[], 'it is no JSON object.', undefined],
  [null, 'it is no JSON object.', undefined],
])('tells what is wrong in %j', (input, told, parameter) => {
  const { code, message, errors } = refusalOf(input);
  expect([code, message]).toEqual(['source.invalid', `The source is refused: ${told}`]);
  expect(errors[0]?.parameter).toBe(parameter);
});

it('tells ten members at most, and not more of a long name than helps', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}${'x'.repeat(1000)}`, 1]));
  const { errors } = refusalOf(many);
  expect(errors).toHaveLength(10);
  expect(errors[0]?.parameter).toHaveLength(64);
});
