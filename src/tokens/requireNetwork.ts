import { ServiceError } from '../core/errors.ts';
import { isInNetworks } from './network.ts';
import type { TokenRestrictions } from './restrictions.ts';

/** Throws `auth.network` where the token may not be used from the address; one that is not known is in no network. */
export function requireNetwork(restrictions: TokenRestrictions | null, address: string | undefined): void {
  const networks = restrictions?.networks;
  if (networks === undefined || (address !== undefined && isInNetworks(address, networks))) return;
  const from = address === undefined ? 'an address that cannot be told' : address;
  throw new ServiceError('auth.network', `This token may not be used from ${from}.`, {
    errors: address === undefined ? [] : [{ value: address }],
  });
}
