import { setTimeout as sleep } from "node:timers/promises";
import { waitForQuiet } from "../wait-for-quiet.ts";
import { rounds as allRounds, type Faults, none } from "./faults.ts";
import {
	compareDay,
	type Decisions,
	decide,
	type Exception,
	enterPasswords,
	explain,
	listOpen,
} from "./operators.ts";
import { ask, forEachAtOnce, pay } from "./payers.ts";
import { payOutAll } from "./payouts.ts";
import {
	act,
	compareCharges,
	endWaitingRefunds,
	ignoreRefusal,
	payByCode,
	requiredActs,
	settle,
	topUp,
} from "./people.ts";
import type { Used } from "./processes.ts";
import type { StormTill } from "./storm-till.ts";
import {
	compare,
	compareLosses,
	countEvents,
	databaseMb,
	type Events,
	findMissing,
	findWrong,
	type Losses,
	type Storm,
} from "./truth.ts";

/** How far a storm is, and what the processes used until then. */
export type Progress = {
	round: number;
	what: string;
	paid: number;
	kills: number;
	events: Events;
	databaseMb: number;
	service: Used;
	sandboxes: Used;
};

/**
 * What a storm found; `unexplained` are exceptions that nothing which operators do explains, and `missing` is
 * what did not happen.
 */
export type Found = Storm & {
	missing: string[];
	unexplained: Exception[];
	wrong: readonly object[];
	losses: Losses;
	decisions: Decisions;
	kills: number;
};

/** Two days, as steps of seconds between the times at which gateways are asked. */
const ladder = [25, 30, 60, 240, 900, 3_600, 21_600, 90_000, 90_000];
/**
 * Between two comparisons. Settlements are looked at again after an hour; what a gateway answered about a
 * payout counts for an hour, and may come after the first decision.
 */
const againSeconds = 1_800;
/** After so many, money is settled and paid out, and the progress is reported; at most five times a round. */
const waveMin = 500;
const wavesMax = 5;
/** For so many bills people do one thing besides paying. */
const billsForAnAct = 3;
/** What faults or refusals let not happen is done again so often, after so many further payments. */
const againMax = 5;
const billsAgain = 40;
/** It is killed within so many milliseconds, if there is work for so long. */
const killWithinMs = 3_000;

type Options = {
	bills: number;
	/** After so many seconds no other wave begins, each round having a part of them; missing: never. */
	seconds?: number;
	/** So many payers pay at once. */
	payers?: number;
	/** The service is killed about so often in each wave. */
	kills?: number;
	rounds?: readonly Faults[];
	/** The days that are compared at the end, at most. */
	days?: number;
	onProgress?: (progress: Progress) => void;
};

/**
 * Asks for so many payments, and lets phones and cards pay them, while people return, dispute and pay out
 * money, under the faults of each round and while the service is killed; then the clock moves until nothing
 * is open. At last the gateways are compared as every day, and operators decide. Returns how the ledgers of
 * the sandboxes and ours differ.
 */
export async function runStorm(till: StormTill, options: Options): Promise<Found> {
	const { rounds = allRounds, days = 6, onProgress = () => {} } = options;
	const storm = { till, options, kills: 0, paid: 0, acts: 0, began: performance.now() };
	for (const [at, faults] of rounds.entries()) {
		const report = async (what: string) => onProgress(await progressOf(storm, at + 1, what));
		await setFaults(till, faults);
		await blowRound(storm, at + 1, () => report("people pay"));
		await compareCharges(till);
		await passTime(till);
		await report("two days pass");
	}
	await actAgain(storm);
	await setFaults(till, none);
	await enterPasswords(till);
	await endWaitingRefunds(till);
	for (const seconds of ladder) await passStep(till, seconds);
	await endWaitingRefunds(till);
	await settle(till);
	const imported = { mobile: 0, cards: 0 };
	const decisions: Decisions = {};
	for (let day = 0, left = 1; day < days && left > 0; day += 1) {
		await compareDay(till, imported, () => waitForQuiet(till, 2));
		left = await explain(till, decisions);
		left += await decide(till, decisions, () => waitForQuiet(till, 2));
		await waitForQuiet(till, 2);
		await passStep(till, againSeconds);
		left += (await listOpen(till)).length;
	}
	await waitForQuiet(till, 2);
	onProgress(await progressOf(storm, rounds.length, "operators decide"));
	const unexplained = await listOpen(till);
	const checked = { wrong: await findWrong(till), losses: await compareLosses(till) };
	const done = { missing: await findMissing(till, Object.keys(requiredActs)), kills: storm.kills };
	return { ...(await compare(till)), ...checked, ...done, unexplained, decisions };
}

