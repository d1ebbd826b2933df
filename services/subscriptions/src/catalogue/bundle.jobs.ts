import { defineSchedule } from "@lango/jobs";
import type { Changing } from "../record/change-subscription.ts";
import { tellOfBundles } from "./tell-of-bundles.ts";

/** Every minute: those who have a bundle are told of what it holds since it changed. */
export const tellBundles = defineSchedule<Changing>({
	name: "bundles.tell",
	everySeconds: 60,
	timeoutSeconds: 300,
	work: (dependencies, { signal }) => tellOfBundles(dependencies, { signal }),
});
