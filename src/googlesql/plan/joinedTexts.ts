import { readFormat } from '../functions/formatText.ts';
import type { CallArgument, Expr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** A piece of a concatenated text: literal words of the query, or the value of an expression. */
export type JoinedPiece =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Expr; readonly isCut: boolean };

/** The parts of a call that determine what it joins. */
export interface JoiningCall {
  readonly fn: string;
  readonly args: readonly CallArgument[];
}

/**
 * The pieces that a call concatenates, in order. Null if the query does not say, so that any two pieces may be adjacent. A
 * list of unknown length counts as two of its elements with separators around them.
 */
export function joinedPieces({ fn, args }: JoiningCall): readonly JoinedPiece[] | null {
  const values = args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
  const [first, second] = values;
  switch (fn) {
    case 'concat':
    case '$concat_op':
      return withWordsJoined(values.flatMap(pieceOrPieces));
    case 'string_agg':
    case 'array_to_string':
      if (first === undefined) return null;
      return listed(first, second ?? null);
    case 'format':
      return formatted(values);
    default:
      return null;
  }
}

/** The pieces of an operand; a nested concatenation is split into its pieces. */
function pieceOrPieces(value: Expr): readonly JoinedPiece[] {
  if (value.kind === 'call' && (value.fn === 'concat' || value.fn === '$concat_op')) {
    return joinedPieces(value) ?? [];
  }
  const words = wordsOf(value);
  if (words !== null) return words === '' ? [] : [{ kind: 'words', text: words }];
  return [{ kind: 'value', value, isCut: false }];
}

function listed(list: Expr, separator: Expr | null): readonly JoinedPiece[] {
  const between = separator === null ? [comma] : pieceOrPieces(separator);
  const one: JoinedPiece = { kind: 'value', value: list, isCut: false };
  return withWordsJoined([one, ...between, one]);
}

function withWordsJoined(pieces: readonly JoinedPiece[]): readonly JoinedPiece[] {
  const joined: JoinedPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'words' && last?.kind === 'words') {
      joined[joined.length - 1] = { kind: 'words', text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}

const comma: JoinedPiece = { kind: 'words', text: ',' };

function formatted([format, ...values]: readonly Expr[]): readonly JoinedPiece[] | null {
  const text = format === undefined ? null : wordsOf(format);
  if (text === null) return null;
  const read = readFormat(
    text,
    values.map(({ type }): SqlType => type),
  );
  if ('problem' in read) return null;
  const pieces = read.flatMap((piece): readonly JoinedPiece[] => {
    if (piece.kind === 'text') return [{ kind: 'words', text: piece.text }];
    const value = values[piece.index];
    if (value === undefined) return [];
    return [{ kind: 'value', value, isCut: piece.specifier.precision !== undefined }];
  });
  return withWordsJoined(pieces);
}

const wordsOf = (expr: Expr): string | null =>
  expr.kind === 'literal' && typeof expr.value === 'string' && expr.type.kind === 'STRING' ? expr.value : null;

/**
 * Whether detectors recognise a value between these neighbours (undefined at the end of the text). Detectors treat characters
 * that touch an address as part of it, and a number after `v` or `Name/` as a version.
 */
export function isApart(before: JoinedPiece | undefined, after: JoinedPiece | undefined): boolean {
  const isApartBefore = before === undefined || (before.kind === 'words' && apartBefore.test(before.text));
  const isApartAfter = after === undefined || (after.kind === 'words' && apartAfter.test(after.text));
  return isApartBefore && isApartAfter && !(before?.kind === 'words' && announcesVersion.test(before.text));
}

/** Next to these characters, every value of the redaction corpus is recognised; next to `/`, `:`, `-`, `_` and `.` it is not. */
const apartBefore = /[\s,;|<>()[\]{}"'?&=#*!~^]$/;
const apartAfter = /^[\s,;|<>()[\]{}"'?&=#*!~^]/;
const announcesVersion = /\bv(?:ersion)?[\s"':=]*$/i;
