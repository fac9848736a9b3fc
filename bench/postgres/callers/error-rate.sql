SELECT hour, errors, events, errors::float8 / events AS rate FROM (
  SELECT date_trunc('hour', timestamp) AS hour,
    count(*) FILTER (WHERE (body#>>'{metadata,response,status_code}')::int >= 500) AS errors, count(*) AS events
  FROM events
  WHERE stream = 'edge_logs' AND body->>'project' = {project} AND timestamp > {after}
  GROUP BY 1
) AS counts
ORDER BY hour
