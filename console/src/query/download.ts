import { callForFile } from '../api/callApi.ts';
import { isObject, printJson } from '../api/losslessJson.ts';
import type { RowsAnswer, RowsOfCall } from '../api/rowsProtocol.ts';

const extensions: Readonly<Record<string, string>> = { markdown: 'md', prometheus: 'prom', arrow: 'arrows' };

/** The call of an answer, if the service can repeat it in other formats. */
export function repeatableCall(answer: RowsAnswer | RowsOfCall): RowsOfCall | null {
  return 'path' in answer && /^\/?api\/endpoints\/query\//.test(answer.path) ? answer : null;
}

/** Saves the rows that are shown as JSON. */
export function saveJson({ rows }: Pick<RowsAnswer, 'rows'>, name: string): void {
  saveAs(`${name}.json`, new Blob([printJson(rows)], { type: 'application/json' }));
}

/** Runs the call of an answer again, and saves its rows in a format of the service. Throws an ApiError. */
export async function saveInFormat({ path, body }: RowsOfCall, name: string, format: string): Promise<void> {
  const asked = { ...(isObject(body) ? body : {}), format };
  const file = await callForFile(path, { method: 'POST', body: asked });
  saveAs(`${name}.${extensions[format] ?? format}`, file);
}

function saveAs(name: string, file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
