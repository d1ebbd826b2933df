import type { Logger } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { type Class, classes } from "../message.ts";
import { criticalCategories } from "../template.ts";
import { type Claimed, type Lane, listDueLanes } from "./claim.store.ts";
import { claimDeliveries } from "./claim.ts";
import type { Result } from "./settle.store.ts";
import type { Settling } from "./settle-batches.ts";
import { createSlots, type Slots } from "./slots.ts";

/** Sends due deliveries until it is stopped. */
export type Dispatcher = {
	/** A lane of this class became due. */
	wake(messageClass: Class): void;
	/** Claims nothing more, waits for the deliveries in progress, and gives back what was not called. */
	stop(): Promise<void>;
};

export type DispatcherOptions = {
	db: Database;
	now: () => Date;
	vault: Pick<Vault, "otherKeysOf">;
	log: Logger;
	/** Sends a claimed delivery. */
	send: (lane: Lane, claimed: Claimed) => Promise<Result>;
	settling: Settling;
	/** How many deliveries of a lane can be called soon. */
	roomFor: (lane: Lane) => number;
	/** Makes `send` give back what is not called yet. */
	giveBack: () => void;
	sizes: Readonly<Record<Class, number>>;
	/** How often to look for due lanes without being woken. */
	pollMs: number;
	/** The lease of a claimed delivery: longer than a call may take. */
	leaseSeconds: number;
};

const lanesMax = 32;
const errorPauseMs = 1_000;
/** Free slots are used after this time, so that a claim takes several deliveries of a lane. */
const refillMs = 10;
const stopWaitMs = 7_000;
/** A lane that could not be claimed from is left out for this time, so that it delays no other lane. */
const laneRestMs = 10_000;
/** Nothing is claimed while so many times the slots wait for their results to be recorded. */
const unsettledFactor = 4;

/**
 * Starts a dispatcher. Each class has its own slots and its own loop, so that bulk messages never delay
 * urgent ones. A loop claims from the least recently served lanes while slots are free; it is woken by
 * `wake`, ten milliseconds after a slot became free, and every `pollMs`.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
	const loops = new Map(classes.map((messageClass) => [messageClass, startLoop(options, messageClass)]));
	return {
		wake: (messageClass) => loops.get(messageClass)?.wake(),
		async stop() {
			const stopped = [...loops.values()].map((loop) => loop.stop());
			options.giveBack();
			await Promise.all(stopped);
			await options.settling.flush();
		},
	};
}

type Loop = { wake(): void; stop(): Promise<void> };

function startLoop(options: DispatcherOptions, messageClass: Class): Loop {
	const { pollMs } = options;
	const slots = createSlots(options.sizes[messageClass]);
	const inProgress = new Set<Promise<void>>();
	const pause = createPause();
	const resting = createResting(options.now);
	let isStopped = false;
	const start = (lane: Lane, claimed: Claimed) => {
		const sending = options
			.send(lane, claimed)
			.finally(() => {
				slots.release(lane);
				pause.endWithin(refillMs);
			})
			.then((result) => options.settling.add(lane, result))
			.catch((err) => options.log.error({ err, delivery_id: claimed.id }, "delivery failed unexpectedly"))
			.finally(() => {
				inProgress.delete(sending);
				pause.endWithin(refillMs);
			});
		inProgress.add(sending);
	};
	const unsettledMax = unsettledFactor * options.sizes[messageClass];
	const round = async (): Promise<number> => {
		if (inProgress.size >= unsettledMax) return pollMs;
		const claimed = await claim(options, messageClass, { slots, resting });
		for (const { lane, deliveries } of claimed) for (const one of deliveries) start(lane, one);
		return claimed.length > 0 && slots.free() > 0 ? 0 : pollMs;
	};
	const run = async () => {
		while (!isStopped) {
			pause.begin();
			const restMs = await round().catch((err) => {
				options.log.warn({ err, class: messageClass }, "claiming deliveries failed, will retry");
				return errorPauseMs;
			});
			if (!isStopped) await pause.rest(restMs);
		}
	};
	const running = run();
	return {
		wake: pause.end,
		async stop() {
			isStopped = true;
			pause.end();
			await running;
			await Promise.race([
				Promise.all(inProgress),
				new Promise((resolve) => setTimeout(resolve, stopWaitMs).unref()),
			]);
		},
	};
}

/** A pause that can be ended early, also between `begin` and `rest`. */
function createPause() {
	let isEnded = false;
	let resume = () => {};
	let ending: NodeJS.Timeout | undefined;
	const end = () => {
		clearTimeout(ending);
		ending = undefined;
		isEnded = true;
		resume();
	};
	return {
		begin: () => {
			isEnded = false;
		},
		end,
		endWithin: (ms: number) => {
			ending ??= setTimeout(end, ms);
		},
		async rest(ms: number): Promise<void> {
			if (isEnded || ms === 0) return;
			const { promise, resolve } = Promise.withResolvers<void>();
			resume = resolve;
			const timer = setTimeout(resolve, ms);
			await promise;
			clearTimeout(timer);
		},
	};
}

/** Lanes that could not be claimed from, until they may be tried again. */
type Resting = { add(lane: Lane): void; has(lane: Lane): boolean; count(): number };

function createResting(now: () => Date): Resting {
	const until = new Map<string, number>();
	const keyOf = ({ tenantId, channel }: Lane) => `${tenantId} ${channel}`;
	return {
		add: (lane) => void until.set(keyOf(lane), now().getTime() + laneRestMs),
		has: (lane) => until.has(keyOf(lane)),
		count() {
			for (const [key, at] of until) if (at <= now().getTime()) until.delete(key);
			return until.size;
		},
	};
}

type ClaimedLane = { lane: Lane; deliveries: readonly Claimed[] };

async function claim(
	options: DispatcherOptions,
	messageClass: Class,
	{ slots, resting }: { slots: Slots; resting: Resting },
): Promise<ClaimedLane[]> {
	if (slots.free() === 0) return [];
	const { db, now, log } = options;
	const limit = lanesMax + resting.count();
	const due = await listDueLanes(db, { messageClass, limit, now: now() });
	const lanes = due.filter((lane) => !resting.has(lane));
	const claimed: ClaimedLane[] = [];
	for (const lane of lanes) {
		const most = Math.min(slots.freeFor(lane, lanes.length > 1), options.roomFor(lane));
		if (most === 0) continue;
		try {
			const deliveries = await claimFrom(options, lane, most);
			slots.take(lane, deliveries.length);
			if (deliveries.length > 0) claimed.push({ lane, deliveries });
		} catch (err) {
			resting.add(lane);
			const { tenantId: tenant_id, channel } = lane;
			log.warn({ err, tenant_id, channel, class: messageClass }, "claiming from a lane failed, will retry");
		}
	}
	return claimed;
}

function claimFrom({ db, now, vault, leaseSeconds }: DispatcherOptions, lane: Lane, limit: number) {
	const options = { limit, leaseSeconds, critical: criticalCategories, now: now(), vault };
	return inTenant(db, lane.tenantId, (tx) => claimDeliveries(tx, lane, options));
}
