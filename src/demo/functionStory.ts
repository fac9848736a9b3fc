import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';

/** A function call: the record of the relay, and the lines that the function wrote. */
export function functionStory(scene: DemoScene, atMicros: number, user: DemoUser): void {
  const { project, random } = scene;
  const called = random.pick(project.functions);
  const boots = random.chance(0.08);
  const elapsedMs = Math.max(
    1,
    Math.round(random.latency(called.medianMs, 0.7) + (boots ? random.integer(30, 90) : 0)),
  );
  const fails = random.chance(Math.max(scene.failureRate, 0.02));
  const status = fails ? random.pick([400, 401, 500, 500, 504]) : 200;
  const executionId = random.uuid(atMicros);
  const identity = {
    project_ref: project.ref,
    function_id: called.id,
    deployment_id: `${project.ref}_${called.slug}_${called.version}`,
    execution_id: executionId,
    version: called.version,
  };
  const endMicros = atMicros + elapsedMs * 1000;
  const said = (offsetMs: number, eventType: string, level: string, message: string) => {
    const when = atMicros + Math.round(offsetMs * 1000);
    const timestamp = new Date(when / 1000).toISOString();
    scene.tell('function_logs', when, message, {
      ...identity,
      event_type: eventType,
      level,
      region: project.region,
      timestamp,
    });
  };
  if (boots) said(1, 'Boot', 'log', `booted (time: ${random.integer(20, 60)}ms)`);
  said(elapsedMs * 0.3, 'Log', 'info', `${called.slug}: handling request for ${user.id}\n`);
  if (fails && status >= 500) {
    said(
      elapsedMs * 0.9,
      'Log',
      'error',
      "TypeError: Cannot read properties of undefined (reading 'amount')\n    at handler (index.ts:41:27)\n    at serve (runtime.ts:88:11)\n",
    );
  } else if (random.chance(0.15)) {
    said(elapsedMs * 0.6, 'Log', 'warn', `${called.slug}: upstream answered slowly, retrying\n`);
  }
  if (status === 504) said(elapsedMs, 'Shutdown', 'log', 'shutdown: wall clock limit reached');
  scene.tell(
    'function_edge_logs',
    endMicros,
    `POST | ${status} | https://${project.host}/functions/v1/${called.slug}`,
    {
      ...identity,
      request_id: random.uuid(atMicros),
      execution_time_ms: elapsedMs,
      request: {
        method: 'POST',
        pathname: `/functions/v1/${called.slug}`,
        search: null,
        host: project.host,
        protocol: 'https:',
        port: '443',
        url: `https://${project.host}/functions/v1/${called.slug}`,
        headers: { user_agent: user.agent, content_length: String(random.integer(2, 900)) },
      },
      response: {
        status_code: status,
        headers: {
          content_type: 'application/json',
          date: new Date(endMicros / 1000).toUTCString(),
          server: 'relay',
          x_sb_edge_region: project.region,
          ...(random.chance(0.7) ? { content_length: String(random.integer(2, 9000)) } : {}),
        },
      },
    },
  );
}
