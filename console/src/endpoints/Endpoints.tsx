import { endpointOf } from '../api/describedEndpoints.ts';
import { parseRoute, useHash } from '../route/route.ts';
import { NotForToken } from '../shell/NotForToken.tsx';
import { useSignedIn } from '../shell/session.ts';
import { EndpointList } from './EndpointList.tsx';
import { EndpointPage } from './EndpointPage.tsx';
import { SaveEndpoint } from './SaveEndpoint.tsx';

/** In place of an ID. Links to endpoints have IDs, so that one may have this name. */
const newEndpoint = 'new';

/** The endpoints that the token may call, and the page of one of them. */
export default function Endpoints() {
  const { described } = useSignedIn();
  const hash = useHash();
  const { parts, search } = parseRoute(hash);
  const wanted = parts[1];
  if (wanted === undefined) return <EndpointList />;
  if (wanted === newEndpoint && !described.operations.has('endpoints.create'))
    return <NotForToken title="Save as endpoint" needs="with the scope manage" />;
  // The query is what the page is about: another one begins anew.
  if (wanted === newEndpoint)
    return <SaveEndpoint key={`${search.get('e')} ${search.get('lang')} ${search.get('q')}`} />;
  const endpoint = endpointOf(described.endpoints, wanted);
  if (endpoint === undefined) {
    return (
      <div className="alone">
        <h1>No such endpoint</h1>
        <p>
          There is no endpoint <code>{wanted}</code>, or your token may not call it.{' '}
          <a href="#/endpoints">All endpoints</a>
        </p>
      </div>
    );
  }
  return <EndpointPage key={endpoint.id} endpoint={endpoint} />;
}
