import { describeCases } from './describeCases.contract.ts';
import { bytes, nul } from './functionCases.contract.ts';

const blob = (hex: string): string =>
  hex.replace(/../g, (two) => {
    const code = Number.parseInt(two, 16);
    const isPlain = code >= 32 && code < 127 && !'\'"\\'.includes(String.fromCharCode(code));
    return isPlain ? String.fromCharCode(code) : `\\x${two.toUpperCase()}`;
  });

describeCases('digests', [
  ['md5', ['abc'], blob('900150983cd24fb0d6963f7d28e17f72')],
  ['md5', [bytes('616263')], blob('900150983cd24fb0d6963f7d28e17f72')],
  ['md5', [nul('STRING')], null],
  ['sha1', ['abc'], blob('a9993e364706816aba3e25717850c26c9cd0d89d')],
  ['sha1', [nul('BYTES')], null],
  ['sha256', ['abc'], blob('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')],
  ['sha256', [bytes('')], blob('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')],
  [
    'sha512',
    ['abc'],
    blob(
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    ),
  ],
  ['sha512', [nul('BYTES')], null],
  ['farm_fingerprint', ['abc'], '2640714258260161385'],
  ['farm_fingerprint', [bytes('616263')], '2640714258260161385'],
  ['farm_fingerprint', [nul('STRING')], null],
]);
