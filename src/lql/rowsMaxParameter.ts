/**
 * The parameter that tells a chart how many rows its answer may have, INT64: it keeps the newest.
 * No text of GoogleSQL can name it, and no definition declare it. Whoever runs a compiled LQL query binds it.
 */
export const rowsMaxParameter = '$rows_max';
