import { elementTypeOf } from '../googlesql/resolve/parameterValue.ts';
import { itemsIn, itemsText } from './arrayParameter.ts';
import { checkDeclaration } from './checkDeclaration.ts';
import type { EndpointDefinition, RetentionDeclaration } from './definition.ts';
import {
  type DefinitionFields,
  type DefinitionInput,
  definitionFields,
  type ParameterFields,
  streamBytesDefault,
  streamRowsDefault,
} from './definitionFields.ts';
import { type DefinitionIssue, definitionError, issuesOfSchema, type Locate } from './definitionIssue.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** Most parameters of one definition. */
export const parametersMax = 100;

export interface ParseDefinitionOptions {
  /** Names the definition in messages: a name, an id or a file. */
  readonly label: string;
  readonly locate?: Locate;
}

/**
 * Parses a definition from its fields in files or the API. Throws one `definition.invalid` with all errors. It does not
 * compile the query (see `CheckDefinition`).
 */
export function parseDefinition(input: unknown, options: ParseDefinitionOptions): EndpointDefinition {
  const lost = protoPath(input);
  if (lost !== undefined)
    throw definitionError(options.label, [{ path: lost, problem: 'is not a valid name' }], options.locate);
  const parsed = definitionFields.safeParse(input, { reportInput: true });
  if (!parsed.success) throw definitionError(options.label, issuesOfSchema(parsed.error), options.locate);
  const definition = definitionOf(parsed.data);
  const issues = [...check(definition), ...unusedStreamLimits(parsed.data)];
  if (issues.length > 0) throw definitionError(options.label, issues, options.locate);
  return definition;
}

/**
 * Restores a definition that was checked when it was stored. Only its form is checked, so that later rules do not make
 * old versions unreadable. Throws if it is not a definition.
 */
export function restoreDefinition(stored: unknown): EndpointDefinition {
  return definitionOf(definitionFields.parse(stored));
}

/** The inverse of `parseDefinition`: the fields for files and the API. */
export function formatDefinition(definition: EndpointDefinition): DefinitionInput {
  const { warmSeconds, values, timeoutMs, stream, retention } = definition;
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description,
    query: definition.query,
    parameters: Object.fromEntries(
      definition.parameters.map((parameter) => [parameter.name, formatParameter(parameter)]),
    ),
    max_rows: definition.maxRows,
    cache_seconds: definition.cacheSeconds,
    ...(warmSeconds === null ? {} : { warm_seconds: warmSeconds }),
    stale_if_error_seconds: definition.staleIfErrorSeconds,
    sandbox: definition.sandbox,
    redact_pii: definition.redactPii,
    ...(values === null ? {} : { values }),
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    ...(stream === null ? {} : { stream: true, stream_max_rows: stream.maxRows, stream_max_bytes: stream.maxBytes }),
    strict_parameters: definition.strictParameters,
    ...(retention === null ? {} : { retention: { ...retention, days: { ...retention.days } } }),
  };
}

function definitionOf(fields: DefinitionFields): EndpointDefinition {
  return {
    id: fields.id,
    name: fields.name,
    description: fields.description,
    query: fields.query,
    parameters: Object.entries(fields.parameters).map(([name, parameter]) => parameterOf(name, parameter)),
    maxRows: fields.max_rows,
    cacheSeconds: fields.cache_seconds,
    warmSeconds: fields.warm_seconds ?? null,
    staleIfErrorSeconds: fields.stale_if_error_seconds,
    sandbox: fields.sandbox,
    redactPii: fields.redact_pii,
    values: fields.values ?? null,
    timeoutMs: fields.timeout_ms ?? null,
    stream: fields.stream
      ? {
          maxRows: fields.stream_max_rows ?? streamRowsDefault,
          maxBytes: fields.stream_max_bytes ?? streamBytesDefault,
        }
      : null,
    strictParameters: fields.strict_parameters,
    retention: fields.retention ?? null,
  };
}

