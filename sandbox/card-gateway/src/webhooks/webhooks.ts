import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deliveries, FaultRule } from "@lango/sandbox-base";
import type { EventName, Gateway, Settings } from "../gateway.ts";
import { drift } from "./drift.ts";

type Webhooks = {
	publish: Gateway["publish"];
	/** Resolves when every webhook is answered or given up, after five seconds at the latest. */
	answered(): Promise<void>;
};

const answeredMs = 5_000;
const reorderMs = 2_000;
const replayAfterMs = 2_000;

/** The events of one gateway, signed and sent to the webhook address as its faults say. */
export function createWebhooks({
	settings,
	deliveries,
	takeFault,
	switches,
}: Pick<Gateway, "settings" | "takeFault" | "switches"> & { deliveries: Deliveries }): Webhooks {
	const open = new Set<Promise<unknown>>();
	const send = (operation: EventName, body: string, how: How = {}) => {
		const url = switches.webhookUrl ?? "";
		const { key = settings.secretKey, isDropped = url === "", ...rest } = how;
		const headers = { "content-type": "application/json", ...signatures(settings, body, key) };
		const sending: Promise<unknown> = deliveries
			.send({ operation, url, body, headers, isDropped, ...rest })
			// It is rejected by a reset alone.
			.catch(() => undefined)
			.finally(() => open.delete(sending));
		open.add(sending);
	};
	return {
		publish: (event, data) => {
			const take = (...faults: string[]) => takeFault(event, ...faults);
			const body = JSON.stringify({ event, data: take("type_drift") ? drift(data) : data });
			send(event, body, { ...timingOf(take("delay", "reorder")), ...(take("drop") && { isDropped: true }) });
			if (take("duplicate")) send(event, body);
			const replay = take("replay");
			if (replay) send(event, body, { afterMs: replay.ms ?? replayAfterMs });
			const forged = take("forge_unsigned", "forge_signature");
			if (forged)
				send(event, JSON.stringify({ event, data: falsify(data) }), { key: forgedKeys[forged.fault] });
		},
		answered: async () => {
			await Promise.race([Promise.all(open), sleep(answeredMs, undefined, { ref: false })]);
		},
	};
}

type How = {
	/** What the body is signed with; null: nothing. */
	key?: string | null | undefined;
	isDropped?: boolean;
	isReordered?: boolean;
	afterMs?: number;
};

const timingOf = (fault: FaultRule | undefined): How =>
	fault === undefined ? {} : { isReordered: fault.fault === "reorder", afterMs: fault.ms ?? reorderMs };

const forgedKeys: Readonly<Record<string, string | null>> = {
	forge_unsigned: null,
	forge_signature: "a key that is not the gateway's",
};

/** The signature of the exact bytes, §5, in every header that asks for it. */
function signatures(
	{ signatureAliases }: Pick<Settings, "signatureAliases">,
	body: string,
	key: string | null,
): Record<string, string> {
	if (key === null) return {};
	const signature = createHmac("sha512", key).update(body).digest("hex");
	return Object.fromEntries(["x-cardgw-signature", ...signatureAliases].map((name) => [name, signature]));
}

/** What a forger claims: ten times the amount. */
function falsify(data: unknown): unknown {
	const { amount } = data as { amount?: unknown };
	return amount === undefined ? data : { ...(data as object), amount: Number(amount) * 10 };
}
