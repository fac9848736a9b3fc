import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { createRedactor, type RedactorConfig } from './createRedactor.ts';
import { RedactionCounts } from './redactionCounts.ts';

function redact(text: string, path: readonly string[] = [], config: RedactorConfig = {}): string {
  return createRedactor(config).redactString(text, path, new RedactionCounts());
}

function redactRows(text: string, config: RedactorConfig = {}): readonly [string, Readonly<Record<string, number>>] {
  const counts = new RedactionCounts();
  return [createRedactor(config).redactJson(text, counts), counts.toJson()];
}

describe('redaction of rows', () => {
  it('changes nothing but strings: numbers keep their spelling, white space and names stay', () => {
    const text = '[ {"a":1.0,"b":12345678901234567890,"c":-0,"d":1e400,"10.0.0.5":true,"e":"\\u0041\\/","f":null}\n]';
    expect(redactRows(text)).toEqual([text, {}]);
  });

  it('replaces what it finds at any depth and counts it by kind', () => {
    const text = '[{"id":7,"m":{"r":[{"q":"from 10.0.0.5 to jane@example.com"}]},"t":"203.0.113.7"}]';
    expect(redactRows(text)).toEqual([
      '[{"id":7,"m":{"r":[{"q":"from [REDACTED:ip] to [REDACTED:email]"}]},"t":"[REDACTED:ip]"}]',
      { email: 1, ip: 2 },
    ]);
  });

  it.each([
    ['pass', 'hunter2', 'ok'],
    ['pw', 'hunter2', '12'],
    ['pin', '4711', 'GPIO4'],
    ['session', 'a8f3b2c9d0e1f2a3', 'started'],
    ['session_id', 'a8f3b2c9d0e1f2a3', '0188f0a4-52b1-7c3e-9f10-aabbccddeeff'],
    ['userSessionId', 'a8f3b2c9d0e1f2a3', '64f0a1b2.1a2c'],
    ['SID', 'a8f3b2c9d0e1f2a3', 'ORCL'],
  ])('replaces the value of %s if it looks like a secret: %s, not %s', (name, secret, ordinary) => {
    const mark = '[REDACTED:key]';
    const row = (value: string) => JSON.stringify([{ m: { [name]: value, list: { [name]: [value] } } }]);
    expect(redactRows(row(secret))).toEqual([row(mark), { key: 2 }]);
    expect(redactRows(row(ordinary))).toEqual([row(ordinary), {}]);
    expect(redact(row(secret))).toBe(row(mark));
    expect(redact(secret, ['metadata', name])).toBe(mark);
    // The column keeps no trace of the name, which its origin tells.
    const origin = { paths: [['metadata', name]], ownNames: 0, isGiven: false, isRead: false };
    const origins = new Map([['x', origin]]);
    expect(createRedactor().redactRows(JSON.stringify([{ x: secret }]), origins, new RedactionCounts())).toBe(
      JSON.stringify([{ x: mark }]),
    );
  });

  it('reads escapes of JSON before it looks', () => {
    expect(redactRows('["jane\\u0040example.com","a\\n10.0.0.5","\\"fe80::1\\""]')).toEqual([
      '["[REDACTED:email]","a\\n[REDACTED:ip]","\\"[REDACTED:ip]\\""]',
      { email: 1, ip: 2 },
    ]);
  });

  it('replaces every text below a personal member, makes numbers null and keeps the shape', () => {
    const text =
      '{"Authorization":{"payload":{"role":"anon","expires_at":2051222400,"ok":true,"list":["a",1,null,{}]}},"cf":{"latitude":"60.17","longitude":24.94,"postalCode":"00100","city":"Helsinki"}}';
    expect(redactRows(text)).toEqual([
      '{"Authorization":{"payload":{"role":"[REDACTED:key]","expires_at":null,"ok":true,"list":["[REDACTED:key]",null,null,{}]}},"cf":{"latitude":"[REDACTED:location]","longitude":null,"postalCode":"[REDACTED:location]","city":"Helsinki"}}',
      { key: 2, location: 2 },
    ]);
  });

  it.each([
    ['X-Real-IP', 'ip'],
    ['x_real_ip', 'ip'],
    ['CF-Connecting_IP', 'ip'],
    ['cookie', 'key'],
    ['apikey', 'key'],
    ['USER-EMAIL', 'email'],
    ['user_phone', 'phone'],
    ['actor_username', 'person'],
    ['POSTALCODE', 'location'],
  ])('takes %s for personal, without case and with - as _', (name, kind) => {
    expect(redactRows(`{"${name}":"unknown"}`)).toEqual([`{"${name}":"[REDACTED:${kind}]"}`, { [kind]: 1 }]);
  });

  it.each([
    ['digits of full width', 'from ２０３．０．１１３．７ on', 'from [REDACTED:ip] on'],
    ['a colon of full width', '２００１：ｄｂ８：：７：１', '[REDACTED:ip]'],
    ['an @ of full width', 'jane.doe＠example.com', '[REDACTED:email]'],
    ['a space without width', 'from 203\u200b.0.113.7 on', 'from [REDACTED:ip] on'],
    ['a soft hyphen', 'jane\u00ad.doe@example.com', '[REDACTED:email]'],
    ['a word joiner as an escape', String.raw`from 203.0\u2060.113.7`, 'from [REDACTED:ip]'],
    ['a byte order mark', '\ufeff203.0.113.7', '\ufeff[REDACTED:ip]'],
    ['an empty pattern of Braille', 'jane@example\u2800.com', '[REDACTED:email]'],
    ['a small @', 'jane﹫example.com', '[REDACTED:email]'],
    ['an = of full width', 'password＝S3cr3tV4lue', 'password＝[REDACTED:key]'],
    ['a reference without its semicolon', 'jane&#64example.com', '[REDACTED:email]'],
    ['a reference of capitals', 'jane&AMP;#X0040;example.com', '[REDACTED:email]'],
    ['references whose & is one', 'jane&#38;#x26;#64;example.com', '[REDACTED:email]'],
    ['references to what shows nothing', '203&#8203;.0&shy;.113.7', '[REDACTED:ip]'],
    ['brackets as references', '&lt;password&gt;', '&lt;password&gt;'],
    ['escapes with braces', String.raw`jane\u{40}example.com`, '[REDACTED:email]'],
    ['escapes of eight digits', String.raw`jane\U00000040example.com`, '[REDACTED:email]'],
    ['percent-encoding of units', 'jane%u0040example.com', '[REDACTED:email]'],
    ['a number of no character', String.raw`\u{ffffff}203.0.113.7`, String.raw`\u{ffffff}[REDACTED:ip]`],
    ['a character of two units', '&#128512;203.0.113.7', '&#128512;[REDACTED:ip]'],
    ['a broken line of a mail', `${'x '.repeat(30)}jane.d=\r\noe@example.com`, `${'x '.repeat(30)}[REDACTED:email]`],
    ['a short line that ends in =', 'host=\n203.0.113.7', 'host=\n[REDACTED:ip]'],
    ['colours', 'password\u001b[0m: \u001b[32mhunter2\u001b[39m x', 'password\u001b[0m: \u001b[32m[REDACTED:key] x'],
    [
      'colours as escapes',
      String.raw`\u001b[1mCookie\x1b[0m: a=b \033[K`,
      String.raw`\u001b[1mCookie\x1b[0m: [REDACTED:key]`,
    ],
    ['colours between numbers', '200\u001b[0m\u001b[33m203.0.113.7', '200\u001b[0m\u001b[33m[REDACTED:ip]'],
    ['nothing but such', '，中文：\u200b', '，中文：\u200b'],
  ])('reads through %s', (_, text, shown) => {
    expect(createRedactor().redactString(text, [], new RedactionCounts())).toBe(shown);
  });

  it.each(['xrealip', 'x_real_ips', 'apikeys2', 'my_latitude'])('does not take %s for personal', (name) => {
    expect(redactRows(`{"${name}":"unknown"}`)).toEqual([`{"${name}":"unknown"}`, {}]);
  });

  it.each(['db_password', 'DB-PASSWORD', 'dbPassword', 'stripe_secret_key', 'x-csrf-token', 'SMTP_PASS'])(
    'takes %s for that of a key, whose name ends as one',
    (name) => {
      expect(redactRows(`{"${name}":"unknown"}`)[0]).toBe(`{"${name}":"[REDACTED:key]"}`);
      expect(redact(`x {"${name}":"unknown"}`)).toBe(`x {"${name}":"[REDACTED:key]"}`);
      expect(redact('unknown', ['metadata', name, 'a'])).toBe('[REDACTED:key]');
    },
  );

  it.each<[string, string]>([
    ['bearer', 'key'],
    ['device_code', 'key'],
    ['sessionKey', 'key'],
    ['preshared_key', 'key'],
    ['SAMLResponse', 'key'],
    ['admin_token', 'key'],
    ['ssn', 'person'],
    ['dateOfBirth', 'person'],
    ['card_number', 'card'],
    ['iban', 'iban'],
  ])('takes %s for personal', (name, kind) => {
    expect(redactRows(`{"${name}":["unknown",12]}`)[0]).toBe(`{"${name}":["[REDACTED:${kind}]",null]}`);
    expect(redact(`x {"${name}":"unknown"}`)).toBe(`x {"${name}":"[REDACTED:${kind}]"}`);
  });

  it('takes the argument after an option that names a secret', () => {
    const list = (value: string) =>
      `["run","--user","jane","--password","${value}","--token","${value}","-v","--api-key","${value}"]`;
    expect(redactRows(list('hunter2ab'))).toEqual([list('[REDACTED:key]'), { key: 3 }]);
    expect(redact(`ran ${list('hunter2ab')}`)).toBe(`ran ${list('[REDACTED:key]')}`);
    const others = '["--password","--verbose","--token","is missing","--secret",1,"--password","$PASSWORD"]';
    expect(redactRows(others)).toEqual([others, {}]);
  });

  it.each(['token', 'passport', 'passed', 'bypass', 'max_tokens', 'keyboard', 'secretary'])(
    'does not take %s for that of a key',
    (name) => {
      expect(redactRows(`{"${name}":"unknown"}`)).toEqual([`{"${name}":"unknown"}`, {}]);
    },
  );

  it('takes the element before a text for its name where it names a secret', () => {
    const lists = (value: string) =>
      `{"pair":["Cookie","${value}"],"pairs":[["authorization","${value}"],["accept","x"]],"rawHeaders":["Host","x","Cookie","${value}","Age","y"]}`;
    expect(redactRows(`[${lists('sid=1')}]`)).toEqual([`[${lists('[REDACTED:key]')}]`, { key: 3 }]);
    expect(redact(lists('sid=1'))).toBe(lists('[REDACTED:key]'));
  });

  it('does not take a list of names, or any longer list, for such pairs', () => {
    const text =
      '{"grants":["password","refresh_token"],"providers":["email","google"],"some":["cookie","a","b"],"n":["password",1],"allow_headers":["authorization","apikey","x","y"]}';
    expect(redactRows(text)).toEqual([text, {}]);
  });

  it('refuses to show what is not JSON', () => {
    expect(() => redactRows('{"a":"10.0.0.5"')).toThrow('not JSON');
    expect(() => redactRows('{"a":010}')).toThrow('not JSON');
    expect(() => redactRows('["\\x"]')).toThrow('not JSON');
  });

  it('changes and counts nothing the second time', () => {
    const [once] = redactRows('[{"cookie":{"a":"b","n":1},"t":"10.0.0.5","b":"{\\"email\\":\\"x\\"}"}]');
    expect(once).toBe(
      '[{"cookie":{"a":"[REDACTED:key]","n":null},"t":"[REDACTED:ip]","b":"{\\"email\\":\\"[REDACTED:email]\\"}"}]',
    );
    expect(redactRows(once)).toEqual([once, {}]);
  });
});

