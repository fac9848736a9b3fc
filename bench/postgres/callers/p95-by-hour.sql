SELECT date_trunc('hour', timestamp) AS hour,
  percentile_disc(0.95) WITHIN GROUP (ORDER BY (body#>>'{metadata,execution_time_ms}')::int) AS p95
FROM events
WHERE stream = 'function_edge_logs' AND body->>'project' = {project} AND timestamp > {after}
GROUP BY 1 ORDER BY 1
