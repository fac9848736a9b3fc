import type { Clock } from '../core/clock.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { calledVersion } from './calledVersion.ts';
import { type EndpointFinder, findEndpoint } from './findEndpoint.ts';
import type { ParameterEntry } from './parameterEntry.ts';

export interface CalledEndpoint {
  readonly endpoint: CallableEndpoint;
  /**
   * The `EndpointFinder.revision` from before the endpoint was found. While it is the present one, the endpoint is as it was
   * found: one from afterwards would hide a change that came while it was found.
   */
  readonly revision: object | undefined;
}

/** Finds the endpoint of a call in the version that it requests. Throws the errors of `findEndpoint` and `calledVersion`. */
export async function calledEndpoint(
  call: { readonly idOrName: string; readonly parameters: readonly ParameterEntry[] },
  token: AuthenticatedToken,
  { endpoints, clock }: { readonly endpoints: EndpointFinder; readonly clock: Clock },
): Promise<CalledEndpoint> {
  const nowMicros = clock.nowMicros();
  const revision = endpoints.revision(nowMicros);
  const current = await findEndpoint(call.idOrName, token, endpoints, nowMicros);
  return { endpoint: await calledVersion(current, call.parameters, token, endpoints, nowMicros), revision };
}

/** What may change about an endpoint while its rows are read, and with it the rows that a caller may see. */
export const identityOf = ({ id, version, redactPii, sandbox }: EndpointIdentity): EndpointIdentity => ({
  id,
  version,
  redactPii,
  sandbox,
});

export type EndpointIdentity = Pick<CallableEndpoint, 'id' | 'version' | 'redactPii' | 'sandbox'>;
