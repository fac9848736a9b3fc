import { describeCases } from './describeCases.contract.ts';
import { bytes, nul } from './functionCases.contract.ts';

const zeros = (count: number): string => '\\x00'.repeat(count);

describeCases('addresses of bytes', [
  ['net.ip_to_string', [bytes('7f000001')], '127.0.0.1'],
  ['net.ip_to_string', [bytes('20010db8000000000001000000000001')], '2001:db8::1:0:0:1'],
  ['net.ip_to_string', [bytes('00000000000000000000000000000000')], '::'],
  ['net.ip_to_string', [bytes('00000000000000000000ffff01020304')], '::ffff:1.2.3.4'],
  ['net.ip_to_string', [bytes('00010000000000020000000000000003')], '1:0:0:2::3'],
  ['net.ip_to_string', [bytes('010203')], /4 bytes \(IPv4\) or 16/],
  ['net.ip_to_string', [nul('BYTES')], null],
  ['net.ip_trunc', [bytes('c0a8034d'), 22n], '\\xC0\\xA8\\x00\\x00'],
  ['net.ip_trunc', [bytes('ffffffff'), 31n], '\\xFF\\xFF\\xFF\\xFE'],
  ['net.ip_trunc', [bytes('ffffffff'), 32n], '\\xFF\\xFF\\xFF\\xFF'],
  ['net.ip_trunc', [bytes('ffffffff'), 0n], '\\x00\\x00\\x00\\x00'],
  ['net.ip_trunc', [bytes('ffffffff'), 33n], /prefix of NET.IP_TRUNC/],
  ['net.ip_trunc', [bytes('ffffffff'), -1n], /prefix of NET.IP_TRUNC/],
  ['net.ip_trunc', [bytes(''), 0n], /4 bytes \(IPv4\) or 16/],
  ['net.ip_trunc', [bytes('ff'), nul('INT64')], null],
]);

describeCases('net', [
  ['net.host', ['https://user:pw@a.example.com:80/path?q=1'], 'a.example.com'],
  ['net.host', ['//user:password@a.b:80/path?query'], 'a.b'],
  ['net.host', ['https://[::1]:80'], '[::1]'],
  ['net.host', ['  www.Example.Co.UK    '], 'www.Example.Co.UK'],
  ['net.host', ['mailto:?to=&subject=&body='], 'mailto'],
  ['net.host', ['https://x.example/a@b'], 'x.example'],
  ['net.host', [''], null],
  ['net.host', [nul('STRING')], null],
  ['net.ip_from_string', ['48.49.50.51'], '0123'],
  ['net.ip_from_string', ['::1'], `${zeros(15)}\\x01`],
  ['net.ip_from_string', ['2001:DB8::'], ` \\x01\\x0D\\xB8${zeros(12)}`],
  ['net.ip_from_string', ['::ffff:48.49.50.51'], `${zeros(10)}\\xFF\\xFF0123`],
  ['net.ip_from_string', ['1:2:3:4:5:6:7:8'], [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `\\x00\\x0${n}`).join('')],
  ['net.ip_from_string', ['1.2.3'], /not an IP address/],
  ['net.ip_from_string', ['256.2.3.4'], /not an IP address/],
  ['net.ip_from_string', ['1:2'], /not an IP address/],
  ['net.ip_from_string', [nul('STRING')], null],
  ['net.safe_ip_from_string', ['nowhere'], null],
  ['net.safe_ip_from_string', [':::'], null],
  ['net.safe_ip_from_string', ['48.49.50.51'], '0123'],
]);
