import { defineSchedule } from "@lango/jobs";
import type { ChangeParts } from "../record/change-subscription.ts";
import { announceBundleChanges } from "./announce-bundles.ts";

/** Every minute: announces changed bundles to the tenants on them. */
export const announceBundles = defineSchedule<ChangeParts>({
	name: "bundles.tell",
	everySeconds: 60,
	timeoutSeconds: 300,
	work: (dependencies, { signal }) => announceBundleChanges(dependencies, { signal }),
});
