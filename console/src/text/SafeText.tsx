import { Fragment, type ReactNode } from 'react';
import { hiddenChar } from './hiddenChars.ts';

const redacted = /\[REDACTED:[a-z_]+\]|\[[a-z_]+:[0-9a-f]{6}\]/;
/** Hidden characters are shown as chips, never obeyed. */
const special = new RegExp(`${redacted.source}|${hiddenChar.source}`, 'gu');

const names: Readonly<Record<string, string>> = { '\n': '↵', '\r': '␍', '\t': '⇥', '\0': '␀', '\u001b': '␛' };

interface SafeTextProps {
  readonly text: string;
  /** Texts to mark. */
  readonly words?: readonly string[];
  /** Whether lines end where the text says so. */
  readonly isMultiline?: boolean;
}

/**
 * A text of an event. It is isolated from the direction of its surroundings, characters that cannot be seen are named, and
 * redacted values look redacted.
 */
export function SafeText({ text, words = [], isMultiline = false }: SafeTextProps) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(special)) {
    if (isMultiline && (found === '\n' || found === '\t')) continue;
    if (index > at) parts.push(<Marked key={at} text={text.slice(at, index)} words={words} />);
    parts.push(<Chip key={`c${index}`} found={found} />);
    at = index + found.length;
  }
  if (at < text.length) parts.push(<Marked key={at} text={text.slice(at)} words={words} />);
  return <bdi>{parts}</bdi>;
}

function Chip({ found }: { readonly found: string }) {
  if (found.startsWith('[')) {
    const [kind = ''] = found.replace(/^\[(REDACTED:)?/, '').split(/[\]:]/);
    const name = `${kind.replaceAll('_', ' ')} hidden`;
    return (
      <span className="chip redacted" title={`${found}: redacted. It cannot be searched for.`}>
        {name}
      </span>
    );
  }
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return (
    <span className="chip" title={code}>
      {names[found] ?? code}
    </span>
  );
}

function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  if (words.length === 0) return text;
  const parts: ReactNode[] = [];
  let at = 0;
  while (at < text.length) {
    const next = nextWord(text, at, words);
    if (next === undefined) break;
    parts.push(<Fragment key={at}>{text.slice(at, next.at)}</Fragment>, <mark key={`m${next.at}`}>{next.word}</mark>);
    at = next.at + next.word.length;
  }
  parts.push(<Fragment key={at}>{text.slice(at)}</Fragment>);
  return parts;
}

function nextWord(text: string, from: number, words: readonly string[]) {
  let found: { at: number; word: string } | undefined;
  for (const word of words) {
    const at = text.indexOf(word, from);
    if (at >= 0 && (found === undefined || at < found.at)) found = { at, word };
  }
  return found;
}
