import { defineSchedule } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { weighProviders } from "./weigh-providers.ts";

/** Every minute: moves the weights of providers by their errors and delays. */
export const weighProvidersOften = defineSchedule<{ db: Database }>({
	name: "providers.weigh",
	everySeconds: 60,
	timeoutSeconds: 60,
	work: ({ db }, { now }) => weighProviders(db, now()),
});
