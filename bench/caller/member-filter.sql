-- caller
select t.timestamp, request.path, cf.city
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as request
cross join unnest(request.cf) as cf
where cf.asn = 64500
order by t.timestamp desc
limit 100
-- by hand
SELECT timestamp, request_path AS path, json_extract_string(metadata, '$.request.cf.city') AS city
FROM {edge_logs: timestamp, has_request_cf, request_path, metadata}
WHERE has_request_cf AND json_extract_string(metadata, '$.request.cf.asn') = '64500'
ORDER BY timestamp DESC LIMIT 100
-- by hand, cutoff first
SELECT min(timestamp) FROM (
  SELECT timestamp FROM {edge_logs: timestamp, has_request_cf, metadata}
  WHERE has_request_cf AND json_extract_string(metadata, '$.request.cf.asn') = '64500'
  ORDER BY timestamp DESC LIMIT 100
);
SELECT timestamp, request_path AS path, json_extract_string(metadata, '$.request.cf.city') AS city
FROM {edge_logs: timestamp, has_request_cf, request_path, metadata}
WHERE has_request_cf AND json_extract_string(metadata, '$.request.cf.asn') = '64500'
ORDER BY timestamp DESC LIMIT 100
