const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The reserved words of GoogleSQL. They cannot be names or aliases without backticks, except after a dot. */
export const reservedWords: ReadonlySet<string> = words(`
  ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT
  DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL
  GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP
  MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE
  RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN
  WHERE WINDOW WITH WITHIN
`);

/** Reserved words that are functions when a parenthesis follows. */
export const reservedFunctionNames: ReadonlySet<string> = words('IF LEFT RIGHT GROUPING COLLATE RANGE');

/** First words of statements other than queries, in GoogleSQL and common engines. Such statements are refused by name. */
export const statementWords: ReadonlySet<string> = words(`
  ALTER ANALYZE ASSERT ATTACH BEGIN CALL CHECKPOINT CLONE COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DEFINE DELETE
  DESC DESCRIBE DETACH DROP EXECUTE EXPLAIN EXPORT FORCE GRANT IMPORT INSERT INSTALL KILL LOAD LOCK LOOP MERGE MODULE
  OPTIMIZE PRAGMA PREPARE RAISE REFRESH RENAME REPEAT REPLACE RESET REVOKE ROLLBACK RUN SAVEPOINT SET SHOW START
  SUMMARIZE SYSTEM TABLE TRUNCATE UNDROP UPDATE UPSERT USE VACUUM VALUES WHILE
`);

/** Words that may follow a complete expression or table. A stray word there is probably a misspelling of one. */
export const continuationWords: readonly string[] = [
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'JOIN',
  'INNER',
  'CROSS',
  'LEFT',
  'RIGHT',
  'FULL',
  'USING',
  'LIKE',
  'ILIKE',
  'BETWEEN',
  'DESC',
  'WITH',
  'PARTITION',
];
