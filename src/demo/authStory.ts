import type { JsonObject } from '../core/jsonValue.ts';
import type { DemoScene } from './demoEvent.ts';
import type { DemoUser } from './demoProject.ts';
import { edgeEvent } from './edgeEvent.ts';

/** A sign-in, a token refresh or a visit to the user's account: an edge request and the line of the auth service. */
export function authStory(scene: DemoScene, atMicros: number, user: DemoUser): void {
  const { random } = scene;
  const [method, path, action, grant] = random.weighted<readonly [string, string, string | null, string | null]>([
    [['POST', '/token', 'login', 'password'], 3],
    [['POST', '/token', 'token_refreshed', 'refresh_token'], 5],
    [['GET', '/user', null, null], 4],
    [['POST', '/logout', 'logout', null], 1],
    [['POST', '/signup', 'user_signedup', null], 1],
  ]);
  const fails = random.chance(Math.max(scene.failureRate, 0.05));
  const status = fails ? random.pick([400, 401, 403, 422, 429]) : 200;
  const originMs = random.latency(grant === 'password' ? 90 : 14);
  edgeEvent(scene, {
    atMicros,
    user,
    method,
    path: `/auth/v1${path}`,
    search: grant === null ? null : `?grant_type=${grant}`,
    status,
    originMs,
    contentType: 'application/json',
  });
  const endMicros = atMicros + Math.round(originMs * 1000);
  const said: JsonObject = {
    level: fails ? 'warning' : 'info',
    msg: fails ? '400: Invalid login credentials' : 'request completed',
    component: 'api',
    method,
    path,
    referer: 'https://app.example.com',
    remote_addr: user.address,
    timestamp: `${new Date(endMicros / 1000).toISOString().slice(0, 19)}Z`,
    // The service writes a number, its shipper a string.
    status: random.chance(0.5) ? status : String(status),
    duration: Math.round(originMs * 1_000_000),
    request_id: random.hex(16),
    ...(fails ? { error: 'invalid_grant', error_code: 'invalid_credentials' } : {}),
    ...(grant === null ? {} : { grant_type: grant, login_method: grant === 'password' ? 'password' : 'token' }),
    ...(fails || action === null ? {} : { auth_event: authEvent(user, action) }),
  };
  scene.tell('auth_logs', endMicros, JSON.stringify(said), said);
}

function authEvent(user: DemoUser, action: string): JsonObject {
  return {
    action,
    actor_id: user.id,
    actor_username: user.provider === 'phone' ? null : user.email,
    actor_via_sso: false,
    log_type: action === 'user_signedup' ? 'team' : 'account',
    traits: {
      provider: user.provider,
      user_id: user.id,
      ...(user.provider === 'phone' ? { user_phone: '+15550100' } : { user_email: user.email }),
    },
  };
}
