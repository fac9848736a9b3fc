import { assertNever } from '../../core/assertNever.ts';
import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';
import { elementDeclaration, itemsIn, itemsMax } from '../../endpoints/arrayParameter.ts';
import { convertValue } from '../../endpoints/convertValue.ts';
import type { ParameterDeclaration } from '../../endpoints/parameterDeclaration.ts';
import { elementTypeOf, type ScalarType } from '../../googlesql/resolve/parameterValue.ts';

/**
 * JSON Schema of the values of a declared parameter (contract, section 3). It may allow less than the service accepts
 * (which also takes a date as a timestamp), but never more.
 */
export function parameterSchema(declaration: ParameterDeclaration): JsonObject {
  const element = elementDeclaration(declaration);
  if (element !== null) return arraySchema(declaration, element);
  const { type, required, allowed, min, max, pattern, maxLength, example } = declaration;
  const value = (text: string): JsonValue => parameterValue(declaration, text);
  const hasBounds = type === 'int64' || type === 'float64';
  return {
    ...form(declaration),
    ...(allowed === null ? {} : { enum: allowed.map(value) }),
    ...(hasBounds && min !== null ? { minimum: value(min) } : {}),
    ...(hasBounds && max !== null ? { maximum: value(max) } : {}),
    ...(pattern !== null && isEcmaPattern(pattern) ? { pattern } : {}),
    ...(maxLength === null ? {} : { maxLength }),
    // The default of a required parameter only replaces values that are not allowed.
    ...(declaration.default === null || required ? {} : { default: value(declaration.default) }),
    ...(example === null ? {} : { examples: [value(example)] }),
  };
}

function arraySchema(declaration: ParameterDeclaration, element: ParameterDeclaration): JsonObject {
  const { required, default: fallback, example, maxItems } = declaration;
  return {
    type: 'array',
    items: parameterSchema(element),
    ...(required ? { minItems: 1 } : {}),
    maxItems: maxItems ?? itemsMax,
    ...(fallback === null || required ? {} : { default: parameterValue(declaration, fallback) }),
    ...(example === null ? {} : { examples: [parameterValue(declaration, example)] }),
  };
}

/** The description of a parameter, with the rules that its schema cannot express. */
export function parameterText(declaration: ParameterDeclaration): string {
  const { description, min, max, pattern, onUnknown } = declaration;
  const element = elementTypeOf(declaration.type);
  const type = element ?? declaration.type;
  const notes: string[] = [];
  if (element !== null)
    notes.push('Repeat it, or separate values by commas; a value that contains a comma goes into a JSON array.');
  if (type === 'regex') notes.push('An RE2 regular expression.');
  if (type === 'timestamp') {
    notes.push('RFC 3339 with any offset. A date without a time means midnight. Without an offset, UTC applies.');
  }
  if (type === 'timestamp' || type === 'date') {
    if (min !== null) notes.push(`At least ${min}.`);
    if (max !== null) notes.push(`At most ${max}.`);
  }
  if (pattern !== null) notes.push(`Must match the RE2 pattern \`${pattern}\`.`);
  if (onUnknown === 'default') notes.push(`A value that is not allowed is replaced by ${declaration.default}.`);
  if (declaration.allowEmpty) notes.push('May be empty.');
  return [description, ...notes].filter((part) => part !== '').join(' ');
}

/** A value for the parameter in a sample call. */
export function exampleText({ type, example, default: fallback, allowed, min }: ParameterDeclaration): string {
  const known = example ?? fallback ?? allowed?.[0] ?? min;
  if (known !== null && known !== undefined) return known;
  const scalar = (elementTypeOf(type) ?? type) as ScalarType;
  switch (scalar) {
    case 'string':
    case 'enum':
      return 'value';
    case 'regex':
      return '.';
    case 'int64':
    case 'float64':
      return '1';
    case 'bool':
      return 'true';
    case 'timestamp':
      return '2026-05-01T00:00:00Z';
    case 'date':
      return '2026-05-01';
    default:
      return assertNever(scalar);
  }
}

function form({ type: declared, required, allowEmpty }: ParameterDeclaration): JsonObject {
  const type = declared as ScalarType;
  switch (type) {
    case 'string':
    case 'regex':
      // An empty value counts as absent, so a required one cannot be empty.
      return { type: 'string', ...(required && !allowEmpty ? { minLength: 1 } : {}) };
    case 'enum':
      return { type: 'string' };
    case 'int64':
      return { type: 'integer', format: 'int64' };
    case 'float64':
      return { type: 'number', format: 'double' };
    case 'bool':
      return { type: 'boolean' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'date':
      return { type: 'string', format: 'date' };
    default:
      return assertNever(type);
  }
}

/** A value from the wire as JSON of the declared type. If it does not fit the type, it remains text. */
export function parameterValue(declaration: ParameterDeclaration, text: string): JsonValue {
  const converted = convertValue(declaration, text);
  if (converted.kind === 'bad') return text;
  const { value } = converted;
  const element = elementDeclaration(declaration);
  if (element !== null) return (itemsIn(text) ?? []).map((item) => parameterValue(element, item));
  return value.kind === 'int64' || value.kind === 'float64' || value.kind === 'bool' ? value.value : text;
}

/** Whether the RE2 pattern is also valid in JSON Schema, whose patterns are ECMA-262 with the flag `u`. */
function isEcmaPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
