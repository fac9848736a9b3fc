import { autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { keywordCompletionSource, SQLDialect, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Place } from '../parts/ErrorBox.tsx';
import { complete, type Offered } from './completions.ts';

/** GoogleSQL, for colours only: what a query means, the service says. */
const googleSql = SQLDialect.define({
  keywords:
    'all and any array as asc at between by case cast contains create cross cube current default desc distinct else end enum escape except exists extract false fetch following for from full group grouping having if ignore in inner intersect interval into is join lateral left like limit natural new no not null nulls of on or order outer over partition preceding qualify range recursive right rollup rows select set some struct tablesample then to treat true unbounded union unnest using when where window with within',
  types: 'bool bytes date datetime float64 int64 json numeric string time timestamp',
  builtin:
    'abs any_value approx_count_distinct approx_quantiles array_agg array_concat array_length avg ceil coalesce concat contains_substr count countif current_timestamp date_trunc datetime_trunc ends_with extract floor format format_timestamp generate_timestamp_array if ifnull json_query json_value lag lead least length lower max min nullif parse_timestamp rank regexp_contains regexp_extract regexp_replace replace round row_number safe_cast safe_divide split starts_with strpos substr sum timestamp_add timestamp_diff timestamp_sub timestamp_trunc to_json_string trim unix_micros upper',
  identifierQuotes: '`',
  doubleQuotedStrings: true,
  backslashEscapes: true,
  hashComments: true,
  operatorChars: '*+-%<>!=&|^~|>',
  specialVar: '@',
});

/** Colours are classes, because the tokens of the console know both schemes. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: 'tok-keyword' },
  { tag: [tags.string, tags.special(tags.string)], class: 'tok-string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'tok-number' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.typeName, tags.standard(tags.name)], class: 'tok-name' },
  { tag: tags.special(tags.name), class: 'tok-parameter' },
]);

/** Marks a change that comes from the page and not from who writes. */
const isFromPage = Annotation.define<true>();

interface EditorProps {
  readonly language: 'sql' | 'lql';
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  readonly onFormat: () => void;
  readonly wrong: Place | undefined;
  /** What can be completed: tables, columns, members, functions, parameters. */
  readonly offered: readonly Offered[];
}

/**
 * The editor. It is in a shadow root, where its style sheets are adopted ones: as an element they would be against the content
 * security policy.
 */
export default function Editor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  const current = useRef(props);
  current.current = props;
  useEffect(() => {
    if (place.current === null) return;
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
    const styles = document.createElement('link');
    styles.rel = 'stylesheet';
    styles.href = new URL('./editor.css', import.meta.url).href;
    root.replaceChildren(styles);
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: current.current.text,
        extensions: [
          Prec.highest(
            keymap.of([
              { key: 'Mod-Enter', run: () => handled(current.current.onRun) },
              { key: 'Shift-Alt-f', run: () => handled(current.current.onFormat) },
              // The keyboard leaves the editor by Escape and Tab.
              { key: 'Escape', run: ({ contentDOM }) => handled(() => contentDOM.blur()) },
            ]),
          ),
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          lintGutter(),
          autocompletion({ icons: false, override: [(context) => complete(context, current.current, keywords)] }),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          language.current.of(languageOf(current.current.language)),
          syntaxHighlighting(colours),
          placeholder('Write a query over the tables of the endpoint'),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Query', spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(isFromPage))) return;
            // At once: a key that is pressed next must find this text, and not the one before it.
            flushSync(() => current.current.onText(update.state.doc.toString()));
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  const { text, wrong } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === text) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      annotations: isFromPage.of(true),
    });
  }, [text]);
  const { offered } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null || offered.length === 0 || !editor.hasFocus) return;
    const { head } = editor.state.selection.main;
    // Members that just became known may fit the path that is being written.
    if (/\w\.\w*$/.test(editor.state.sliceDoc(Math.max(head - 40, 0), head))) startCompletion(editor);
  }, [offered]);
  const chosen = props.language;
  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(languageOf(chosen)) });
  }, [chosen]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== null)
      editor.dispatch(setDiagnostics(editor.state, wrong === undefined ? [] : [diagnosticOf(editor.state, wrong)]));
  }, [wrong]);
  return <div ref={place} className="editor" />;
}

/** Does something for a key, and says that it was handled. */
function handled(run: () => void): boolean {
  run();
  return true;
}

function languageOf(language: 'sql' | 'lql') {
  return language === 'sql' ? sql({ dialect: googleSql }) : [];
}

function diagnosticOf({ doc }: EditorState, { line, column, message }: Place): Diagnostic {
  const of = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(of.from + column - 1, of.to);
  const length = /^[\w`.]+/.exec(doc.sliceString(from, of.to))?.[0].length ?? 1;
  return { from, to: Math.min(from + length, doc.length), severity: 'error', message };
}

const keywords = keywordCompletionSource(googleSql, false);
