import type { ServiceDefinition } from "@lango/chassis";
import { accessChanged, eventTypes, roleChanged, tenantRepointedOf } from "@lango/contracts";
import { streamOf } from "@lango/events";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/events.md: every event there is, where it comes from, and what it tells. */
export function describeEvents(services: readonly ServiceDefinition[]): string {
	const ofDomain = services
		.filter(({ access }) => access !== undefined)
		.flatMap(({ name }) => [accessChanged(name), roleChanged(name), tenantRepointedOf(name)]);
	const rows = [...eventTypes, ...ofDomain].map(({ type, source, subject, because, data }) => {
		const { properties = {} } = data as { properties?: Record<string, unknown> };
		return [
			`\`${type}\``,
			source,
			streamOf(type),
			subject,
			because,
			Object.keys(properties)
				.map((name) => `\`${name}\``)
				.join(" "),
		];
	});
	return toPage([
		notice,
		"# Events",
		"CloudEvents 1.0 in JSON; `subject` is the id of what the event is about. On the bus an event is published under its type; the stream keeps it for seven days. What carries a `version` tells of a state: a version older than one that was applied is ignored.",
		toTable(["type", "source", "stream", "subject", "when", "data"], rows),
	]);
}
