// Loaded by the first request. The bundle gives a dynamic import of a CommonJS package no names, but this module has them.
export { ClickHouseLogLevel, createClient } from '@clickhouse/client';
