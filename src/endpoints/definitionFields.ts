import * as z from 'zod';
import { isUuid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { elementTypeOf, parameterTypeNames } from '../googlesql/resolve/parameterValue.ts';
import { itemsMax } from './arrayParameter.ts';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
const flag = () => z.boolean('must be true or false');
const textUpTo = (charsMax: number) =>
  z.string('must be text').max(charsMax, `must have at most ${charsMax} characters`);

/** A value as text, as in a URL. YAML and JSON may write it as a number or boolean. */
const wireText = z
  .union([z.string(), z.boolean(), z.number()], 'must be text, a number, true or false')
  .refine((value) => typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value), {
    message: 'is too large to be written as a number without losing digits; put it in quotes',
  })
  .transform(String);

/** The value of an array may also be a list. */
const wireTextOrList = z.union(
  [wireText, z.array(wireText)],
  'must be text, a number, true, false, or a list of these',
);

const namePattern = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

const parameterFields = z
  .strictObject({
    type: z
      .enum(parameterTypeNames, { error: `must be one of ${parameterTypeNames.join(', ')}` })
      .describe(
        'Type that the value is checked against and bound as. An enum is one of `allowed`. A regex is an RE2 pattern. An array has values of one type, repeated or separated by commas in a URL, or as a JSON array.',
      ),
    required: flag()
      .default(false)
      .describe(
        'Whether a call without the parameter is refused. An absent optional parameter is its default, or NULL.',
      ),
    default: wireTextOrList
      .optional()
      .describe('Value if the parameter is absent, and with `on_unknown: default` also if its value is not allowed.'),
    allowed: z
      .array(wireText, 'must be a list')
      .min(1, 'must not be empty')
      .max(200, 'must have at most 200 values')
      .optional()
      .describe(
        'Values that the parameter, or each element of an array, can have, case-sensitive. For enum, string and int64.',
      ),
    min: wireText.optional().describe('Lowest value. For int64, float64, timestamp and date.'),
    max: wireText.optional().describe('Highest value. For int64, float64, timestamp and date.'),
    pattern: textUpTo(1000)
      .optional()
      .describe('RE2 pattern that must match a part of the string. Add `^` and `$` to match the whole string.'),
    max_length: whole(1, limits.parameterBytesMax)
      .optional()
      .describe('Maximum number of characters of a string or regex.'),
    max_items: whole(1, itemsMax).optional().describe(`Maximum number of elements of an array. Default: ${itemsMax}.`),
    on_unknown: z
      .enum(['reject', 'default'], { error: 'must be reject or default' })
      .default('reject')
      .describe('What to do if an enum does not allow a value: `reject` it, or use the `default` and add a notice.'),
    allow_empty: flag()
      .default(false)
      .describe(
        'Whether an empty string is a value instead of absent. For string, and for the elements of array<string>.',
      ),
    description: textUpTo(2000).default('').describe('Description for callers.'),
    example: wireTextOrList.optional().describe('Value that documents and forms show.'),
  })
  .superRefine(({ type, ...fields }, context) => {
    if (elementTypeOf(type) !== null) return;
    for (const field of ['default', 'example'] as const) {
      if (typeof fields[field] !== 'object') continue;
      context.addIssue({ code: 'custom', path: [field], message: `must be one value, because the type is ${type}` });
    }
  });

export const streamRowsDefault = 10_000_000;
export const streamBytesDefault = 16 * 2 ** 30;

