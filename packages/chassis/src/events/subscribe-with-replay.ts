import { setTimeout as sleep } from "node:timers/promises";
import type { EventEnvelope, EventType } from "@lango/contracts";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Context } from "../service.ts";

const again = { firstMs: 250, mostMs: 10_000 };

export type SubscriptionContext = Pick<Context, "transport" | "now" | "log" | "onStop" | "readyWhen">;

/**
 * A subscription of a process to one event type: new events, and those of the given number of milliseconds
 * before.
 */
export type ReplayedSubscription<S extends TSchema> = {
	/** The name of the readiness check and of the log lines. */
	name: string;
	eventType: EventType<S>;
	rememberMs: number;
	/** Must not throw. Events may arrive more than once and out of order. */
	deliver: (envelope: EventEnvelope<Static<S>>) => void;
};

/**
 * Subscribes this process to events that it keeps in memory. The service is not ready until it has read the
 * events from before its start. After the bus was unavailable, missed events are read again.
 */
export async function subscribeWithReplay<S extends TSchema>(
	{ transport, now, log, onStop, readyWhen }: SubscriptionContext,
	{ name, eventType, rememberMs, deliver: receive }: ReplayedSubscription<S>,
): Promise<void> {
	const data = Compile(eventType.data);
	const onError = (err: unknown, about: string) => log.error({ err, about }, name);
	const types = [eventType.type];
	const deliver = ({ data: content, ...envelope }: EventEnvelope) => {
		if (data.Check(content)) receive({ ...envelope, data: content });
		else onError(new Error("the event does not match its contract"), `${envelope.type} ${envelope.id}`);
	};
	const stopping = new AbortController();
	let isCaughtUp = false;
	let reading: Promise<void> | undefined;
	let isWantedAgain = false;
	const read = async (): Promise<void> => {
		for (
			let pauseMs = again.firstMs;
			!stopping.signal.aborted;
			pauseMs = Math.min(pauseMs * 2, again.mostMs)
		) {
			try {
				const since = new Date(now().getTime() - rememberMs);
				await transport.replaySince({ types, since, deliver, onError });
				isCaughtUp = true;
				return;
			} catch (error) {
				onError(error, "catch up");
				await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
			}
		}
	};
	/** Runs one replay at a time. Any number of gaps during a replay cause one more. */
	const catchUp = () => {
		isWantedAgain = reading !== undefined;
		reading ??= readAll();
	};
	const readAll = async (): Promise<void> => {
		do {
			isWantedAgain = false;
			await read();
		} while (isWantedAgain && !stopping.signal.aborted);
		reading = undefined;
	};
	const subscription = await transport.observe({ types, deliver, onGap: catchUp, onError });
	onStop(async () => {
		stopping.abort();
		await subscription.stop();
		await reading;
	});
	readyWhen(name, async () => {
		if (!isCaughtUp) throw new Error(`${name}: earlier events are not loaded yet`);
	});
	catchUp();
}
