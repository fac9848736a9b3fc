import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** A declaration with defaults for everything except the given fields. For tests. */
export function declaration(changes: Partial<ParameterDeclaration> = {}): ParameterDeclaration {
  return {
    name: 'p',
    type: 'string',
    required: false,
    default: null,
    allowed: null,
    min: null,
    max: null,
    pattern: null,
    maxLength: null,
    maxItems: null,
    onUnknown: 'reject',
    allowEmpty: false,
    description: '',
    example: null,
    ...changes,
  };
}
