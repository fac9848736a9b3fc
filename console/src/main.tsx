import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/callApi.ts';
import { RowsCalls } from './api/rows.ts';
import { App } from './shell/App.tsx';
import { CallsContext } from './shell/calls.ts';
import { endSession } from './shell/session.ts';

/** A call that failed for a reason that may pass is made once more. */
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session is over: the sign-in takes the place of the page.
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) endSession(queries);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retryDelay: 300,
      retry: (count, error) => count < 1 && error instanceof ApiError && [0, 502, 503].includes(error.status),
    },
  },
});

const place = document.getElementById('console');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <CallsContext value={new RowsCalls()}>
          <App />
        </CallsContext>
      </QueryClientProvider>
    </StrictMode>,
  );
}
