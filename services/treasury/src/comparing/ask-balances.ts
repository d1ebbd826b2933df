import { Failure } from "@lango/chassis";
import { enqueueJobs } from "@lango/jobs";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { listShortcodeOwners } from "../gateways/shortcodes/tenant-gateway.store.ts";
import { askGateway } from "../queries/ask-gateway.ts";
import type { Treasury } from "../treasury.ts";

/** The job that asks for the balances of a tenant's shortcode, by its name. */
const askJob = { name: "balances.ask" } as const;

const atOnce = 500;

/** Has the balances of all shortcodes asked for, those of tenants and the platform's. Returns how many. */
export async function askForBalances({ db }: Pick<Treasury, "db">): Promise<number> {
	let asked = 0;
	for (let after: string | undefined; ; ) {
		const owners = await listShortcodeOwners(db, { after, limit: atOnce });
		await db.transaction((tx) =>
			enqueueJobs(
				tx,
				askJob,
				owners.map((id) => ({ id, tenantId: id })),
			),
		);
		asked += owners.length;
		if (owners.length < atOnce) return asked;
		after = owners.at(-1);
	}
}

/**
 * Asks the gateway for the balances of a tenant's shortcode; the answer comes by a callback. What the gateway
 * refuses is not asked again on this day. Throws `gateway_unavailable`.
 */
export async function askForBalance(domain: Treasury, tenantId: string): Promise<void> {
	const createdBy = { kind: "service", id: "treasury" };
	const question = { tenantId, shortcodeOf: tenantId, about: { kind: "balance" } as const, createdBy };
	await askGateway(domain, question).catch((error: unknown) => {
		if (!(error instanceof Failure) || error.code === gatewayFailures.gateway_unavailable().code) throw error;
		domain.log.warn({ tenantId, code: error.code }, "the balances of a shortcode were not asked for");
	});
}
