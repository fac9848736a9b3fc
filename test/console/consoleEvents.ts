/** The project of ordinary events. */
export const shop = 'shop';
/** The project of events that try to harm a page. */
export const hostile = 'hostile';

const minutes = 50;
const perMinute = 30;

/** Has a member that the newest events have not. */
const isWithCoupon = (index: number): boolean => index % 100 === 99;

/** 1,500 requests in the 50 minutes before a time; of each 30, two fail with 502 and three with 404. */
export function shopEvents(nowMs: number): readonly object[] {
  return Array.from({ length: minutes * perMinute }, (_, index) => {
    const status = index % perMinute < 2 ? 502 : index % perMinute < 5 ? 404 : 200;
    const path = ['/checkout', '/cart', '/items'][index % 3];
    return {
      id: `shop-${index}`,
      project: shop,
      timestamp: new Date(nowMs - 1000 - index * 2000).toISOString(),
      event_message: `GET | ${status} | ${path} | upstream ${status === 502 ? 'timed out' : 'answered'}`,
      metadata: {
        request: { method: 'GET', path, headers: { user_agent: 'curl/8' } },
        // Beyond what a number of JavaScript can hold, so as text a number of JSON.
        response: { status_code: status, origin_time: index % 97 },
        ...(isWithCoupon(index) ? { coupon: 'spring' } : {}),
      },
    };
  });
}

/** Ends with an exact integer, which JSON.stringify cannot write. */
export const exactInteger = '9223372036854775807';

/** Lines of NDJSON: markup, control characters, text that turns around, a very long line, very many members. */
export function hostileLines(nowMs: number): readonly string[] {
  const at = (index: number) => new Date(nowMs - 1000 - index * 1000).toISOString();
  const messages = [
    '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>',
    'nul \u0000 bell \u0007 escape \u001b[31mred\u001b[0m',
    'turned \u202e gnp.exe \u2066 isolated',
    `${'x'.repeat(1_000_000)} end`,
    'line one\nline two\r\n\ttabbed',
    '{{constructor.constructor("document.title=1")()}} [REDACTED:email]',
  ];
  const events = messages.map((message, index) =>
    JSON.stringify({ id: `hostile-${index}`, project: hostile, timestamp: at(index), event_message: message }),
  );
  const members = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`member<b>${index}`, index]));
  return [
    ...events,
    JSON.stringify({ id: 'wide', project: hostile, timestamp: at(10), event_message: 'wide', metadata: members }),
    `{"id":"exact","project":"${hostile}","timestamp":"${at(11)}","event_message":"exact","metadata":{"n":${exactInteger}}}`,
  ];
}
