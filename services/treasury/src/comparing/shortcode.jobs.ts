import { defineJob, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { askForBalance } from "./ask-balances.ts";
import { compareFloat } from "./compare-float.ts";

/** Asks for the balances of a tenant's shortcode. The id is the tenant's. */
export const askBalances = defineJob<Treasury>({
	name: "balances.ask",
	retries: 6,
	retryDelaySeconds: 60,
	retryDelayMaxSeconds: 3_600,
	work: (domain, job) => askForBalance(domain, tenantIdOf(job)),
});

/** Compares an answer about the balances of the platform's shortcode. The id is that of the question. */
export const compareFloats = defineJob<Treasury>({
	name: "balances.compare",
	work: (domain, job) => compareFloat(domain, { tenantId: tenantIdOf(job), queryId: job.id }),
});
