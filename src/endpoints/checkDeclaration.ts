import { elementTypeOf, type ScalarType } from '../googlesql/resolve/parameterValue.ts';
import { elementDeclaration } from './arrayParameter.ts';
import { checkPattern } from './checkPattern.ts';
import { convertValue } from './convertValue.ts';
import type { DefinitionIssue } from './definitionIssue.ts';
import {
  isReservedParameterName,
  type ParameterDeclaration,
  parameterNamePattern,
  reservedParameterNames,
} from './parameterDeclaration.ts';

/** The types that each constraint applies to; it applies to the elements of arrays of these types too. */
const typesOf = {
  allowed: ['enum', 'string', 'int64'],
  min: ['int64', 'float64', 'timestamp', 'date'],
  max: ['int64', 'float64', 'timestamp', 'date'],
  pattern: ['string'],
  max_length: ['string', 'regex'],
  allow_empty: ['string'],
  on_unknown: ['enum'],
} as const satisfies Record<string, readonly ScalarType[]>;

/** Finds errors in a declaration beyond the form of its fields. */
export function checkDeclaration(declaration: ParameterDeclaration): readonly DefinitionIssue[] {
  const { name, type } = declaration;
  const issues: DefinitionIssue[] = [];
  const add = (field: string | undefined, problem: string): void => {
    issues.push({ path: field === undefined ? ['parameters', name] : ['parameters', name, field], problem });
  };

  if (!parameterNamePattern.test(name))
    add(undefined, 'must have a name of at most 64 letters, digits and _ that begins with a letter');
  if (isReservedParameterName(name.toLowerCase()))
    add(undefined, `has a reserved name; the service itself uses ${reservedParameterNames.join(', ')}`);

  const isSet = {
    allowed: declaration.allowed !== null,
    min: declaration.min !== null,
    max: declaration.max !== null,
    pattern: declaration.pattern !== null,
    max_length: declaration.maxLength !== null,
    allow_empty: declaration.allowEmpty,
    on_unknown: declaration.onUnknown !== 'reject',
  };
  const element = elementTypeOf(type);
  for (const [field, types] of Object.entries(typesOf) as [keyof typeof typesOf, readonly ScalarType[]][]) {
    if (isSet[field] && !types.some((each) => each === (element ?? type)))
      add(field, `does not apply to the type ${type}, only to ${types.join(', ')}`);
  }
  if (declaration.maxItems !== null && element === null)
    add('max_items', `does not apply to the type ${type}, only to arrays`);
  if (type === 'enum' && declaration.allowed === null) add(undefined, 'is an enum and needs the list allowed');
  if (declaration.onUnknown === 'default' && declaration.default === null)
    add('on_unknown', 'is default, so the parameter needs a default');
  if (declaration.required && declaration.default !== null && declaration.onUnknown !== 'default') {
    add(
      'default',
      'is never used, because the parameter is required; leave out one of the two, or set on_unknown to default',
    );
  }
  if (declaration.allowed !== null && new Set(declaration.allowed).size < declaration.allowed.length)
    add('allowed', 'contains a value twice');
  if (declaration.pattern !== null) {
    const check = checkPattern(declaration.pattern);
    if (check.kind === 'bad') add('pattern', check.problem);
  }
  // Values are checked only against valid constraints.
  return issues.length > 0 ? issues : checkValues(declaration);
}

function checkValues(declaration: ParameterDeclaration): readonly DefinitionIssue[] {
  const { name, min, max } = declaration;
  const issues: DefinitionIssue[] = [];
  const check = (field: string, text: string | null, against: ParameterDeclaration): void => {
    if (text === null) return;
    if (text === '' && !declaration.allowEmpty) {
      issues.push({ path: ['parameters', name, field], problem: 'must not be empty: an empty value counts as absent' });
      return;
    }
    const conversion = convertValue(against, text);
    if (conversion.kind === 'bad') {
      const nearest = conversion.nearest === undefined ? {} : { nearest: conversion.nearest };
      issues.push({
        path: ['parameters', name, field],
        problem: `is ${JSON.stringify(text)} and ${inElement(conversion)}${conversion.problem}`,
        ...nearest,
      });
    }
  };
  const one = elementDeclaration(declaration) ?? declaration;
  const unbounded: ParameterDeclaration = { ...one, min: null, max: null, allowed: null };
  check('min', min, unbounded);
  check('max', max, unbounded);
  if (issues.length > 0) return issues;
  if (min !== null) check('max', max, { ...unbounded, min });
  for (const value of declaration.allowed ?? []) check('allowed', value, { ...one, allowed: null });
  if (issues.length > 0) return issues;
  check('default', declaration.default, declaration);
  check('example', declaration.example, declaration);
  return issues;
}

function inElement({ element }: Extract<ReturnType<typeof convertValue>, { kind: 'bad' }>): string {
  return element === undefined ? '' : `element ${element.number} `;
}
