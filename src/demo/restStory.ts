import { databaseError, slowStatement } from './databaseEvent.ts';
import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';
import { edgeEvent } from './edgeEvent.ts';

/** A call of the REST API: an edge request, and sometimes a line of the database about it. */
export function restStory(scene: DemoScene, atMicros: number, user: DemoUser): void {
  const { project, random } = scene;
  const table = random.pick(project.tables);
  const method = random.weighted([
    ['GET', 70],
    ['POST', 15],
    ['PATCH', 11],
    ['DELETE', 4],
  ]);
  const originMs = random.latency(method === 'GET' ? 18 : 34);
  const fails = random.chance(scene.failureRate);
  const status = fails
    ? random.pick([400, 401, 404, 409, 500, 503])
    : method === 'POST'
      ? 201
      : method === 'GET'
        ? random.weighted([
            [200, 12],
            [206, 1],
          ])
        : 204;
  edgeEvent(scene, {
    atMicros,
    user,
    method,
    path: `/rest/v1/${table}`,
    search: method === 'POST' ? null : `?select=*&user_id=eq.${user.id}&limit=${random.pick([10, 20, 50])}`,
    status,
    originMs,
    contentType: 'application/json; charset=utf-8',
  });
  const endMicros = atMicros + Math.round(originMs * 1000);
  if (fails && status !== 401 && status !== 404) databaseError(scene, endMicros, table);
  else if (originMs > 60) slowStatement(scene, endMicros, table, originMs);
  if (status === 503)
    scene.tell('rest_api_logs', endMicros, 'Failed to query the PostgreSQL version.\nRetrying in 1 second ...', {
      host: project.ref,
    });
}
