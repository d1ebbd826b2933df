import { type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, Page, TenantAddOn, Uuid } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import { type Clock, timeFor } from "../record/tenant-time.ts";
import type { AddOnVersion } from "../rules/terms/plan.ts";
import { findTenantAddOns, type TenantAddOns } from "./add-on.store.ts";

/** Lists a tenant's add-ons. They are added and removed by a quote and a change, as plans are. */
export const tenantAddOnRoutes = ({ db, clock }: { db: Database; clock: Clock }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/add-ons",
		access: signedIn(),
		schema: {
			summary: "List a tenant's add-ons, and those that start or end with the next period",
			tags: ["subscription"],
			params: Type.Object({ tenant_id: Uuid }),
			response: { 200: Page(TenantAddOn), "4xx": FailureBody, "5xx": FailureBody },
		},
		handler: async ({ params: { tenant_id: tenantId } }) => {
			const found = await findTenantAddOns(db, tenantId);
			if (found === undefined) throw failures.no_subscription();
			const now = await timeFor(db, tenantId, clock);
			return { items: listAt(found, now), next_cursor: null };
		},
	}),
];

/** A scheduled change takes effect at its time, whether or not a job has run. */
function listAt({ current, pending }: TenantAddOns, now: Date) {
	if (pending === null || pending.from === null) return current.map((one) => toWire(one, {}));
	const { addOns, from } = pending;
	if (now >= from) return addOns.map((one) => toWire(one, {}));
	const has = (list: readonly AddOnVersion[], { id }: AddOnVersion) => list.some((one) => one.id === id);
	return [
		...current.map((one) => toWire(one, has(addOns, one) ? {} : { endsAt: from })),
		...addOns.filter((one) => !has(current, one)).map((one) => toWire(one, { startsAt: from })),
	];
}

function toWire(
	{ code, version, priceMinor, currency, interval }: AddOnVersion,
	{ startsAt, endsAt }: { startsAt?: Date; endsAt?: Date },
): TenantAddOn {
	return {
		code,
		version,
		price_minor: Number(priceMinor),
		currency,
		interval,
		starts_at: startsAt?.toISOString() ?? null,
		ends_at: endsAt?.toISOString() ?? null,
	};
}
