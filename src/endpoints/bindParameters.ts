import { type ErrorItem, ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { nearestName } from '../core/nearestName.ts';
import type { ParameterValue, ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import { elementTypeOf } from '../googlesql/resolve/parameterValue.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import { convertItems, elementDeclaration, itemsIn, itemsText } from './arrayParameter.ts';
import type { Conversion } from './conversion.ts';
import { convertValue } from './convertValue.ts';
import { type GivenParameter, isList } from './givenParameter.ts';
import {
  isReservedParameterName,
  type ParameterDeclaration,
  type ReservedParameterName,
} from './parameterDeclaration.ts';

export interface BindOptions {
  /** Whether unknown parameters are a 400 instead of a notice (`strict_parameters`). */
  readonly isStrict: boolean;
  /** Most bytes of a value in UTF-8. Does not apply to reserved names. */
  readonly valueBytesMax?: number;
  /** The values that the token allows, by parameter. They are not enforced here: messages offer no others. */
  readonly keptTo?: Readonly<Record<string, readonly string[]>>;
}

export interface Binding {
  /** One entry per declared parameter. */
  readonly values: ParameterValues;
  readonly notices: readonly Notice[];
  /** The raw values of `sql`, `lql` and so on. They are only checked for repetition. */
  readonly reserved: ReadonlyMap<ReservedParameterName, string>;
}

type ProblemCode =
  | 'parameter.missing'
  | 'parameter.invalid'
  | 'parameter.duplicate'
  | 'parameter.too_long'
  | 'parameter.unknown';

interface Problem {
  readonly code: ProblemCode;
  readonly sentence: string;
  readonly item: ErrorItem;
}

/** Most errors, or notices of unknown parameters, in one answer. A last sentence counts the others. */
const unknownNoticesMax = 20;

/**
 * Binds the parameters of a call (contract, sections 1 and 3). Throws one ServiceError with an entry in `errors` for each
 * wrong parameter. If all problems have the same code, so does the error; otherwise it is `parameter.invalid`. Each
 * entry has its own code in `rule`.
 *
 * @param entries decoded names and values, in order: those of the URL, then those of the body
 */
export function bindParameters(
  declarations: readonly ParameterDeclaration[],
  entries: Iterable<GivenParameter>,
  options: BindOptions,
): Binding {
  const given = new Map<string, GivenParameter[]>();
  for (const entry of entries) {
    const others = given.get(entry[0]);
    if (others === undefined) given.set(entry[0], [entry]);
    else others.push(entry);
  }

  const problems: Problem[] = [];
  const notices: Notice[] = [];
  const values = new Map<string, ParameterValue>();
  for (const declaration of declarations) {
    const [entry, ...more] = given.get(declaration.name) ?? [];
    given.delete(declaration.name);
    const outcome = more.length > 0 ? duplicate(declaration.name) : bindOne(declaration, entry, options);
    if (outcome.kind === 'bound') values.set(declaration.name, outcome.value);
    else problems.push(outcome.problem);
    if (outcome.kind === 'bound' && outcome.notice !== undefined) notices.push(outcome.notice);
  }

  const reserved = new Map<ReservedParameterName, string>();
  const unknown: string[] = [];
  for (const [name, [entry, ...more]] of given) {
    const misused = entry === undefined ? undefined : listProblem(entry);
    if (misused !== undefined) problems.push(misused);
    else if (!isReservedParameterName(name)) unknown.push(name);
    else if (more.length > 0) problems.push(duplicate(name).problem);
    else reserved.set(name, entry?.[1] ?? '');
  }

  const names = declarations.map((declaration) => declaration.name);
  const ignored = options.isStrict ? [] : unknownNotices(unknown, names);
  if (options.isStrict) problems.push(...unknown.map((name) => unknownProblem(name, names)));
  if (problems.length > 0) throw problemsError(problems, ignored);
  notices.push(...ignored);
  return { values, notices, reserved };
}

/** Whether the parameter counts as left out. `given` is undefined if the call does not have it. */
export function isAbsent({ allowEmpty, type }: ParameterDeclaration, given: GivenParameter | undefined): boolean {
  if (given === undefined) return true;
  // A JSON array without elements is a value: it equals nothing.
  if (isList(given) || given[1] !== '') return false;
  // An empty pattern would match every row, so it is refused and does not count as absent.
  return elementTypeOf(type) !== null || (!allowEmpty && type !== 'regex');
}

/** The problem of several values, or an array, for a parameter that takes one. */
function listProblem([name, , list]: GivenParameter): Problem | undefined {
  if (list === undefined) return undefined;
  if (list.form === 'repeated') return duplicate(name).problem;
  return problem(
    'parameter.invalid',
    `The parameter "${cut(name)}" is an array; it must be a string, a number or a boolean.`,
    {
      parameter: cut(name),
      message: 'is an array, but takes one value',
    },
  ).problem;
}

type Outcome =
  | { readonly kind: 'bound'; readonly value: ParameterValue; readonly notice?: Notice }
  | { readonly kind: 'problem'; readonly problem: Problem };

function bindOne(declaration: ParameterDeclaration, given: GivenParameter | undefined, options: BindOptions): Outcome {
  const { name } = declaration;
  const isArray = elementTypeOf(declaration.type) !== null;
  const misused = isArray || given === undefined ? undefined : listProblem(given);
  if (misused !== undefined) return { kind: 'problem', problem: misused };
  const offered = offeredBy(declaration, options.keptTo);
  if (given === undefined || isAbsent(declaration, given)) {
    if (declaration.required) return missing(offered, given?.[1]);
    return {
      kind: 'bound',
      value: declaration.default === null ? { kind: 'null' } : valueOfDefault(declaration, declaration.default),
    };
  }
  const [, text, list] = given;
  if (list?.texts.length === 0 && declaration.required) return missing(offered, '');
  const bytesMax = (options.valueBytesMax ?? limits.parameterBytesMax) * (isArray ? arrayBytesFactor : 1);
  if (bytesOf(given, bytesMax) > bytesMax) {
    return problem('parameter.too_long', `The parameter "${name}" must have at most ${bytesMax} bytes.`, {
      parameter: name,
      value: cut(text),
      message: `must have at most ${bytesMax} bytes`,
    });
  }
  const accepted = converted(declaration, given);
  if (accepted.kind === 'ok') return { kind: 'bound', value: accepted.value };
  const told = accepted.isUnknown ? converted(offered, given) : accepted;
  const conversion = told.kind === 'ok' ? accepted : told;
  if (accepted.isUnknown && declaration.onUnknown === 'default' && declaration.default !== null) {
    return {
      kind: 'bound',
      value: valueOfDefault(declaration, declaration.default),
      notice: {
        code: 'parameter.defaulted',
        message: `The parameter "${name}" ${conversion.problem}; "${cut(text)}" was replaced by ${declaration.default}.`,
        parameter: name,
      },
    };
  }
  const hint = conversion.nearest === undefined ? '' : ` Did you mean ${conversion.nearest}?`;
  const place = conversion.column === undefined ? '' : ` at character ${conversion.column}`;
  const { element } = conversion;
  const subject = element === undefined ? 'The parameter' : `Element ${element.number} of the parameter`;
  const shown = cut(element?.text ?? (list === undefined ? text : itemsText(list.texts)));
  return problem(conversion.code, `${subject} "${name}" ${conversion.problem}${place}; it is "${shown}".${hint}`, {
    parameter: name,
    value: shown,
    ...(element === undefined ? {} : { element: element.number }),
    ...(conversion.allowed === undefined ? {} : { allowed: conversion.allowed }),
    ...(conversion.nearest === undefined ? {} : { nearest: conversion.nearest }),
    ...(conversion.column === undefined ? {} : { column: conversion.column }),
    message: conversion.problem,
  });
}

/** An array may have this many times the bytes of a single value. */
const arrayBytesFactor = 16;

/** The bytes of the values in UTF-8; more than `most` if they have more UTF-16 units than that. */
function bytesOf([, text, list]: GivenParameter, most: number): number {
  let bytes = 0;
  for (const each of list?.texts ?? [text]) {
    bytes += each.length > most ? each.length : Buffer.byteLength(each, 'utf8');
    if (bytes > most) break;
  }
  return bytes;
}

/** Repeated values of a URL may have commas too, like a single one; those of a JSON array are taken as they are. */
function converted(declaration: ParameterDeclaration, [, text, list]: GivenParameter): Conversion {
  if (list === undefined) return convertValue(declaration, text);
  if (list.form === 'array') return convertItems(declaration, list.texts, convertValue);
  const items = list.texts.map(itemsIn);
  return convertItems(
    declaration,
    items.some((each) => each === null) ? null : items.flatMap((each) => each ?? []),
    convertValue,
  );
}

/** The declaration with only the allowed values that the token may use (contract, section 1, "Errors"). */
function offeredBy(declaration: ParameterDeclaration, keptTo: BindOptions['keptTo']): ParameterDeclaration {
  const { name } = declaration;
  // A parameter may have the name of a member that every object has, such as "constructor".
  const values = keptTo !== undefined && Object.hasOwn(keptTo, name) ? keptTo[name] : undefined;
  if (values === undefined) return declaration;
  const one = elementDeclaration(declaration) ?? declaration;
  return { ...declaration, allowed: values.filter((text) => convertValue(one, text).kind === 'ok') };
}

function valueOfDefault(declaration: ParameterDeclaration, text: string): ParameterValue {
  const conversion = convertValue(declaration, text);
  if (conversion.kind === 'bad')
    throw new Error(`the default of the parameter ${declaration.name} does not fit its declaration`);
  return conversion.value;
}

function missing(declaration: ParameterDeclaration, text: string | undefined): Outcome {
  const { name, allowed, example } = declaration;
  const hint =
    allowed !== null
      ? ` Give one of ${allowed.join(', ')}.`
      : example !== null
        ? ` For example ${name}=${example}.`
        : '';
  return problem(
    'parameter.missing',
    `The parameter "${name}" is required and is ${text === undefined ? 'missing' : 'empty'}.${hint}`,
    {
      parameter: name,
      ...(text === undefined ? {} : { value: text }),
      ...(allowed === null ? {} : { allowed }),
      message: 'is required',
    },
  );
}

function duplicate(name: string): Extract<Outcome, { kind: 'problem' }> {
  return problem(
    'parameter.duplicate',
    `The parameter "${name}" is given more than once; give it once, in the URL or in the body.`,
    {
      parameter: name,
      message: 'is given more than once',
    },
  );
}

function unknownProblem(name: string, declared: readonly string[]): Problem {
  const nearest = nearestName(name, declared);
  const item: ErrorItem = {
    parameter: cut(name),
    allowed: declared,
    ...(nearest === undefined ? {} : { nearest }),
    message: 'is not declared',
  };
  return problem(
    'parameter.unknown',
    `${unknownSentence(name, declared)}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
    item,
  ).problem;
}

function unknownNotices(unknown: readonly string[], declared: readonly string[]): readonly Notice[] {
  const notices = unknown.slice(0, unknownNoticesMax).map((name): Notice => {
    const nearest = nearestName(name, declared);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    return {
      code: 'parameter.unknown',
      message: `${unknownSentence(name, declared)}, so it was ignored.${hint}`,
      parameter: cut(name),
    };
  });
  const more = unknown.length - notices.length;
  if (more === 0) return notices;
  return [
    ...notices,
    {
      code: 'parameter.unknown',
      message: `${more} more unknown ${more === 1 ? 'parameter was' : 'parameters were'} ignored.`,
    },
  ];
}

function unknownSentence(name: string, declared: readonly string[]): string {
  const list = declared.length === 0 ? 'which declares none' : `which declares ${declared.join(', ')}`;
  return `The parameter "${cut(name)}" is not declared by this endpoint, ${list}`;
}

function problem(code: ProblemCode, sentence: string, item: ErrorItem): Extract<Outcome, { kind: 'problem' }> {
  return { kind: 'problem', problem: { code, sentence, item: { ...item, rule: code } } };
}

/**
 * `ignored`: notices of unknown parameters. If a parameter is missing, the message includes them, because a misspelt
 * name is often the reason.
 */
function problemsError(problems: readonly Problem[], ignored: readonly Notice[]): ServiceError {
  const shown = problems.slice(0, unknownNoticesMax);
  const codes = new Set(problems.map((one) => one.code));
  const [only] = codes;
  const more = problems.length - shown.length;
  const sentences = [
    ...shown.map((one) => one.sentence),
    ...(more === 0 ? [] : [`${more} more ${more === 1 ? 'parameter is' : 'parameters are'} wrong.`]),
    ...(codes.has('parameter.missing') ? ignored.map(({ message }) => message) : []),
  ];
  return new ServiceError(codes.size === 1 && only !== undefined ? only : 'parameter.invalid', sentences.join(' '), {
    errors: shown.map((one) => one.item),
  });
}

/** At most 100 UTF-16 units, well-formed. */
function cut(text: string): string {
  const shown = text.length <= 100 ? text : `${text.slice(0, 99).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return shown.replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD');
}
