import { type EventEnvelope, subscriptionEntitlementsChanged } from "@lango/contracts";
import type { Entitlements } from "@lango/entitlements";
import { Compile } from "typebox/compile";
import type { Context } from "./service.ts";

const data = Compile(subscriptionEntitlementsChanged.data);

/**
 * Hears of changes of what tenants may use, so that gates follow within moments (spec §3, §6). Every process hears for
 * itself: what is remembered is its own. A snapshot whose version is not higher than what is held is dropped; when
 * events may have been missed, as after the bus was away, all that is held is.
 */
export async function hearEntitlements(
	{ transport, log, onStop }: Pick<Context, "transport" | "log" | "onStop">,
	entitlements: Pick<Entitlements, "apply" | "dropAll">,
): Promise<void> {
	const onError = (err: unknown, about: string) => log.error({ err, about }, "entitlements");
	const deliver = (envelope: EventEnvelope) => {
		if (data.Check(envelope.data)) entitlements.apply(envelope.data, new Date(envelope.time));
		else onError(new Error("it is not as its contract says"), `${envelope.type} ${envelope.id}`);
	};
	const types = [subscriptionEntitlementsChanged.type];
	const hearing = await transport.observe({ types, deliver, onGap: () => entitlements.dropAll(), onError });
	onStop(() => hearing.stop());
}
