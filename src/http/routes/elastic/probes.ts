import type { JsonObject } from '../../../core/jsonValue.ts';
import type { Route, RouteCall } from '../../route.ts';
import { requireIngest } from '../events/ingestCall.ts';
import { elasticError } from './elasticError.ts';
import { elasticHeaders } from './elasticHeaders.ts';

/**
 * The version of Elasticsearch whose protocol is spoken. Beats refuse servers older than they are, except for later
 * major versions, which need `allow_older_versions`.
 */
const version = '8.99.0';
const uuid = 'logmill-logmill-logmill';

const info: JsonObject = {
  name: 'logmill',
  cluster_name: 'logmill',
  cluster_uuid: uuid,
  version: {
    number: version,
    build_flavor: 'default',
    build_type: 'unknown',
    build_hash: 'unknown',
    build_date: '1970-01-01T00:00:00.000Z',
    build_snapshot: false,
    lucene_version: '9.0.0',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  },
  tagline: 'You Know, for Search',
};

const license = { uid: uuid, type: 'basic', mode: 'basic', status: 'active' };

const health: JsonObject = {
  cluster_name: 'logmill',
  status: 'green',
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
};

const noStep = async () => undefined;

/** What shippers ask before they send: operation, path, summary, answer. */
const probes: readonly (readonly [
  operation: string,
  path: string,
  summary: string,
  answer: JsonObject,
  check?: (call: RouteCall) => Promise<void>,
])[] = [
  ['elastic.info', '/elastic', 'The name and version that clients of Elasticsearch ask for.', info],
  ['elastic.info_slash', '/elastic/', 'Same as /elastic.', info],
  ['elastic.license', '/elastic/_license', 'The licence that Beats and Logstash ask for.', { license }],
  ['elastic.xpack', '/elastic/_xpack', 'The features that older Beats ask for: none.', { license, features: {} }],
  [
    'elastic.health',
    '/elastic/_cluster/health',
    'Says whether the service can answer now, as Vector asks for it.',
    health,
    ({ services }) => services.checkReady(),
  ],
  ...(
    [
      ['index_template', '/elastic/_index_template/:name'],
      ['template', '/elastic/_template/:name'],
      ['component_template', '/elastic/_component_template/:name'],
      ['ilm_policy', '/elastic/_ilm/policy/:name'],
      ['data_stream', '/elastic/_data_stream/:name'],
      ['pipeline', '/elastic/_ingest/pipeline/:name'],
    ] as const
  ).map(
    ([name, path]) => [`elastic.${name}`, path, 'Says that it exists, so that shippers do not add it.', {}] as const,
  ),
];

/** The answers to the requests that shippers send first. They need the same token as the events. */
export const elasticProbes: readonly Route[] = probes.map(
  ([operation, path, summary, answer, check = noStep]): Route => ({
    operation,
    methods: ['GET'],
    path,
    urlParameters: 'open',
    mediaType: 'application/json',
    ignoresAccept: true,
    summary,
    credential: 'token',
    takesPassword: true,
    codeWhenFull: 'ingest.overloaded',
    bodyBytesMax: (settings) => settings.queryBodyBytesMax,
    authorise: requireIngest,
    renderError: elasticError,
    async handle(call) {
      await check(call);
      return { status: 200, headers: elasticHeaders, body: Buffer.from(JSON.stringify(answer)) };
    },
  }),
);
