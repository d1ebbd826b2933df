import { setTimeout as sleep } from "node:timers/promises";
import { authSessionRevoked, type EventEnvelope } from "@lango/contracts";
import { createRevocations, type Revocations } from "@lango/tokens";
import { Compile } from "typebox/compile";
import type { Context } from "./service.ts";

const data = Compile(authSessionRevoked.data);

/** No access token is older: what was revoked before needs no remembering. */
const rememberMs = 6 * 3_600_000;

const again = { firstMs: 250, mostMs: 10_000 };

/**
 * Hears of sessions that end before their tokens do, so that the tokens are refused here, too, within moments. Every
 * process hears for itself: what is remembered is its own. The service is not ready before it has read what was told while
 * it was not there; what it may have missed while the bus was away it reads again.
 */
export async function hearRevocations({
	transport,
	now,
	log,
	onStop,
	readyWhen,
}: Pick<Context, "transport" | "now" | "log" | "onStop" | "readyWhen">): Promise<Revocations["isRevoked"]> {
	const revocations = createRevocations({ now });
	const onError = (err: unknown, about: string) => log.error({ err, about }, "revocations");
	const types = [authSessionRevoked.type];
	const deliver = (envelope: EventEnvelope) => {
		if (data.Check(envelope.data)) revocations.add(envelope.data.session_id);
		else onError(new Error("it is not as its contract says"), `${envelope.type} ${envelope.id}`);
	};
	const stopping = new AbortController();
	let isCaughtUp = false;
	let reading: Promise<void> | undefined;
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
	/** One at a time; a gap while one reads is read after it. */
	const catchUp = () => {
		reading = (reading ?? Promise.resolve()).then(read);
	};
	const hearing = await transport.observe({ types, deliver, onGap: catchUp, onError });
	onStop(async () => {
		stopping.abort();
		await hearing.stop();
		await reading;
	});
	readyWhen("revocations", async () => {
		if (!isCaughtUp) throw new Error("what was revoked before the start is not known yet");
	});
	catchUp();
	return revocations.isRevoked;
}
