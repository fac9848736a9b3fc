import { scalar } from './declare.ts';

/** Network functions (GoogleSQL reference, "net functions"). */
export const networkFunctions = [
  scalar('net.host', ['url STRING => STRING'], 'The host of a URL.', "SELECT NET.HOST('https://example.com:443/a')"),
  scalar(
    'net.ip_from_string',
    ['address STRING => BYTES'],
    'An address as 4 or 16 bytes; text that is no address is an error.',
    "SELECT TO_HEX(NET.IP_FROM_STRING('192.0.2.1'))",
  ),
  scalar(
    'net.safe_ip_from_string',
    ['address STRING => BYTES'],
    'An address as 4 or 16 bytes; NULL for text that is no address.',
    "SELECT NET.SAFE_IP_FROM_STRING('nowhere')",
  ),
] as const;
