import type { JsonKeysMode } from '../../../../googlesql/functions/json.ts';
import type { Spend } from './scriptedFunction.ts';

export interface KeysWanted {
  /** The most names in a path, 1 or more. */
  readonly depthMax: number;
  readonly mode: JsonKeysMode;
  /** The most characters of all paths. */
  readonly charsMax: number;
}

/** Where a value is: the path above it, how many more names may follow, and whether it is an element of an array. */
interface Place {
  readonly path: string;
  readonly depthLeft: number;
  readonly isElement: boolean;
}

/** A container that is being read. */
interface Container {
  /** Of an object whose names are wanted. */
  readonly place: Place | null;
  /** The names that the object had so far. */
  readonly names: Set<string>;
  /** Whether the next string is a name. */
  isName: boolean;
  /** The place of the next value; null if no name in it is wanted. */
  next: Place | null;
}

/**
 * The distinct paths of the members in a JSON text, in any order, as GoogleSQL's JSON_KEYS gives them: names joined by
 * dots, in quotes if they contain a dot or a character that JSON escapes. If a name occurs twice in an object, its first
 * value counts. Null if the paths have more characters than wanted.
 */
export function jsonKeys(text: string, wanted: KeysWanted, spend: Spend): ReadonlySet<string> | null {
  const keys = new Set<string>();
  const open: Container[] = [];
  let charsLeft = wanted.charsMax;
  for (let at = 0; at < text.length; at++) {
    const top = open.at(-1);
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (top?.isName === true) {
          const path = pathOf(text.slice(at + 1, end), top);
          if (path !== null) {
            spend(stepsPerKey + path.length / charsPerStep);
            const { size } = keys;
            if (keys.add(path).size > size) charsLeft -= path.length;
            if (charsLeft < 0) return null;
          }
        }
        at = end;
        break;
      }
      case openBrace: {
        const place = placeOfValue(top, wanted);
        open.push({ place, names: new Set(), isName: place !== null, next: null });
        break;
      }
      case openBracket: {
        const next = placeOfElements(placeOfValue(top, wanted), wanted);
        open.push({ place: null, names: new Set(), isName: false, next });
        break;
      }
      case closeBrace:
      case closeBracket:
        open.pop();
        break;
      case comma:
        if (top !== undefined) top.isName = top.place !== null;
        break;
      default:
    }
  }
  return keys;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Measured: a key takes about as long as this many steps and characters. */
const stepsPerKey = 20;
const charsPerStep = 16;

/** Takes the name of a member as JSON writes it. Returns its path; null if the object had the name before. */
function pathOf(content: string, object: Container): string | null {
  const { place, names } = object;
  object.isName = false;
  object.next = null;
  const name = content.includes('\\') ? (JSON.parse(`"${content}"`) as string) : content;
  if (place === null || names.has(name)) return null;
  names.add(name);
  const key = name === content && !quotedAnyway.test(name) ? name : written(name);
  const path = place.path === '' ? key : `${place.path}.${key}`;
  if (place.depthLeft > 1) object.next = { path, depthLeft: place.depthLeft - 1, isElement: false };
  return path;
}

function placeOfValue(top: Container | undefined, { depthMax }: KeysWanted): Place | null {
  return top === undefined ? { path: '', depthLeft: depthMax, isElement: false } : top.next;
}

/** `lax` does not look into an array that is an element of another. */
function placeOfElements(array: Place | null, { mode }: KeysWanted): Place | null {
  if (array === null || mode === 'strict' || (mode === 'lax' && array.isElement)) return null;
  return { ...array, isElement: true };
}

/** The offset of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new Error('a string of JSON has no end');
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
}

/** Characters of a key that is in quotes, other than those that JSON cannot hold without a backslash. */
const quotedAnyway = /[.\u2028\u2029]/;

function written(name: string): string {
  const text = JSON.stringify(name).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return text.length === name.length + 2 && !name.includes('.') ? name : text;
}
