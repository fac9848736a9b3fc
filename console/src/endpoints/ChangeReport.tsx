import { printJson, textOf } from '../api/losslessJson.ts';
import type { EndpointCallers, EndpointDiff, Notice } from '../api/types.ts';
import { ListTable } from '../parts/ListTable.tsx';
import { SafeText } from '../text/SafeText.tsx';
import { utcSecond } from '../time/utcText.ts';

interface ChangeReportProps {
  readonly diff: EndpointDiff;
  /** Of the endpoint, if something breaks. */
  readonly callers?: EndpointCallers;
  readonly notices?: readonly Notice[];
}

/** What a change does to the query, the parameters, the columns and the settings, and what it breaks for whom. */
export function ChangeReport({ diff, callers = null, notices = [] }: ChangeReportProps) {
  const { query, parameters, columns, settings, breaking } = diff;
  return (
    <div className="report">
      {breaking.length > 0 && (
        <div className="box warning-box">
          <p>
            <strong>This breaks callers:</strong>
          </p>
          <ul>
            {breaking.map(({ message }) => (
              <li key={message}>
                <SafeText text={message} />
              </li>
            ))}
          </ul>
          {callers !== null && <Callers callers={callers} />}
        </div>
      )}
      {notices.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="warning-text">
          <SafeText text={message} />
        </p>
      ))}
      {query !== null && <LineDiff text={query} />}
      <ul>
        {parameters.map(({ name, change, fields }) => (
          <li key={`p${name}`}>
            Parameter <code>{name}</code>: {change}
            {fields.map(({ field, from, to }) => ` ${field} ${textOf(from)} → ${textOf(to)}`).join(',')}
          </li>
        ))}
        {columns.map(({ name, change, from, to }) => (
          <li key={`c${name}`}>
            Column <code>{name}</code>: {change} {from ?? ''} {to ?? ''}
          </li>
        ))}
        {settings.map(({ field, from, to }) => (
          <li key={`s${field}`}>
            <code>{field}</code>: <SafeText text={printJson(from)} /> → <SafeText text={printJson(to)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Callers({ callers }: { readonly callers: NonNullable<EndpointCallers> }) {
  if (callers.length === 0) return <p>No token called it in the last 30 days.</p>;
  return (
    <ListTable
      label="Callers of the last 30 days"
      entries={callers}
      keyOf={({ token }) => token ?? 'without'}
      columns={[
        { title: 'Token', cell: ({ token, description }) => <SafeText text={description ?? token ?? 'none'} /> },
        { title: 'Calls, 30 days', kind: 'number', cell: ({ calls }) => calls.toLocaleString('en') },
        { title: 'Last call (UTC)', kind: 'number', cell: ({ last_call: at }) => utcSecond(at) },
      ]}
    />
  );
}

function LineDiff({ text }: { readonly text: string }) {
  return (
    <pre className="code" role="region" aria-label="Changed lines of the query" tabIndex={0}>
      {diffLines(text).map(({ line, key, kind }) => (
        <span key={key} className={kind}>
          <SafeText text={line} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** Lines with keys of their own, since a text can have the same line twice. The first two name the versions. */
const diffLines = (text: string) =>
  text.split('\n').map((line, index) => ({
    line,
    key: `${index} ${line}`,
    kind: index < 2 ? 'muted' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '',
  }));

export const isEmptyDiff = ({ query, parameters, columns, settings, breaking }: EndpointDiff): boolean =>
  query === null && [parameters, columns, settings, breaking].every(({ length }) => length === 0);
