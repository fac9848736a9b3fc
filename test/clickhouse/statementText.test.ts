import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatement } from './statementText.ts';

const insert = (text: string) => {
  const statement = readStatement(text);
  return statement.kind === 'insert'
    ? [statement.head, statement.format, text.slice(statement.dataStart)]
    : statement.kind;
};

describe('readStatement', () => {
  it.each([
    ['SELECT 1', 'SELECT 1', null, ''],
    ['SELECT 1 FORMAT TSV', 'SELECT 1 ', 'TSV', ''],
    ['SELECT 1 SETTINGS a = 1 FORMAT TSV;', 'SELECT 1 SETTINGS a = 1 ', 'TSV', ''],
    ['SELECT 1 FORMAT TSV SETTINGS a = 1 ; ;', 'SELECT 1 ', 'TSV', 'SETTINGS a = 1'],
    ['SELECT format FROM t', 'SELECT format FROM t', null, ''],
    ["SELECT 'x FORMAT TSV'", "SELECT 'x FORMAT TSV'", null, ''],
    ['SELECT `FORMAT` x', 'SELECT `FORMAT` x', null, ''],
    ["SELECT format('{}', x) FROM (SELECT 1 AS x)", "SELECT format('{}', x) FROM (SELECT 1 AS x)", null, ''],
    ['SELECT 1 -- FORMAT TSV', 'SELECT 1', null, ''],
    ['SELECT 1 /* ; */ FORMAT CSV # ;', 'SELECT 1 /* ; */ ', 'CSV', ''],
    ["SELECT ';''\\';' FORMAT CSV", "SELECT ';''\\';' ", 'CSV', ''],
    ['(SELECT 1) FORMAT CSV', '(SELECT 1) ', 'CSV', ''],
    ['SELECT $a$ ; FORMAT x $a$', 'SELECT $a$ ; FORMAT x $a$', null, ''],
  ])('finds the format of %s', (text, head, format, tail) => {
    expect(readStatement(text)).toEqual({ kind: 'rows', head, format, tail });
  });

  it.each([
    ['INSERT INTO t FORMAT TSV\n1\n2\n', 'INSERT INTO t ', 'TSV', '1\n2\n'],
    ['INSERT INTO t FORMAT TSV  1\n2', 'INSERT INTO t ', 'TSV', '1\n2'],
    ['insert into t format RowBinary\r\n\n\0', 'insert into t ', 'RowBinary', '\n\0'],
    ["INSERT INTO t VALUES (1), ('; SELECT')", 'INSERT INTO t ', 'Values', " (1), ('; SELECT')"],
    [
      'INSERT INTO t (format, a) SETTINGS x = 1 FORMAT CSV\nFORMAT',
      'INSERT INTO t (format, a) SETTINGS x = 1 ',
      'CSV',
      'FORMAT',
    ],
    [
      "INSERT INTO t SETTINGS insert_deduplication_token = 'FORMAT x' FORMAT CSV\n",
      "INSERT INTO t SETTINGS insert_deduplication_token = 'FORMAT x' ",
      'CSV',
      '',
    ],
  ])('finds the data of %j', (text, head, format, data) => {
    expect(insert(text)).toEqual([head, format, data]);
  });

  it.each([
    ['CREATE TABLE t (a Int8) ENGINE = Memory', 'command'],
    ['INSERT INTO t SELECT 1', 'command'],
    ['INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x', 'command'],
    ["KILL QUERY WHERE query_id = 'a'", 'kill'],
    ['SET a = 1;', 'command'],
    ['SHOW TABLES', 'rows'],
  ])('knows what %s returns', (text, kind) => {
    expect(readStatement(text).kind).toBe(kind);
  });

  it.each(['', ' \n', ';', '-- nothing'])('refuses the empty statement %j', (text) => {
    expect(() => readStatement(text)).toThrow('Empty query');
  });

  it.each(['SELECT 1; SELECT 2', 'SET a = 1; SELECT 1', 'SELECT 1; ; x', 'INSERT INTO t SELECT 1; DROP TABLE t'])(
    'refuses the second statement of %s',
    (text) => {
      expect(() => readStatement(text)).toThrow('Multi-statements');
    },
  );

  it.each(["SELECT 1 INTO OUTFILE 'x'", "INSERT INTO t FROM INFILE 'x' FORMAT CSV"])(
    'refuses the files of %s',
    (text) => {
      expect(() => readStatement(text)).toThrow('not allowed');
    },
  );

  it('reads any text in one pass, without an endless loop', () => {
    const part = fc.constantFrom(
      'SELECT',
      'FORMAT',
      'INSERT',
      "'",
      '"',
      '`',
      '$',
      '\\',
      '--',
      '/*',
      '*/',
      ';',
      '(',
      ')',
      ' ',
      '\n',
      'x',
      '1',
      'é',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        try {
          readStatement(parts.join(''));
        } catch (error) {
          expect(error).toHaveProperty('code');
        }
      }),
    );
  });
});
