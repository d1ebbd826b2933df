import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../dependencies.ts";
import { billAll } from "./bill-overage.ts";

const tenantsAtOnce = 100;

/** Every minute: the overage of periods that are over is billed, and bills that are not paid are asked for again. */
export const billWhatIsDue = defineSchedule<Dependencies>({
	name: "overage.bill",
	everySeconds: 60,
	timeoutSeconds: 60,
	work: async (dependencies) => {
		const { clock, onTrouble } = dependencies;
		const onError = (error: unknown, tenantId: string) => onTrouble(error, `the overage of ${tenantId}`);
		await billAll(dependencies, { now: clock.now(), limit: tenantsAtOnce, onError });
	},
});
