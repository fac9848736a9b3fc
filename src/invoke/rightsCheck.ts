import { isDeepStrictEqual } from 'node:util';
import type { ServiceError } from '../core/errors.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { type CalledEndpoint, calledEndpoint, identityOf } from './calledEndpoint.ts';
import type { InvokeServices } from './invokeServices.ts';

/** A call whose rows are shown for longer than its checks last. */
interface LastingCall {
  readonly call: Parameters<typeof calledEndpoint>[0] & { readonly token: AuthenticatedToken };
  /** What the call found. */
  readonly found: CalledEndpoint;
  /** Finds the caller again. Rejects with errors of `auth` and `session` if it may not call any more. */
  readonly authenticateAgain: () => Promise<AuthenticatedToken>;
  /** The error if something else than before would be shown now. */
  readonly changed: (what: string) => ServiceError;
}

/**
 * Makes the check that a caller may still read the rows: its token is valid with the same rights, and the endpoint is the
 * same, so that rows are still shown as it says. It throws the errors of a call, and that of `changed`.
 */
export function rightsCheck(
  lasting: LastingCall,
  services: Pick<InvokeServices, 'clock' | 'endpoints'>,
): () => Promise<void> {
  const { call, changed } = lasting;
  const { endpoint } = lasting.found;
  let { token } = call;
  let { revision } = lasting.found;
  return async () => {
    const again = await lasting.authenticateAgain();
    if (again !== token && !isDeepStrictEqual(rightsIn(again), rightsIn(token)))
      throw changed('The rights of the token');
    token = again;
    const current = services.endpoints.revision(services.clock.nowMicros());
    if (current !== undefined && current === revision) return;
    const found = await calledEndpoint(call, token, services);
    if (!isDeepStrictEqual(identityOf(found.endpoint), identityOf(endpoint))) throw changed('The endpoint');
    ({ revision } = found);
  };
}

const rightsIn = ({ publicId, scopes, restrictions }: AuthenticatedToken) => ({ publicId, scopes, restrictions });
