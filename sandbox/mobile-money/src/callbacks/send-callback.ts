import type { FaultRule, Planned } from "@lango/sandbox-base";
import type { Sandbox } from "../sandbox.ts";
import type { FaultName, OperationName } from "./fault-words.ts";

/** What faults change in a body. */
export type Changes = { isMutated?: true; hasWrongPhone?: true };

/** Something that the gateway sends once, and does not repeat. */
export type Callback = {
	operation: OperationName;
	ordinal: number;
	url: string;
	body(changes: Changes): object;
	/** What a forger would send, for the faults `forge_*`. */
	forged?: () => object;
	/** What says that there was no result in time, and where, for the fault `late_after_timeout`. */
	timeout?: { url: string; body: object };
};

const headers = { "content-type": "application/json" };
const defaultMs = 1_000;

/** Takes the rule of a fault that is chosen for this callback. */
type Take = (fault: FaultName) => FaultRule | undefined;
type Post = (to: string, body: object, rest?: Partial<Planned>) => Promise<unknown>;

/**
 * Sends a callback, with the faults that are chosen for it. Resolves when it has been answered or has failed.
 */
export async function sendCallback(sandbox: Sandbox, callback: Callback): Promise<void> {
	const { operation, ordinal, url, timeout } = callback;
	const take: Take = (fault) => sandbox.faults.take({ operation, ordinal, faults: [fault] });
	const post: Post = (to, content, rest) =>
		sandbox.deliveries.send({ operation, url: to, headers, body: JSON.stringify(content), ...rest });
	const body = drift(callback.body(chooseChanges(take)), take);
	await forge(callback, { take, post });
	const late = timeout && take("late_after_timeout");
	if (timeout && late) await post(timeout.url, timeout.body);
	await post(url, body, chooseSending(take, late));
	if (take("duplicate")) await post(url, body);
	const replay = take("forge_replay");
	if (replay) await post(url, body, { afterMs: replay.ms ?? defaultMs });
}

/** Other types of the values: numbers as text, and codes that are text as numbers. */
function drift(body: object, take: Take): object {
	if (!take("type_drift")) return body;
	const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): object };
	return parse(JSON.stringify(body), (key, value, { source }) => {
		if (typeof value === "number") return source;
		return key === "ResultCode" && /^\d+$/.test(String(value)) ? Number(value) : value;
	});
}

/** TypeScript does not know the third parameter yet (ECMAScript proposal "JSON.parse source text access"). */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const chooseChanges = (take: Take): Changes => ({
	...(take("mutate_amount") && { isMutated: true }),
	...(take("wrong_phone") && { hasWrongPhone: true }),
});

function chooseSending(take: Take, late: FaultRule | undefined): Partial<Planned> {
	const reorder = take("reorder");
	const slow = late ?? take("delay") ?? reorder;
	return {
		isDropped: take("drop") !== undefined,
		isReordered: reorder !== undefined,
		afterMs: slow === undefined ? 0 : (slow.ms ?? defaultMs),
	};
}

/** Sends what a forger would send who does not know the last part of the address, which is its token. */
async function forge({ url, forged }: Callback, { take, post }: { take: Take; post: Post }): Promise<void> {
	if (forged === undefined) return;
	const withoutToken = url.replace(/\/[^/]*$/, "");
	if (take("forge_no_token")) await post(withoutToken, forged());
	if (take("forge_wrong_token")) await post(`${withoutToken}/${"0".repeat(32)}`, forged());
}
