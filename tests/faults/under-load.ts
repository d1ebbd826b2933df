import { setTimeout as sleep } from "node:timers/promises";
import { type Agreement, recoveryMs, watchAgreement } from "./agree.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Load, startLoad } from "./load.ts";
import { type LoadPeople, preparePeople } from "./load-people.ts";
import { type Replicas, startReplicas } from "./replicas.ts";

/** Two processes of each service, the people who work with them, and what must hold afterwards. */
export type Stand = { replicas: Replicas; people: LoadPeople; ledger: Ledger; agreement: Agreement };

export async function openStand(): Promise<Stand> {
	const replicas = await startReplicas();
	try {
		const people = await preparePeople(replicas.urls);
		const ledger = openLedger();
		return { replicas, people, ledger, agreement: await watchAgreement(replicas, { people, ledger }) };
	} catch (error) {
		await replicas.stop();
		throw error;
	}
}

/**
 * Runs `happens` under load. Throws if not every kind of work succeeds again afterwards, or if the services
 * do not agree within `withinMs`.
 */
export async function underLoad(
	{ replicas, people, ledger, agreement }: Stand,
	happens: (load: Load) => Promise<void>,
	withinMs = recoveryMs,
): Promise<void> {
	const load = startLoad(replicas.urls, { people, ledger });
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
 * Waits until each kind of work that started after `since` succeeded. Throws an Error if one does not within
 * `recoveryMs`.
 */
export async function untilItFlows(load: Pick<Load, "flows">, since: number): Promise<void> {
	while (!load.flows(since)) {
		if (Date.now() - since > recoveryMs) throw new Error("a kind of work does not succeed again in time");
		await sleep(50);
	}
}
