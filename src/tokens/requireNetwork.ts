import { ServiceError } from '../core/errors.ts';
import { isInNetworks } from '../core/network.ts';
import type { TokenRestrictions } from './restrictions.ts';

/** Whether the token may be used from the address. An unknown address is not in any network. */
export function mayComeFrom(restrictions: TokenRestrictions | null, address: string | undefined): boolean {
  const networks = restrictions?.networks;
  return networks === undefined || (address !== undefined && isInNetworks(address, networks));
}

/** Throws `auth.network` if the token may not be used from the address. */
export function requireNetwork(restrictions: TokenRestrictions | null, address: string | undefined): void {
  if (mayComeFrom(restrictions, address)) return;
  const from = address === undefined ? 'an unknown address' : address;
  throw new ServiceError('auth.network', `This token may not be used from ${from}.`, {
    errors: address === undefined ? [] : [{ value: address }],
  });
}
