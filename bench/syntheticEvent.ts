import type { SeededRandom } from '../src/demo/seededRandom.ts';

type Json = Readonly<Record<string, unknown>>;
type Maker = (
  random: SeededRandom,
  project: string,
  micros: number,
) => { readonly message: string; readonly metadata: Json };

const methods: readonly [string, ...string[]] = ['GET', 'GET', 'GET', 'POST', 'PATCH', 'DELETE'];
const areas: readonly [string, ...string[]] = [
  '/rest/v1',
  '/rest/v1',
  '/rest/v1',
  '/auth/v1',
  '/storage/v1',
  '/realtime/v1',
];
const tables: readonly [string, ...string[]] = [
  'todos',
  'profiles',
  'orders',
  'messages',
  'sessions',
  'invoices',
  'teams',
];
const agents: readonly [string, ...string[]] = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'todo-app/2.4.1',
  'python-requests/2.32.3',
];
const places: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['FI', 'Helsinki'],
  ['DE', 'Frankfurt am Main'],
  ['US', 'Ashburn'],
  ['IN', 'Mumbai'],
  ['BR', 'São Paulo'],
];

const status = (random: SeededRandom): number =>
  random.chance(0.93) ? 200 : random.pick([201, 304, 400, 401, 404, 429, 500, 503]);
const address = (random: SeededRandom): string => `198.51.${random.integer(0, 255)}.${random.integer(1, 254)}`;

const edge: Maker = (random, project, micros) => {
  const path = `${random.pick(areas)}/${random.pick(tables)}`;
  const search = random.chance(0.6) ? `?select=*&id=eq.${random.integer(1, 1e6)}&limit=20` : null;
  const host = `${project}.example.co`;
  const url = `https://${host}${path}${search ?? ''}`;
  const ip = address(random);
  const agent = random.pick(agents);
  const [country, city] = random.pick(places);
  const ray = random.hex(16);
  const method = random.pick(methods);
  const code = status(random);
  return {
    message: `${method} | ${code} | ${ip} | ${ray} | ${url} | ${agent}`,
    metadata: {
      request: {
        method,
        path,
        search,
        host,
        protocol: 'https:',
        url,
        headers: {
          accept: 'application/json',
          cf_connecting_ip: ip,
          cf_ipcountry: country,
          cf_ray: ray,
          host,
          user_agent: agent,
          x_client_info: 'client-js/2.45.1',
          x_forwarded_proto: 'https',
          x_real_ip: ip,
        },
        cf: {
          asOrganization: 'Example Networks',
          asn: random.integer(64_496, 64_511),
          city,
          colo: 'HEL',
          continent: 'EU',
          country,
          timezone: 'Europe/Helsinki',
          httpProtocol: 'HTTP/2',
          tlsVersion: 'TLSv1.3',
          tlsCipher: 'AEAD-AES128-GCM-SHA256',
          clientTcpRtt: random.integer(4, 180),
        },
        sb: { auth_user: random.hex(32), jwt: { apikey: { payload: { role: 'anon', expires_at: 2_051_222_400 } } } },
      },
      response: {
        status_code: code,
        origin_time: Math.round(random.latency(40)),
        headers: {
          cf_cache_status: 'DYNAMIC',
          cf_ray: `${ray}-HEL`,
          content_length: String(random.integer(2, 24_000)),
          content_type: 'application/json; charset=utf-8',
          date: new Date(micros / 1000).toUTCString(),
          x_kong_upstream_latency: String(random.integer(1, 90)),
        },
      },
    },
  };
};

const database: Maker = (random, project, micros) => {
  const statement = `SELECT "${random.pick(tables)}".* FROM "public"."${random.pick(tables)}" WHERE "id" = $1 AND "owner" = '${random.hex(12)}' ORDER BY "created_at" DESC LIMIT ${random.integer(1, 500)}`;
  return {
    message: `duration: ${random.latency(3).toFixed(3)} ms  statement: ${statement}`,
    metadata: {
      host: `db-${project}`,
      parsed: {
        timestamp: new Date(micros / 1000).toISOString(),
        error_severity: random.pick(['LOG', 'LOG', 'LOG', 'LOG', 'ERROR', 'WARNING', 'FATAL']),
        sql_state_code: random.pick(['00000', '23505', '42P01', '57014']),
        user_name: random.pick(['authenticator', 'postgres', 'storage_admin']),
        database_name: 'postgres',
        application_name: 'PostgREST 12.2.0',
        backend_type: 'client backend',
        command_tag: random.pick(['SELECT', 'INSERT', 'UPDATE']),
        connection_from: `10.0.${random.integer(0, 9)}.${random.integer(1, 254)}:${random.integer(30_000, 60_000)}`,
        process_id: random.integer(100, 90_000),
        session_id: random.hex(14),
        session_line_num: random.integer(1, 400),
        session_start_time: new Date(micros / 1000 - 3_600_000).toISOString(),
        query_id: -random.integer(1, 2 ** 50),
        query: statement,
        detail: random.chance(0.1) ? `Key (id)=(${random.integer(1, 1e6)}) already exists.` : null,
      },
    },
  };
};

