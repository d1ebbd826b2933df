import {
	notificationsBillingRequested,
	subscriptionBillingRequested,
	subscriptionBillingWithdrawn,
	subscriptionEntitlementsChanged,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import type { Treasury } from "../treasury.ts";
import { type AskedBill, askForBill } from "./ask-for-bill.ts";
import { withdrawBill } from "./withdraw-bill.ts";

const hourMs = 3_600_000;
/** How long a bill can be paid if the asking service does not say: while a person waits, and else. */
const openMs: Readonly<Record<string, number>> = { checkout: 24 * hourMs, change: 24 * hourMs };
const openLongMs = 90 * 24 * hourMs;

type Requested = {
	time: string;
	data: Omit<AskedBill, "sourceService" | "description" | "askedAt" | "expiresAt"> & { expires_at?: string };
};

/** What is asked for at which service, as payers read it. */
const sources = {
	subscriptions: "Lango plan",
	notifications: "SMS credit",
} as const;

/**
 * Takes what other services ask tenants to pay to the platform, and what they withdraw. With
 * `TREASURY_BILLING=off` another program answers, and nothing is done.
 */
export function billingConsumers(parts: Treasury): readonly Consumer[] {
	const isOff = () => parts.settings.billing === "off";
	const ask = async (db: Database, { data, time }: Requested, sourceService: keyof typeof sources) => {
		if (isOff()) return;
		await ensureTenant(db, data.tenant_id);
		const askedAt = new Date(time);
		const openFor = openMs[data.kind] ?? openLongMs;
		const expiresAt = new Date(data.expires_at ?? askedAt.getTime() + openFor);
		const asked = { ...data, sourceService, description: sources[sourceService], askedAt, expiresAt };
		await inTenant(db, data.tenant_id, (tx) => askForBill(tx, parts, asked));
	};
	return [
		defineConsumer(subscriptionBillingRequested, (db, event) => ask(db, event, "subscriptions")),
		defineConsumer(notificationsBillingRequested, (db, event) => ask(db, event, "notifications")),
		defineConsumer(subscriptionBillingWithdrawn, async (db, { data: { tenant_id, operation_id }, time }) => {
			if (isOff()) return;
			await ensureTenant(db, tenant_id);
			const withdrawn = { tenantId: tenant_id, sourceService: "subscriptions", operationId: operation_id };
			await inTenant(db, tenant_id, (tx) => withdrawBill(tx, withdrawn, new Date(time)));
		}),
		defineConsumer(subscriptionEntitlementsChanged, (db, { data: { tenant_id: tenantId } }) =>
			enqueueJob(db, { name: "billing-methods.follow" }, { id: tenantId, tenantId }),
		),
	];
}
