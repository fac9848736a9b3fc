import { type ErrorItem, ServiceError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { nearestName } from '../core/nearestName.ts';
import type { ParameterValue, ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { Notice } from '../googlesql/resolve/tree.ts';
import { convertValue } from './convertValue.ts';
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
  entries: Iterable<readonly [name: string, value: string]>,
  options: BindOptions,
): Binding {
  const given = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const values = given.get(name);
    if (values === undefined) given.set(name, [value]);
    else values.push(value);
  }

  const problems: Problem[] = [];
  const notices: Notice[] = [];
  const values = new Map<string, ParameterValue>();
  for (const declaration of declarations) {
    const texts = given.get(declaration.name) ?? [];
    given.delete(declaration.name);
    const outcome = texts.length > 1 ? duplicate(declaration.name) : bindOne(declaration, texts[0], options);
    if (outcome.kind === 'bound') values.set(declaration.name, outcome.value);
    else problems.push(outcome.problem);
    if (outcome.kind === 'bound' && outcome.notice !== undefined) notices.push(outcome.notice);
  }

  const reserved = new Map<ReservedParameterName, string>();
  const unknown: string[] = [];
  for (const [name, texts] of given) {
    if (!isReservedParameterName(name)) unknown.push(name);
    else if (texts.length > 1) problems.push(duplicate(name).problem);
    else reserved.set(name, texts[0] ?? '');
  }

  const names = declarations.map((declaration) => declaration.name);
  const ignored = options.isStrict ? [] : unknownNotices(unknown, names);
  if (options.isStrict) problems.push(...unknown.map((name) => unknownProblem(name, names)));
  if (problems.length > 0) throw problemsError(problems, ignored);
  notices.push(...ignored);
  return { values, notices, reserved };
}

/** Whether the parameter counts as left out. `text` is undefined if the call does not have it. */
export function isAbsent({ allowEmpty, type }: ParameterDeclaration, text: string | undefined): boolean {
  // An empty pattern would match every row, so it is refused and does not count as absent.
  return text === undefined || (text === '' && !allowEmpty && type !== 'regex');
}

type Outcome =
  | { readonly kind: 'bound'; readonly value: ParameterValue; readonly notice?: Notice }
  | { readonly kind: 'problem'; readonly problem: Problem };

function bindOne(declaration: ParameterDeclaration, text: string | undefined, options: BindOptions): Outcome {
  const { name } = declaration;
  const offered = offeredBy(declaration, options.keptTo);
  if (text === undefined || isAbsent(declaration, text)) {
    if (declaration.required) return missing(offered, text);
    return {
      kind: 'bound',
      value: declaration.default === null ? { kind: 'null' } : valueOfDefault(declaration, declaration.default),
    };
  }
  const bytesMax = options.valueBytesMax ?? limits.parameterBytesMax;
  if (text.length > bytesMax || Buffer.byteLength(text, 'utf8') > bytesMax) {
    return problem('parameter.too_long', `The parameter "${name}" must have at most ${bytesMax} bytes.`, {
      parameter: name,
      value: cut(text),
      message: `must have at most ${bytesMax} bytes`,
    });
  }
  const accepted = convertValue(declaration, text);
  if (accepted.kind === 'ok') return { kind: 'bound', value: accepted.value };
  const told = accepted.isUnknown ? convertValue(offered, text) : accepted;
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
  return problem(
    conversion.code,
    `The parameter "${name}" ${conversion.problem}${place}; it is "${cut(text)}".${hint}`,
    {
      parameter: name,
      value: cut(text),
      ...(conversion.allowed === undefined ? {} : { allowed: conversion.allowed }),
      ...(conversion.nearest === undefined ? {} : { nearest: conversion.nearest }),
      ...(conversion.column === undefined ? {} : { column: conversion.column }),
      message: conversion.problem,
    },
  );
}

/** The declaration with only the allowed values that the token may use (contract, section 1, "Errors"). */
function offeredBy(declaration: ParameterDeclaration, keptTo: BindOptions['keptTo']): ParameterDeclaration {
  const { name } = declaration;
  // A parameter may have the name of a member that every object has, such as "constructor".
  const values = keptTo !== undefined && Object.hasOwn(keptTo, name) ? keptTo[name] : undefined;
  if (values === undefined) return declaration;
  return { ...declaration, allowed: values.filter((text) => convertValue(declaration, text).kind === 'ok') };
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
