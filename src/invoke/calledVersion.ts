import { ServiceError } from '../core/errors.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { requireScope } from '../tokens/permission.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import type { ParameterEntry } from './parameterEntry.ts';

/**
 * Finds the version that a call requests with `version`, or else the current one (contract, section 3). Needs the scope
 * `query:version`. Later restrictions by the operator still apply: an old version redacts if the current one does, and
 * refuses caller queries if the current one does. Throws `auth.scope`, `parameter.invalid` and
 * `endpoint.version_unknown`.
 */
export async function calledVersion(
  current: CallableEndpoint,
  parameters: readonly ParameterEntry[],
  token: Pick<AuthenticatedToken, 'scopes'>,
  endpoints: Pick<EndpointFinder, 'findVersion'>,
  nowMicros: number,
): Promise<CallableEndpoint> {
  const asked = parameters.find(([name]) => name === 'version')?.[1] ?? '';
  if (asked.trim() === '') return current;
  requireScope(token.scopes, { kind: 'query:version' });
  const version = numberOf(asked);
  if (version === current.version) return current;
  const old = await endpoints.findVersion(current.id, version, nowMicros);
  if (old === undefined) {
    throw new ServiceError(
      'endpoint.version_unknown',
      `The endpoint ${current.name} has no version ${version}; its versions are 1 to ${current.version}.`,
      { errors: [{ parameter: 'version', value: asked, expected: `1 to ${current.version}` }] },
    );
  }
  return {
    ...old,
    name: current.name,
    redactPii: old.redactPii || current.redactPii,
    sandbox: old.sandbox && current.sandbox,
    stream: current.stream === null ? null : old.stream,
    // Only current versions are refreshed in the background.
    warmSeconds: null,
  };
}

function numberOf(asked: string): number {
  if (/^[1-9]\d{0,8}$/.test(asked)) return Number(asked);
  const value = asked.slice(0, 64);
  throw new ServiceError(
    'parameter.invalid',
    `The parameter version is "${value}"; it must be a whole number from 1.`,
    {
      errors: [{ parameter: 'version', value, expected: 'a whole number from 1' }],
    },
  );
}
