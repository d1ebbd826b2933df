import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../dependencies.ts";
import { materialise } from "./materialise.ts";

const tenantsAtOnce = 100;

/** Every ten seconds: what has fallen due of all tenants happens and is told of. What is read never waits for it. */
export const settleWhatIsDue = defineSchedule<Dependencies>({
	name: "subscriptions.settle-due",
	everySeconds: 10,
	timeoutSeconds: 60,
	work: async (dependencies) => {
		const { clock, onTrouble } = dependencies;
		const onError = (error: unknown, tenantId: string) => onTrouble(error, `what fell due of ${tenantId}`);
		await materialise(dependencies, { now: clock.now(), limit: tenantsAtOnce, onError });
	},
});
