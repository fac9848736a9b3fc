#!/bin/sh
# Creates the database and the two users of Logmill when ClickHouse starts for the first time (docs/guides/several-machines.md).
set -eu
clickhouse-client --user admin --password "$(cat /run/secrets/clickhouse_admin)" --multiquery <<SQL
CREATE DATABASE logmill;
CREATE USER logmill IDENTIFIED BY '$(cat /run/secrets/clickhouse)';
GRANT CREATE DATABASE, CREATE TABLE, ALTER TABLE, CREATE VIEW, DROP VIEW, SELECT, INSERT ON logmill.* TO logmill;
GRANT SELECT ON system.parts TO logmill;
GRANT SELECT ON system.columns TO logmill;
GRANT SELECT ON system.tables TO logmill;
GRANT SELECT ON system.clusters TO logmill;
CREATE USER logmill_reader IDENTIFIED BY '$(cat /run/secrets/clickhouse_reader)';
GRANT SELECT ON logmill.* TO logmill_reader;
SQL
