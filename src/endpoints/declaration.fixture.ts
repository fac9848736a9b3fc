import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** A declaration with everything at rest but what is given. For tests. */
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
    onUnknown: 'reject',
    allowEmpty: false,
    description: '',
    example: null,
    ...changes,
  };
}
