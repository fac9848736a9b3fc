import * as z from 'zod';
import { restrictionsSchema } from '../../tokens/restrictions.ts';

/** Time at which tests run if their file sets no `now`. */
export const defaultNow = '2026-01-01T00:00:00Z';

const text = () => z.string('must be text');

const wrongValue = {
  error: ({ input }: { readonly input?: unknown }) =>
    typeof input === 'bigint'
      ? 'is too large for a number without losing digits; put it in quotes'
      : 'must be text, a number, true or false, or a list of these for an array',
};

/** The value of a parameter, in the form that the API accepts in JSON. */
const parameterValue = z
  .union(
    [z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()], wrongValue))],
    wrongValue,
  )
  .transform((value) => (typeof value === 'object' ? value.map(String) : String(value)));

const errorFields = z.strictObject(
  {
    code: text().describe('Code of the problem document, such as `parameter.invalid`.'),
    status: z
      .int('must be a status such as 400')
      .optional()
      .describe('Status of the answer. If absent, any status matches.'),
  },
  'must be a map of code and status',
);

const testFields = z
  .strictObject(
    {
      name: text().min(1, 'must not be empty').describe('What the test checks.'),
      call: z
        .record(z.string(), parameterValue, 'must map parameters to values')
        .default({})
        .describe('Parameters of the call, including `sql` or `lql`.'),
      token: restrictionsSchema
        .optional()
        .describe('Restrictions of the token of the call, as in the API. Default: none.'),
      result: z
        .array(z.record(z.string(), z.unknown(), 'must be a row: a map of columns to values'), 'must be a list of rows')
        .optional()
        .describe('Every row of the answer, in order.'),
      error: errorFields.optional().describe('Error that the call is refused with.'),
      notices: z
        .array(text(), 'must be a list of codes')
        .optional()
        .describe('Codes of the notices in the answer. If absent, notices are not checked.'),
    },
    'must be a map of fields',
  )
  .refine(({ result, error }) => (result === undefined) !== (error === undefined), {
    message: 'needs either result or error',
  })
  .refine(({ error, notices }) => error === undefined || notices === undefined, {
    path: ['notices'],
    message: 'cannot be combined with error, because an error has no notices',
  });

/** The fields of a test file, which tests one endpoint. */
export const testFileFields = z.strictObject({
  endpoint: text()
    .optional()
    .describe(
      'Name of an endpoint in the same folder, or of a shipped one. Default: the definition file with the same base name.',
    ),
  now: text()
    .default(defaultNow)
    .describe('Current time while the tests run, for `CURRENT_TIMESTAMP()` and for the events that are sent.'),
  events: z
    .record(
      z.string(),
      z.array(z.record(z.string(), z.unknown(), 'must be an event: a map'), 'must be a list of events'),
      'must map sources to lists of events',
    )
    .default({})
    .describe('Events that the endpoint reads, by source, in the form that `POST /api/logs` takes.'),
  tests: z
    .array(testFields, 'must be a list of tests')
    .min(1, 'must have a test')
    .describe('The tests, with the fields below.'),
});

export type EndpointTest = z.output<typeof testFields>;

/** Fields that are allowed at a place in the file. */
export function fieldsAt(path: readonly string[]): readonly string[] {
  if (path.length === 0) return Object.keys(testFileFields.shape);
  const [, , member, below] = path;
  if (member === undefined) return Object.keys(testFields.shape);
  if (member === 'error') return Object.keys(errorFields.shape);
  return below === 'rate' ? ['requests', 'seconds'] : Object.keys(restrictionsSchema.shape);
}
