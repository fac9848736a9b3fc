/**
 * The INT64 parameter with the maximum number of rows of a chart, which keeps the newest. GoogleSQL text cannot name it,
 * and definitions cannot declare it. Bind it when running a compiled LQL query.
 */
export const rowsMaxParameter = '$rows_max';
