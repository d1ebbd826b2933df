import type { ServiceDefinition } from "@lango/chassis";
import { accessChanged, eventTypes, roleChanged, tenantRepointedOf } from "@lango/contracts";
import { streamOf } from "@lango/events";
import { tenancyMigrations } from "@lango/tenancy";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/events.md: every event with its source, data and consumers. */
export function describeEvents(services: readonly ServiceDefinition[]): string {
	const ofDomain = services
		.filter(({ migrations }) => migrations.includes(tenancyMigrations))
		.flatMap(({ name }) => [accessChanged(name), roleChanged(name), tenantRepointedOf(name)]);
	const takers = takersOf(services);
	const rows = [...eventTypes, ...ofDomain].map(
		({ type, source, subject, because, data, sensitive = [] }) => {
			const { properties = {} } = data as { properties?: Record<string, unknown> };
			return [
				`\`${type}\``,
				source,
				streamOf(type),
				subject,
				because,
				Object.keys(properties)
					.map((name) => (sensitive.includes(name) ? `\`${name}\`\\*` : `\`${name}\``))
					.join(" "),
				(takers.get(type) ?? []).join(", "),
			];
		},
	);
	return toPage([
		notice,
		"# Events",
		"CloudEvents 1.0 in JSON; `subject` is the id of what the event is about. On the bus an event is published under its type; the stream keeps it for seven days (`ISP`: one day), or until `NATS_STREAM_BYTES_MAX` is full. A member marked with \\* is a secret: encrypted wherever a service stores the event, and empty in listings. An event with a `version` describes a state: a version older than the applied one is ignored. *Taken by* names the services that consume it: it has its effect in their databases. Besides, every process but those of the sign-on service observes `auth.session.revoked` to reject the tokens of ended sessions; those of domain services observe `subscription.entitlements_changed` to invalidate their caches of tenants, those of the subscription service `auth.user.updated` for roles that were taken. On a developer's machine the sandbox of the subscription service takes `subscription.billing.requested` in the treasury's place.",
		toTable(["type", "source", "stream", "subject", "when", "data", "taken by"], rows),
	]);
}

/** The services that consume each type. */
function takersOf(services: readonly ServiceDefinition[]): ReadonlyMap<string, string[]> {
	const takers = new Map<string, string[]>();
	for (const { name, consumes } of services)
		for (const type of new Set(consumes?.({} as never).map(({ eventType }) => eventType.type)))
			takers.set(type, [...(takers.get(type) ?? []), name]);
	return takers;
}
