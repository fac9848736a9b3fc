import type { JsonObject } from '../core/jsonValue.ts';
import type { DemoScene } from './demoEvent.ts';

/** A failed statement with its details. */
export function databaseError(scene: DemoScene, atMicros: number, table: string): void {
  const { random } = scene;
  const row = random.integer(1, 90_000);
  const [message, code, detail] = random.pick<readonly [string, string, string | null]>([
    [`duplicate key value violates unique constraint "${table}_pkey"`, '23505', `Key (id)=(${row}) already exists.`],
    [
      `insert or update on table "${table}" violates foreign key constraint "${table}_user_id_fkey"`,
      '23503',
      `Key (user_id)=(${row}) is not present in table "profiles".`,
    ],
    ['canceling statement due to statement timeout', '57014', null],
    [`column ${table}.colour does not exist`, '42703', null],
  ]);
  parsed(scene, atMicros, message, {
    error_severity: 'ERROR',
    sql_state_code: code,
    command_tag: 'INSERT',
    detail,
    query: `INSERT INTO "public"."${table}" ("id", "user_id", "title")\nSELECT "id", "user_id", "title"\nFROM json_to_recordset($1) AS _ ("id" int8, "user_id" uuid, "title" text)\nRETURNING 1`,
  });
}

/** A slow statement. Sometimes its text has the maximum length. */
export function slowStatement(scene: DemoScene, atMicros: number, table: string, elapsedMs: number): void {
  const { random } = scene;
  const ids = random.chance(0.002) ? 2500 : random.integer(1, 12);
  const list = Array.from(
    { length: ids },
    () => `'${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}'`,
  );
  const query = `SELECT * FROM "public"."${table}" WHERE "user_id" IN (${list.join(', ')})`;
  parsed(scene, atMicros, `duration: ${elapsedMs.toFixed(3)} ms  statement: ${query}`.slice(0, 100_000), {
    error_severity: 'LOG',
    sql_state_code: '00000',
    command_tag: 'SELECT',
  });
}

/** Lines that a database writes on its own: checkpoints, connections. A few have no metadata. */
export function databaseChatter(scene: DemoScene, atMicros: number): void {
  const { random } = scene;
  const buffers = random.integer(3, 2200);
  const message = random.pick([
    'checkpoint starting: time',
    `checkpoint complete: wrote ${buffers} buffers (${((buffers / 16_384) * 100).toFixed(1)}%); 0 WAL file(s) added, 0 removed, ${random.integer(0, 3)} recycled`,
    `connection authorized: user=authenticator database=postgres application_name=rest-api`,
    'automatic vacuum of table "postgres.public.messages": index scans: 1\npages: 0 removed, 412 remain\ntuples: 913 removed, 20418 remain',
  ]);
  if (random.chance(0.02)) scene.tell('database_logs', atMicros, message, null);
  else parsed(scene, atMicros, message, { error_severity: 'LOG', sql_state_code: '00000' }, 'checkpointer');
}

function parsed(
  scene: DemoScene,
  atMicros: number,
  message: string,
  more: JsonObject,
  backend = 'client backend',
): void {
  const { project, random } = scene;
  // Query ids fill 64 bits, so half are negative.
  const queryId = BigInt.asIntN(64, BigInt(`0x${random.hex(16)}`));
  scene.tell('database_logs', atMicros, message, {
    host: `db-${project.ref}`,
    parsed: {
      timestamp: `${new Date(atMicros / 1000).toISOString().replace('T', ' ').slice(0, -1)} UTC`,
      user_name: backend === 'client backend' ? 'authenticator' : null,
      database_name: backend === 'client backend' ? 'postgres' : null,
      application_name: backend === 'client backend' ? 'rest-api' : '',
      backend_type: backend,
      connection_from:
        backend === 'client backend' ? `192.0.2.${random.integer(1, 254)}:${random.integer(30_000, 60_000)}` : null,
      process_id: random.integer(100, 32_000),
      session_id: `${random.hex(8)}.${random.hex(4)}`,
      session_line_num: random.integer(1, 90),
      session_start_time: `${new Date(atMicros / 1000 - random.integer(1000, 900_000)).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
      transaction_id: random.chance(0.5) ? 0 : random.integer(100_000, 999_999),
      query_id: queryId,
      ...more,
    },
  });
}
