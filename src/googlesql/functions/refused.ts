/**
 * Functions of GoogleSQL that this dialect does not have, each with the sentence that says so
 * (googlesql.md, section 3: refused by name, never answered differently).
 */
export const refusedFunctions: ReadonlyMap<string, string> = new Map([
  [
    'farm_fingerprint',
    'FARM_FINGERPRINT is not available; use TO_HEX(MD5(…)) or TO_HEX(SHA256(…)) for a stable fingerprint.',
  ],
  ['regexp_instr', 'REGEXP_INSTR is not available; use STRPOS(value, REGEXP_EXTRACT(value, pattern)).'],
  ['sha512', 'SHA512 is not available; use SHA256.'],
  ['normalize_and_casefold', 'NORMALIZE_AND_CASEFOLD is not available; use LOWER(NORMALIZE(…)).'],
  ['net.reg_domain', 'NET.REG_DOMAIN is not available; use NET.HOST.'],
  ['net.public_suffix', 'NET.PUBLIC_SUFFIX is not available; use NET.HOST.'],
  ['approx_top_sum', 'APPROX_TOP_SUM is not available; use SUM with GROUP BY, ORDER BY and LIMIT.'],
  ['session_user', 'SESSION_USER is not available here.'],
  ['error', 'ERROR is not available here.'],
]);
