import { ServiceError } from '../../../core/errors.ts';
import { dataName } from '../../../exports/exportData.ts';
import { noticesOf } from '../../../exports/exportRecord.ts';
import type { ExportedData } from '../../../exports/exports.ts';
import { resultFormat } from '../../../formats/resultFormat.ts';
import { exportFileName } from '../../../invoke/formattedBody.ts';
import { guardedNotice } from '../../../invoke/guardedNotice.ts';
import { noticesHeader } from '../../../invoke/noticesHeader.ts';
import { requestedRange } from '../../byteRange.ts';
import { hasCurrent } from '../../preconditions.ts';
import { oneValue, type RouteAnswer, type RouteCall } from '../../route.ts';

/** The data of an export: all of it, or the part that the headers of a request for it ask for. */
export function exportAnswer(
  { format, record, bytes, entityTag, open }: ExportedData,
  { headers: given, received, authenticateAgain }: Pick<RouteCall, 'headers' | 'received' | 'authenticateAgain'>,
  isRequested = true,
): RouteAnswer {
  const headers = isRequested ? given : {};
  const isHead = received.method === 'HEAD';
  const { mediaType, extension } = resultFormat(format.name);
  const { result, endpoint, rows, guardedCells } = record;
  const notices = [
    ...(result === null ? [] : noticesOf(result)),
    ...guardedNotice(guardedCells?.[dataName(format)] ?? 0),
  ];
  const common = {
    'cache-control': 'private, no-store, no-transform',
    'accept-ranges': 'bytes',
    etag: entityTag,
  };
  if (hasCurrent(headers, entityTag)) {
    return { status: 304, headers: common, body: undefined };
  }
  const range = isHead ? 'whole' : requestedRange(headers.range, oneValue(headers['if-range']), entityTag, bytes);
  if (range === 'unsatisfiable') {
    throw new ServiceError('request.range_unsatisfiable', `The data has ${bytes} bytes, none of which are in Range.`, {
      lengthBytes: bytes,
      errors: [{ value: (headers.range ?? '').slice(0, 64), expected: `bytes=0-${bytes - 1} or a part of it` }],
    });
  }
  const { from, to } = range === 'whole' ? { from: 0, to: bytes - 1 } : range;
  const name = `${exportFileName(endpoint.name, result?.asOfMicros ?? record.createdMicros)}.${extension ?? format.name}`;
  return {
    status: range === 'whole' ? 200 : 206,
    headers: {
      ...common,
      'content-type': mediaType,
      'content-length': String(to - from + 1),
      'content-disposition': `attachment; filename="${name}"`,
      'x-row-count': String(rows),
      'x-truncated': result?.truncatedBy ?? 'false',
      ...(notices.length === 0 ? {} : { 'x-notices': noticesHeader(notices) }),
      ...(range === 'whole' ? {} : { 'content-range': `bytes ${from}-${to}/${bytes}` }),
    },
    body: isHead ? undefined : open(from, to, authenticateAgain),
  };
}
