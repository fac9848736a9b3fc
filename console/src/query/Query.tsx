import { endpointOf } from '../api/describedEndpoints.ts';
import { parseRoute, useHash } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { QueryPage } from './QueryPage.tsx';

/** A page for queries over the tables of one endpoint. */
export default function Query() {
  const { described } = useSignedIn();
  const route = parseRoute(useHash());
  const endpoints = described.endpoints.filter(({ tables }) => tables.length > 0);
  const wanted = route.search.get('e') ?? 'logs.all';
  const endpoint = endpointOf(endpoints, wanted) ?? endpoints[0];
  if (endpoint === undefined) return null;
  return <QueryPage key={endpoint.id} endpoints={endpoints} endpoint={endpoint} />;
}
