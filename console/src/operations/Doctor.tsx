import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { SafeText } from '../text/SafeText.tsx';

const words = { fail: 'Failed', warn: 'Warning', ok: 'Fine' } as const;
const order = ['fail', 'warn', 'ok'] as const;

/** What `logmill doctor` finds where the service runs, what is wrong first. */
export function Doctor() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['doctor'],
    staleTime: 300_000,
    queryFn: async ({ signal }) => await bodyOf<'doctor.run'>('/api/doctor', { signal }),
  });
  const findings = order.flatMap((status) => (data?.findings ?? []).filter((each) => each.status === status));
  const wrong = findings.filter(({ status }) => status !== 'ok');
  const fine = findings.filter(({ status }) => status === 'ok');
  return (
    <section aria-label="Installation">
      <div className="bar">
        <h2>Installation</h2>
        <span className="spacer" />
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Checking' : 'Check again'}
        </button>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {data === undefined && error === null && <p role="status">Checking settings, machine, data folder and files</p>}
      {wrong.length > 0 && (
        <ul className="box warning-box findings">
          {wrong.map(({ check, status, message, advice }) => (
            <li key={`${check} ${message}`}>
              <strong>
                {words[status]}: {check}.
              </strong>{' '}
              <SafeText text={message} />
              {advice !== undefined && (
                <div className="muted">
                  <SafeText text={advice} />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {fine.length > 0 && (
        <details>
          <summary>
            {wrong.length === 0 ? 'All checks' : 'The other checks'} of the doctor are fine ({fine.length})
          </summary>
          <ul className="small findings">
            {fine.map(({ check, message }) => (
              <li key={`${check} ${message}`}>
                <span className="muted">{check}</span> <SafeText text={message} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
