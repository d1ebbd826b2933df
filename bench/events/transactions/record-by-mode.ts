import { randomUUID } from "node:crypto";
import { recordEvent as originalRecordEvent } from "../../../packages/events/src/outbox/record-event.ts";
import { recordRow } from "./transactions.store.ts";

/** What is written in the place of an event: nothing, a plain row of the same size, or the event. */
export const modes = ["nothing", "row", "event"] as const;
export type Mode = (typeof modes)[number];

let mode: Mode = "event";

/** Sets the mode. */
export function setMode(next: Mode): void {
	mode = next;
}

/** Replaces `recordEvent` of `@lango/events`; writes according to the mode. */
export const recordEvent: typeof originalRecordEvent = async (db, eventType, event) => {
	if (mode === "event") return originalRecordEvent(db, eventType, event);
	if (mode === "nothing") return "";
	const { type, source } = eventType;
	const { subject, tenantId, tenantSlug, correlationId, now: time, data } = event;
	const id = randomUUID();
	const body = JSON.stringify({
		specversion: "1.0",
		id,
		source,
		type,
		time,
		subject,
		datacontenttype: "application/json",
		tenantid: tenantId,
		tenantslug: tenantSlug,
		correlationid: correlationId,
		data,
	});
	await recordRow(db, { type, subject, body });
	return id;
};
