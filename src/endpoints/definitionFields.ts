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
  type: z.enum(['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'enum', 'regex'], {
    error: 'must be one of string, int64, float64, bool, timestamp, date, enum, regex',
  }),
  required: flag().default(false),
  default: wireText.optional(),
  allowed: z
    .array(wireText, 'must be a list')
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 values')
    .optional(),
  min: wireText.optional(),
  max: wireText.optional(),
  pattern: textUpTo(1000).optional(),
  max_length: whole(1, limits.parameterBytesMax).optional(),
  on_unknown: z.enum(['reject', 'default'], { error: 'must be reject or default' }).default('reject'),
  allow_empty: flag().default(false),
  description: textUpTo(2000).default(''),
  example: wireText.optional(),
});

/** The fields of a definition as files and the API write them (contract, section 3), with their bounds. */
export const definitionFields = z.strictObject({
  id: z
    .string('must be a UUID')
    .refine(isUuid, 'must be a UUID, 36 characters')
    .transform((id) => id.toLowerCase()),
  name: z
    .string('must be text')
    .max(limits.endpointNameCharsMax, `must have at most ${limits.endpointNameCharsMax} characters`)
    .regex(namePattern, 'must be lower-case letters, digits, _ and -, in parts joined by dots, such as logs.all')
    .refine((name) => !isUuid(name), 'must not have the form of a UUID, since a UUID in a path means an id'),
  description: textUpTo(10_000).default(''),
  query: z
    .string('must be text')
    .max(1_000_000, 'must have at most 1000000 characters')
    .refine((query) => query.trim() !== '', 'must not be empty'),
  parameters: z.record(z.string(), parameterFields, 'must map names to declarations').default({}),
  max_rows: whole(1, limits.maxRowsMax).default(1000),
  cache_seconds: whole(0, limits.cacheSecondsMax).default(0),
  warm_seconds: whole(5, limits.cacheSecondsMax).optional(),
  stale_if_error_seconds: whole(0, limits.cacheSecondsMax).default(0),
  sandbox: flag().default(false),
  redact_pii: flag().default(false),
  values: z.enum(['plain', 'records'], { error: 'must be plain or records' }).optional(),
  timeout_ms: whole(1, 600_000).optional(),
  strict_parameters: flag().default(false),
  retention: z
    .strictObject({
      parameter: z.string('must be text'),
      start: z.string('must be text'),
      days: z.record(z.string(), whole(1, 36_500), 'must map values to days'),
      otherwise: whole(1, 36_500),
    })
    .optional(),
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
