import type { JsonObject } from '../core/jsonValue.ts';
import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';

export interface EdgeRequest {
  readonly atMicros: number;
  readonly user: DemoUser;
  readonly method: string;
  readonly path: string;
  readonly search: string | null;
  readonly status: number;
  readonly originMs: number;
  readonly contentType: string;
}

/** The request as the edge saw it. Lengths are strings, as in headers. */
export function edgeEvent(scene: DemoScene, request: EdgeRequest): void {
  const { project, random } = scene;
  const { user, method, path, search, status } = request;
  const url = `https://${project.host}${path}${search ?? ''}`;
  const ray = random.hex(16);
  const message = `${method} | ${status} | ${user.address} | ${ray} | ${url} | ${user.agent}`;
  scene.tell('edge_logs', request.atMicros, message, {
    request: {
      method,
      path,
      search,
      host: project.host,
      protocol: 'https:',
      url,
      headers: {
        accept: 'application/json',
        cf_connecting_ip: user.address,
        cf_ipcountry: user.place.country,
        cf_ray: ray,
        content_length: method === 'GET' ? '0' : String(random.integer(20, 4000)),
        host: project.host,
        user_agent: user.agent,
        x_client_info: `logmill-demo-js/${random.integer(1, 3)}.0.0`,
        x_forwarded_proto: 'https',
        x_real_ip: user.address,
        ...(random.chance(0.4) ? { referer: 'https://app.example.com/' } : {}),
      },
      cf: {
        asOrganization: 'Example Networks',
        asn: 64_496 + random.integer(0, 15),
        ...user.place,
        httpProtocol: random.pick(['HTTP/2', 'HTTP/3']),
        tlsVersion: 'TLSv1.3',
        tlsCipher: 'AEAD-AES128-GCM-SHA256',
        clientTcpRtt: random.integer(4, 180),
        botManagement: {
          score: random.integer(1, 99),
          verifiedBot: false,
          detectionIds: random.chance(0.05) ? [random.integer(100, 999), random.integer(100, 999)] : [],
        },
      },
      sb: credentials(scene, user),
    },
    response: {
      status_code: status,
      origin_time: Math.round(request.originMs),
      headers: {
        cf_cache_status: path.startsWith('/storage') && random.chance(0.6) ? 'HIT' : 'DYNAMIC',
        cf_ray: `${ray}-${user.place.colo}`,
        content_length: String(random.integer(2, 24_000)),
        content_type: request.contentType,
        date: new Date(request.atMicros / 1000).toUTCString(),
        x_kong_upstream_latency: String(Math.max(1, Math.round(request.originMs * 0.8))),
      },
    },
  });
}

function credentials({ random }: DemoScene, user: DemoUser): JsonObject {
  // Calls that have only an API key leave this object empty.
  if (random.chance(0.2)) return {};
  return {
    auth_user: user.id,
    jwt: {
      apikey: { payload: { role: 'anon', issuer: 'logmill-demo', expires_at: 2_051_222_400 } },
      authorization: { payload: { role: 'authenticated', subject: user.id } },
    },
  };
}
