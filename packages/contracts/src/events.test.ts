import { expect, test } from "vitest";
import { accessChanged, EventEnvelope, eventTypes, roleChanged } from "./events.ts";

test("the shape of each event is as it was reviewed: a member may be added, one that is there changes with a new type alone", async () => {
	const shapes = [accessChanged("<service>"), roleChanged("<service>"), ...eventTypes].map(
		({ type, subject, data }) => [type, { subject, data }] as const,
	);
	const printed = JSON.stringify({ envelope: EventEnvelope, ...Object.fromEntries(shapes) }, null, "\t");
	await expect(`${printed}\n`).toMatchFileSnapshot("event-shapes.json");
});
