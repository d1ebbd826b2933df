import { setTimeout as sleep } from "node:timers/promises";
import { settleTables } from "../settle-tables.ts";
import type { Running } from "../sign-on/processes.ts";
import { addAttempts, countFailed, countWaiting } from "./charges.store.ts";
import type { Sent, Stage } from "./stage.ts";

/** Tenants of the attempts, in turn. */
const tenantsMax = 500;
const appliedSecondsMax = 300;

let added = 0;

/** Sends webhooks about attempts that wait, each about another one, and waits until all are applied. */
export type Charging = {
	send(to: Running, how: { seconds: number; connections: number; perSecond?: number }): Promise<Charged>;
	/** Throws an Error if the service applied a webhook in another way than it should. */
	check(): Promise<void>;
};

/**
 * `from` is the ordinal of the first attempt; `appliedPerSecond` counts from the first webhook to the last
 * journal.
 */
export type Charged = Sent & { from: number; appliedPerSecond: number };

/** Adds so many attempts. */
export async function openCharging(
	{ admin, tenants, sendWebhooks }: Stage,
	{ attempts }: { attempts: number },
): Promise<Charging> {
	let next = added;
	added += attempts;
	await addAttempts(admin, { tenants: tenants.slice(0, tenantsMax), from: next, count: attempts });
	await settleTables(admin);
	return {
		async send(to, how) {
			const [from, starts] = [next, performance.now()];
			const sent = await sendWebhooks(to, { ...how, from, settleSeconds: 1 });
			next += sent.sentAt.length;
			if (next > added) throw new Error("more webhooks were sent than attempts wait");
			const ends = performance.now() + appliedSecondsMax * 1_000;
			while ((await countWaiting(admin)) > 0) {
				if (performance.now() > ends) throw new Error(`not applied within ${appliedSecondsMax} s`);
				await sleep(50);
			}
			const appliedPerSecond = (sent.total * 1_000) / (performance.now() - starts);
			return { ...sent, from, appliedPerSecond };
		},
		async check() {
			const failed = await countFailed(admin);
			if (failed > 0) throw new Error(`${failed} webhooks were not applied as they should be`);
		},
	};
}
