import { SubscriptionBilling } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import Schema from "typebox/schema";
import type { Treasury } from "../../treasury.ts";
import { billingFailures } from "./failures.ts";

const timeoutMs = 5_000;
const shape = Schema.Compile(SubscriptionBilling);

type Asking = { settings: Pick<Treasury["settings"], "subscriptionsUrl" | "snapshotReadKey"> };

/**
 * Asks the subscription service what a tenant pays, and until when it has paid. Throws
 * `subscription_unavailable`. Call it outside of a transaction.
 */
export async function askForBilling({ settings }: Asking, tenantId: string): Promise<SubscriptionBilling> {
	try {
		const url = `${settings.subscriptionsUrl}/api/v1/tenants/${tenantId}/subscription/billing`;
		const answer = await tracedFetch(url, {
			headers: { accept: "application/json", "x-api-key": settings.snapshotReadKey.reveal() },
			signal: AbortSignal.timeout(timeoutMs),
			redirect: "error",
		});
		const body: unknown = await answer.json();
		if (answer.status !== 200 || !shape.Check(body)) throw new Error(`it answered ${answer.status}`);
		return body;
	} catch (cause) {
		throw billingFailures.subscription_unavailable({ cause });
	}
}
