/**
 * Functions of GoogleSQL that this dialect does not have, each with the sentence that says so
 * (googlesql.md, section 3: refused by name, never answered differently).
 */
export const refusedFunctions: ReadonlyMap<string, string> = new Map([
  [
    'normalize_and_casefold',
    'NORMALIZE_AND_CASEFOLD is not available, since its folding of case cannot be built exactly; use LOWER(NORMALIZE(…)).',
  ],
  ['net.reg_domain', 'NET.REG_DOMAIN is not available, since the list of suffixes changes; use NET.HOST.'],
  ['net.public_suffix', 'NET.PUBLIC_SUFFIX is not available, since the list of suffixes changes; use NET.HOST.'],
  ['approx_top_sum', 'APPROX_TOP_SUM is not available; use SUM with GROUP BY, ORDER BY and LIMIT.'],
  ['collate', 'COLLATE is not available; texts are compared byte by byte, use LOWER or ILIKE to leave case aside.'],
  ['session_user', 'SESSION_USER is not available; calls are made with tokens, not by users.'],
  ['error', 'ERROR is not available, since its message could show what a redacted column hides; use IF(…, NULL, …).'],
]);
