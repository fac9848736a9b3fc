import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';
import { edgeEvent } from './edgeEvent.ts';

/** A socket is opened: the upgrade request at the edge, and the lines of the realtime service. */
export function realtimeStory(scene: DemoScene, atMicros: number, user: DemoUser): void {
  const { random } = scene;
  const fails = random.chance(scene.failureRate);
  edgeEvent(scene, {
    atMicros,
    user,
    method: 'GET',
    path: '/realtime/v1/websocket',
    search: '?vsn=1.0.0',
    status: fails ? 403 : 101,
    originMs: random.latency(25),
    contentType: 'text/plain',
  });
  realtimeLine(
    scene,
    atMicros + 2000,
    fails ? 'error' : 'info',
    fails ? 'ChannelRateLimitReached: Too many joins per second' : 'Connected: [:realtime, :connections]',
  );
}

/** The regular report of the number of connections. */
export function realtimeReport(scene: DemoScene, atMicros: number): void {
  realtimeLine(scene, atMicros, 'info', 'Billing metrics: [:realtime, :connections]');
}

function realtimeLine({ project, random, tell }: DemoScene, atMicros: number, level: string, message: string): void {
  const connected = random.integer(3, 60);
  tell('realtime_logs', atMicros, message, {
    external_id: project.ref,
    level,
    measurements:
      level === 'error' ? {} : { connected, connected_cluster: connected + random.integer(0, 90), limit: 200, sum: 0 },
    context: {
      application: 'realtime',
      module: 'Elixir.Realtime.Telemetry',
      function: 'report/2',
      file: 'lib/realtime/telemetry.ex',
      line: random.integer(20, 300),
      pid: `<0.${random.integer(100, 9999)}.0>`,
      mfa: ['Elixir.Realtime.Telemetry', 'report', '2'],
      domain: ['elixir'],
      time: atMicros,
      vm: { node: `realtime@node-${random.integer(1, 3)}` },
    },
  });
}
