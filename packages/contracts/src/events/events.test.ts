import { expect, test } from "vitest";
import { accessChanged, roleChanged } from "./access.ts";
import { EventEnvelope } from "./event.ts";
import { eventTypes } from "./event-types.ts";

test("the shape of each event equals the reviewed one: members may be added, a changed member needs a new type", async () => {
	const shapes = [accessChanged("<service>"), roleChanged("<service>"), ...eventTypes].map(
		({ type, subject, data }) => [type, { subject, data }] as const,
	);
	const printed = JSON.stringify({ envelope: EventEnvelope, ...Object.fromEntries(shapes) }, null, "\t");
	await expect(`${printed}\n`).toMatchFileSnapshot("event-shapes.json");
});
