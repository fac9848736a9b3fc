import { useEffect, useState } from 'react';
import { ApiError, callApi } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { type Place, placeOf } from '../parts/ErrorBox.tsx';

const checkDelayMs = 400;

/** The first error of the text, as the service's own resolver finds it. Only for tokens that may have queries described. */
export function useCheck(
  endpoint: DescribedEndpoint,
  language: 'sql' | 'lql',
  draft: string,
  values: Readonly<Record<string, string>>,
  isAllowed: boolean,
): Place | undefined {
  const [wrong, setWrong] = useState<{ readonly of: string; readonly place: Place | undefined }>();
  useEffect(() => {
    if (!isAllowed || draft.trim() === '') return;
    const controller = new AbortController();
    const check = async () => {
      try {
        const body = { ...values, [language]: draft, dry_run: 'true' };
        await callApi(endpoint.path, { method: 'POST', body, signal: controller.signal });
        setWrong({ of: draft, place: undefined });
      } catch (error) {
        if (error instanceof ApiError) setWrong({ of: draft, place: placeOf(error.problem) });
      }
    };
    const timer = setTimeout(() => void check(), checkDelayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [endpoint, language, draft, values, isAllowed]);
  return wrong?.of === draft ? wrong.place : undefined;
}
