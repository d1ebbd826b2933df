import { randomUUID } from "node:crypto";
import type { EventEnvelope, EventType } from "@lango/contracts";

type Happened = { subject: string; data: unknown; tenant?: { id: string; slug?: string }; at?: Date };

/** An event as its service would publish it, now unless `at` is given. */
export function testEvent(
	{ type, source }: EventType,
	{ subject, data, tenant, at = new Date() }: Happened,
): EventEnvelope {
	return {
		specversion: "1.0",
		id: randomUUID(),
		source,
		type,
		time: at.toISOString(),
		subject,
		datacontenttype: "application/json",
		...(tenant !== undefined && { tenantid: tenant.id }),
		...(tenant?.slug !== undefined && { tenantslug: tenant.slug }),
		data,
	};
}