function parameterOf(name: string, fields: ParameterFields): ParameterDeclaration {
  return {
    name,
    type: fields.type,
    required: fields.required,
    default: textOf(fields.default),
    allowed: fields.allowed ?? null,
    min: fields.min ?? null,
    max: fields.max ?? null,
    pattern: fields.pattern ?? null,
    maxLength: fields.max_length ?? null,
    maxItems: fields.max_items ?? null,
    onUnknown: fields.on_unknown,
    allowEmpty: fields.allow_empty,
    description: fields.description,
    example: textOf(fields.example),
  };
}

function textOf(value: ParameterFields['default']): string | null {
  return typeof value === 'object' ? itemsText(value) : (value ?? null);
}

function formatParameter(parameter: ParameterDeclaration): NonNullable<DefinitionInput['parameters']>[string] {
  const { allowed, min, max, pattern, maxLength, maxItems, example } = parameter;
  const written = (text: string) => (elementTypeOf(parameter.type) === null ? text : [...(itemsIn(text) ?? [text])]);
  return {
    type: parameter.type,
    required: parameter.required,
    ...(parameter.default === null ? {} : { default: written(parameter.default) }),
    ...(allowed === null ? {} : { allowed: [...allowed] }),
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
    ...(pattern === null ? {} : { pattern }),
    ...(maxLength === null ? {} : { max_length: maxLength }),
    ...(maxItems === null ? {} : { max_items: maxItems }),
    on_unknown: parameter.onUnknown,
    allow_empty: parameter.allowEmpty,
    description: parameter.description,
    ...(example === null ? {} : { example: written(example) }),
  };
}

/** The path of a key `__proto__`, which zod would silently drop. */
function protoPath(input: unknown): readonly string[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if (Object.hasOwn(input, '__proto__')) return ['__proto__'];
  for (const [key, value] of Object.entries(input)) {
    const below = protoPath(value);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}

/** Limits of streams without streams, which would be forgotten. */
function unusedStreamLimits(fields: DefinitionFields): readonly DefinitionIssue[] {
  if (fields.stream) return [];
  return (['stream_max_rows', 'stream_max_bytes'] as const)
    .filter((name) => fields[name] !== undefined)
    .map((name) => ({ path: [name], problem: 'needs stream: true; set it, or leave this out' }));
}

/** Finds errors beyond the form of single fields. */
function check(definition: EndpointDefinition): readonly DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  const { cacheSeconds, warmSeconds, parameters } = definition;
  if (warmSeconds !== null && cacheSeconds === 0) {
    issues.push({
      path: ['warm_seconds'],
      problem: 'needs caching; set cache_seconds, or leave it out',
    });
  } else if (warmSeconds !== null && warmSeconds >= cacheSeconds) {
    issues.push({ path: ['warm_seconds'], problem: `must be less than cache_seconds, which is ${cacheSeconds}` });
  }
  if (parameters.length > parametersMax)
    issues.push({ path: ['parameters'], problem: `must have at most ${parametersMax} entries` });
  const seen = new Map<string, string>();
  for (const parameter of parameters) {
    issues.push(...checkDeclaration(parameter));
    const key = parameter.name.toLowerCase();
    const other = seen.get(key);
    // The case of @names does not matter in a query.
    if (other !== undefined)
      issues.push({ path: ['parameters', parameter.name], problem: `differs from ${other} only in case` });
    seen.set(key, parameter.name);
  }
  if (definition.retention !== null) issues.push(...checkRetention(definition.retention, parameters));
  return issues;
}

function checkRetention(
  retention: RetentionDeclaration,
  parameters: readonly ParameterDeclaration[],
): readonly DefinitionIssue[] {
  const issues: DefinitionIssue[] = [];
  const chooser = parameters.find((parameter) => parameter.name === retention.parameter);
  if (chooser?.type !== 'enum') {
    issues.push({ path: ['retention', 'parameter'], problem: 'must name a declared parameter of type enum' });
  }
  if (parameters.find((parameter) => parameter.name === retention.start)?.type !== 'timestamp') {
    issues.push({ path: ['retention', 'start'], problem: 'must name a declared parameter of type timestamp' });
  }
  for (const value of Object.keys(retention.days)) {
    if (chooser?.allowed?.includes(value) === false) {
      issues.push({ path: ['retention', 'days', value], problem: `is not an allowed value of ${retention.parameter}` });
    }
  }
  return issues;
}
