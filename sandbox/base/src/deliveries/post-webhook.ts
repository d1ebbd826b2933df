import { setTimeout as sleep } from "node:timers/promises";

export type WebhookRequest = { headers: Readonly<Record<string, string>>; body: string };

/** Where a webhook goes, and how patient its sender is. */
export type WebhookTarget = {
	url: string;
	/** The pauses before the second and every further attempt; empty: one attempt. */
	pausesMs: readonly number[];
	timeoutMs: number;
	/** The statuses that end the attempts; missing: 2xx. */
	isTaken?: ((status: number) => boolean) | undefined;
	/** Called after each attempt. */
	onAttempt?: (result: WebhookResult) => void;
	signal: AbortSignal;
};

/** The last answer; null: there was none. `isTaken`: it ended the attempts. */
export type WebhookResult = {
	answered: number | null;
	body: string;
	attempts: number;
	isTaken: boolean;
};

const bodyCharactersMax = 10_000;

/** Posts a webhook until it is taken, or the pauses are used up. Rejects when the signal aborts. */
export async function postWebhook(
	{ pausesMs, signal, isTaken: isTakenBy = is2xx, onAttempt, ...target }: WebhookTarget,
	request: WebhookRequest,
): Promise<WebhookResult> {
	for (let attempts = 1; ; attempts += 1) {
		const answer = await post({ ...target, signal }, request);
		const pause = pausesMs[attempts - 1];
		const isTaken = answer.answered !== null && isTakenBy(answer.answered);
		const result = { ...answer, attempts, isTaken };
		onAttempt?.(result);
		if (isTaken || pause === undefined) return result;
		await sleep(pause, undefined, { signal });
	}
}

const is2xx = (status: number) => status >= 200 && status < 300;

async function post(
	{ url, timeoutMs, signal }: Pick<WebhookTarget, "url" | "timeoutMs" | "signal">,
	{ headers, body }: WebhookRequest,
): Promise<Pick<WebhookResult, "answered" | "body">> {
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
