import { ServiceError } from '../core/errors.ts';
import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { CallHeader } from './callHeader.ts';

const profiles: readonly ValuesProfile[] = ['plain', 'records'];

/**
 * The values profile of a request: from its header, else the definition, else the service (contract, section 1,
 * "Values").
 */
export function valuesProfileOf(
  header: CallHeader,
  ofDefinition: ValuesProfile | null | undefined,
  ofService: ValuesProfile,
): ValuesProfile {
  const wanted = header.value?.trim().toLowerCase() ?? '';
  if (wanted === '') return ofDefinition ?? ofService;
  const profile = profiles.find((each) => each === wanted);
  if (profile === undefined) {
    const value = wanted.slice(0, 64);
    throw new ServiceError(
      'parameter.invalid',
      `The header ${header.name} is "${value}"; it must be plain or records.`,
      {
        errors: [{ parameter: header.name, value, allowed: profiles }],
      },
    );
  }
  return profile;
}
