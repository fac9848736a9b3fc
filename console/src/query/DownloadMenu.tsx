import { useRef, useState } from 'react';
import type { RowsAnswer, RowsOfCall } from '../api/rowsProtocol.ts';
import { useSignedIn } from '../shell/session.ts';
import { repeatableCall, saveInFormat, saveJson } from './download.ts';

const titles: Readonly<Record<string, string>> = {
  ndjson: 'NDJSON, a row per line',
  csv: 'CSV',
  tsv: 'TSV',
  markdown: 'Markdown',
  prometheus: 'Prometheus metrics',
  arrow: 'Arrow stream',
  parquet: 'Parquet',
};

interface DownloadMenuProps {
  readonly answer: RowsAnswer | RowsOfCall;
  /** Of the file, without an ending. */
  readonly name: string;
}

/** The rows as a file: those that are shown as JSON, or in each other format that the service writes. */
export function DownloadMenu({ answer, name }: DownloadMenuProps) {
  const { described } = useSignedIn();
  const menu = useRef<HTMLDetailsElement>(null);
  const [problem, setProblem] = useState('');
  const call = repeatableCall(answer);
  const save = async (write: () => void | Promise<void>) => {
    menu.current?.removeAttribute('open');
    setProblem('');
    try {
      await write();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file was not made.');
    }
  };
  return (
    <>
      {problem !== '' && (
        <span role="alert" className="problem-text">
          {problem}
        </span>
      )}
      <details ref={menu} className="menu to-right">
        <summary>Download</summary>
        <ul className="menu-body">
          <li>
            <button type="button" onClick={() => void save(() => saveJson(answer, name))}>
              JSON, the rows shown
            </button>
          </li>
          {call !== null &&
            described.formats
              .filter((format) => format !== 'json')
              .map((format) => (
                <li key={format}>
                  <button type="button" onClick={() => void save(() => saveInFormat(call, name, format))}>
                    {titles[format] ?? format}
                  </button>
                </li>
              ))}
          {call !== null && <li className="muted small">Other formats run the query again.</li>}
        </ul>
      </details>
    </>
  );
}
