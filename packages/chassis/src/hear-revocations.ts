import { randomUUID } from "node:crypto";
import { authSessionRevoked } from "@lango/contracts";
import { createRevocations, type Revocations } from "@lango/tokens";
import { Compile } from "typebox/compile";
import type { Context } from "./service.ts";

const data = Compile(authSessionRevoked.data);

/**
 * Hears of sessions that end before their tokens do, so that the tokens are refused here, too, within moments. Every
 * process hears for itself: what is remembered is its own.
 */
export async function hearRevocations(
	{ transport, now, onStop }: Pick<Context, "transport" | "now" | "onStop">,
	service: string,
): Promise<Revocations["isRevoked"]> {
	const revocations = createRevocations({ now });
	const hearing = await transport.subscribe({
		consumer: `${service}.revocations.${randomUUID()}`,
		types: [authSessionRevoked.type],
		deliver: async (envelope) => {
			if (!data.Check(envelope.data))
				throw new Error(`${envelope.type} ${envelope.id} is not as its contract says`);
			revocations.add(envelope.data.session_id);
		},
	});
	onStop(() => hearing.stop());
	return revocations.isRevoked;
}
