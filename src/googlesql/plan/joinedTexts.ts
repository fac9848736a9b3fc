import { readFormat } from '../functions/formatText.ts';
import type { CallArgument, Expr } from '../resolve/tree.ts';
import type { SqlType } from '../types.ts';

/** What a joined text is put together from, in its order: words of the query, or what an expression gives. */
export type JoinedPiece =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Expr; readonly isCut: boolean };

/** The part of a call that tells what it joins. */
export interface JoiningCall {
  readonly fn: string;
  readonly args: readonly CallArgument[];
}

/**
 * What a call that joins texts puts together, as far as its text says. Null where it does not: then anything may
 * touch anything. A list of unknown length is two of its elements, with the separator around them.
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

/** Operands that join texts themselves come apart, so that it is seen what their ends are. */
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
 * Whether a value keeps the bounds that it has by itself between these neighbours; null for the end of the text.
 * Detectors take what touches an address for a part of it, and a number behind `v` or `Name/` for a version.
 */
export function isApart(before: JoinedPiece | undefined, after: JoinedPiece | undefined): boolean {
  const isApartBefore = before === undefined || (before.kind === 'words' && apartBefore.test(before.text));
  const isApartAfter = after === undefined || (after.kind === 'words' && apartAfter.test(after.text));
  return isApartBefore && isApartAfter && !(before?.kind === 'words' && announcesVersion.test(before.text));
}

/** Measured over the corpus of redaction: beside these every value of it is recognised; beside `/`, `:`, `-`, `_`, `.` not. */
const apartBefore = /[\s,;|<>()[\]{}"'?&=#*!~^]$/;
const apartAfter = /^[\s,;|<>()[\]{}"'?&=#*!~^]/;
const announcesVersion = /\bv(?:ersion)?[\s"':=]*$/i;
