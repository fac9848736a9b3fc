import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceParameters } from '../../src/http/openapi/describedParameters.ts';
import { operationDescriptions } from '../../src/http/openapi/operationDescriptions.ts';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
import { fieldsParameters } from '../../src/http/routes/endpoints/fields.ts';
import { tailParameters } from '../../src/http/routes/endpoints/tail.ts';
import { ingestParameters } from '../../src/http/routes/events/ingestCall.ts';
import { formatOptions } from '../../src/invoke/formatOptions.ts';
import { reservedParameters } from '../../src/invoke/splitParameters.ts';
import { parseScope } from '../../src/tokens/scope.ts';

/** What operations read whose routes leave their URL to them. */
const ofOpen: Readonly<Record<string, readonly string[]>> = {
  'endpoints.tail': tailParameters,
  'endpoints.fields': fieldsParameters,
  ...Object.fromEntries(
    allRoutes
      .filter(({ operation }) => /^(events\.append|otlp\.export_logs|loki\.push|elastic\.bulk)/.test(operation))
      .map(({ operation }) => [operation, ingestParameters]),
  ),
};

const taken = allRoutes
  .filter(({ operation }) => operation !== 'endpoints.query')
  .map(({ operation, urlParameters }) => ({
    operation,
    names: urlParameters === 'open' ? (ofOpen[operation] ?? []) : urlParameters,
  }));

const described = (operation: string): readonly unknown[] =>
  (operationDescriptions[operation]?.parameters ?? []).flatMap(({ in: place, name }) =>
    place === 'query' ? [name] : [],
  );

const scopes = ['query', 'query:version', 'query:explain', 'query:stream'].map(parseScope);
const ofCalls = serviceParameters(scopes, true).map(({ name }) => name);

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'http.md'), 'utf8');
/** Whether a row of the page describes the parameter for the operation. */
const isOnPage = (name: string, operation: string): boolean =>
  page
    .split('\n')
    .some((line) => line.startsWith(`| \`${name}\` | `) && line.split(' | ')[1]?.includes(`\`${operation}\``));

describe('parameters of URLs', () => {
  it('are described in the OpenAPI document as the routes take them', () => {
    for (const { operation, names } of taken)
      expect([operation, described(operation).toSorted()]).toEqual([operation, [...names].sort()]);
    expect(ofCalls).toEqual(expect.arrayContaining([...reservedParameters, ...Object.keys(formatOptions)]));
  });

  it('are on the page of HTTP operations, each with the operations that take it', () => {
    const expected = [
      ...ofCalls.map((name) => ({ operation: 'endpoints.query', name })),
      ...taken.flatMap(({ operation, names }) => names.map((name) => ({ operation, name }))),
    ];
    expect(expected.length).toBeGreaterThan(60);
    expect(expected.filter(({ operation, name }) => !isOnPage(name, operation))).toEqual([]);
  });
});
