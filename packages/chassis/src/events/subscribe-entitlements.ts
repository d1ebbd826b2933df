import { type EventEnvelope, subscriptionEntitlementsChanged } from "@lango/contracts";
import type { Entitlements } from "@lango/entitlements";
import { Compile } from "typebox/compile";
import type { Context } from "../service.ts";

const data = Compile(subscriptionEntitlementsChanged.data);

/**
 * Subscribes each process to changes of entitlements, so that gates apply them within moments (spec §3, §6).
 * A snapshot is ignored unless its version is higher than the cached one. When events may have been missed,
 * the whole cache is invalidated.
 */
export async function subscribeEntitlements(
	{ transport, log, onStop }: Pick<Context, "transport" | "log" | "onStop">,
	entitlements: Pick<Entitlements, "apply" | "dropAll">,
): Promise<void> {
	const onError = (err: unknown, about: string) => log.error({ err, about }, "entitlements");
	const deliver = (envelope: EventEnvelope) => {
		if (data.Check(envelope.data)) entitlements.apply(envelope.data, new Date(envelope.time));
		else onError(new Error("the event does not match its contract"), `${envelope.type} ${envelope.id}`);
	};
	const types = [subscriptionEntitlementsChanged.type];
	const subscription = await transport.observe({
		types,
		deliver,
		onGap: () => entitlements.dropAll(),
		onError,
	});
	onStop(() => subscription.stop());
}
