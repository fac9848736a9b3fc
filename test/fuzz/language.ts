import { type CompileContext, compileCaller } from '../../src/googlesql/compile.ts';
import type { ResolvedQuery } from '../../src/googlesql/resolve/tree.ts';
import { parseQuery } from '../../src/googlesql/syntax/parser.ts';
import { printQuery } from '../../src/googlesql/syntax/printer.ts';
import { compileLql } from '../../src/lql/compileLql.ts';
import { parseLql } from '../../src/lql/parse.ts';
import { printLql } from '../../src/lql/print.ts';

/** A language that callers write, as the fuzzer sees it. */
export interface Language {
  /** The text parsed and printed. */
  print(text: string): string;
  compile(text: string, storedText: string, context: CompileContext): ResolvedQuery;
}

export const sqlLanguage: Language = {
  print: (text) => printQuery(parseQuery(text).query),
  compile: compileCaller,
};

export const lqlLanguage: Language = {
  print: (text) => printLql(parseLql(text)),
  compile: compileLql,
};
