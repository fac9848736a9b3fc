import { ServiceError } from '../core/errors.ts';
import { elementDeclaration } from '../endpoints/arrayParameter.ts';
import { isAbsent } from '../endpoints/bindParameters.ts';
import { convertValue } from '../endpoints/convertValue.ts';
import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import type { ParameterValue, ParameterValues, ScalarValue } from '../googlesql/resolve/parameterValue.ts';
import type { TokenRestrictions } from '../tokens/restrictions.ts';
import type { CallerQuery } from './callerQueryText.ts';
import type { ParameterEntry } from './parameterEntry.ts';

/**
 * Adds the parameters that the token locks and the call omits. Throws `parameter.locked` if the endpoint does not
 * declare a locked parameter, because nothing would enforce it (contract, section 4, "A locked parameter").
 */
export function withLockedParameters(
  entries: readonly ParameterEntry[],
  declarations: readonly ParameterDeclaration[],
  restrictions: TokenRestrictions | null,
): readonly ParameterEntry[] {
  const bound = [...entries];
  for (const [name, values] of rulesOf(restrictions)) {
    const declaration = declarations.find((each) => each.name === name);
    if (declaration === undefined) {
      throw locked(
        `This token may call only endpoints that have the parameter ${name}, and this one does not.`,
        name,
        values,
      );
    }
    const one = elementDeclaration(declaration) ?? declaration;
    if (!values.some((text) => convertValue(one, text).kind === 'ok')) {
      throw locked(`This token is restricted to values of ${name} that this endpoint does not accept.`, name, values);
    }
    const [value, ...others] = values;
    const at = bound.findIndex(([given]) => given === name);
    if (others.length > 0 || !isAbsent(declaration, bound[at])) continue;
    if (at >= 0) bound.splice(at, 1);
    bound.push(one === declaration ? [name, value] : [name, value, { form: 'array', texts: [value] }]);
  }
  return bound;
}

/**
 * Throws `parameter.locked` if the query would see a value that the token's lock does not allow. Compares bound values,
 * after defaults and conversions, so the notation of a value does not matter. An array must have elements, all of them
 * allowed: without any, a query may take it for no condition at all.
 */
export function requireAllowedValues(
  values: ParameterValues,
  declarations: readonly ParameterDeclaration[],
  restrictions: TokenRestrictions | null,
): void {
  for (const [name, allowed] of rulesOf(restrictions)) {
    const declaration = declarations.find((each) => each.name === name);
    const value = values.get(name);
    if (declaration === undefined || value === undefined) throw new Error(`the parameter ${name} was not bound`);
    const one = elementDeclaration(declaration) ?? declaration;
    const given = value.kind === 'array' ? value.elements : [value];
    if (given.length > 0 && given.every((each) => allowed.some((text) => means(one, text, each)))) continue;
    const list = allowed.slice(0, 10).join(', ');
    throw locked(
      allowed.length === 1
        ? `This token is locked to ${name}=${list}; leave the parameter out, or send that value.`
        : `This token must send the parameter ${name} with one of ${list}.`,
      name,
      allowed,
    );
  }
}

/** Throws `auth.caller_query` if the call has a caller query and the token may not send one. */
export function requireCallerQueries(callerQuery: CallerQuery | null, restrictions: TokenRestrictions | null): void {
  if (callerQuery === null || restrictions?.callerQueries !== false) return;
  const { language } = callerQuery;
  throw new ServiceError(
    'auth.caller_query',
    `This token may not send caller queries. Call the endpoint without the parameter ${language}.`,
    { errors: [{ parameter: language }] },
  );
}

function rulesOf(restrictions: TokenRestrictions | null): readonly [string, readonly [string, ...string[]]][] {
  return Object.entries(restrictions?.parameters ?? {});
}

/** Whether the text means this value under the parameter's declaration. A text that does not fit means no value. */
function means(declaration: ParameterDeclaration, text: string, value: ParameterValue): boolean {
  const converted = convertValue(declaration, text);
  return converted.kind === 'ok' && isSame(converted.value, value);
}

/** Arrays are compared by element. */
function isSame(a: ParameterValue, b: ParameterValue): boolean {
  if (a.kind === 'null' || b.kind === 'null' || a.kind === 'array' || b.kind === 'array') return false;
  return a.kind === b.kind && plain(a) === plain(b);
}

function plain(value: ScalarValue): string | number | bigint | boolean {
  switch (value.kind) {
    case 'timestamp':
      return value.micros;
    case 'date':
      return value.days;
    default:
      return value.value;
  }
}

function locked(sentence: string, parameter: string, allowed: readonly string[]): ServiceError {
  return new ServiceError('parameter.locked', sentence, { errors: [{ parameter, allowed: allowed.slice(0, 100) }] });
}
