import { ServiceError } from '../core/errors.ts';
import type { CallHeader } from './callHeader.ts';

/**
 * Where redaction will stand. Until it is built, a call that asks for it, by header or by
 * definition, is refused: never raw rows (contract, section 6). `true` in any case asks; any other
 * value changes nothing. A header sent twice asks if one of them does.
 */
export function refuseRedaction(header: CallHeader, endpoint: { readonly redactPii: boolean }): void {
  const isAsked = header.value?.split(',').some((value) => value.trim().toLowerCase() === 'true') ?? false;
  if (!isAsked && !endpoint.redactPii) return;
  const why = isAsked ? `the header ${header.name} asks for it` : 'this endpoint demands it';
  throw new ServiceError(
    'endpoint.redaction_unavailable',
    `Redaction of personal data is not available in this version, and ${why}. No rows are returned instead of unredacted ones.`,
  );
}
