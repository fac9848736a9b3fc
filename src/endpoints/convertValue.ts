import { assertNever } from '../core/assertNever.ts';
import { readBool } from '../core/boolText.ts';
import { nearestName } from '../core/nearestName.ts';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import { elementTypeOf } from '../googlesql/resolve/parameterValue.ts';
import { convertItems, itemsIn } from './arrayParameter.ts';
import { checkEnginePattern } from './checkEnginePattern.ts';
import { checkPattern } from './checkPattern.ts';
import type { Conversion } from './conversion.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';
import { parseDate } from './parseDate.ts';
import { parseTimestamp } from './parseTimestamp.ts';

type Bad = Extract<Conversion, { kind: 'bad' }>;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Checks a value from the wire against its declaration and converts it to its type (contract, section 3). */
export function convertValue(declaration: ParameterDeclaration, text: string): Conversion {
  if (elementTypeOf(declaration.type) !== null) return convertItems(declaration, itemsIn(text), convertValue);
  // NUL ends strings in many engines, and lone surrogates cannot be encoded in UTF-8.
  if (text.includes('\0')) return invalid('must not contain the character NUL');
  if (/\p{Surrogate}/u.test(text)) return invalid('must be well-formed Unicode; it has half of a surrogate pair');
  if (declaration.allowed !== null && !declaration.allowed.includes(text)) return notAllowed(declaration.allowed, text);
  const converted = typed(declaration, text);
  return converted.kind === 'bad' ? converted : (outOfBounds(declaration, text, converted.value) ?? converted);
}

function typed(declaration: ParameterDeclaration, text: string): Conversion {
  switch (declaration.type) {
    case 'string':
    case 'enum':
      return ok({ kind: 'string', value: text });
    case 'int64': {
      if (!/^-?\d{1,40}$/.test(text)) return invalid('must be a whole number');
      const value = BigInt(text);
      return value < int64Min || value > int64Max
        ? invalid('must be a whole number within 64 bits')
        : ok({ kind: 'int64', value });
    }
    case 'float64': {
      const value = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(value) ? ok({ kind: 'float64', value }) : invalid('must be a finite number');
    }
    case 'bool': {
      const value = readBool(text);
      return value === undefined
        ? { ...invalid('must be true or false'), allowed: ['true', 'false'] }
        : ok({ kind: 'bool', value });
    }
    case 'timestamp': {
      const micros = parseTimestamp(text);
      return micros === undefined
        ? invalid('must be a timestamp such as 2026-05-01T10:00:30.000123Z, 2026-05-01T12:00:30+02:00 or 2026-05-01')
        : ok({ kind: 'timestamp', micros });
    }
    case 'date': {
      const days = parseDate(text);
      return days === undefined ? invalid('must be a date such as 2026-05-01') : ok({ kind: 'date', days });
    }
    case 'regex': {
      const check = checkEnginePattern(text);
      if (check.kind === 'ok') return ok({ kind: 'string', value: text });
      return {
        ...invalid(`must be an RE2 regular expression; this value ${check.problem}`),
        ...(check.column === undefined ? {} : { column: check.column }),
      };
    }
    case 'array<string>':
    case 'array<int64>':
    case 'array<float64>':
    case 'array<bool>':
    case 'array<timestamp>':
    case 'array<date>':
      throw new Error('arrays are converted by element');
    default:
      return assertNever(declaration.type);
  }
}

function outOfBounds(declaration: ParameterDeclaration, text: string, value: ParameterValue): Bad | undefined {
  const { min, max, maxLength, pattern } = declaration;
  if (maxLength !== null && Array.from(text).length > maxLength) {
    return { ...invalid(`must have at most ${maxLength} characters`), code: 'parameter.too_long' };
  }
  if (min !== null && isBelow(value, typed(declaration, min))) return invalid(`must be at least ${min}`);
  if (max !== null && isAbove(value, typed(declaration, max))) return invalid(`must be at most ${max}`);
  if (pattern !== null && !matches(pattern, text)) return invalid(`must match the pattern ${pattern}`);
  return undefined;
}

function isBelow(value: ParameterValue, bound: Conversion): boolean {
  if (bound.kind === 'bad') throw new Error('a bound that does not convert cannot be declared');
  return order(value) < order(bound.value);
}

function isAbove(value: ParameterValue, bound: Conversion): boolean {
  if (bound.kind === 'bad') throw new Error('a bound that does not convert cannot be declared');
  return order(value) > order(bound.value);
}

function order(value: ParameterValue): number | bigint {
  switch (value.kind) {
    case 'int64':
    case 'float64':
      return value.value;
    case 'timestamp':
      return value.micros;
    case 'date':
      return value.days;
    default:
      throw new Error(`a value of kind ${value.kind} has no bounds`);
  }
}

function matches(pattern: string, text: string): boolean {
  const check = checkPattern(pattern);
  if (check.kind === 'bad') throw new Error('a pattern that does not compile cannot be declared');
  return check.pattern.matcher(text).find();
}

function notAllowed(allowed: readonly string[], text: string): Bad {
  const nearest = nearestName(text, allowed);
  return {
    ...invalid(`must be one of ${allowed.join(', ')}`),
    isUnknown: true,
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
  };
}

function ok(value: ParameterValue): Conversion {
  return { kind: 'ok', value };
}

function invalid(problem: string): Bad {
  return { kind: 'bad', code: 'parameter.invalid', problem };
}
