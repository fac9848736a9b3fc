/**
 * SQL that computes a value once for all places that read it: ClickHouse computes an expression again for each branch of a
 * condition that has it. `body` may read nothing else of the row, because every column that it reads is copied.
 */
export const bound = (value: string, name: string, body: (value: string) => string): string =>
  `arrayMap(${name} -> ${body(name)}, [${value}])[1]`;
