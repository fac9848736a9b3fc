/** LQL, and the SQL over the same tables that must give the same rows. */
export interface Pair {
  readonly lql: string;
  readonly sql: string;
  /** Where nothing but an empty answer is right. */
  readonly isEmpty?: true;
}

const status = 'metadata.response.status_code';
const columns = 'id, timestamp, event_message';
const edge = (where: string, more = '') =>
  `select ${columns}${more} from edge_logs where ${where} order by timestamp desc`;
const ofStatus = (where: string) => edge(where, `, ${status}`);
const worker = (where: string, more = '') =>
  `select ${columns}${more} from function_logs where ${where} order by timestamp desc`;
const ofLevel = (where: string) => worker(where, ', metadata.level');
const ofTags = (where: string) => worker(where, ', metadata.tags');
const utc = (text: string) => `timestamp '${text}'`;

/** Every line of the grammar, and every rule that gives it a meaning. */
export const pairs: readonly Pair[] = [
  // Words and quoted text.
  { lql: 'timeout', sql: edge("event_message like '%timeout%'") },
  { lql: '-timeout', sql: edge("event_message not like '%timeout%'") },
  { lql: '~(?i)timeout', sql: edge("regexp_contains(event_message, '(?i)timeout')") },
  { lql: '"| 200 |"', sql: edge("event_message like '%| 200 |%'") },
  { lql: '~"^GET \\| 200"', sql: edge("regexp_contains(event_message, r'^GET \\| 200')") },
  { lql: '-~"^GET"', sql: edge("not regexp_contains(event_message, '^GET')") },
  { lql: "it's", sql: edge('strpos(event_message, "it\'s") > 0') },
  { lql: '"\\"fine\\""', sql: edge('strpos(event_message, \'"fine"\') > 0') },
  { lql: '100%_done', sql: edge("strpos(event_message, '100%_done') > 0") },
  { lql: '"C:\\\\temp"', sql: edge("strpos(event_message, 'C:\\\\temp') > 0") },
  { lql: '"C:\\temp"', sql: edge("strpos(event_message, 'C:\\\\temp') > 0") },
  { lql: '""', sql: edge('event_message is not null') },
  { lql: "' or 1=1 --", sql: edge('false'), isEmpty: true },
  // Fields and their values.
  { lql: 'm.response.status_code:200', sql: ofStatus(`${status} = 200`) },
  { lql: 'metadata.response.status_code:"404"', sql: ofStatus(`${status} = '404'`) },
  { lql: 'm.response.status_code:404', sql: ofStatus(`${status} = 404`) },
  { lql: 'm.response.status_code:5xx', sql: ofStatus(`${status} = '5xx'`) },
  { lql: 'm.response.status_code:(5xx)', sql: ofStatus(`${status} = '5xx'`) },
  { lql: 'm.response.status_code:200.5', sql: ofStatus(`${status} = 200.5`) },
  { lql: 'm.response.status_code:>=300', sql: ofStatus(`${status} >= 300`) },
  { lql: 'm.response.status_code:<=301', sql: ofStatus(`${status} <= 301`) },
  { lql: 'm.response.status_code:>301', sql: ofStatus(`${status} > 301`) },
  { lql: 'm.response.status_code:<301', sql: ofStatus(`${status} < 301`) },
  { lql: 'm.response.status_code:200..301', sql: ofStatus(`${status} between 200 and 301`) },
  { lql: 'm.response.status_code:301..200', sql: ofStatus('false'), isEmpty: true },
  { lql: 'm.response.status_code:>"5"', sql: ofStatus(`${status} > '5'`) },
  { lql: 'm.response.status_code:"4".."5xx"', sql: ofStatus(`${status} between '4' and '5xx'`) },
  { lql: 'm.response.status_code:4..5xx', sql: ofStatus(`${status} between '4' and '5xx'`) },
  {
    lql: 'm.response.status_code:~"^[45]"',
    sql: ofStatus(`regexp_contains(${status}, '^[45]')`),
  },
  { lql: 'm.response.status_code:NULL', sql: ofStatus(`${status} is null`) },
  { lql: '-m.response.status_code:NULL', sql: ofStatus(`${status} is not null`) },
  { lql: '-m.response.status_code:200', sql: ofStatus(`(${status} = 200) is null or not (${status} = 200)`) },
  { lql: '-m.response.status_code:>=300', sql: ofStatus(`(${status} >= 300) is not true`) },
  { lql: '-m.response.status_code:200..301', sql: ofStatus(`(${status} between 200 and 301) is not true`) },
  { lql: 'm.nothing:5', sql: edge('false', ', metadata.nothing'), isEmpty: true },
  { lql: 'id:e3', sql: edge("id = 'e3'") },
  { lql: 'ID:"e3"', sql: edge("id = 'e3'") },
  { lql: 'id:e1..e3', sql: edge("id between 'e1' and 'e3'") },
  { lql: 'event_message:~"late$"', sql: edge("regexp_contains(event_message, 'late$')") },
  { lql: 'm.ready:true f:function_logs', sql: worker('metadata.ready = true', ', metadata.ready') },
  { lql: 'm.ready:false f:function_logs', sql: worker('metadata.ready = false', ', metadata.ready') },
  {
    lql: '-m.ready:true f:function_logs',
    sql: worker('metadata.ready is null or metadata.ready = false', ', metadata.ready'),
  },
  { lql: 'm.note:null f:function_logs', sql: worker("metadata.note = 'null'", ', metadata.note') },
  { lql: 'm.big:9007199254740994 f:function_logs', sql: worker('metadata.big = 9007199254740994', ', metadata.big') },
  { lql: 'm.big:9007199254740993 f:function_logs', sql: worker('false', ', metadata.big'), isEmpty: true },
  // Arrays.
  { lql: 'f:function_logs m.tags:@>red', sql: ofTags("'red' in unnest(metadata.tags)") },
  { lql: 'f:function_logs m.tags:@>"dark blue"', sql: ofTags("'dark blue' in unnest(metadata.tags)") },
  { lql: 'f:function_logs m.tags:@>7', sql: ofTags('7 in unnest(metadata.tags)') },
  { lql: 'f:function_logs m.tags:@>~"^dark"', sql: ofTags("id = 'f4'") },
  { lql: 'f:function_logs m.tags:@>~e', sql: ofTags("id = 'f4'") },
  { lql: 'f:function_logs m.tags:@>~7', sql: ofTags("id = 'f4'") },
  { lql: 'f:function_logs m.tags:@>~green', sql: ofTags('false'), isEmpty: true },
  { lql: 'f:function_logs -m.tags:@>red', sql: ofTags("('red' in unnest(metadata.tags)) is not true") },
  { lql: 'f:function_logs -m.tags:@>~red', sql: ofTags("id != 'f4'") },
  // Levels.
  {
    lql: 'f:function_logs m.level:info..error',
    sql: ofLevel("metadata.level in ('info', 'notice', 'warning', 'error')"),
  },
  { lql: 'f:function_logs metadata.level:"critical".."emergency"', sql: ofLevel("metadata.level = 'critical'") },
  {
    lql: 'f:function_logs -m.level:info..error',
    sql: ofLevel("(metadata.level in ('info', 'notice', 'warning', 'error')) is not true"),
  },
  { lql: 'f:function_logs m.level:error..info', sql: ofLevel('false'), isEmpty: true },
  { lql: 'f:function_logs -m.level:error..info', sql: ofLevel('true') },
  { lql: 'f:function_logs m.level:silly', sql: ofLevel("metadata.level = 'silly'") },
  // Times.
  { lql: 't:2026-05-01T12:30:20.500Z', sql: edge(`timestamp = ${utc('2026-05-01 12:30:20.500')}`) },
  { lql: 't:>=2026-05-01', sql: edge(`timestamp >= ${utc('2026-05-01')}`) },
  { lql: 'timestamp:<2026-05-01T00:00:00', sql: edge(`timestamp < ${utc('2026-05-01')}`) },
  { lql: 't:>2026-05-01T12:30:20.500', sql: edge(`timestamp > ${utc('2026-05-01 12:30:20.500')}`) },
  { lql: 't:<=2026-05-01T12:30:20.500', sql: edge(`timestamp <= ${utc('2026-05-01 12:30:20.500')}`) },
  { lql: 't:>2026-05-01T14:30:00+02:00', sql: edge(`timestamp > ${utc('2026-05-01 12:30:00')}`) },
  { lql: 't:>=1777636800', sql: edge('timestamp >= timestamp_seconds(1777636800)') },
  { lql: 't:>=1777636800123', sql: edge('timestamp >= timestamp_millis(1777636800123)') },
  { lql: 't:1777638620500000', sql: edge('timestamp = timestamp_micros(1777638620500000)') },
  {
    lql: 't:2026-04-27..2026-05-01T12:10:30.500Z',
    sql: edge(`timestamp between ${utc('2026-04-27')} and ${utc('2026-05-01 12:10:30.500')}`),
  },
  { lql: 't:2026-05-01..2026-04-27', sql: edge('false'), isEmpty: true },
  {
    lql: 't:2026-{04..05}-01',
    sql: edge(`timestamp between ${utc('2026-04-01')} and ${utc('2026-05-01')}`),
  },
  {
    lql: 't:2026-05-01T{10..12}:{00..30}:{00..20}.500Z',
    sql: edge(`timestamp between ${utc('2026-05-01 10:00:00.500')} and ${utc('2026-05-01 12:30:20.500')}`),
  },
  { lql: 't:>now', sql: edge('timestamp > current_timestamp()') },
  { lql: 't:<=now', sql: edge('timestamp <= current_timestamp()') },
  { lql: 't:today', sql: edge(`timestamp >= ${utc('2026-05-01')} and timestamp < ${utc('2026-05-02')}`) },
  { lql: 't:yesterday', sql: edge(`timestamp >= ${utc('2026-04-30')} and timestamp < ${utc('2026-05-01')}`) },
  { lql: '-t:today', sql: edge(`not (timestamp >= ${utc('2026-05-01')} and timestamp < ${utc('2026-05-02')})`) },
  { lql: 't:>=yesterday', sql: edge(`timestamp >= ${utc('2026-04-30')}`) },
  { lql: 't:<today', sql: edge(`timestamp < ${utc('2026-05-01')}`) },
  { lql: 't:this@m', sql: edge(`timestamp between ${utc('2026-05-01 12:30:00')} and current_timestamp()`) },
  { lql: 't:this@hour', sql: edge(`timestamp between ${utc('2026-05-01 12:00:00')} and current_timestamp()`) },
  { lql: 't:this@d', sql: edge(`timestamp between ${utc('2026-05-01')} and current_timestamp()`) },
  { lql: 't:this@week', sql: edge(`timestamp between ${utc('2026-04-27')} and current_timestamp()`) },
  { lql: 't:this@y', sql: edge(`timestamp between ${utc('2026-01-01')} and current_timestamp()`) },
  { lql: 't:last@30s', sql: edge(`timestamp between ${utc('2026-05-01 12:30:00')} and current_timestamp()`) },
  { lql: 't:last@m', sql: edge(`timestamp between ${utc('2026-05-01 12:29:00')} and current_timestamp()`) },
  { lql: 't:last@20minutes', sql: edge(`timestamp between ${utc('2026-05-01 12:10:00')} and current_timestamp()`) },
  { lql: 't:last@2h', sql: edge(`timestamp between ${utc('2026-05-01 10:00:00')} and current_timestamp()`) },
  { lql: 't:last@1day', sql: edge(`timestamp between ${utc('2026-04-30')} and current_timestamp()`) },
  { lql: 't:last@1w', sql: edge(`timestamp between ${utc('2026-04-20')} and current_timestamp()`) },
  { lql: 't:last@2mm', sql: edge(`timestamp between ${utc('2026-03-01')} and current_timestamp()`) },
  { lql: 't:last@1y', sql: edge(`timestamp between ${utc('2025-01-01')} and current_timestamp()`) },
  { lql: 't:last@9999years', sql: edge('timestamp <= current_timestamp()') },
  { lql: 't:last@9999w', sql: edge('timestamp <= current_timestamp()') },
  { lql: 't:last@9999mm', sql: edge('timestamp <= current_timestamp()') },
  { lql: 't:>=last@2h', sql: edge(`timestamp >= ${utc('2026-05-01 10:00:00')}`) },
  { lql: 'timestamp:"2026-05-01T12:30:20.500Z"', sql: edge(`timestamp = ${utc('2026-05-01 12:30:20.500')}`) },
  { lql: '-timestamp:NULL', sql: edge('true') },
  // Columns of the answer.
  {
    lql: 's:m.request.path',
    sql: 'select metadata.request.path from edge_logs order by edge_logs.timestamp desc',
  },
  {
    lql: 's:m.request.path@timestamp s:id@edge_logs',
    sql: 'select t.metadata.request.path as timestamp, t.id as edge_logs from edge_logs as t order by t.timestamp desc',
  },
  {
    lql: 'select:m.response.status_code@code s:id -m.response:NULL',
    sql: `select ${status} as code, id from edge_logs where metadata.response is not null order by timestamp desc`,
  },
  {
    lql: 's:* m.request.method:POST',
    sql: "select timestamp, id, event_message, metadata from edge_logs where metadata.request.method = 'POST'",
  },
  {
    lql: 's:* s:id m.request.method:POST',
    sql: "select timestamp, id, event_message, metadata, id from edge_logs where metadata.request.method = 'POST'",
  },
  {
    lql: 'm.request.method:POST m.response.status_code:500 m.request.method:POST',
    sql: edge(`metadata.request.method = 'POST' and ${status} = 500`, `, metadata.request.method, ${status}`),
  },
  // Charts.
  {
    lql: 'c:count(*)',
    sql: 'select timestamp_trunc(timestamp, minute) as timestamp, count(*) as count from edge_logs group by 1 order by 1',
  },
  {
    lql: 'c:group_by(t::hour)',
    sql: 'select timestamp_trunc(timestamp, hour) as timestamp, count(*) as count from edge_logs group by 1 order by 1',
  },
  {
    lql: 'chart:count(m.response.status_code) chart:group_by(timestamp::d)',
    sql: `select timestamp_trunc(timestamp, day) as timestamp, count(${status}) as count from edge_logs group by 1 order by 1`,
  },
  {
    lql: 'c:countd(m.request.method) c:group_by(t::d)',
    sql: 'select timestamp_trunc(timestamp, day) as timestamp, count(distinct metadata.request.method) as countd from edge_logs group by 1 order by 1',
  },
  ...(['avg', 'sum', 'max', 'min'] as const).map((fn) => ({
    lql: `c:${fn}(m.response.origin_time) c:group_by(t::d)`,
    sql: `select timestamp_trunc(timestamp, day) as timestamp, ${fn}(metadata.response.origin_time) as ${fn} from edge_logs group by 1 order by 1`,
  })),
  ...([50, 95, 99] as const).map((percent) => ({
    lql: `c:p${percent}(m.response.origin_time) c:group_by(t::d)`,
    sql: `select timestamp_trunc(timestamp, day) as timestamp, approx_quantiles(metadata.response.origin_time, 100)[offset(${percent})] as p${percent} from edge_logs group by 1 order by 1`,
  })),
  {
    lql: 'c:count(*) c:group_by(t::s) GET t:today',
    sql: `select timestamp_trunc(timestamp, second) as timestamp, count(*) as count from edge_logs where event_message like '%GET%' and timestamp >= ${utc('2026-05-01')} and timestamp < ${utc('2026-05-02')} group by 1 order by 1`,
  },
];
