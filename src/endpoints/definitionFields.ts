import { z } from 'zod';
import { isUuid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
const flag = () => z.boolean('must be true or false');
const textUpTo = (charsMax: number) =>
  z.string('must be text').max(charsMax, `must have at most ${charsMax} characters`);

/** A value as it would stand on the wire. YAML and JSON may write it as a number or boolean. */
const wireText = z
  .union([z.string(), z.boolean(), z.number()], 'must be text, a number, true or false')
  .refine((value) => typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value), {
    message: 'is too large to be written as a number without losing digits; put it in quotes',
  })
  .transform(String);

const namePattern = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

const parameterFields = z.strictObject({
  type: z
    .enum(['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'enum', 'regex'], {
      error: 'must be one of string, int64, float64, bool, timestamp, date, enum, regex',
    })
    .describe(
      'The type that the value is checked for and bound as. An enum is one of `allowed`; a regex is an RE2 pattern.',
    ),
  required: flag()
    .default(false)
    .describe('Whether a call without it is refused. An optional parameter that is absent binds NULL, or its default.'),
  default: wireText
    .optional()
    .describe('Value where the parameter is absent; with `on_unknown: default` also where its value is not allowed.'),
  allowed: z
    .array(wireText, 'must be a list')
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 values')
    .optional()
    .describe('The only values that it can have; for enum, string and int64. Case-sensitive.'),
  min: wireText.optional().describe('Lowest value; for int64, float64, timestamp and date.'),
  max: wireText.optional().describe('Highest value; for int64, float64, timestamp and date.'),
  pattern: textUpTo(1000)
    .optional()
    .describe('RE2 pattern that a string must contain a match of; `^` and `$` make it the whole.'),
  max_length: whole(1, limits.parameterBytesMax).optional().describe('Characters that a string or regex has at most.'),
  on_unknown: z
    .enum(['reject', 'default'], { error: 'must be reject or default' })
    .default('reject')
    .describe(
      'What becomes of a value that an enum does not allow: refused, or answered as the default with a notice.',
    ),
  allow_empty: flag().default(false).describe('Whether an empty string is a value rather than absence; for string.'),
  description: textUpTo(2000).default('').describe('What callers are told of it.'),
  example: wireText.optional().describe('A value that documents and forms show.'),
});

/** The fields of a definition as files and the API write them (contract, section 3), with their bounds. */
export const definitionFields = z.strictObject({
  id: z
    .string('must be a UUID')
    .refine(isUuid, 'must be a UUID, 36 characters')
    .transform((id) => id.toLowerCase())
    .describe('The UUID of the endpoint; it never changes.'),
  name: z
    .string('must be text')
    .max(limits.endpointNameCharsMax, `must have at most ${limits.endpointNameCharsMax} characters`)
    .regex(namePattern, 'must be lower-case letters, digits, _ and -, in parts joined by dots, such as logs.all')
    .refine((name) => !isUuid(name), 'must not have the form of a UUID, since a UUID in a path means an id')
    .describe('Dotted lower-case name; may be shared, then one of those that share it is primary.'),
  description: textUpTo(10_000).default('').describe('What callers are told of the endpoint.'),
  query: z
    .string('must be text')
    .max(limits.storedQueryCharsMax, `must have at most ${limits.storedQueryCharsMax} characters`)
    .refine((query) => query.trim() !== '', 'must not be empty')
    .describe('The query in GoogleSQL, with parameters as @name.'),
  parameters: z
    .record(z.string(), parameterFields, 'must map names to declarations')
    .default({})
    .describe(
      'The parameters, by the names that stand as `@name` in the query. Every one of them is used there, and no other.',
    ),
  max_rows: whole(1, limits.maxRowsMax).default(1000).describe('Rows that an answer has at most.'),
  cache_seconds: whole(0, limits.cacheSecondsMax)
    .default(0)
    .describe('How long a result may be given again; 0 for never.'),
  warm_seconds: whole(5, limits.cacheSecondsMax)
    .optional()
    .describe('How often a cached result that is in use is refreshed in the background; less than `cache_seconds`.'),
  stale_if_error_seconds: whole(0, limits.cacheSecondsMax)
    .default(0)
    .describe('How long an expired result is given while the engine fails.'),
  sandbox: flag()
    .default(false)
    .describe('Whether callers may send queries of their own over the WITH tables of the query.'),
  redact_pii: flag().default(false).describe('Whether personal data are redacted in every answer.'),
  values: z
    .enum(['plain', 'records'], { error: 'must be plain or records' })
    .optional()
    .describe('How values are written; the setting of the service where left out.'),
  timeout_ms: whole(1, 600_000)
    .optional()
    .describe('Milliseconds after which the query is ended; the setting of the service where left out.'),
  strict_parameters: flag()
    .default(false)
    .describe('Whether a parameter that is not declared is refused rather than ignored.'),
  retention: z
    .strictObject({
      parameter: z.string('must be text'),
      start: z.string('must be text'),
      days: z.record(z.string(), whole(1, 36_500), 'must map values to days'),
      otherwise: whole(1, 36_500),
    })
    .optional()
    .describe(
      'Tells callers when the query shows only the last days: it names the enum that chooses the window, the start parameter, days by value, and otherwise. It limits nothing by itself.',
    ),
});

/** The fields of a definition file: `query` may stand in a file beside it. */
export const definitionFileFields = definitionFields.extend({
  query: definitionFields.shape.query.optional(),
  query_file: z
    .string()
    .regex(/^[^/\\]+\.sql$/)
    .optional()
    .describe(
      'The `.sql` file beside this one that holds the query; without it and without `query`, the one of the same base name.',
    ),
  primary: flag()
    .optional()
    .describe(
      'Whether the endpoint is to answer by its name. `true` takes the name over; `false` lets a new or renamed endpoint share a name that another one has. Without it, a new or changed name that is taken is refused.',
    ),
});

export type DefinitionFields = z.output<typeof definitionFields>;
export type ParameterFields = z.output<typeof parameterFields>;
/** The shape without defaults filled in. */
export type DefinitionInput = z.input<typeof definitionFields>;

/** Field names by the place where they may stand, for suggestions. */
export const fieldNames = {
  definition: Object.keys(definitionFields.shape),
  parameter: Object.keys(parameterFields.shape),
  retention: ['parameter', 'start', 'days', 'otherwise'],
} as const;
