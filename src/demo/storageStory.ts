import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';
import { edgeEvent } from './edgeEvent.ts';

/** A file is read or written: an edge request and the line of the storage service. */
export function storageStory(scene: DemoScene, atMicros: number, user: DemoUser): void {
  const { project, random } = scene;
  const bucket = random.pick(project.buckets);
  const method = random.weighted([
    ['GET', 8],
    ['POST', 2],
    ['DELETE', 1],
  ]);
  const object = `/object/${method === 'GET' ? 'public/' : ''}${bucket}/${user.id.slice(-12)}/${random.pick(['me@2x.png', 'scan.pdf', 'cover.jpg'])}`;
  const fails = random.chance(scene.failureRate);
  const status = fails ? random.pick([400, 403, 404, 413, 500]) : 200;
  const originMs = random.latency(method === 'GET' ? 30 : 120);
  edgeEvent(scene, {
    atMicros,
    user,
    method,
    path: `/storage/v1${object}`,
    search: null,
    status,
    originMs,
    contentType: fails ? 'application/json' : 'image/png',
  });
  scene.tell(
    'storage_logs',
    atMicros + Math.round(originMs * 1000),
    `${method} | ${status} | ${user.address} | ${object}`,
    {
      tenantId: project.ref,
      level: status >= 500 ? 'error' : fails ? 'warn' : 'info',
      reqId: `req-${random.hex(4)}`,
      responseTime: Math.round(originMs * 1000) / 1000,
      context: { host: `storage-${random.integer(1, 4)}`, pid: 1 },
      req: {
        method,
        url: object,
        hostname: project.host,
        remoteAddress: user.address,
        remotePort: random.integer(30_000, 60_000),
        headers: { user_agent: user.agent, x_forwarded_proto: 'https' },
      },
      res: { statusCode: status, headers: { content_length: random.integer(40, 900_000), content_type: 'image/png' } },
      ...(fails ? { error: { message: 'Object not found', raw: '{"code":"NoSuchKey"}' }, rawError: 'NoSuchKey' } : {}),
    },
  );
}
