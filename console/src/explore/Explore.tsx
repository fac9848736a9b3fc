import { useEffect } from 'react';
import { endpointOf } from '../api/describedEndpoints.ts';
import { projectOf, useProjectNames } from '../projects/useProjects.ts';
import { goTo, parseRoute, useHash, withValues } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { ExplorePage } from './ExplorePage.tsx';

const log = 'logs.all';

/** The first page: chooses what is searched if the URL does not say it. */
export function Explore() {
  const route = parseRoute(useHash());
  const { described } = useSignedIn();
  const endpoints = described.endpoints.filter(
    ({ tables, parameters }) =>
      tables.length > 0 && parameters.every(({ name, isRequired }) => !isRequired || name === 'project'),
  );
  const wanted = route.search.get('e') ?? log;
  const endpoint = endpointOf(endpoints, wanted) ?? endpoints[0];
  const parameter = endpoint === undefined ? undefined : projectOf(endpoint);
  const hasProject = parameter !== undefined;
  const projects = useProjectNames(parameter);
  const { names, isLoading } = projects;
  const project = route.search.get('p') ?? '';
  const first = names[0];
  useEffect(() => {
    if (hasProject && project === '' && first !== undefined && !isLoading) {
      goTo(withValues(parseRoute(location.hash || '#/explore'), { p: first }), 'replace');
    }
  }, [hasProject, project, first, isLoading]);
  if (endpoint === undefined) {
    return (
      <div className="alone">
        <h1>No endpoint can be searched</h1>
        <p>
          Explore needs an endpoint that accepts callers’ own queries and requires no parameter but <code>project</code>
          , such as the shipped <code>logs.all</code>.
        </p>
      </div>
    );
  }
  return (
    <ExplorePage
      key={`${endpoint.id} ${project}`}
      endpoints={endpoints}
      endpoint={endpoint}
      hasProject={hasProject}
      project={project}
      projects={projects}
    />
  );
}
