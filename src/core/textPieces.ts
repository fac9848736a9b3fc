import { type TextPlace, textPlaceInSteps } from './textPlace.ts';

/**
 * A text that is made piece by piece, because a long string takes long to make: its memory is new. Each call begins at its
 * start. No piece is empty or ends within a surrogate pair.
 */
export type TextPieces = () => Iterator<string, undefined>;

/** Line and column of a place, and the text from there on. */
export interface FoundPlace extends TextPlace {
  readonly rest: string;
}

/**
 * Finds the UTF-16 code unit at `offset`, in steps of `stepChars`. Yields the current offset. `rest` has at least `restChars`,
 * if the text has as many.
 */
export function* placeInPieces(
  text: TextPieces,
  offset: number,
  stepChars: number,
  restChars: number,
): Generator<number, FoundPlace> {
  const pieces = text();
  const next = () => pieces.next().value ?? '';
  let line = 1;
  let column = 1;
  let before = 0;
  let piece = next();
  for (; before + piece.length < offset; piece = next()) {
    const steps = textPlaceInSteps(piece, piece.length, stepChars);
    ({ line, column } = after({ line, column }, yield* stepsFrom(before, steps)));
    before += piece.length;
    yield before;
  }
  const place = after({ line, column }, yield* stepsFrom(before, textPlaceInSteps(piece, offset - before, stepChars)));
  let rest = piece.slice(offset - before);
  for (let more = next(); more !== '' && rest.length < restChars; more = next()) rest += more;
  return { ...place, rest };
}

/** The place in the whole text of one in the part from `start` on. */
function after(start: TextPlace, { line, column }: TextPlace): TextPlace {
  return { line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column };
}

function* stepsFrom<T>(before: number, steps: Generator<number, T>): Generator<number, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield before + step.value;
  }
}
