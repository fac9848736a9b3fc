import { z } from 'zod';
import { testFileFields } from '../../src/cli/endpointTests/testFileFields.ts';
import { definitionFileFields } from '../../src/endpoints/definitionFields.ts';
import { breakingRules } from '../../src/manage/breakingChanges.ts';

const fieldSchema = z.looseObject({
  description: z.string().optional(),
  default: z.unknown().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
});
const objectSchema = z.looseObject({
  properties: z.record(z.string(), fieldSchema),
  required: z.array(z.string()).default([]),
});

/** The page of definition files, from the schema that checks them. */
export function definitionsPage(): string {
  const schema = objectSchema.parse(z.toJSONSchema(definitionFileFields, { io: 'input' }));
  const parameters = objectSchema.parse(schema.properties.parameters?.additionalProperties);
  const tests = objectSchema.parse(z.toJSONSchema(testFileFields, { io: 'input' }));
  return `# Definitions

A definition describes one endpoint. It is a YAML file, or over HTTP a JSON object with the same fields. For example:

\`\`\`yaml
# yaml-language-server: $schema=http://127.0.0.1:4000/schemas/definition.json
id: 5c1c7c1e-3f0d-4b0a-9f57-0d3f5a2c8b41
name: shop.slow-requests
cache_seconds: 60
parameters:
  project: { type: string, required: true }
  min_ms: { type: int64, default: 500 }
query: |
  select t.timestamp, t.event_message
  from sources.edge_logs as t
  where t.project = @project and cast(t.metadata.response.origin_time as int64) >= @min_ms
  order by t.timestamp desc
\`\`\`

The first line names the JSON Schema, so that an editor can complete and check the file. The service has it at \`/schemas/definition.json\`, and the
package as \`definitions/schema.json\`. \`endpoints new\`, \`export\` and \`import --to\` write this line, and keep the line of a file that names another schema.
[Your own endpoint](../guides/your-own-endpoint.md) shows how to write, check and deploy a definition.

## Fields

${rows(schema)}

The API adds the fields that the service sets: \`version\`, \`created_at\`, \`updated_at\`, \`author\` and \`note\`. If a request contains them, the
service ignores them. \`author\` is the public ID of a token, \`#shipped\` for shipped endpoints, or \`#files\` for files that were deployed at start.

## Fields of a parameter

${rows(parameters)}

The name of a parameter is a letter, followed by letters, digits and \`_\`. \`sql\`, \`lql\`, \`format\`, \`version\` and \`dry_run\` are reserved.

## Changes that break callers

A change that removes something that callers may depend on is refused with \`definition.breaking\`. To make it anyway, send
\`allow_breaking=true\` (\`--allow-breaking\`). The refusal names the tokens that called the endpoint in the last 30 days.

| rule | |
| --- | --- |
${Object.entries(breakingRules)
  .map(([rule, meaning]) => `| \`${rule}\` | ${meaning} |`)
  .join('\n')}

## Tests

A file whose name ends in \`.test.yaml\` contains tests of one endpoint: given these events, this call has this answer. \`logmill test\` runs it on a
temporary service that contains only these events. \`check\`, \`deploy\` and \`LOGMILL_ENDPOINTS_DIR\` ignore such files.
[Your own endpoint](../guides/your-own-endpoint.md#3-test-it) shows an example. The JSON Schema is
\`/schemas/test.json\`, in the package \`definitions/test-schema.json\`.

${rows(tests)}

During the tests, the clock is stopped at \`now\`. Each test is a map:

${rows(objectSchema.parse(tests.properties.tests?.items))}

A test has either \`result\` or \`error\`. Rows are compared exactly: order, number, columns and values as in the JSON answer. The order of members
in a row does not matter. If the query has no \`ORDER BY\`, its rows have no fixed order. Events without an \`id\` get a different one in each run.
`;
}

function rows({ properties, required }: z.infer<typeof objectSchema>): string {
  return [
    '| field | value | default | |',
    '| --- | --- | --- | --- |',
    ...Object.entries(properties).map(([name, field]) => {
      const preset = required.includes(name) ? 'required' : shown(field.default);
      return `| \`${name}\` | ${valuesText(field)} | ${preset} | ${field.description ?? ''} |`;
    }),
  ].join('\n');
}

function valuesText(field: z.infer<typeof fieldSchema>): string {
  if (field.enum !== undefined) return field.enum.map((value) => `\`${value}\``).join(', ');
  if (field.minimum !== undefined && field.maximum !== undefined) return `${field.minimum} to ${field.maximum}`;
  if (field.maxLength !== undefined) return `string, at most ${field.maxLength} characters`;
  if (Array.isArray(field.type)) return 'string, number or boolean';
  return { object: 'a map', array: 'a list', string: 'string', boolean: 'true or false' }[field.type ?? ''] ?? '';
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return value === '' ? 'empty' : `\`${JSON.stringify(value)}\``;
}
