/**
 * Functions of GoogleSQL that this dialect lacks, each with its error message (googlesql.md, section 3: refused by
 * name, never answered differently).
 */
export const refusedFunctions: ReadonlyMap<string, string> = new Map([
  [
    'normalize_and_casefold',
    'NORMALIZE_AND_CASEFOLD is not available, because its case folding cannot be reproduced exactly; use LOWER(NORMALIZE(…)).',
  ],
  ['net.reg_domain', 'NET.REG_DOMAIN is not available, because the list of public suffixes changes; use NET.HOST.'],
  [
    'net.public_suffix',
    'NET.PUBLIC_SUFFIX is not available, because the list of public suffixes changes; use NET.HOST.',
  ],
  ['approx_top_sum', 'APPROX_TOP_SUM is not available; use SUM with GROUP BY, ORDER BY and LIMIT.'],
  [
    'collate',
    'COLLATE is not available, because strings are compared byte by byte; to ignore case, use LOWER or ILIKE.',
  ],
  ['session_user', 'SESSION_USER is not available, because calls are made with tokens, not by users.'],
  ['error', 'ERROR is not available, because its message could show what a redacted column hides; use IF(…, NULL, …).'],
]);
