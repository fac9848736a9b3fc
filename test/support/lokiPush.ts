import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A stream as the JSON form of a push has it. */
export interface LokiStream {
  readonly stream: Readonly<Record<string, string>>;
  readonly values: readonly (
    | readonly [nanos: string, line: string]
    | readonly [nanos: string, line: string, metadata: Readonly<Record<string, string>>]
  )[];
}

/** A PushRequest in protobuf, before compression. */
export function pushRequestOf(streams: readonly LokiStream[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const { stream, values } of streams) {
    const labels = Object.entries(stream).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(`{${labels.join(', ')}}`);
    for (const [nanos, line, metadata = {}] of values) {
      writer.tag(2, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).fork();
      const seconds = BigInt(nanos) / 1_000_000_000n;
      if (seconds !== 0n) writer.tag(1, WireType.Varint).int64(seconds);
      writer.tag(2, WireType.Varint).int32(Number(BigInt(nanos) % 1_000_000_000n));
      writer.join();
      writer.tag(2, WireType.LengthDelimited).string(line);
      for (const [name, value] of Object.entries(metadata)) {
        writer.tag(3, WireType.LengthDelimited).fork();
        writer.tag(1, WireType.LengthDelimited).string(name);
        writer.tag(2, WireType.LengthDelimited).string(value);
        writer.join();
      }
      writer.join();
    }
    writer.join();
  }
  return writer.finish();
}

/** A block of Snappy that stores the bytes as literals, without compression. */
export function snappyLiterals(bytes: Uint8Array): Buffer {
  const head: number[] = [];
  for (let rest = bytes.length; ; rest = Math.floor(rest / 128)) {
    head.push(rest > 127 ? (rest % 128) + 128 : rest);
    if (rest <= 127) break;
  }
  const parts = [Buffer.from(head)];
  for (let at = 0; at < bytes.length; at += 60) {
    const piece = bytes.subarray(at, at + 60);
    parts.push(Buffer.from([(piece.length - 1) << 2]), Buffer.from(piece));
  }
  return Buffer.concat(parts);
}
