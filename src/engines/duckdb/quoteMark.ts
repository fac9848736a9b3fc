/**
 * Stands in a line of CSV for a quote around a cell, while quotes within cells are not doubled yet
 * (process/read/quoteDoubler.ts). UTF-8 never has this byte.
 */
export const quoteMark = 0xff;
