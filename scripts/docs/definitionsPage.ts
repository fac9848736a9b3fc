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

An endpoint is defined in one YAML file, or in a JSON object of the same fields where it is managed over HTTP. How to write, check and
deploy one is told in [Your own endpoint](../guides/your-own-endpoint.md). \`definitions/schema.json\` of the package is the JSON
Schema of these files; an editor that knows it completes and checks them:

\`\`\`yaml
# yaml-language-server: $schema=node_modules/logmill/definitions/schema.json
\`\`\`

## Fields

${rows(schema)}

The API adds what the service sets itself: \`version\`, \`created_at\`, \`updated_at\`, \`author\` (the public id of a token, \`#shipped\` for
what came with the product, \`#files\` for what was deployed at start) and \`note\`. Where they are sent back, they are passed over.

## Fields of a parameter

${rows(parameters)}

A name is a letter, then letters, digits and \`_\`. \`sql\`, \`lql\`, \`format\`, \`version\` and \`dry_run\` mean something to the service.

## Changes that break callers

A change that takes away what callers may rely on is refused with \`definition.breaking\`, unless it says \`allow_breaking=true\`
(\`--allow-breaking\`). The refusal names the tokens that called the endpoint in the last 30 days.

| rule | |
| --- | --- |
${Object.entries(breakingRules)
  .map(([rule, meaning]) => `| \`${rule}\` | ${meaning} |`)
  .join('\n')}

## Tests

A file whose name ends in \`.test.yaml\` holds tests of one endpoint: given these events, this call answers this. It is no definition:
\`check\`, \`deploy\` and \`LOGMILL_ENDPOINTS_DIR\` pass it over. \`logmill test\` runs it on a service of its own, which holds these events
and nothing else; [Your own endpoint](../guides/your-own-endpoint.md#3-test-it) shows one. \`definitions/test-schema.json\` is the JSON Schema.

${rows(tests)}

The clock stands still at \`now\`. Each of the tests is a map:

${rows(objectSchema.parse(tests.properties.tests?.items))}

A test has either \`result\` or \`error\`. Rows are compared exactly: their order and number, their columns, text and numbers as the answer
has them in JSON. The order of members in a row means nothing. A query without \`ORDER BY\` has no order that a test could count on.
Events without an \`id\` get one that differs from run to run.
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
  if (field.maxLength !== undefined) return `text, at most ${field.maxLength} characters`;
  if (Array.isArray(field.type)) return 'text, number or boolean';
  return { object: 'a map', array: 'a list', string: 'text', boolean: 'true or false' }[field.type ?? ''] ?? '';
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return value === '' ? 'empty' : `\`${JSON.stringify(value)}\``;
}
