import { scalar } from './declare.ts';

const digest = ['value STRING => BYTES', 'value BYTES => BYTES'] as const;

/** Digests and identifiers (GoogleSQL reference, "hash functions", "utility functions"). */
export const hashFunctions = [
  scalar('md5', digest, 'The MD5 digest, 16 bytes.', "SELECT TO_HEX(MD5('abc'))"),
  scalar('sha1', digest, 'The SHA-1 digest, 20 bytes.', "SELECT TO_HEX(SHA1('abc'))"),
  scalar('sha256', digest, 'The SHA-256 digest, 32 bytes.', "SELECT TO_HEX(SHA256('abc'))"),
  scalar('sha512', digest, 'The SHA-512 digest, 64 bytes.', "SELECT TO_HEX(SHA512('abc'))"),
  scalar(
    'farm_fingerprint',
    ['value STRING => INT64', 'value BYTES => INT64'],
    'The Fingerprint64 of FarmHash, as a signed integer.',
    "SELECT FARM_FINGERPRINT('abc')",
  ),
  scalar('generate_uuid', [' => STRING'], 'A random UUID.', 'SELECT GENERATE_UUID()', { isVolatile: true }),
] as const;