type Running = {
	till: StormTill;
	options: Options;
	kills: number;
	paid: number;
	acts: number;
	began: number;
};

/** Asks for the bills of a round, counted from 1, in waves, until its part of them or of the time is over. */
async function blowRound(storm: Running, round: number, onWave: () => Promise<void>): Promise<void> {
	const { till, options, began } = storm;
	const { bills, seconds = Number.POSITIVE_INFINITY, rounds = allRounds } = options;
	const part = round / rounds.length;
	const last = Math.ceil(bills * part);
	const size = Math.max(waveMin, Math.ceil(bills / rounds.length / wavesMax));
	while (storm.paid < last && performance.now() - began < seconds * part * 1_000) {
		const count = Math.min(size, last - storm.paid);
		const todo = Array.from({ length: Math.ceil(count / billsForAnAct) }, () => {
			const nth = storm.acts++;
			return () => act(till, nth);
		});
		await blow(storm, count, todo);
		await onWave();
	}
}

/** Does what did not happen until now at each shop, under the same faults, until it has happened. */
async function actAgain(storm: Running): Promise<void> {
	const { till } = storm;
	for (let tries = 0; tries < againMax; tries += 1) {
		const missing = await findMissing(till, Object.keys(requiredActs));
		if (missing.length === 0) return;
		const todo = till.shops.flatMap((shop) =>
			missing.map((what) => {
				const nth = storm.acts++;
				return async () => {
					await requiredActs[what]?.(till, shop, nth).catch(ignoreRefusal);
				};
			}),
		);
		await blow(storm, billsAgain, todo);
		await compareCharges(till);
		await passTime(till);
	}
}

async function progressOf({ till, kills, paid }: Running, round: number, what: string): Promise<Progress> {
	const [service, sandboxes] = [till.service.used(), till.sandboxes.used()];
	const counted = { events: await countEvents(till), databaseMb: await databaseMb(till) };
	return { round, what, paid, kills, ...counted, service, sandboxes };
}

async function setFaults(till: StormTill, { mobileMoney, cards }: Faults): Promise<void> {
	await till.sandbox("PUT", "/_control/faults", mobileMoney as object);
	await till.cards("PUT", "/_control/faults", cards as object);
}

type Act = () => Promise<void>;

/** Asks for so many payments. Payers pay, people act, and the service is killed meanwhile. */
async function blow(storm: Running, bills: number, acts: readonly Act[]): Promise<void> {
	const { till, options } = storm;
	const { payers = 8, kills = 2 } = options;
	const wave = await ask(till, { from: storm.paid, count: bills });
	storm.paid += bills;
	await topUp(till, bills * 10_000);
	const half = acts.length / 2;
	const acting = (some: readonly Act[]) => forEachAtOnce(some, Math.ceil(payers / 4), (one) => one());
	const paying = forEachAtOnce(wave, payers, async (request) => {
		const { nth } = request;
		await pay(till, request, nth);
		if (nth % 11 === 9) await payByCode(till, request).catch(ignoreRefusal);
	});
	await killDuring(storm, Math.ceil(kills / 2), [paying, acting(acts.slice(0, half))]);
	// So that there is money to pay out and to return.
	await settle(till);
	await waitForQuiet(till, 2);
	const payingOut = async () => {
		await acting(acts.slice(half));
		await forEachAtOnce(till.shops, Math.ceil(payers / 4), (shop) => payOutAll(till, shop));
	};
	await killDuring(storm, Math.floor(kills / 2), [payingOut()]);
	await waitForQuiet(till, 1);
	await enterPasswords(till);
	await endWaitingRefunds(till);
}

/** Kills the service so often, at random moments, while work is done. */
async function killDuring(storm: Running, kills: number, work: ReadonlyArray<Promise<void>>): Promise<void> {
	const done = Promise.all(work);
	for (let nth = 0; nth < kills; nth += 1) {
		await Promise.race([done, sleep(500 + Math.random() * killWithinMs)]);
		await storm.till.crash();
		storm.kills += 1;
	}
	await done;
}

async function passTime(till: StormTill): Promise<void> {
	await waitForQuiet(till, 6);
	for (const seconds of ladder) await passStep(till, seconds);
	await waitForQuiet(till, 6);
}

async function passStep(till: StormTill, seconds: number): Promise<void> {
	await till.wait(seconds);
	await waitForQuiet(till, 1);
}
