import { setTimeout as sleep } from "node:timers/promises";
import { type Agreement, recoveryMs, watchAgreement } from "./agree.ts";
import { type Cast, castOf } from "./cast.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Load, startLoad } from "./load.ts";
import { type Replicas, startReplicas } from "./replicas.ts";

/** Two processes of each service, the people who work with them, and what must hold afterwards. */
export type Stand = { replicas: Replicas; cast: Cast; ledger: Ledger; agreement: Agreement };

export async function openStand(): Promise<Stand> {
	const replicas = await startReplicas();
	try {
		const cast = await castOf(replicas.urls);
		const ledger = openLedger();
		return { replicas, cast, ledger, agreement: await watchAgreement(replicas, { cast, ledger }) };
	} catch (error) {
		await replicas.stop();
		throw error;
	}
}

/**
 * Has something happen while people work. When it is over, all of their work goes on and everybody has come
 * to agree within half a minute, or within the time that is said.
 */
export async function underLoad(
	{ replicas, cast, ledger, agreement }: Stand,
	happens: (load: Load) => Promise<void>,
	withinMs = recoveryMs,
): Promise<void> {
	const load = startLoad(replicas.urls, { cast, ledger });
	let overAt = 0;
	try {
		await untilItFlows(load, Date.now());
		await happens(load);
		overAt = Date.now();
		await untilItFlows(load, overAt);
	} finally {
		await load.stop();
	}
	await agreement.reach(overAt + withinMs);
}

/**
 * Waits until each kind of work that was begun since a moment was done. Throws an Error when one is not
 * within half a minute.
 */
export async function untilItFlows(load: Pick<Load, "flows">, since: number): Promise<void> {
	while (!load.flows(since)) {
		if (Date.now() - since > recoveryMs)
			throw new Error("there is work that does not go its way again in half a minute");
		await sleep(50);
	}
}
