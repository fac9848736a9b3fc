import * as z from 'zod';
import type { JsonValue } from '../core/jsonValue.ts';

export interface CallableEndpoint {
  readonly name: string;
  readonly id: string;
  readonly required: readonly string[];
  /** Tables that caller queries may read; empty if they are not accepted. */
  readonly tables: readonly string[];
}

const documentSchema = z.object({ paths: z.record(z.string(), z.object({ get: z.unknown().optional() })) });

const operationSchema = z.object({
  parameters: z.array(
    z.object({ name: z.string().optional(), in: z.string().optional(), required: z.boolean().default(false) }),
  ),
  'x-logmill-endpoint': z.object({ id: z.string(), name: z.string(), tables: z.array(z.string()).default([]) }),
});

/** The endpoints that a token may call, by name: from the description of the API (`/openapi.json`). */
export function callableEndpoints(document: JsonValue): readonly CallableEndpoint[] {
  const { paths } = documentSchema.parse(document);
  return Object.values(paths)
    .flatMap(({ get }) => {
      const read = operationSchema.safeParse(get);
      if (!read.success) return [];
      const { id, name, tables } = read.data['x-logmill-endpoint'];
      const required = read.data.parameters.flatMap((each) =>
        each.in === 'query' && each.required && each.name !== undefined ? [each.name] : [],
      );
      return [{ name, id, required, tables }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
