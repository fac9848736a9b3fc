import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/callApi.ts';
import type { Answers } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { TableScroll } from '../parts/TableScroll.tsx';
import { useProjectEvents } from '../projects/useProjects.ts';
import { agoText, nowMicros, parseInstant } from '../time/instant.ts';

/** The sources that the token may send to, or all of them; with their events for tokens that may count them. */
export default function Sources() {
  const { data, error } = useQuery({
    queryKey: ['sources'],
    queryFn: async ({ signal }) =>
      (await callApi('/api/sources', { signal })).body as unknown as Answers['sources.list'],
  });
  const { data: projects } = useProjectEvents();
  const base = new URL('..', location.href).href.replace(/\/$/, '');
  const counted = new Map<string, { events: number; last: string }>();
  for (const { sources } of projects ?? []) {
    for (const { source, events, last } of sources) {
      const before = counted.get(source) ?? { events: 0, last: '' };
      counted.set(source, { events: before.events + events, last: last > before.last ? last : before.last });
    }
  }
  const first = data?.sources[0];
  const line = `curl -X POST '${base}/api/logs?source=${first?.name ?? ''}' -H "X-API-KEY: $LOGMILL_TOKEN" -H 'Content-Type: application/json' -d '{"project":"my-project","event_message":"hello"}'`;
  return (
    <div className="page">
      <header>
        <h1>Sources</h1>
        <p className="muted">Log streams that events are sent to and queries read.</p>
      </header>
      {error !== null && <ErrorBox error={error} />}
      <TableScroll label="Sources">
        <table className="list-table">
          <thead>
            <tr>
              <th scope="col">Source</th>
              {projects !== undefined && (
                <>
                  <th scope="col" className="number">
                    Events
                  </th>
                  <th scope="col">Last event</th>
                </>
              )}
              <th scope="col">Project is in</th>
              <th scope="col" className="wide">
                Other names
              </th>
              <th scope="col" className="wide">
                From
              </th>
            </tr>
          </thead>
          <tbody>
            {(data?.sources ?? []).map(({ name, description, project_field: field, aliases, origin, table }) => {
              const of = counted.get(name);
              return (
                <tr key={name}>
                  <th scope="row">
                    {name}
                    {description !== '' && <div className="muted small">{description}</div>}
                  </th>
                  {projects !== undefined && (
                    <>
                      <td className="number">{(of?.events ?? 0).toLocaleString('en')}</td>
                      <td>
                        {of === undefined || of.last === '' ? 'none' : agoText(parseInstant(of.last) ?? 0, nowMicros())}
                      </td>
                    </>
                  )}
                  <td>
                    <code>{field}</code>
                  </td>
                  <td className="wide">{aliases.join(', ')}</td>
                  <td className="wide">{table === undefined ? origin : `table ${table.name}, read only`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableScroll>
      {first !== undefined && (
        <section className="snippet" aria-label="Send an event">
          <div className="bar">
            <h2>Send an event</h2>
            <span className="spacer" />
            <CopyButton text={line} />
          </div>
          <pre tabIndex={0}>{line}</pre>
        </section>
      )}
    </div>
  );
}
