import { defineSchedule } from "@lango/jobs";
import { type Renewing, renewSeals } from "./renew-seals.ts";

/** Every ten minutes: encrypts stored values under the newest key, until none is under an older one. */
export const renewSealsOften = defineSchedule<Renewing>({
	name: "keys.renew",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: (domain, { signal }) => renewSeals(domain, signal),
});
