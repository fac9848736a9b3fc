import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/callApi.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ListTable } from '../parts/ListTable.tsx';
import { useSignedIn } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';
import { utcSecond } from '../time/utcText.ts';
import { useCallers } from './usage.ts';

/** Who called the endpoint in the last 30 days. */
export function EndpointCallers({ id }: { readonly id: string }) {
  const { data, error } = useCallers(id);
  const names = useTokenNames();
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return <p role="status">Loading</p>;
  if (data === null) {
    return (
      <p>
        Usage is for tokens with the scope <code>observe</code>.
      </p>
    );
  }
  if (data.length === 0)
    return <p>No token called it in the last 30 days. New calls appear here after a few seconds.</p>;
  return (
    <ListTable
      label="Callers of the last 30 days"
      entries={data}
      keyOf={({ token }) => token}
      columns={[
        {
          title: 'Token',
          cell: ({ token }) => <SafeText text={names.get(token) ?? token} />,
        },
        { title: 'ID', kind: 'wide', cell: ({ token }) => <code>{token}</code> },
        { title: 'Calls, 30 days', kind: 'number', cell: ({ calls }) => calls.toLocaleString('en') },
        { title: 'Errors', kind: 'number', cell: ({ errors }) => errors.toLocaleString('en') },
        { title: 'Last version', kind: 'number', cell: ({ lastVersion }) => lastVersion },
        { title: 'Last call (UTC)', kind: 'number', cell: ({ lastCall }) => utcSecond(lastCall) },
      ]}
    />
  );
}

/** Descriptions of tokens by ID, for those who may list them. */
function useTokenNames(): ReadonlyMap<string, string> {
  const { described } = useSignedIn();
  const { data } = useQuery({
    queryKey: ['token-names'],
    enabled: described.operations.has('tokens.list'),
    retry: false,
    queryFn: async ({ signal }) => {
      const { result } = await bodyOf<'tokens.list'>('/api/tokens', { query: { limit: '1000' }, signal });
      return new Map(result.filter(({ description }) => description !== '').map((each) => [each.id, each.description]));
    },
  });
  return data ?? new Map();
}
