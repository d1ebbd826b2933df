import { setTimeout as sleep } from "node:timers/promises";

export type WebhookRequest = { headers: Readonly<Record<string, string>>; body: string };

/** Where a webhook goes, and how patient its sender is. */
export type WebhookTarget = {
	url: string;
	/** The pauses before the second and every further attempt; empty: one attempt. */
	pausesMs: readonly number[];
	timeoutMs: number;
	signal: AbortSignal;
};

/** The last answer; null: there was none. */
export type WebhookResult = { answered: number | null; body: string; attempts: number };

const bodyCharactersMax = 10_000;

/** Posts a webhook until it is answered 2xx, or the pauses are used up. Rejects when the signal aborts. */
export async function postWebhook(
	{ pausesMs, signal, ...target }: WebhookTarget,
	request: WebhookRequest,
): Promise<WebhookResult> {
	for (let attempts = 1; ; attempts += 1) {
		const answer = await post({ ...target, signal }, request);
		const pause = pausesMs[attempts - 1];
		const isDone = answer.answered !== null && answer.answered >= 200 && answer.answered < 300;
		if (isDone || pause === undefined) return { ...answer, attempts };
		await sleep(pause, undefined, { signal });
	}
}

async function post(
	{ url, timeoutMs, signal }: Omit<WebhookTarget, "pausesMs">,
	{ headers, body }: WebhookRequest,
): Promise<Omit<WebhookResult, "attempts">> {
	try {
		const response = await fetch(url, {
			...{ method: "POST", headers, body, redirect: "manual" as const },
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
		});
		return { answered: response.status, body: (await response.text()).slice(0, bodyCharactersMax) };
	} catch (error) {
		if (signal.aborted) throw error;
		return { answered: null, body: "" };
	}
}
