import { describe, expect, it } from 'vitest';
import { addressLabel, parsePostgresAddress } from './postgresAddress.ts';

const noTls = { mode: 'disable', rootCertificate: null, certificate: null, key: null };

describe('the address of a store', () => {
  it.each([
    [
      'postgres://ann:s%40crt@db.example:6432/logs?schema=mill',
      {
        host: 'db.example',
        port: 6432,
        database: 'logs',
        user: 'ann',
        password: 's@crt',
        schema: 'mill',
        tls: noTls,
      },
    ],
    [
      'postgresql://ann@[::1]',
      {
        host: '::1',
        port: 5432,
        database: 'ann',
        user: 'ann',
        password: null,
        schema: 'logmill',
        tls: noTls,
      },
    ],
    [
      'postgres://ann@/logs?host=/run/postgresql',
      {
        host: '/run/postgresql',
        port: 5432,
        database: 'logs',
        user: 'ann',
        password: null,
        schema: 'logmill',
        tls: noTls,
      },
    ],
    [
      'postgres://ann@db/logs?sslmode=require',
      {
        host: 'db',
        port: 5432,
        database: 'logs',
        user: 'ann',
        password: null,
        schema: 'logmill',
        tls: { ...noTls, mode: 'require' },
      },
    ],
    [
      'postgres://ann@db/logs?sslrootcert=/ca.pem',
      {
        host: 'db',
        port: 5432,
        database: 'logs',
        user: 'ann',
        password: null,
        schema: 'logmill',
        tls: { ...noTls, mode: 'verify-full', rootCertificate: '/ca.pem' },
      },
    ],
  ])('is read from %s', (text, address) => {
    expect(parsePostgresAddress(text)).toEqual(address);
  });

  it.each([
    ['mysql://ann@db/logs', 'is a URL such as'],
    ['sqlite', 'is a URL such as'],
    ['postgres://db/logs', 'names no user'],
    ['postgres://ann:secret@db/logs?sslmod=require', '"sslmod". Did you mean sslmode?'],
    ['postgres://ann:secret@db/logs?sslmode=prefer', 'another sslmode than disable, require'],
    ['postgres://ann:secret@db/logs?sslmode=require&sslmode=disable', 'the parameter sslmode twice'],
    ['postgres://ann:secret@db/logs?sslmode=verify-ca', 'without sslrootcert'],
    ['postgres://ann:secret@db/logs?sslcert=a.pem', 'give both'],
    ['postgres://ann:secret@db/logs?sslmode=disable&sslrootcert=a.pem', 'but sslmode=disable'],
    ['postgres://ann:secret@db/logs?schema=Mill', 'a schema that is not lower-case'],
    ['postgres://ann:secret@db/logs?schema=pg_temp', 'begins with pg_'],
    ['postgres://ann:sec%ret@db/logs', 'password that is not percent-encoded'],
  ])('is refused in %s, without its password', (text, problem) => {
    const read = () => parsePostgresAddress(text);
    expect(read).toThrow(problem);
    expect(read).not.toThrow(/sec%?ret/);
  });

  it('is shown without user and password', () => {
    const address = parsePostgresAddress('postgres://ann:secret@db/logs');
    expect(addressLabel(address)).toBe('the database logs (schema logmill) at db:5432');
  });
});
