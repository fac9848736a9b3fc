import { scalar } from './declare.ts';

/** Network functions (GoogleSQL reference, "net functions"). */
export const networkFunctions = [
  scalar('net.host', ['url STRING => STRING'], 'The host of a URL.', "SELECT NET.HOST('https://example.com:443/a')"),
  scalar(
    'net.ip_from_string',
    ['address STRING => BYTES'],
    'An IP address as 4 or 16 bytes. A string that is not an address is an error.',
    "SELECT TO_HEX(NET.IP_FROM_STRING('192.0.2.1'))",
  ),
  scalar(
    'net.safe_ip_from_string',
    ['address STRING => BYTES'],
    'An IP address as 4 or 16 bytes, or NULL if the string is not an address.',
    "SELECT NET.SAFE_IP_FROM_STRING('nowhere')",
  ),
  scalar(
    'net.ip_to_string',
    ['address BYTES => STRING'],
    'The text form of an IP address of 4 or 16 bytes.',
    "SELECT NET.IP_TO_STRING(b'\\xc0\\x00\\x02\\x01')",
  ),
  scalar(
    'net.ip_trunc',
    ['address BYTES, prefix INT64 => BYTES'],
    'The network of an IP address: all bits after the first `prefix` bits are 0.',
    "SELECT NET.IP_TO_STRING(NET.IP_TRUNC(NET.IP_FROM_STRING('192.0.2.77'), 24))",
  ),
] as const;
