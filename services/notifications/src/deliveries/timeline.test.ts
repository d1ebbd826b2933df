import { expect, test } from "vitest";
import { type DeliveryStatus, deliveryStatuses } from "../delivery.ts";
import { withSkip } from "./timeline.ts";

const finalAt = new Date("2026-03-02T08:00:00Z");
const decision = (status: DeliveryStatus) => ({
	...{ at: finalAt, kind: "decision", detail: { decision: status } },
});
const added = (status: DeliveryStatus) => withSkip([], { status, finalAt }).length > 0;

test("the timeline of a delivery that ended at acceptance says why", () => {
	expect(withSkip([], { status: "skipped_no_credit", finalAt })).toEqual([decision("skipped_no_credit")]);
	expect(deliveryStatuses.filter(added)).toEqual([
		...["suppressed", "skipped_preference", "skipped_no_credit", "skipped_no_subscription"],
		...["skipped_limit", "digested"],
	]);
});

test("what ended when it was sent has its decision once", () => {
	const recorded = [decision("suppressed")];
	expect(withSkip(recorded, { status: "suppressed", finalAt })).toEqual(recorded);
});
