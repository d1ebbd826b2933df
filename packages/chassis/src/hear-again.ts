import { setTimeout as sleep } from "node:timers/promises";
import type { EventEnvelope, EventType } from "@lango/contracts";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Context } from "./service.ts";

const again = { firstMs: 250, mostMs: 10_000 };

export type Hearing = Pick<Context, "transport" | "now" | "log" | "onStop" | "readyWhen">;

/** What a process is told of: events of one type, as they happen and those of so many milliseconds before. */
export type Heard<S extends TSchema> = {
	/** The name of the readiness check, and of what is logged. */
	name: string;
	eventType: EventType<S>;
	rememberMs: number;
	/** Must not throw. An event may come more than once, and an older one after a newer. */
	deliver: (envelope: EventEnvelope<Static<S>>) => void;
};

/**
 * Hears of events for what a process remembers itself. The service is not ready before it has read what was told while
 * it was not there; what it may have missed while the bus was away it reads again.
 */
export async function hearAgain<S extends TSchema>(
	{ transport, now, log, onStop, readyWhen }: Hearing,
	{ name, eventType, rememberMs, deliver: hear }: Heard<S>,
): Promise<void> {
	const data = Compile(eventType.data);
	const onError = (err: unknown, about: string) => log.error({ err, about }, name);
	const types = [eventType.type];
	const deliver = ({ data: told, ...envelope }: EventEnvelope) => {
		if (data.Check(told)) hear({ ...envelope, data: told });
		else onError(new Error("it is not as its contract says"), `${envelope.type} ${envelope.id}`);
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
	/** One at a time; of gaps while one reads, however many, one more reading makes up. */
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
	const hearing = await transport.observe({ types, deliver, onGap: catchUp, onError });
	onStop(async () => {
		stopping.abort();
		await hearing.stop();
		await reading;
	});
	readyWhen(name, async () => {
		if (!isCaughtUp) throw new Error(`${name}: what was told before the start is not known yet`);
	});
	catchUp();
}
