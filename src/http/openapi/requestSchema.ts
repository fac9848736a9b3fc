import * as z from 'zod';
import type { JsonObject } from '../../core/jsonValue.ts';

/** The JSON Schema of what a validator accepts. Rules that it checks in code, such as those of names, are not in it. */
export function requestSchema(validator: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(validator, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The pattern of a time is long and says no more than its format.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  return schema as JsonObject;
}
