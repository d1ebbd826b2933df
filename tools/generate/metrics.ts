import {
	type Instrument,
	type InstrumentName,
	instruments,
	prometheusNameOf,
	prometheusWord,
} from "@lango/chassis";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/metrics.md: all that is measured, as Prometheus sees it. */
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
		"What `GET /metrics` of a service gives. `otel_scope_name` (`lango.auth`) says of which; of a histogram there are `_bucket`, `_count` and `_sum`. The board: `deploy/grafana/lango.json`; the alarms: `deploy/prometheus/alerts.yaml`.",
		toTable(["name", "kind", "labels", "of", "what"], rows),
	]);
}
