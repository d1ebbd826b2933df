import { authSessionRevoked, type EventEnvelope } from "@lango/contracts";
import { createRevocations, type Revocations } from "@lango/tokens";
import { Compile } from "typebox/compile";
import type { Context } from "./service.ts";

const data = Compile(authSessionRevoked.data);

/** No access token is older: what was revoked before needs no remembering. */
const rememberMs = 6 * 3_600_000;

/**
 * Hears of sessions that end before their tokens do, so that the tokens are refused here, too, within moments. Every
 * process hears for itself: what is remembered is its own. What it may have missed while the bus was away it reads again.
 */
export async function hearRevocations({
	transport,
	now,
	log,
	onStop,
}: Pick<Context, "transport" | "now" | "log" | "onStop">): Promise<Revocations["isRevoked"]> {
	const revocations = createRevocations({ now });
	const onError = (err: unknown, about: string) => log.error({ err, about }, "revocations");
	const types = [authSessionRevoked.type];
	const deliver = (envelope: EventEnvelope) => {
		if (data.Check(envelope.data)) revocations.add(envelope.data.session_id);
		else onError(new Error("it is not as its contract says"), `${envelope.type} ${envelope.id}`);
	};
	const catchUp = () => {
		const since = new Date(now().getTime() - rememberMs);
		transport.replaySince({ types, since, deliver, onError }).catch((err) => onError(err, "catch up"));
	};
	const hearing = await transport.observe({ types, deliver, onGap: catchUp, onError });
	onStop(() => hearing.stop());
	return revocations.isRevoked;
}
