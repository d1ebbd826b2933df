import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../time/clock.ts";
import { postWebhook, type WebhookRequest, type WebhookResult } from "./post-webhook.ts";

/** Something that the sandbox sends by itself, and what became of it. */
export type Delivery = {
	id: number;
	/** When it was planned, by the sandbox's clock. */
	at: string;
	operation: string;
	url: string;
	body: string;
	/**
	 * `planned` until it is taken, with the last answer; `dropped`: a fault kept it back; `failed`: no attempt
	 * was taken.
	 */
	state: "planned" | "delivered" | "failed" | "dropped";
	answered: number | null;
	answer: string;
	attempts: number;
};

export type Planned = WebhookRequest & {
	operation: string;
	url: string;
	/** The real time before the first attempt, in milliseconds. */
	afterMs?: number;
	/** Waits until another delivery has been sent, at most `afterMs`. */
	isReordered?: boolean;
	/** It is noted and not sent. */
	isDropped?: boolean;
};

/** Deliveries of one sandbox. */
export type Deliveries = {
	/** Resolves when the delivery is answered, has failed or is dropped; rejects if it is ended before. */
	send(planned: Planned): Promise<WebhookResult>;
	/** The latest 10,000, the oldest first. */
	list(): Delivery[];
	/** How many have not been sent for the first time yet. */
	waiting(): number;
	/** Ends those that are in progress and forgets all. */
	clear(): void;
};

const keptMax = 10_000;

/**
 * Sends one after `pausesMs` again until its status is one that `isTaken` names (missing: 2xx). An attempt
 * waits `timeoutMs` for its answer.
 */
export function createDeliveries({
	clock,
	pausesMs,
	timeoutMs = 10_000,
	isTaken,
}: {
	clock: Clock;
	pausesMs: readonly number[];
	timeoutMs?: number;
	isTaken?: (status: number) => boolean;
}): Deliveries {
	const kept = new Map<number, Delivery>();
	const unsent = new Set<number>();
	let ending = new AbortController();
	let release = new AbortController();
	let lastId = 0;
	const note = (delivery: Delivery) => {
		kept.set(delivery.id, delivery);
		if (delivery.state === "planned" && delivery.attempts === 0) unsent.add(delivery.id);
		else unsent.delete(delivery.id);
		for (const id of kept.keys()) {
			if (kept.size <= keptMax) break;
			kept.delete(id);
		}
	};
	const wait = async ({ afterMs = 0, isReordered }: Planned, signal: AbortSignal) => {
		const released = isReordered === true ? release.signal : signal;
		await sleep(afterMs, undefined, { signal: AbortSignal.any([released, signal]) }).catch((error) => {
			if (signal.aborted) throw error;
		});
	};
	const post = async (delivery: Delivery, planned: Planned) => {
		const { signal } = ending;
		await wait(planned, signal);
		const onAttempt = ({ answered, body: answer, attempts, isTaken: isDelivered }: WebhookResult) => {
			const isLast = attempts > pausesMs.length;
			const state = isDelivered ? "delivered" : isLast ? "failed" : "planned";
			note({ ...delivery, state, answered, answer, attempts });
		};
		const target = { url: planned.url, pausesMs, timeoutMs, isTaken, onAttempt, signal };
		const result = await postWebhook(target, planned);
		if (planned.isReordered !== true) {
			release.abort();
			release = new AbortController();
		}
		return result;
	};
	return {
		send: async (planned) => {
			lastId += 1;
			const { operation, url, body, isDropped = false } = planned;
			const delivery: Delivery = {
				...{ id: lastId, at: clock.now().toISOString(), operation, url, body },
				...{ state: isDropped ? "dropped" : "planned", answered: null, answer: "", attempts: 0 },
			};
			note(delivery);
			return isDropped ? { answered: null, body: "", attempts: 0, isTaken: false } : post(delivery, planned);
		},
		list: () => [...kept.values()],
		waiting: () => unsent.size,
		clear: () => {
			ending.abort();
			ending = new AbortController();
			kept.clear();
			unsent.clear();
			lastId = 0;
		},
	};
}
