import { databaseChatter } from './databaseEvent.ts';
import type { DemoScene } from './demoEvent.ts';

/** Lines that the services of a project write without any call. */
export function backgroundStory(scene: DemoScene, atMicros: number): void {
  const { random } = scene;
  random.weighted([
    [databaseChatter, 3],
    [restChatter, 2],
    [poolerChatter, 4],
  ])(scene, atMicros);
}

function restChatter({ project, random, tell }: DemoScene, atMicros: number): void {
  const message = random.pick([
    `Schema cache queried in ${random.latency(13).toFixed(1)} milliseconds`,
    'Schema cache loaded 24 Relations, 18 Relationships, 11 Functions',
    `Config reloaded`,
    'Listening for notifications on the "pgrst" channel',
  ]);
  // A self-hosted shipper sends no metadata here at all.
  tell('rest_api_logs', atMicros, message, random.chance(0.05) ? null : { host: project.ref });
}

function poolerChatter({ project, random, tell }: DemoScene, atMicros: number): void {
  const isError = random.chance(0.03);
  const message = isError
    ? 'ClientHandler: Connection closed: max_client_conn reached'
    : random.pick([
        'ClientHandler: Connection closed when state was idle',
        'DbHandler: Database is ready',
        'ClientHandler: Connection authenticated',
      ]);
  tell('pooler_logs', atMicros, message, {
    project: project.ref,
    user: random.pick(['postgres', 'authenticator']),
    db_name: 'postgres',
    type: random.pick(['single', 'transaction', 'session']),
    level: isError ? 'error' : 'info',
    region: project.region,
    instance_id: `pooler-${random.integer(1, 2)}`,
    context: {
      application: 'pooler',
      domain: ['elixir'],
      file: 'lib/pooler/client_handler.ex',
      function: 'handle_event/4',
      line: random.integer(40, 900),
      module: 'Elixir.Pooler.ClientHandler',
      pid: `<0.${random.integer(100, 9999)}.0>`,
      time: atMicros,
      vm: { node: `pooler@node-${random.integer(1, 2)}` },
    },
  });
}
