import type { ReactNode } from 'react';
import { SafeText } from '../text/SafeText.tsx';

interface Span {
  readonly offset: number;
  readonly length: number;
  readonly title: string;
}

interface MarkedSqlProps {
  readonly text: string;
  /** Parts to mark, which do not overlap, in UTF-16 units. */
  readonly spans: readonly Span[];
  readonly label: string;
}

/** A query with some of its parts marked. */
export function MarkedSql({ text, spans, label }: MarkedSqlProps) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { offset, length, title } of spans.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < at) continue;
    parts.push(<SafeText key={at} text={text.slice(at, offset)} isMultiline />);
    parts.push(
      <mark key={`m${offset}`} title={title}>
        <SafeText text={text.slice(offset, offset + length)} isMultiline />
      </mark>,
    );
    at = offset + length;
  }
  parts.push(<SafeText key="end" text={text.slice(at)} isMultiline />);
  return (
    <pre className="code" role="region" aria-label={label} tabIndex={0}>
      {parts}
    </pre>
  );
}

/** The places of `@name` for some names. One in a string is marked too: nothing depends on it. */
export function parameterSpans(sql: string, names: readonly string[]): readonly Span[] {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return [...sql.matchAll(/@(\w+)/g)]
    .filter(([, name = '']) => known.has(name.toLowerCase()))
    .map(({ 0: found, index }) => ({ offset: index, length: found.length, title: found }));
}