const functionEdge: Maker = (random, project, micros) => {
  const code = status(random);
  const path = `/functions/v1/${random.pick(tables)}`;
  return {
    message: `POST | ${code} | https://${project}.example.co${path}`,
    metadata: {
      project_ref: project,
      function_id: `${project}-${random.integer(1, 4)}`,
      deployment_id: `${project}_${random.integer(1, 40)}`,
      execution_id: random.hex(32),
      request_id: random.hex(32),
      execution_time_ms: Math.round(random.latency(120)),
      version: String(random.integer(1, 40)),
      request: {
        method: 'POST',
        pathname: path,
        host: `${project}.example.co`,
        protocol: 'https:',
        url: `https://${project}.example.co${path}`,
        headers: {
          user_agent: random.pick(agents),
          x_forwarded_for: address(random),
          content_type: 'application/json',
        },
      },
      response: {
        status_code: code,
        headers: {
          content_length: String(random.integer(2, 9000)),
          content_type: 'application/json',
          date: new Date(micros / 1000).toUTCString(),
          x_sb_edge_region: 'eu-west-1',
        },
      },
    },
  };
};

const functionLog: Maker = (random, project) => ({
  message: `handled ${random.pick(tables)} ${random.hex(24)} in ${random.integer(1, 900)} ms\n    at handler (index.ts:${random.integer(1, 400)}:${random.integer(1, 80)})\n    at async serve (server.ts:41:9)\n`,
  metadata: {
    project_ref: project,
    function_id: `${project}-${random.integer(1, 4)}`,
    execution_id: random.hex(32),
    event_type: random.pick(['Log', 'Log', 'Boot', 'Shutdown']),
    level: random.pick(['log', 'info', 'warn', 'error']),
    region: 'eu-west-1',
    version: String(random.integer(1, 40)),
  },
});

const auth: Maker = (random) => {
  const metadata = {
    level: random.pick(['info', 'info', 'warning', 'error']),
    msg: 'request completed',
    component: 'api',
    method: 'POST',
    path: random.pick(['/token', '/user', '/signup', '/verify']),
    remote_addr: address(random),
    status: status(random),
    duration: random.integer(1e6, 4e8),
    grant_type: 'password',
    request_id: random.hex(32),
    user_id: random.hex(32),
    auth_event: {
      action: 'login',
      actor_id: random.hex(32),
      actor_username: `user${random.integer(1, 9999)}@example.com`,
      log_type: 'account',
    },
  };
  return { message: JSON.stringify(metadata), metadata };
};

const realtime: Maker = (random, project) => ({
  message: `Subscribed to realtime:public:${random.pick(tables)} by ${random.hex(24)}`,
  metadata: {
    project,
    external_id: project,
    level: 'info',
    measurements: { connected: random.integer(0, 400), connected_cluster: random.integer(0, 900), limit: 500 },
    context: {
      application: 'realtime',
      module: 'RealtimeWeb.Channel',
      function: 'join/3',
      file: 'channel.ex',
      line: 112,
      pid: `<0.${random.integer(1, 9999)}.0>`,
      mfa: ['RealtimeWeb.Channel', 'join', '3'],
    },
  },
});

const storage: Maker = (random, project) => ({
  message: `GET | ${status(random)} | /object/public/${random.pick(tables)}/${random.hex(20)}.png`,
  metadata: {
    project,
    tenantId: project,
    level: 'info',
    reqId: random.hex(16),
    responseTime: random.latency(30),
    context: { host: `storage-${random.integer(1, 9)}`, pid: random.integer(1, 900) },
    req: {
      method: 'GET',
      url: `/object/public/${random.pick(tables)}/${random.hex(20)}.png`,
      hostname: `${project}.example.co`,
      remoteAddress: address(random),
      remotePort: random.integer(30_000, 60_000),
      headers: { user_agent: random.pick(agents), x_client_info: 'client-js/2.45.1' },
    },
    res: {
      statusCode: status(random),
      headers: { content_length: random.integer(100, 900_000), content_type: 'image/png' },
    },
  },
});

const restApi: Maker = (random, project) => ({
  message: `${new Date(0).toISOString()}: Successfully connected to PostgreSQL, listening on port ${random.integer(3000, 3009)}`,
  metadata: { host: `rest-${project}` },
});

const pooler: Maker = (random, project) => ({
  message: `ClientHandler: Connection ${random.hex(16)} closed when state was idle`,
  metadata: {
    project,
    user: 'postgres',
    db_name: 'postgres',
    type: 'single',
    level: 'info',
    region: 'eu-west-1',
    instance_id: random.hex(14),
    context: {
      application: 'pooler',
      module: 'ClientHandler',
      line: random.integer(1, 900),
      pid: `<0.${random.integer(1, 9999)}.0>`,
    },
  },
});

/** The streams with their shares of the events. */
export const streams: readonly (readonly [source: string, share: number, maker: Maker])[] = [
  ['edge_logs', 48, edge],
  ['database_logs', 16, database],
  ['function_edge_logs', 14, functionEdge],
  ['function_logs', 5, functionLog],
  ['auth_logs', 7, auth],
  ['realtime_logs', 3, realtime],
  ['storage_logs', 4, storage],
  ['rest_api_logs', 1, restApi],
  ['pooler_logs', 2, pooler],
];

/** One event as JSON, as a shipper would send it. */
export function syntheticEvent(maker: Maker, random: SeededRandom, project: string, micros: number): string {
  const { message, metadata } = maker(random, project, micros);
  const isInMetadata = 'project_ref' in metadata || 'tenantId' in metadata || 'external_id' in metadata;
  return JSON.stringify({
    id: random.uuid(micros),
    timestamp: micros,
    event_message: message,
    ...(isInMetadata ? {} : { project }),
    metadata,
  });
}
