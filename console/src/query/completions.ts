import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';

/** Something that the editor completes. */
export interface Offered {
  readonly label: string;
  readonly kind: 'table' | 'column' | 'member' | 'function' | 'parameter';
  /** A word or two beside it. */
  readonly detail: string;
  /** Shown for the chosen one, a paragraph each; those in code first. */
  readonly code?: readonly string[];
  readonly text?: string;
}

interface Completed {
  readonly offered: readonly Offered[];
  readonly language: 'sql' | 'lql';
}

/** Names first, then functions, then words of the language. */
const boosts = { parameter: 4, column: 3, member: 2, table: 1, function: 0 } as const;

/** What fits at the cursor. */
export async function complete(
  context: CompletionContext,
  { offered, language }: Completed,
  keywords: CompletionSource,
): Promise<CompletionResult | null> {
  const word = context.matchBefore(language === 'lql' ? /[\w.:]+/ : /[@\w.]+/);
  if (word === null && !context.explicit) return null;
  const from = word?.from ?? context.pos;
  if (language === 'lql') return { from, options: offered.map(completionOf), validFor: /^[\w.:]*$/ };
  const alias = aliasIn(word?.text ?? '', offered);
  if (alias !== null) {
    const members = offered.filter(({ kind }) => kind === 'column' || kind === 'member');
    const options = [...members, ...members.flatMap(belowMetadata)].map(completionOf);
    return { from: from + alias.length, options, validFor: /^[\w.]*$/ };
  }
  const known = await keywords(context);
  const functions = new Set(offered.filter(({ kind }) => kind === 'function').map(({ label }) => label));
  const words = (known?.options ?? []).filter(({ label }) => !functions.has(label.toUpperCase()));
  return {
    from,
    options: [...offered.map(completionOf), ...words.map((each) => ({ ...each, boost: -1 }))],
    validFor: /^[@\w.]*$/,
  };
}

/** The beginning of a path that is a table or an alias, with its dot. Null if the path begins with a column. */
function aliasIn(word: string, offered: readonly Offered[]): string | null {
  const dot = word.indexOf('.');
  if (dot <= 0 || word.startsWith('@')) return null;
  const first = word.slice(0, dot);
  const isColumn = offered.some(({ kind, label }) => kind === 'column' && label.toLowerCase() === first.toLowerCase());
  return isColumn ? null : word.slice(0, dot + 1);
}

/** The alias of `UNNEST(metadata)` stands for the value itself. */
function belowMetadata(offered: Offered): readonly Offered[] {
  const below = /^metadata\.(.+)$/.exec(offered.label)?.[1];
  return below === undefined ? [] : [{ ...offered, label: below }];
}

function completionOf({ label, kind, detail, code = [], text }: Offered): Completion {
  return {
    label,
    detail,
    boost: boosts[kind],
    ...(code.length === 0 && text === undefined ? {} : { info: () => description(code, text) }),
    ...(kind === 'function' ? { apply: writeCall } : {}),
  };
}

/** Writes the function in the case of what was typed, and goes between its parentheses. */
function writeCall(view: EditorView, completion: Completion, from: number, to: number): void {
  const typed = view.state.sliceDoc(from, to);
  const name = typed === typed.toUpperCase() && typed !== '' ? completion.label : completion.label.toLowerCase();
  const isOpen = view.state.sliceDoc(to, to + 1) === '(';
  view.dispatch({
    changes: { from, to, insert: isOpen ? name : `${name}()` },
    selection: { anchor: from + name.length + 1 },
    annotations: pickedCompletion.of(completion),
    scrollIntoView: true,
    userEvent: 'input.complete',
  });
}

/** Texts only: values of events can be in them. */
function description(code: readonly string[], text: string | undefined): HTMLElement {
  const all = document.createElement('div');
  for (const line of code) {
    const each = document.createElement('code');
    each.textContent = line;
    all.append(each);
  }
  if (text !== undefined) {
    const each = document.createElement('p');
    each.textContent = text;
    all.append(each);
  }
  return all;
}
