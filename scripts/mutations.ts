/** A change of one source text that makes answers wrong. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly instead: string;
}

/** Mistakes that are typical of emitters. The recorded suite must detect each. */
export const mutations: readonly Mutation[] = [
  {
    name: 'the place of NULLs in an order is dropped',
    file: 'src/engines/duckdb/emit/sortKeys.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    text: ' NULLS ${part.nulls.toUpperCase()}',
    instead: '',
  },
  {
    name: 'NaN comes after every number',
    file: 'src/engines/duckdb/emit/sortKeys.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    text: '[`NOT isnan(${sql})`, sql]',
    instead: '[sql]',
  },
  {
    name: 'a division gives a whole number',
    file: 'src/engines/duckdb/functions/operators.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    text: '`(${x} / ${y})`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    instead: '`trunc(${x} / ${y})`',
  },
  {
    name: 'weeks start on Monday',
    file: 'src/googlesql/functions/dateParts.ts',
    text: "if (part === 'week') return 0;",
    instead: "if (part === 'week') return 1;",
  },
  {
    name: 'a LEFT JOIN drops rows',
    file: 'src/engines/duckdb/emit/joins.ts',
    text: "left: 'LEFT JOIN'",
    instead: "left: 'JOIN'",
  },
  {
    name: 'DISTINCT of an aggregate is dropped',
    file: 'src/engines/duckdb/functions/aggregates.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    text: "${name}(${distinct ? 'DISTINCT ' : ''}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    instead: '${name}(',
  },
  {
    name: 'an offset into an array is one too far',
    file: 'src/engines/duckdb/functions/elements.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    text: '${1 - access.first}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
    instead: '${2 - access.first}',
  },
];
