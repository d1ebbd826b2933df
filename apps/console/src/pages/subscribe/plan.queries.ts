import { listItems } from "@lango/client";
import type { Plan } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../session/platform.ts";

const plansMax = 100;

/** The plans on offer, the same for everybody (§4.2). */
export function plansQuery({ client, settings }: Platform) {
	return queryOptions({
		queryKey: ["plans"],
		queryFn: async ({ signal }) => {
			const address = `${settings.subscriptionsUrl}/api/v1/plans`;
			const plans: Plan[] = [];
			for await (const plan of listItems<Plan>(client, address, {
				isPublic: true,
				itemsMax: plansMax,
				signal,
			}))
				plans.push(plan);
			return plans;
		},
		staleTime: 60_000,
	});
}
