import { defineSchedule } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { expireAtRest, rearmIdleLanes, recoverDeliveries } from "./recover.ts";

/** Recovers deliveries whose process stopped, and looks up unknown outcomes. */
export const recoverDeliveriesOften = defineSchedule<Notifications>({
	name: "deliveries.recover",
	everySeconds: 10,
	work: (domain, { signal }) => recoverDeliveries(domain, signal),
});

/** Sets lanes due that are idle although they have due deliveries. */
export const rearmLanesOften = defineSchedule<Notifications>({
	name: "lanes.rearm",
	everySeconds: 60,
	work: (domain, { signal }) => rearmIdleLanes(domain, signal),
});

/** Ends deliveries that expired while their lane rests. */
export const expireAtRestOften = defineSchedule<Notifications>({
	name: "lanes.expire",
	everySeconds: 60,
	work: (domain, { signal }) => expireAtRest(domain, signal),
});
