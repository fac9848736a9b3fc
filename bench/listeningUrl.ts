import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The address that a process prints when it is ready. Rejects if it ends before; `what` names it then. */
export function listeningUrl(child: ChildProcessByStdio<null, Readable, null>, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /listening on (http:\/\/\S+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${what} ended with ${code} before it was ready`)));
  });
}
