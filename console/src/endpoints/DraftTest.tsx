import { useState } from 'react';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { type Json, printJson } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ResultTable } from '../query/ResultTable.tsx';
import { useRowsCalls } from '../shell/calls.ts';
import { countText } from '../text/countText.ts';
import type { CallerQuery, ProposedParameter } from './useConversion.ts';

interface DraftTestProps {
  /** Over whose tables the query is; undefined if it is not there any more. */
  readonly endpoint: DescribedEndpoint | undefined;
  readonly query: CallerQuery;
  /** Values of the endpoint's own parameters. */
  readonly values: Readonly<Record<string, string>>;
  readonly fields: Json;
  /** With the value that the query has in each place. */
  readonly parameters: readonly (ProposedParameter & { readonly proposed: string | undefined })[];
}

/** Rows are compared, and shown, by the beginnings of their values. */
const charsMax = 300;

interface Tested {
  readonly answer: RowsAnswer;
  readonly isSame: boolean;
  /** Rows of the query. */
  readonly expected: number;
}

/**
 * Runs the query and the definition, which is stored nowhere, at the same time as of the data and with the same values:
 * both must have the same rows.
 */
export function DraftTest({ endpoint, query, values, fields, parameters }: DraftTestProps) {
  const calls = useRowsCalls();
  const [tested, setTested] = useState<{ readonly of: Json; readonly result: Tested | Error } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    if (endpoint === undefined) return;
    setBusy(true);
    try {
      const searched = await calls.call({
        path: endpoint.path,
        body: { ...values, [query.language]: query.text },
        charsMax,
      });
      const given = parameters
        .filter(({ on }) => on)
        .flatMap(({ name, proposed, type }): readonly (readonly [string, string])[] => {
          if (proposed !== undefined) return [[name, proposed]];
          // The only one without a value in the query: the end of the time range, which is now.
          return type === 'timestamp' ? [[name, searched.meta.cache.as_of]] : [];
        });
      const body = { definition: fields, parameters: { ...values, ...Object.fromEntries(given) } };
      const answer = await calls.call({ path: '/api/endpoints/run', body, charsMax });
      const isSame = printJson(answer.rows) === printJson(searched.rows);
      setTested({ of: fields, result: { answer, isSame, expected: searched.rows.length } });
    } catch (error) {
      setTested({ of: fields, result: error instanceof Error ? error : new Error('The test failed.') });
    } finally {
      setBusy(false);
    }
  };
  const result = tested?.of === fields ? tested.result : null;
  return (
    <section aria-label="Test">
      <div className="bar">
        <h2>Test</h2>
        <button type="button" disabled={isBusy || endpoint === undefined} onClick={() => void run()}>
          {isBusy ? 'Testing' : 'Run it with the values of the query'}
        </button>
        <span role="status">{result !== null && !(result instanceof Error) && sentenceOf(result)}</span>
      </div>
      {result instanceof Error && <ErrorBox error={result} />}
      {result !== null && !(result instanceof Error) && (
        <div className="result">
          <ResultTable answer={result.answer} />
        </div>
      )}
    </section>
  );
}

function sentenceOf({ answer, isSame, expected }: Tested): string {
  if (isSame) return `The same ${countText(expected, 'row')} as the query.`;
  return `${countText(answer.rows.length, 'row')}, but the query has ${expected.toLocaleString('en')}, or other ones.`;
}
