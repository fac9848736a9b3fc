import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Parsed = readonly [address: Address, prefix: number];

/**
 * The canonical form of a network (`10.0.0.0/8`, `2001:db8::/32`) or of a single address, a network of one: bits beyond
 * the prefix are zero, and an IPv4 network written as IPv6 becomes IPv4. Undefined for other texts, including forms that
 * parsers read differently (`010.0.0.1`, `10.1`).
 */
export function canonicalNetwork(text: string): string | undefined {
  const parsed = parseNetwork(text);
  return parsed === undefined ? undefined : `${parsed[0].toString()}/${parsed[1]}`;
}

/** The address without zone, with an IPv4 address written as IPv6 converted to IPv4; undefined for other texts. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

/**
 * Who a client is if only its address is known: an IPv4 address or, because one client may have all of its addresses, a /64 of
 * IPv6. A text that is no address stays as it is.
 */
export function clientNetwork(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  return address instanceof ipaddr.IPv4 ? address.toString() : `${masked(address, 64).toString()}/64`;
}

/** Whether the address is in one of the networks. An IPv4 address is never in an IPv6 network, not even `::/0`. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && networks.some((network) => holds(parseNetwork(network), parsed));
}

/** Whether every address of `inner` is in `outer`. */
export function isWithin(inner: string, outer: string): boolean {
  const [address, prefix] = parseNetwork(inner) ?? [];
  const around = parseNetwork(outer);
  return address !== undefined && prefix !== undefined && prefix >= (around?.[1] ?? 0) && holds(around, address);
}

function holds(network: Parsed | undefined, address: Address): boolean {
  if (network === undefined || network[0].kind() !== address.kind()) return false;
  return address.match(network[0], network[1]);
}

function parseNetwork(text: string): Parsed | undefined {
  const [base = '', digits, ...more] = text.trim().split('/');
  const address = plainAddress(base);
  if (address === undefined || more.length > 0) return undefined;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  if (digits !== undefined && !/^\d{1,3}$/.test(digits)) return undefined;
  const prefix = digits === undefined ? bits : Number(digits);
  if (prefix > bits) return undefined;
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    // A shorter prefix would include more than IPv4 addresses.
    return prefix < 96 ? undefined : [masked(address.toIPv4Address(), prefix - 96), prefix - 96];
  }
  return [masked(address, prefix), prefix];
}

function masked(address: Address, prefix: number): Address {
  return address instanceof ipaddr.IPv4
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${prefix}`)
    : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${prefix}`);
}

function parseAddress(text: string): Address | undefined {
  const address = plainAddress(text.replace(/%.*$/s, ''));
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function plainAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}