/** The fields of a definition as files and the API write them (contract, section 3), with their bounds. */
export const definitionFields = z.strictObject({
  id: z
    .string('must be a UUID')
    .refine(isUuid, 'must be a UUID, 36 characters')
    .transform((id) => id.toLowerCase())
    .describe('UUID of the endpoint. It never changes.'),
  name: z
    .string('must be text')
    .max(limits.endpointNameCharsMax, `must have at most ${limits.endpointNameCharsMax} characters`)
    .regex(namePattern, 'must be lower-case letters, digits, _ and -, in parts joined by dots, such as logs.all')
    .refine((name) => !isUuid(name), 'must not have the form of a UUID, since a UUID in a path means an ID')
    .describe('Dotted lower-case name. Endpoints can share a name; one of these is primary and answers by it.'),
  description: textUpTo(10_000).default('').describe('Description for callers.'),
  query: z
    .string('must be text')
    .max(limits.storedQueryCharsMax, `must have at most ${limits.storedQueryCharsMax} characters`)
    .refine((query) => query.trim() !== '', 'must not be empty')
    .describe('Query in GoogleSQL, with parameters as `@name`.'),
  parameters: z
    .record(z.string(), parameterFields, 'must map names to declarations')
    .default({})
    .describe('Parameters by name. The query must use each of these as `@name`, and no others.'),
  max_rows: whole(1, limits.maxRowsMax).default(1000).describe('Maximum number of rows in an answer.'),
  cache_seconds: whole(0, limits.cacheSecondsMax)
    .default(0)
    .describe('How long a result can answer further calls; 0 turns caching off.'),
  warm_seconds: whole(5, limits.cacheSecondsMax)
    .optional()
    .describe('How often Logmill refreshes a used result in the background. Must be less than `cache_seconds`.'),
  stale_if_error_seconds: whole(0, limits.cacheSecondsMax)
    .default(0)
    .describe('How long an expired result can still answer calls while the engine fails.'),
  sandbox: flag()
    .default(false)
    .describe('Whether callers may send their own queries over the WITH tables of the query.'),
  redact_pii: flag().default(false).describe('Whether every answer is redacted.'),
  values: z
    .enum(['plain', 'records'], { error: 'must be plain or records' })
    .optional()
    .describe('How values are written. Default: the setting of the service.'),
  timeout_ms: whole(1, 600_000)
    .optional()
    .describe('Milliseconds after which the query is stopped. Default: the setting of the service.'),
  stream: flag()
    .default(false)
    .describe('Whether calls may read the rows as a stream, which can have more rows than `max_rows`.'),
  stream_max_rows: whole(1, limits.streamRowsMax)
    .optional()
    .describe(`Maximum number of rows of a stream. Only with \`stream\`. Default: ${streamRowsDefault}.`),
  stream_max_bytes: whole(1, limits.streamBytesMax)
    .optional()
    .describe(
      `Maximum number of bytes of the rows of a stream, as JSON, as lines of CSV and TSV, or as values of Arrow. Only with \`stream\`. Default: ${streamBytesDefault}.`,
    ),
  strict_parameters: flag().default(false).describe('Whether undeclared parameters are refused instead of ignored.'),
  retention: z
    .strictObject({
      parameter: z.string('must be text'),
      start: z.string('must be text'),
      days: z.record(z.string(), whole(1, 36_500), 'must map values to days'),
      otherwise: whole(1, 36_500),
    })
    .optional()
    .describe(
      'Lets Logmill notify callers if the query shows only the last days. Names the enum that chooses the window (`parameter`), the parameter with the start (`start`), the days by value (`days`), and those for all other values (`otherwise`). It limits nothing by itself.',
    ),
});

/** The fields of a definition file. The query may be in a separate file. */
export const definitionFileFields = definitionFields.extend({
  query: definitionFields.shape.query.optional(),
  query_file: z
    .string()
    .regex(/^[^/\\]+\.sql$/)
    .optional()
    .describe(
      '`.sql` file with the query, in the same folder. Default, if `query` is also absent: the file with the same base name.',
    ),
  primary: flag()
    .optional()
    .describe(
      'Whether the endpoint answers by its name. `true` takes over the name. `false` lets a new or renamed endpoint share a taken name. If absent, a new or changed name that is taken is refused.',
    ),
});

export type DefinitionFields = z.output<typeof definitionFields>;
export type ParameterFields = z.output<typeof parameterFields>;
/** The shape before defaults are applied. */
export type DefinitionInput = z.input<typeof definitionFields>;

/** Field names by object, for suggestions. */
export const fieldNames = {
  definition: Object.keys(definitionFields.shape),
  parameter: Object.keys(parameterFields.shape),
  retention: ['parameter', 'start', 'days', 'otherwise'],
} as const;
