import { defineSchedule } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { renewSeals } from "./renew-seals.ts";

/** Every ten minutes: encrypts stored values under the newest key, until none is under an older one. */
export const renewSealsOften = defineSchedule<Notifications>({
	name: "keys.renew",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: (domain, { signal }) => renewSeals(domain, signal),
});
