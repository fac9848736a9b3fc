import type { Route } from '../../route.ts';
import type { FileSchemas, HttpServices } from '../../services.ts';

const mediaType = 'application/schema+json; charset=utf-8';

const schemas = [
  ['schemas.definition', '/schemas/definition.json', 'definition', 'The JSON Schema of definition files, for editors.'],
  ['schemas.test', '/schemas/test.json', 'test', 'The JSON Schema of test files (`.test.yaml`), for editors.'],
] as const satisfies readonly (readonly [string, string, keyof FileSchemas, string])[];

/** The schemas that files of definitions name in their first line. Editors read them without a token. */
export const readSchemas: readonly Route[] = schemas.map(
  ([operation, path, schema, summary]): Route => ({
    operation,
    methods: ['GET'],
    path,
    urlParameters: 'open',
    mediaType,
    summary,
    credential: 'none',
    async handle({ services }: { readonly services: Pick<HttpServices, 'fileSchemas'> }) {
      return {
        status: 200,
        headers: { 'content-type': mediaType, 'cache-control': 'no-cache' },
        body: services.fileSchemas[schema],
      };
    },
  }),
);