describe('redaction of one value', () => {
  it('goes by the members that it was read from', () => {
    expect(redact('unknown', ['metadata', 'request', 'headers', 'x_real_ip'])).toBe('[REDACTED:ip]');
    expect(redact('anon', ['metadata', 'sb', 'jwt', 'apikey', 'payload', 'role'])).toBe('[REDACTED:key]');
    expect(redact('GET', ['metadata', 'request', 'method'])).toBe('GET');
    expect(createRedactor().isPersonal(['cf', 'Latitude'])).toBe(true);
    expect(createRedactor().isPersonal(['cf', 'asn'])).toBe(false);
  });

  it('applies field rules in JSON text, also below other JSON text, and after and before other text', () => {
    expect(redact('{"user_email":"jane","n":[1,{"postalCode":7}]}')).toBe(
      '{"user_email":"[REDACTED:email]","n":[1,{"postalCode":null}]}',
    );
    expect(redact('{"body":"{\\"cookie\\":\\"a=b\\"}"}')).toBe('{"body":"{\\"cookie\\":\\"[REDACTED:key]\\"}"}');
    expect(redact('failed: {"cookie" : ["a",{"b":"c"},5],"d":"e"} (2)')).toBe(
      'failed: {"cookie" : ["[REDACTED:key]",{"b":"[REDACTED:key]"},null],"d":"e"} (2)',
    );
    expect(redact('a \\"password\\":\\"x\\\\\\"y\\",\\"n\\":1')).toBe(
      'a \\"password\\":\\"[REDACTED:key]\\",\\"n\\":1',
    );
    expect(redact('{"a":1,"authorization":"abc, cut')).toBe('{"a":1,"authorization":"[REDACTED:key]');
    expect(redact('{"a":"x"}\n{"email":"jane"}')).toBe('{"a":"x"}\n{"email":"[REDACTED:email]"}');
  });

  it('leaves nothing in JSON nested too deep to be read as JSON, within itself or as text in text', () => {
    for (const depth of [100, 900, 5_000]) {
      let text = '10.0.0.5';
      for (let i = 0; i < 4; i++) text = `${'['.repeat(depth)}${JSON.stringify(text)}${']'.repeat(depth)}`;
      expect(redact(text)).toBe(text.replace('10.0.0.5', '[REDACTED:ip]'));
    }
    expect(() => redactRows(`${'['.repeat(5_000)}"10.0.0.5"${']'.repeat(5_000)}`)).toThrow('not JSON');
  });

  it('takes the names in JSON text for text, as their writer does', () => {
    expect(redact('{"10.0.0.5":1}')).toBe('{"[REDACTED:ip]":1}');
  });

  it.each([
    ['10.0.0.5/10.0.0.6', '[REDACTED:ip]/[REDACTED:ip]'],
    ['2026-05-01T10.00.30.123Z', '2026-05-01T10.00.30.123Z'],
    ['2026-05-01T10-00-30-123Z.log', '2026-05-01T10-00-30-123Z.log'],
    ['2026-05-01 10.0.0.5 GET', '2026-05-01 [REDACTED:ip] GET'],
    ['CPU 50%10.0.0.1', 'CPU 50%[REDACTED:ip]'],
    ['2026.11.21.10.30.59', '2026.11.21.10.30.59'],
    ['300.10.0.0.5', '300.[REDACTED:ip]'],
    ['Apache=10.0.0.5.1764000000123456', 'Apache=[REDACTED:ip]'],
    ['id:2001:db8:1:2:3:4:5:6', 'id:[REDACTED:ip]'],
    ['1:2:3:4:5:6:7:8:9', '[REDACTED:ip]'],
    ['fe80::dec', '[REDACTED:ip]'],
    ['2001:db8::inet', '[REDACTED:ip]inet'],
    ['fe80::1%20via', '[REDACTED:ip]%20via'],
    ['fe80::1%10 via', '[REDACTED:ip] via'],
    ['postgres://u:p/w@host.example.com/db', 'postgres://[REDACTED:key]@host.example.com/db'],
    ["postgres://u:it's@host/db", 'postgres://[REDACTED:key]@host/db'],
    ['https://example.com:8080/a?b=jane@example.com', 'https://example.com:8080/a?b=[REDACTED:email]'],
    ['Bearer "abc123"', 'Bearer "[REDACTED:key]"'],
    ['10.0.0.5sk_live_abcdefgh1', '[REDACTED:ip][REDACTED:key]'],
    ['{"c":["x","@example.com"]', '{"c":["x","@example.com"]'],
  ])('%s → %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });
});

describe('what an installation adds', () => {
  it('finds telephone numbers, cards and bank accounts only where they are asked for', () => {
    const text = 'call +358 40 1234567, card 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00';
    expect(redact(text)).toBe(text);
    expect(redact(text, [], { detectors: ['phone', 'card', 'iban'] })).toBe(
      'call [REDACTED:phone], card [REDACTED:card], [REDACTED:iban]',
    );
  });

  it('leaves numbers of JSON text alone, so that it stays JSON', () => {
    expect(redact('{"n":4111111111111111}', [], { detectors: ['card'] })).toBe('{"n":4111111111111111}');
  });

  it('replaces what patterns of its own match, under their name, and never marks that stand there', () => {
    const patterns = [{ name: 'order', pattern: RE2JS.compile('[A-Z]{2,}-?\\d*') }];
    const once = redact('order AB-1234 from 10.0.0.5', [], { patterns });
    expect(once).toBe('order [REDACTED:order] from [REDACTED:ip]');
    expect(redact(once, [], { patterns })).toBe(once);
    expect(redact('abc', [], { patterns: [{ name: 'empty', pattern: RE2JS.compile('x*') }] })).toBe('abc');
  });

  it('refuses a pattern name that cannot stand in a mark', () => {
    for (const name of ['', 'Order', '1st', 'a b', 'a]']) {
      expect(() => createRedactor({ patterns: [{ name, pattern: RE2JS.compile('x') }] })).toThrow(RangeError);
    }
  });

  it('takes further members, by name or by path', () => {
    const config = { fields: ['tenant', 'request.cf.city'] };
    expect(redactRows('{"Tenant":"x","request":{"cf":{"city":"Turku"}},"city":"Oulu"}', config)[0]).toBe(
      '{"Tenant":"[REDACTED:field]","request":{"cf":{"city":"[REDACTED:field]"}},"city":"Oulu"}',
    );
    expect(redact('Turku', ['metadata', 'request', 'cf', 'city'], config)).toBe('[REDACTED:field]');
  });
});

describe('with a key, a text that the caller may have written', () => {
  const redactor = createRedactor({ pseudonymKey: Buffer.from('a key of this test, not a short one') });
  const origin = { paths: [], ownNames: 0, isRead: false };
  const rows = redactor.redactRows(
    '[{"given":"jane@example.com","deep":{"email":["x"],"a":"{\\"email\\":\\"y\\",\\"b\\":\\"203.0.113.7\\"}"},"stored":"jane@example.com","unknown":"203.0.113.7"}]',
    new Map([
      ['given', { ...origin, isGiven: true }],
      ['deep', { ...origin, isGiven: true }],
      ['stored', { ...origin, isGiven: false }],
    ]),
    new RedactionCounts(),
  );

  it('gets a plain mark, at any depth, and so does one of which nothing is known', () => {
    expect(JSON.parse(rows)).toEqual([
      {
        given: '[REDACTED:email]',
        deep: { email: ['[REDACTED:email]'], a: '{"email":"[REDACTED:email]","b":"[REDACTED:ip]"}' },
        stored: expect.stringMatching(/^\[email:[0-9a-f]{6}\]$/),
        unknown: '[REDACTED:ip]',
      },
    ]);
    expect(redactor.redactGiven('of jane@example.com', new RedactionCounts())).toBe('of [REDACTED:email]');
  });

  it('is counted with the pseudonyms', () => {
    const counts = new RedactionCounts();
    redactor.countMarks(rows, counts);
    expect(counts.toJson()).toEqual({ email: 4, ip: 2 });
  });
});

it('looks at the names of objects that were read from a text, at any depth, and at no other names', () => {
  const origin = { paths: [], ownNames: 0, isGiven: false };
  const origins = new Map([
    ['read', { ...origin, isRead: true }],
    ['sent', { ...origin, isRead: false }],
  ]);
  const sent = '{"203.0.113.7":{"jane@example.com":1},"user_email":{"ok":2}}';
  const rows = createRedactor().redactRows(`[{"read":${sent},"sent":${sent}}]`, origins, new RedactionCounts());
  expect(rows).toBe(
    '[{"read":{"[REDACTED:ip]":{"[REDACTED:email]":1},"user_email":{"ok":null}},"sent":{"203.0.113.7":{"jane@example.com":1},"user_email":{"ok":null}}}]',
  );
});

describe('redaction of rows whose columns have other names than what they were read from', () => {
  const rows = (text: string, path: readonly string[], fields: readonly string[] = [], ownNames = 0): string =>
    createRedactor({ fields }).redactRows(
      text,
      new Map([['x', { paths: [['id'], path], ownNames, isGiven: false, isRead: false }]]),
      new RedactionCounts(),
    );

  it('replaces whole what was read from a personal member', () => {
    expect(rows('[{"x":"jane","n":1},{"x":7},{"x":null}]', ['metadata', 'user_email'])).toBe(
      '[{"x":"[REDACTED:email]","n":1},{"x":null},{"x":null}]',
    );
    expect(rows('[{"x":[{"a":"jane","b":true}],"y":"jane"}]', ['metadata', 'user_email', 'deep'])).toBe(
      '[{"x":[{"a":"[REDACTED:email]","b":true}],"y":"jane"}]',
    );
  });

  it('compares names in nested values and in JSON text with their place in the event', () => {
    const fields = ['request.cf.city'];
    const path = ['metadata', 'request'];
    expect(rows('[{"x":{"cf":{"city":"Turku"}},"y":{"cf":{"city":"Oulu"}}}]', path, fields)).toBe(
      '[{"x":{"cf":{"city":"[REDACTED:field]"}},"y":{"cf":{"city":"Oulu"}}}]',
    );
    expect(rows('[{"x":"{\\"cf\\":{\\"city\\":\\"Turku\\"}}"}]', path, fields)).toBe(
      '[{"x":"{\\"cf\\":{\\"city\\":\\"[REDACTED:field]\\"}}"}]',
    );
  });

  it('steps over so many names as the query gave, and no more', () => {
    const text = '[{"x":{"a":{"b":{"cf":{"city":"Turku"}}}}}]';
    const shown = (names: number): string => rows(text, ['metadata', 'request'], ['request.cf.city'], names);
    expect(shown(1)).toBe(text);
    expect(shown(2)).toBe('[{"x":{"a":{"b":{"cf":{"city":"[REDACTED:field]"}}}}}]');
  });
});

describe('redaction of JSON below a path', () => {
  it('replaces what stands below a personal member, numbers and bare values included', () => {
    const json = (text: string): string => createRedactor().redactJson(text, new RedactionCounts(), ['cf', 'Latitude']);
    expect(['"a"', '7', 'true', 'null', '["a",7]'].map(json)).toEqual([
      '"[REDACTED:location]"',
      'null',
      'true',
      'null',
      '["[REDACTED:location]",null]',
    ]);
  });
});

describe('pseudonyms', () => {
  const key = new Uint8Array(32).fill(7);
  const pseudonym = (text: string, path: readonly string[] = []): string => redact(text, path, { pseudonymKey: key });

  it('are the same for one address in all its spellings and places, and differ between addresses', () => {
    const mark = pseudonym('10.0.0.5');
    expect(mark).toMatch(/^\[ip:[0-9a-f]{6}\]$/);
    for (const text of ['10.0.0.5:443', '10.0.0.5/32', '::ffff:10.0.0.5', '5.0.0.10.in-addr.arpa', '010.000.000.005']) {
      expect(pseudonym(text), text).toBe(mark);
    }
    expect(pseudonym('ip-10-0-0-5')).toBe(`ip-${mark}`);
    expect(pseudonym('10.0.0.5', ['headers', 'x_real_ip'])).toBe(mark);
    expect(pseudonym('10.0.0.6')).not.toBe(mark);
    expect(pseudonym('[2001:db8::1]:443')).toBe(pseudonym('2001:DB8:0:0:0:0:0:1%eth0'));
    expect(pseudonym('Jane@Example.com')).toBe(pseudonym('jane@example.com', ['user_email']));
    expect(redact('10.0.0.5', [], { pseudonymKey: new Uint8Array(32).fill(8) })).not.toBe(mark);
  });

  it('are left alone when redacted again', () => {
    const once = pseudonym('from 10.0.0.5 by jane@example.com');
    expect(pseudonym(once)).toBe(once);
    expect(redact(once)).toBe(once);
  });
});

describe('the description of a configuration', () => {
  it('differs where the outcome could, does not where it cannot, and holds no key', () => {
    const describe = (config: RedactorConfig): string => createRedactor(config).description;
    const key = new Uint8Array(32).fill(7);
    const different = [
      {},
      { detectors: ['phone'] },
      { detectors: ['phone', 'card'] },
      { fields: ['a'] },
      { patterns: [{ name: 'a', pattern: RE2JS.compile('x') }] },
      { patterns: [{ name: 'a', pattern: RE2JS.compile('x', RE2JS.CASE_INSENSITIVE) }] },
      { pseudonymKey: key },
      { pseudonymKey: new Uint8Array(32).fill(8) },
    ] satisfies RedactorConfig[];
    expect(new Set(different.map(describe)).size).toBe(different.length);
    expect(describe({ detectors: ['card', 'phone', 'card'], fields: ['b', 'a'] })).toBe(
      describe({ detectors: ['phone', 'card'], fields: ['a', 'b'] }),
    );
    expect(describe({ pseudonymKey: key })).not.toContain(Buffer.from(key).toString('hex'));
  });
});
