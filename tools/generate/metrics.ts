import {
	type Instrument,
	type InstrumentName,
	instruments,
	prometheusNameOf,
	prometheusWord,
} from "@lango/chassis";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/metrics.md: all metrics with their names in Prometheus. */
export function describeMetrics(): string {
	const rows = Object.entries<Instrument>(instruments).map(([name, { kind, attributes, of, because }]) => [
		`\`${prometheusNameOf(name as InstrumentName)}\``,
		kind,
		attributes.map((attribute) => `\`${prometheusWord(attribute)}\``).join(", "),
		of,
		because,
	]);
	return toPage([
		notice,
		"# Metrics",
		"The metrics of `GET /metrics` of a service. `otel_scope_name` (`lango.auth`) names the service; a histogram has `_bucket`, `_count` and `_sum`. The board: `deploy/grafana/lango.json`; the alarms: `deploy/prometheus/alerts.yaml`.",
		toTable(["name", "kind", "labels", "of", "what"], rows),
	]);
}
